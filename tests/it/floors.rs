//! The invariants of ARCHITECTURE.md that can be seen in the sources: which room uses which, and who holds SQL.

use std::fs;
use std::path::{Path, PathBuf};

/// The rooms from the ground up; a room may use those before it and never one after it. Rooms of one line share a
/// floor and do not use each other.
const FLOORS: &[&[&str]] = &[
    &["rules"],
    &["command", "draw"],
    &["world", "clock", "rating", "token"],
    &["store"],
    &["service"],
    &["config", "compose"],
    &["mail", "web"],
    &["serve"],
    &["cli"],
];

fn sources(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| match () {
            () if path.is_dir() => sources(&path),
            () if path.extension().is_some_and(|extension| extension == "rs") => vec![path],
            () => Vec::new(),
        })
        .collect()
}

/// Every source file: its room, its path, and its text without comments.
fn files() -> Vec<(String, PathBuf, String)> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let file = |path: PathBuf| {
        let inside = path.strip_prefix(&src).unwrap();
        let room = inside.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs").to_owned();
        let text = fs::read_to_string(&path).unwrap();
        let code: String =
            text.lines().filter(|line| !line.trim_start().starts_with("//")).fold(String::new(), |mut code, line| {
                code.push_str(line);
                code.push('\n');
                code
            });
        (room, path, code)
    };
    let files: Vec<_> = sources(&src).into_iter().map(file).collect();
    assert!(files.len() > 20, "the sources are read");
    files
}

fn floor(room: &str) -> Option<usize> {
    FLOORS.iter().position(|rooms| rooms.contains(&room))
}

/// The rooms that a file names by `crate::room` or in `crate::{room, …}`.
fn used(code: &str) -> Vec<String> {
    code.match_indices("crate::")
        .map(|(at, word)| {
            let rest = &code[at + word.len()..];
            assert!(!rest.starts_with('{'), "one room a `use`, so that this test can read it");
            rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
        })
        .collect()
}

#[test]
fn a_room_uses_only_the_floors_below_it() {
    let mut uses = 0;
    for (room, path, code) in files() {
        if room == "lib" || room == "main" {
            continue;
        }
        let here = floor(&room).unwrap_or_else(|| panic!("{} is in no room that has a floor", path.display()));
        for other in used(&code).iter().filter(|other| **other != room) {
            let there = floor(other).unwrap_or_else(|| panic!("{} uses crate::{other}", path.display()));
            assert!(there < here, "{}: {room} uses {other}, which is not below it", path.display());
            uses += 1;
        }
    }
    assert!(uses > 30, "the imports are read");
}

#[test]
fn the_ground_floor_is_pure() {
    for (_, path, code) in files().into_iter().filter(|(room, ..)| room == "rules" || room == "command") {
        for banned in
            ["chrono", "rusqlite", "lettre", "getrandom", "std::fs", "std::net", "std::env", "std::time", "std::io"]
        {
            assert!(!code.contains(banned), "{} names {banned}", path.display());
        }
    }
}

#[test]
fn only_the_store_holds_sql() {
    for (room, path, code) in files() {
        let sql = ["rusqlite", "SELECT ", "INSERT INTO", "DELETE FROM", "PRAGMA "];
        let found = sql.iter().find(|word| code.contains(**word));
        assert!(room == "store" || found.is_none(), "{} holds {found:?}", path.display());
    }
}

#[test]
fn only_mail_out_sends() {
    for (_, path, code) in files() {
        let sends = ["SmtpTransport", "SendmailTransport"].iter().any(|word| code.contains(word));
        assert!(!sends || path.to_str().unwrap().contains("mail/outbound/"), "{} sends", path.display());
    }
}

#[test]
fn only_webhooks_call_what_a_player_has_named() {
    for (_, path, code) in files() {
        let hooks = path.to_str().unwrap().contains("web/hooks/");
        assert!(!code.contains("ureq") || hooks, "{} calls out", path.display());
    }
}

#[test]
fn the_present_time_and_randomness_come_from_one_place() {
    for (room, path, code) in files() {
        for banned in ["Utc::now", "Local::now", "SystemTime::now", "Instant::now", "getrandom::fill"] {
            assert!(room == "world" || !code.contains(banned), "{} calls {banned}", path.display());
        }
    }
}
