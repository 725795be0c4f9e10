//! Damaged database files: the server does not run with them, and `admin check` agrees with SQLite's own check.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicI64, Ordering};

use chrono::DateTime;
use rusqlite::Connection;
use turnpost::serve::{Instance, LogLevel};
use turnpost::world::World;

use crate::common::database::sql;
use crate::common::serving::{Serving, terminate, wait_until};
use crate::common::{Ran, Server, done};

const PAGE: usize = 4096;

/// Creates a server with a few boards. Its database is a single file, without a write-ahead log.
fn played() -> Server {
    let mut server = Server::in_a_file().and_players();
    for board in 1..=4 {
        server.mail("alice@example.org", "marque challenge alice bob", "A game?\n");
        done(&server, &format!("marque move {board} alice wonderland f3 --say=Hello"));
        done(&server, &format!("marque move {board} bob builder k4"));
    }
    done(&server, "marque resign 1 alice wonderland");
    assert!(!server.data().join("turnpost.db-wal").exists());
    server
}

/// Flips random bits, each in the middle of a database page.
fn flip(file: &mut [u8], bytes: usize, seed: u64) {
    let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut below = |count: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % count
    };
    for _ in 0..bytes {
        let at = below(file.len() / PAGE) * PAGE + PAGE / 4 + below(PAGE / 2);
        file[at] ^= 1 << below(8);
    }
}

/// Returns whether SQLite's own check reports damage.
fn is_bad(path: &Path, check: &str) -> bool {
    let db = Connection::open(path).unwrap();
    let lines = db.prepare(check).and_then(|mut check| {
        let lines = check.query_map([], |row| row.get::<_, String>(0))?;
        lines.collect::<rusqlite::Result<Vec<String>>>()
    });
    lines.map_or(true, |lines| lines != ["ok"])
}

/// Starts `serve`. If it becomes ready, stops it. If it ends before that, checks that its exit status is 65, and
/// returns its output as the error.
fn serves(server: &Server) -> Result<(), String> {
    let mut child = server.program().arg("serve").stderr(Stdio::piped()).spawn().unwrap();
    let mut told = String::new();
    let mut lines = BufReader::new(child.stderr.take().unwrap());
    while lines.read_line(&mut told).unwrap() > 0 {
        if told.contains(" serving ") {
            terminate(&child);
            lines.read_line(&mut told).unwrap();
            assert!(child.wait().unwrap().success(), "{told}");
            return Ok(());
        }
    }
    assert_eq!(child.wait().unwrap().code(), Some(65), "{told}");
    Err(told)
}

#[test]
fn a_damaged_database_is_not_served_and_the_check_finds_it() {
    let sound = fs::read(played().data().join("turnpost.db")).unwrap();
    let (mut bad, mut good) = (0, 0);
    for seed in 0..40 {
        let server = Server::without_database();
        let path = server.data().join("turnpost.db");
        let mut file = sound.clone();
        flip(&mut file, if seed % 2 == 0 { 64 } else { 1 }, seed);
        fs::write(&path, file).unwrap();
        let quickly = is_bad(&path, "PRAGMA quick_check");
        let fully = quickly || is_bad(&path, "PRAGMA integrity_check");
        let ran = server.shell("admin check");
        let told = format!("{}{}", ran.out, ran.err);
        if fully {
            bad += 1;
            assert!(ran.status != 0 && told.contains("the database is damaged"), "{seed}: {ran:?}");
        } else {
            good += 1;
            assert!(!told.contains("damaged"), "{seed}: {ran:?}");
        }
        match serves(&server) {
            Ok(()) => assert!(!quickly, "{seed}: the server refuses a damaged database"),
            Err(told) => {
                assert!(quickly, "{seed}: the server accepts a sound database: {told}");
                assert!(told.contains("the database is damaged (") && told.contains("docs/run/backups.md"), "{told}");
            }
        }
    }
    assert!(bad > 12 && good > 2, "{bad} damaged and {good} sound databases");
}

#[test]
fn the_check_reports_errors_of_the_database() {
    let server = played();
    let found = server.json("admin check");
    assert_eq!((&found["faults"], &found["differences"]), (&serde_json::json!([]), &serde_json::json!([])));
    sql(&server, "PRAGMA foreign_keys = OFF; INSERT INTO notes VALUES (99, 1, 'lost', '2026-01-01T00:00:00Z')");
    let ran = server.shell("admin check");
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.out.contains("\nthe database is damaged: notes: "), "{ran:?}");
    assert!(ran.out.contains("refers to a missing row of boards"), "{ran:?}");
}

