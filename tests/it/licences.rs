//! Checks that the dependencies have the licences and sources of deny.toml. cargo-deny reads the same file, but must be
//! built from source; this test evaluates the licences with the library that cargo-deny uses for them.

use std::process::Command;

use serde_json::Value;
use spdx::{Expression, LicenseReq, Licensee, ParseMode};

/// The licences that any dependency may have, and those of one dependency.
struct Allowed {
    everywhere: Vec<Licensee>,
    exceptions: Vec<(String, Vec<Licensee>)>,
}

impl Allowed {
    fn read() -> Allowed {
        let config: toml::Table = include_str!("../../deny.toml").parse().unwrap();
        let licences = |list: &toml::Value| {
            let texts = list.as_array().unwrap().iter().map(|text| text.as_str().unwrap());
            texts.map(|text| Licensee::parse(text).unwrap()).collect::<Vec<_>>()
        };
        let section = &config["licenses"];
        let exceptions = section["exceptions"].as_array().unwrap().iter();
        let exceptions = exceptions.map(|one| (one["crate"].as_str().unwrap().to_owned(), licences(&one["allow"])));
        Allowed { everywhere: licences(&section["allow"]), exceptions: exceptions.collect() }
    }

    fn allows(&self, package: &str, wanted: &LicenseReq) -> bool {
        let excepted = self.exceptions.iter().filter(|(name, _)| name == package).flat_map(|(_, licences)| licences);
        self.everywhere.iter().chain(excepted).any(|licence| licence.satisfies(wanted))
    }
}

/// Returns the packages of the workspace and everything that they depend on.
fn packages() -> Vec<Value> {
    let cargo = Command::new(env!("CARGO"))
        .args(["metadata", "--locked", "--offline", "--all-features", "--format-version=1"])
        .args(["--filter-platform", "x86_64-unknown-linux-gnu", "--manifest-path"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .output()
        .unwrap();
    assert!(cargo.status.success(), "{}", String::from_utf8_lossy(&cargo.stderr));
    let metadata: Value = serde_json::from_slice(&cargo.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs every dependency of the workspace: ./test fetches them")]
fn every_dependency_has_an_allowed_licence_and_source() {
    let allowed = Allowed::read();
    let packages = packages();
    assert!(packages.len() > 200, "{}", packages.len());
    let mut complaints = Vec::new();
    for package in &packages {
        let name = package["name"].as_str().unwrap();
        let text = package["license"].as_str().unwrap_or("no licence");
        let is_allowed = Expression::parse_mode(text, ParseMode::LAX)
            .is_ok_and(|expression| expression.evaluate(|wanted| allowed.allows(name, wanted)));
        if !is_allowed {
            complaints.push(format!("{name} has the licence {text}"));
        }
        if let Some(source) = package["source"].as_str()
            && source != "registry+https://github.com/rust-lang/crates.io-index"
        {
            complaints.push(format!("{name} comes from {source}"));
        }
    }
    assert!(complaints.is_empty(), "{complaints:#?}");
}
