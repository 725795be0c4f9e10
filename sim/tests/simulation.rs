//! Checks that runs are reproducible byte for byte, and that the patches that plant bugs still apply.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The minimum number of patches that plant a bug.
const PLANTED: usize = 28;

fn simulate(seed: &str, days: &str) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_turnpost-sim"));
    program.args(["--seed", seed, "--days", days]).output().unwrap()
}

#[test]
fn a_run_finds_no_faults_and_is_reproducible_byte_for_byte() {
    let [first, second] = [(); 2].map(|()| simulate("7", "3"));
    let told = String::from_utf8(first.stdout.clone()).unwrap();
    assert!(first.status.success(), "{told}");
    assert_eq!(first, second);
    for word in ["seed 7: ", "crashes", "errors", "game-years", "digest"] {
        assert!(told.contains(word), "no {word} in {told}");
    }
    let other = String::from_utf8(simulate("8", "3").stdout).unwrap();
    let digest = |told: &str| told.rsplit_once("digest ").unwrap().1.to_owned();
    assert_ne!(digest(&told), digest(&other), "runs with different seeds differ");
}

/// Returns the file that a patch changes, and the lines of each hunk as they are without the patch.
fn before(patch: &str) -> (PathBuf, Vec<String>) {
    let mut lines = patch.lines();
    let file = lines.find_map(|line| line.strip_prefix("--- a/")).unwrap();
    let mut hunks: Vec<String> = Vec::new();
    for line in lines {
        match line.split_at_checked(1) {
            Some(("@", _)) => hunks.push(String::new()),
            Some((" " | "-", text)) => *hunks.last_mut().unwrap() += &format!("{text}\n"),
            _ => {}
        }
    }
    (Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file), hunks)
}

#[test]
fn every_planted_bug_can_still_be_planted() {
    let planted = Path::new(env!("CARGO_MANIFEST_DIR")).join("planted");
    let mut patches = 0;
    for path in fs::read_dir(planted).unwrap().map(|entry| entry.unwrap().path()) {
        if path.extension().is_none_or(|extension| extension != "patch") {
            continue;
        }
        patches += 1;
        let (file, hunks) = before(&fs::read_to_string(&path).unwrap());
        let source = fs::read_to_string(&file).unwrap();
        assert!(!hunks.is_empty(), "{} has no hunks", path.display());
        for hunk in hunks {
            assert!(source.contains(&hunk), "{} no longer fits {}:\n{hunk}", path.display(), file.display());
        }
    }
    assert!(patches >= PLANTED, "only {patches} planted bugs exist");
}
