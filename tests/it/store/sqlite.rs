//! What SQLite does besides the contract: its file, its triggers, and databases of an older turnpost.

use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use rusqlite::Connection;
use turnpost::clock::TimeControl;
use turnpost::store::*;
use turnpost::world::World;

use super::contract::{Database, append, at, board, entry, ply};

mod upgrade;

/// A database file in a directory of its own.
struct File {
    dir: tempfile::TempDir,
    path: PathBuf,
}

impl File {
    fn fresh() -> File {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("turnpost.db");
        File { dir, path }
    }
}

impl Database for File {
    fn open(&self) -> Box<dyn Store> {
        open(&self.path, World::REAL).unwrap()
    }
}

/// An empty database for a test of the contract.
pub fn fresh() -> Box<dyn Database> {
    Box::new(File::fresh())
}

/// The store of a database with board 1.
fn filled(file: &File) -> Box<dyn Store> {
    let mut store = file.open();
    let mut tx = store.write().unwrap();
    let [alice, bob] = ["Alice", "bob"].map(|userid| tx.add_player(userid, "x", at(0)).unwrap());
    tx.add_board(&board([alice, bob])).unwrap();
    tx.commit().unwrap();
    store
}

fn verdict(identity: &str) -> Verdict {
    let (kind, identity) = (VerdictKind::Done, Some(identity.to_owned()));
    Verdict { kind, sender: None, identity, commands: String::new(), reason: String::new() }
}

#[cfg(unix)]
#[test]
fn the_file_is_its_owners_only() {
    let file = File::fresh();
    let _store = file.open();
    assert_eq!(std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(&file.path).unwrap()) & 0o777, 0o600);
}

/// Mails of many lengths, so that the pages of the table are split and joined while secrets lie in them.
#[test]
fn a_closed_mail_leaves_no_trace() {
    let file = File::fresh();
    let mut store = file.open();
    let mut ids = Vec::new();
    for n in 0..120_usize {
        let mut tx = store.write().unwrap();
        let raw = format!("{}sesame-open-up{}", "x".repeat(n * 37 % 3000), "y".repeat(n * 911 % 9000));
        ids.push((n, tx.add_mail(raw.as_bytes(), false, MailSource::Pipe, at(0)).unwrap()));
        tx.commit().unwrap();
        if n % 3 == 2 {
            let (n, id) = ids.remove(ids.len() / 2);
            let mut tx = store.write().unwrap();
            tx.close_mail(id, &verdict(&n.to_string()), at(1)).unwrap();
            tx.commit().unwrap();
        }
    }
    let mut tx = store.write().unwrap();
    for (n, id) in ids {
        tx.close_mail(id, &verdict(&n.to_string()), at(1)).unwrap();
    }
    tx.commit().unwrap();
    store.settle().unwrap();
    for entry in std::fs::read_dir(file.dir.path()).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        let left = bytes.windows(14).filter(|w| w == b"sesame-open-up").count();
        assert_eq!(left, 0, "{}", path.display());
    }
}

#[test]
fn a_setting_that_is_none_is_an_error() {
    let file = File::fresh();
    let mut store = filled(&file);
    Connection::open(&file.path).unwrap().execute_batch("UPDATE players SET rhythm = 'hourly' WHERE id = 1").unwrap();
    let error = store.read().unwrap().player("alice").unwrap_err().to_string();
    assert!(error.contains("hourly"), "{error}");
}

/// One board's row is replaced a few times in a transaction that has other work to do.
#[test]
fn counting_changes_leaves_no_rows_behind() {
    let file = File::fresh();
    let mut store = filled(&file);
    for n in 1..=50 {
        let mut tx = store.write().unwrap();
        let seat = if n % 2 == 1 { Seat::First } else { Seat::Second };
        append(&mut *tx, 1, &ply(n, seat), Some(seat.other())).unwrap();
        tx.commit().unwrap();
    }
    let rows =
        Connection::open(&file.path).unwrap().query_row("SELECT count(*) FROM changes", [], |row| row.get::<_, i64>(0));
    assert_eq!(rows.unwrap(), 1);
}

#[test]
fn moves_are_append_only() {
    let file = File::fresh();
    let mut store = filled(&file);
    let mut tx = store.write().unwrap();
    append(&mut *tx, 1, &ply(1, Seat::First), Some(Seat::Second)).unwrap();
    tx.commit().unwrap();
    let db = Connection::open(&file.path).unwrap();
    let values = "(board, entry, kind, ply, seat, text, made_at, via, previous_hash, hash) VALUES (1,";
    for (sql, words) in [
        ("UPDATE moves SET text = 'a1'".to_owned(), "never changed"),
        ("DELETE FROM moves".to_owned(), "never taken away"),
        (
            format!("REPLACE INTO moves {values} 1, 'move', 2, 2, 'a', '2026-11-21T14:20:33Z', 'x', '01aa', 'ff')"),
            "the next one",
        ),
        (
            format!("INSERT INTO moves {values} 2, 'move', 2, 2, 'a', '2026-11-21T14:20:33Z', 'x', 'broken', 'ff')"),
            "chained to the hash",
        ),
    ] {
        let error = db.execute(&sql, []).unwrap_err().to_string();
        assert!(error.contains(words), "{sql}: {error}");
    }
}
