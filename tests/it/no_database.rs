//! Directories that do not contain our database. Only the first signup and an import create one. All commands leave
//! other files unchanged.

use std::path::Path;
use std::process::{Command, Stdio};

use rusqlite::Connection;

use crate::common::database::sql;
use crate::common::serving::Serving;
use crate::common::{Ran, Server, TURNPOST, done};

/// Commands of every kind, except those that create a database.
const LINES: &[&str] = &[
    "mail",
    "serve",
    "tick",
    "show 1",
    "show alice",
    "list",
    "marque standings",
    "marque preview 1 f3",
    "marque move 1 alice wonderland f3",
    "marque challenge alice anyone",
    "set alice wonderland mail=text",
    "password alice",
    "admin players",
    "admin check",
    "admin export",
    "admin player password alice",
];

fn at(data: &Path, line: &str) -> Ran {
    let mut command = Command::new(TURNPOST);
    command.arg("--data").arg(data).args(line.split_whitespace()).stdin(Stdio::null()).output().unwrap().into()
}

#[test]
fn only_a_first_signup_creates_a_server() {
    let server = Server::without_database();
    let mistyped = server.data().join("turnpots");
    for (data, line) in LINES.iter().flat_map(|line| [(server.data(), line), (&mistyped, line)]) {
        let ran = at(data, line);
        let status = if *line == "mail" { 75 } else { 66 };
        assert_eq!((ran.status, ran.out.as_str()), (status, ""), "{line}: {ran:?}");
        let told = format!("there is no database in {}: mount it, correct --data or TURNPOST_DATA", data.display());
        assert!(ran.err.contains(&told) && ran.err.contains("turnpost signup USERID"), "{line}: {}", ran.err);
        assert_eq!(ran.err.lines().count(), 1, "{line}: {}", ran.err);
        assert_eq!(std::fs::read_dir(server.data()).unwrap().count(), 0, "{line}: no files are created");
    }
    let ran = at(&mistyped, "signup alice wonderland alice@example.org");
    assert_eq!((ran.status, ran.err), (0, format!("turnpost: a new server: {}\n", mistyped.display())));
    let ran = at(&mistyped, "signup bob bricklayer bob@example.org");
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "the database exists");
    assert!(at(&mistyped, "list").out.contains("alice"));
}

/// Mail that arrives later still waits for the missing database.
#[test]
fn a_refused_first_signup_creates_no_server() {
    let mut server = Server::without_database();
    for (line, why) in [
        ("signup root password22 root@example.org", "The userid \"root\" is reserved."),
        ("signup alice short alice@example.org", "A password needs at least 8 characters."),
        ("signup alice - alice@example.org", "password"),
    ] {
        let ran = server.shell(line);
        assert!(
            ran.status == 1 && ran.err.contains(why) && ran.err.contains("Nothing was changed."),
            "{line}: {ran:?}"
        );
        assert!(!ran.err.contains("a new server"), "{line}: {}", ran.err);
        assert_eq!(std::fs::read_dir(server.data()).unwrap().count(), 0, "{line}: no files are created");
    }
    let mail = server.compose("alice@example.org", "signup alice wonderland", "");
    assert_eq!(server.raw_mail(mail.as_bytes()).status, 75);
    let ran = server.shell("signup alice wonderland alice@example.org");
    assert!(ran.status == 0 && ran.err.contains("a new server") && ran.out.contains("alice is signed up"), "{ran:?}");
    assert!(done(&server, "list").contains("alice"));
}

/// SQLite treats a name that starts with `file:` as a URI, in which `?mode=memory` requests a database without a
/// file.
#[test]
fn file_names_are_not_read_as_uris() {
    let place = tempfile::tempdir().unwrap();
    let run = |line: &str| -> Ran {
        let mut command = Command::new(TURNPOST);
        command.current_dir(place.path()).env("TURNPOST_DATA", "file:games?mode=memory");
        command.args(line.split_whitespace()).stdin(Stdio::null()).output().unwrap().into()
    };
    for line in [
        "signup alice wonderland alice@example.org",
        "admin backup file:copy?mode=memory",
        "--data file:restored?mode=memory admin restore file:copy?mode=memory",
    ] {
        let ran = run(line);
        assert_eq!(ran.status, 0, "{line}: {ran:?}");
    }
    assert!(run("list").out.contains("alice"));
    assert!(run("--data file:restored?mode=memory list").out.contains("alice"));
    assert!(place.path().join("file:games?mode=memory/turnpost.db").is_file());
    assert!(place.path().join("file:copy?mode=memory").is_file());
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 3, "no other files exist");
}

/// A signup by mail does not create a database. The exit status 75 tells the mail server to try again later.
#[test]
fn a_message_waits_until_a_server_exists() {
    let mut server = Server::without_database();
    let mail = server.compose("alice@example.org", "signup alice wonderland", "");
    assert_eq!(server.raw_mail(mail.as_bytes()).status, 75);
    done(&server, "signup bob bricklayer bob@example.org");
    server.letters();
    assert_eq!(server.raw_mail(mail.as_bytes()).status, 0);
    assert_eq!(server.letters()[0].to(), "alice@example.org");
}

