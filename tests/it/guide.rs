//! Follows the guide to adding a game literally: a copy of the project with the guide's files plays the game.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A fenced block of the guide that names its file.
struct Block<'a> {
    kind: &'a str,
    path: &'a str,
    text: &'a str,
}

fn blocks(guide: &str) -> Vec<Block<'_>> {
    let fenced = guide.split("\n```").skip(1).step_by(2);
    let block = |fenced| -> Option<Block<'_>> {
        let (info, text) = str::split_once(fenced, '\n')?;
        let (kind, path) = info.split_once(' ')?;
        Some(Block { kind, path, text })
    };
    fenced.filter_map(block).collect()
}

/// Writes a new file, or applies a diff.
fn apply(root: &Path, block: &Block<'_>) {
    let path = root.join(block.path);
    if block.kind != "diff" {
        return fs::write(path, format!("{}\n", block.text)).unwrap();
    }
    let lines = |drop: char| -> String {
        let kept = block.text.lines().filter(|line| !line.starts_with(drop));
        kept.map(|line| format!("{}\n", line.get(1..).unwrap_or_default())).collect()
    };
    let (before, after) = (lines('+'), lines('-'));
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(
        text.matches(&before).count(),
        1,
        "{}: the guide changes lines that are not there:\n{before}",
        block.path
    );
    fs::write(path, text.replace(&before, &after)).unwrap();
}

fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let name = entry.unwrap().file_name();
            copy(&from.join(&name), &to.join(&name));
        }
    } else {
        fs::copy(from, to).unwrap();
    }
}

/// Copies the project and renames its program, so that both can be built in parallel.
fn project() -> tempfile::TempDir {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let directory = tempfile::tempdir().unwrap();
    for part in
        ["src", "templates", "migrations", "tests/data", "benches", "docs", "deploy", "fuzz/fuzz_targets", "sim/src"]
    {
        copy(&root.join(part), &directory.path().join(part));
    }
    for file in ["Cargo.lock", "fuzz/Cargo.toml", "sim/Cargo.toml", "README.md"] {
        copy(&root.join(file), &directory.path().join(file));
    }
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let named = manifest.replacen("name = \"turnpost\"", "name = \"turnpost-guide\"", 1);
    let named = named.replacen("default-run = \"turnpost\"", "autobins = false", 1);
    let programs = "[lib]\nname = \"turnpost\"\n[[bin]]\nname = \"turnpost-guide\"\npath = \"src/main.rs\"\n";
    let faster = "[profile.test.package.turnpost-guide]\nopt-level = 0\n";
    fs::write(directory.path().join("Cargo.toml"), format!("{named}\n{programs}{faster}")).unwrap();
    for member in ["fuzz/Cargo.toml", "sim/Cargo.toml"].map(|file| directory.path().join(file)) {
        let renamed = fs::read_to_string(&member).unwrap();
        fs::write(&member, renamed.replace("turnpost = {", "turnpost = { package = \"turnpost-guide\",")).unwrap();
    }
    directory
}

/// Builds the program of a copy using the existing build cache, and returns its path.
fn build(project: &Path) -> PathBuf {
    let target = Path::new(env!("CARGO_BIN_EXE_turnpost")).ancestors().nth(2).unwrap();
    let mut cargo = Command::new(env!("CARGO"));
    // Cargo's environment variables for this test would make build scripts run again, here and in the next build.
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("CARGO") && name != "CARGO_HOME") {
        cargo.env_remove(name);
    }
    let output = cargo
        .args(["build", "--profile", "test", "--offline", "--bin", "turnpost-guide", "--target-dir"])
        .arg(target)
        .current_dir(project)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    target.join("debug/turnpost-guide")
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "builds the program once more: ./test runs it")]
fn the_guide_adds_a_game() {
    let guide =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/develop/adding-a-game.md")).unwrap();
    let project = project();
    let blocks = blocks(&guide);
    assert_eq!(blocks.len(), 13, "its files");
    for block in &blocks {
        apply(project.path(), block);
    }
    let program = build(project.path());
    let data = project.path().join("instance");
    let run = |line: &str, status: i32| -> String {
        let output = Command::new(&program).arg("--data").arg(&data).args(line.split(' ')).output().unwrap();
        let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
        assert_eq!(output.status.code(), Some(status), "{line}: {out}{err}");
        out + &err
    };
    let table = fs::read_to_string(project.path().join("tests/data/tictactoe.perft")).unwrap();
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let (depth, leaves) = line.split_once(' ').unwrap();
        assert_eq!(run(&format!("perft tictactoe {depth}"), 0).trim(), leaves);
    }
    let help = run("help tictactoe", 0);
    assert!(help.contains("Cross (x) begins") && help.contains("+-----+") && !help.contains("[diagram"), "{help}");
    for line in ["signup alice wonderland", "signup bob bricklayer", "tictactoe challenge alice bob"] {
        run(line, 0);
    }
    run("tictactoe move 1 alice wonderland b2", 0);
    assert!(run("tictactoe move 1 bob bricklayer b2", 1).contains("b2 is taken."));
    for (userid, password, cell) in [
        ("bob", "bricklayer", "a1"),
        ("alice", "wonderland", "c1"),
        ("bob", "bricklayer", "c3"),
        ("alice", "wonderland", "a3"),
    ] {
        run(&format!("tictactoe move 1 {userid} {password} {cell}"), 0);
    }
    assert!(run("show 1", 0).contains("three in a row"));
    for line in ["tictactoe challenge alice robot3", "tictactoe move 2 alice wonderland b2"] {
        run(line, 0);
    }
    let shown = run("show 2", 0).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("1. b2 2. "), "the computer player has answered: {shown}");
}
