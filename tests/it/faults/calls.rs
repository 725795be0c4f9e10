//! Plays one turn by mail many times. In each run, a different system call on a file fails, or the program is killed
//! during that call.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::outcome::{Outcome, finished, hand_over, program};
use super::turn::{MAIL, before_a_turn, copy};
use super::{all, show_progress};

/// The kinds of faults at a system call: the program is killed, or the call fails with EIO (5) or ENOSPC (28).
const KINDS: [&str; 3] = ["kill", "5", "28"];
/// A normal test run injects faults at only one in this many calls.
const SAMPLE: usize = 17;

/// Builds a library for `LD_PRELOAD` that makes system calls fail.
pub(crate) fn library(dir: &Path) -> PathBuf {
    let library = dir.join("faults.so");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/faults.c");
    let mut build = Command::new("cc");
    build.args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o"]).arg(&library).arg(source);
    assert!(build.status().unwrap().success());
    library
}

struct Turn<'a> {
    /// The data directory of a server on which it is alice's turn.
    before: &'a Path,
    library: &'a Path,
}

impl Turn<'_> {
    /// Plays the turn with a fault at the call with this number, and then delivers the message again, as a mail server
    /// would. Returns the name of the call (`None` if there were fewer calls), and the results.
    fn play(&self, kind: &str, at: usize) -> (Option<String>, Outcome) {
        let dir = tempfile::tempdir().unwrap();
        let data = dir.path().join("data");
        copy(self.before, &data);
        let log = dir.path().join("fault.log");
        let mut faulty = program(&data);
        faulty.env("LD_PRELOAD", self.library).env("FAULT_DIR", &data).env("FAULT_LOG", &log);
        faulty.env("FAULT_KIND", kind).env("FAULT_AT", at.to_string());
        let status = hand_over(faulty, MAIL, |_| ());
        let fault = std::fs::read_to_string(&log).ok();
        match status.code() {
            Some(0) => {}
            // The program was killed, perhaps after it had stored the message.
            None if kind == "kill" => assert!(hand_over(program(&data), MAIL, |_| ()).success()),
            Some(75) => assert!(hand_over(program(&data), MAIL, |_| ()).success()),
            _ => panic!("{kind} at call {at}, {fault:?}: {status}"),
        }
        (fault, finished(&data))
    }
}

#[test]
fn a_turn_survives_a_fault_at_each_of_its_calls() {
    let server = before_a_turn();
    let dir = tempfile::tempdir().unwrap();
    let library = library(dir.path());
    let turn = Turn { before: server.data(), library: &library };
    let (fault, expected) = turn.play("5", usize::MAX);
    assert!(fault.is_none() && expected.boards.len() > 1, "{expected:?}");
    let tried = AtomicUsize::new(0);
    let step = if all() { 1 } else { SAMPLE };
    thread::scope(|scope| {
        for (first, kind) in KINDS.into_iter().enumerate() {
            let (turn, expected, tried) = (&turn, &expected, &tried);
            scope.spawn(move || {
                for at in (1 + first * step / KINDS.len()..).step_by(step) {
                    let (fault, outcome) = turn.play(kind, at);
                    let Some(fault) = fault else { break };
                    outcome.check(expected, &format!("{kind} at call {at}: {fault}"));
                    // The exact number of calls is unknown. A turn needs about 200 calls, each of which is tried with
                    // three kinds of faults.
                    show_progress("faults at calls", tried.fetch_add(1, Ordering::Relaxed) + 1, 600);
                }
            });
        }
    });
    let tried = tried.into_inner();
    assert!(tried * step > 300, "only {tried} calls were tried");
}