#[test]
fn commands_about_the_program_need_no_server() {
    let server = Server::without_database();
    for (line, shown) in [("help", "marque"), ("help commands", "signup"), ("marque preview new f3", "f3")] {
        let ran = server.shell(line);
        assert!(ran.status == 0 && ran.out.contains(shown), "{line}: {ran:?}");
    }
    assert_eq!(std::fs::read_dir(server.data()).unwrap().count(), 0);
}

#[test]
fn an_import_creates_a_server() {
    let old = Server::with_players();
    let export = old.data().join("export.jsonl");
    done(&old, &format!("admin export --without-key --output {}", export.display()));
    let new = Server::without_database();
    let ran = new.shell(&format!("admin import {}", export.display()));
    assert_eq!((ran.status, ran.err), (0, format!("turnpost: a new server: {}\n", new.data().display())));
    assert!(done(&new, "admin players").contains("alice"));
}

#[test]
fn simultaneous_first_signups_create_one_server() {
    let server = Server::without_database();
    let signup = |n: usize| server.shell(&format!("signup player{n} passwords22 player{n}@example.org"));
    let ran: Vec<Ran> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..8).map(|n| scope.spawn(move || signup(n))).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert!(ran.iter().all(|ran| ran.status == 0), "{ran:?}");
    assert_eq!(ran.iter().filter(|ran| ran.err.contains("a new server")).count(), 1, "{ran:?}");
    assert_eq!(sql(&server, "SELECT count(*) FROM players"), "8");
    let names = std::fs::read_dir(server.data()).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    let rests: Vec<String> = names.filter(|name| name.contains("new-")).collect();
    assert!(rests.is_empty(), "{rests:?}");
}

/// Runs every command, a signup and an import on a directory with this file. Each must be refused.
fn refused(file: impl Fn(&Path), why: &str) {
    let server = Server::without_database();
    let path = server.data().join("turnpost.db");
    file(&path);
    let before = std::fs::read(&path).unwrap();
    let making = ["signup alice wonderland alice@example.org", "admin import /dev/null"];
    for line in LINES.iter().copied().chain(making) {
        let ran = server.shell(line);
        let status = if line == "mail" { 75 } else { 65 };
        assert_eq!((ran.status, ran.out.as_str()), (status, ""), "{line}: {ran:?}");
        assert!(ran.err.contains(why) && ran.err.contains("restore a backup"), "{line}: {}", ran.err);
        assert!(std::fs::read(&path).unwrap() == before, "{line}: the database is unchanged");
    }
}

#[test]
fn a_truncated_database_is_refused() {
    refused(|path| std::fs::write(path, "").unwrap(), "is not a database of turnpost: it is empty");
}

/// SQLite would apply the log to any database with the same name.
#[test]
fn the_log_of_a_lost_database_is_not_applied_to_a_new_one() {
    let old = Server::in_a_file().and_players();
    // The log that a killed process would leave behind.
    let log = {
        let db = Connection::open(old.data().join("turnpost.db")).unwrap();
        db.execute_batch("UPDATE players SET userid = 'carol' WHERE userid = 'bob'").unwrap();
        std::fs::read(old.data().join("turnpost.db-wal")).unwrap()
    };
    let server = Server::without_database();
    let path = server.data().join("turnpost.db-wal");
    std::fs::write(&path, &log).unwrap();
    let ran = server.shell("signup alice wonderland alice@example.org");
    assert_eq!(ran.status, 65, "{ran:?}");
    assert!(ran.err.contains("turnpost.db-wal is the log of a missing database"), "{ran:?}");
    assert!(std::fs::read(&path).unwrap() == log && !server.data().join("turnpost.db").exists());
    std::fs::remove_file(&path).unwrap();
    done(&server, "signup alice wonderland alice@example.org");
}

#[test]
fn a_foreign_file_is_refused() {
    refused(|path| std::fs::write(path, "my notes\n".repeat(1_000)).unwrap(), "it is not an SQLite database");
}

#[test]
fn the_databases_of_other_programs_are_refused() {
    for made in [
        "CREATE TABLE songs (title TEXT)",
        "PRAGMA application_id = 7; CREATE TABLE migrations (version INTEGER, name TEXT);
         INSERT INTO migrations VALUES (1, 'tables')",
        "CREATE TABLE migrations (id INTEGER PRIMARY KEY, migration TEXT, batch INTEGER)",
        "CREATE TABLE migrations (version INTEGER, name TEXT); INSERT INTO migrations VALUES (1, 'create_users')",
        "VACUUM",
    ] {
        let file = |path: &Path| Connection::open(path).unwrap().execute_batch(made).unwrap();
        refused(file, "it is the SQLite database of another program");
    }
}

#[test]
fn a_server_starts_once_its_database_is_created() {
    let server = Server::without_database();
    assert_eq!(server.shell("serve").status, 66);
    done(&server, "signup alice wonderland alice@example.org");
    Serving::start(&server, "").stop();
}