/// Zeroes the root page of a table, in another process: closing the file in this one would drop the locks that SQLite
/// holds on it.
fn erase_root(server: &Server, table: &str) {
    let page = sql(server, &format!("SELECT rootpage - 1 FROM sqlite_schema WHERE name = '{table}'"));
    let file = format!("of={}", server.data().join("turnpost.db").display());
    let mut dd = Command::new("dd");
    dd.args(["if=/dev/zero", &file, "bs=4096", "count=1", &format!("seek={page}"), "conv=notrunc", "status=none"]);
    assert!(dd.status().unwrap().success());
}

#[test]
fn mail_waits_while_the_database_cannot_be_used() {
    let mut server = played();
    let mail = server.compose("bob@example.org", "show 1", "");
    erase_root(&server, "inbox");
    let ran: Ran = server.raw_mail(mail.as_bytes());
    assert_eq!(ran.status, 75, "{ran:?}");
    assert!(ran.err.contains("the database is damaged (") && ran.err.contains("restore a backup"), "{ran:?}");
}

/// The current time in seconds, which the test below sets.
static NOW: AtomicI64 = AtomicI64::new(1_800_000_000);
const WORLD: World =
    World { now: || DateTime::from_timestamp(NOW.load(Ordering::Relaxed), 0).unwrap(), random: World::REAL.random };

/// A log level for a server in this process. The tests do not use it.
struct NoLog;

impl LogLevel for NoLog {
    fn level(&self) -> String {
        "off".to_owned()
    }

    fn set_level(&self, level: &str) -> Result<(), String> {
        Err(format!("there is no log to be set to {level}"))
    }
}

#[test]
fn a_running_server_finds_the_damage_within_a_day() {
    let server = played();
    let mut instance = Instance::open(server.data(), WORLD).unwrap();
    let serving = std::thread::spawn(move || instance.serve(&NoLog).map_err(|error| format!("{error:#}")));
    // The server checks the database before it creates the socket.
    wait_until("the server's socket", || server.data().join("serve.sock").exists().then_some(()));
    // No task of the server reads this table, so only the daily check can find the damage.
    erase_root(&server, "notes");
    NOW.fetch_add(24 * 3_600, Ordering::Relaxed);
    wait_until("the server to stop", || serving.is_finished().then_some(()));
    let ended = serving.join().unwrap().unwrap_err();
    assert!(ended.contains("the database is damaged ("), "{ended}");
    assert!(!server.data().join("serve.sock").exists(), "the server removes its socket when it stops");
}

/// Starts a server with a move that is only in the database's write-ahead log. Also returns the path of that log.
fn serving() -> (Server, Serving, PathBuf) {
    let mut server = played();
    let serving = Serving::start(&server, "");
    done(&server, "marque move 2 alice wonderland f4");
    wait_until("a letter about the move", || (!server.letters().is_empty()).then_some(()));
    let log = server.data().join("turnpost.db-wal");
    assert!(log.exists());
    (server, serving, log)
}

#[test]
fn a_server_whose_log_is_removed_stops_and_nothing_is_lost() {
    let (server, mut serving, log) = serving();
    fs::remove_file(&log).unwrap();
    let ended = wait_until("the server to stop", || serving.child.try_wait().unwrap());
    assert_eq!(ended.code(), Some(65));
    let told = serving.log();
    assert!(told.contains("turnpost.db-wal was removed or replaced"), "{told}");
    assert!(!server.data().join("serve.sock").exists(), "the server removes its socket when it stops");
    assert_eq!(server.hashes(2).len(), 3);
    done(&server, "admin check");
    assert_eq!(serves(&server), Ok(()));
}

#[test]
fn a_log_removed_after_a_kill_is_reported_as_missing() {
    let (mut server, serving, log) = serving();
    serving.kill();
    fs::remove_file(&log).unwrap();
    let mail = server.compose("bob@example.org", "show 1", "");
    let ran = server.raw_mail(mail.as_bytes());
    assert!(ran.status == 75 && ran.err.contains("turnpost.db-wal was removed or replaced"), "{ran:?}");
    assert!(serves(&server).unwrap_err().contains("turnpost.db-wal was removed or replaced"));
    // The manual describes this repair: removing the index of the write-ahead log.
    fs::remove_file(server.data().join("turnpost.db-shm")).unwrap();
    done(&server, "admin check");
    assert_eq!(server.raw_mail(mail.as_bytes()).status, 0);
}
