//! The upgrade of an older database, killed at its calls on files.

use super::all;
use super::calls::library;
use super::outcome::program;
use super::turn::copy;
use crate::common::done;
use crate::releases::{boards, releases};

/// As part of the suite, one call of so many is tried.
const SAMPLE: usize = 5;

#[test]
fn a_kill_in_an_upgrade_loses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let library = library(dir.path());
    let mut killed = 0;
    for (name, server) in releases() {
        let before = boards(&server);
        let older = dir.path().join(&name);
        copy(server.data(), &older);
        for at in (1..).step_by(if all() { 1 } else { SAMPLE }) {
            std::fs::remove_dir_all(server.data()).unwrap();
            copy(&older, server.data());
            let log = dir.path().join(format!("{name}-{at}.log"));
            let mut faulty = program(server.data());
            faulty.env("LD_PRELOAD", &library).env("FAULT_DIR", server.data()).env("FAULT_LOG", &log);
            faulty.env("FAULT_KIND", "kill").env("FAULT_AT", at.to_string());
            let ran = faulty.args(["show", "alice"]).output().unwrap();
            let Ok(fault) = std::fs::read_to_string(&log) else { break };
            assert_eq!(ran.status.code(), None, "{name}, call {at}, {fault}: {ran:?}");
            done(&server, "admin check");
            assert_eq!(boards(&server), before, "{name}, call {at}, {fault}");
            killed += 1;
        }
    }
    assert!(killed > 20, "{killed} upgrades were killed");
}
