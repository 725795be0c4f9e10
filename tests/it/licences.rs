//! The dependencies have the licences and sources that deny.toml allows.

use std::path::Path;
use std::process::Command;

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs cargo-deny and every dependency of the workspace: run ./test")]
fn every_dependency_has_an_allowed_licence_and_source() {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let checked = Command::new(target.join("test-tools/cargo-deny/bin/cargo-deny"))
        .args(["--manifest-path", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"), "--workspace", "--all-features"])
        .args(["--locked", "--offline", "check", "licenses", "bans", "sources"])
        .output()
        .expect("cargo-deny runs: deploy/install-test-tools installs it");
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
}
