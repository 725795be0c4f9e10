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
        create(&self.path, World::REAL).unwrap();
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
        append(&mut tx, 1, &ply(n, seat), Some(seat.other())).unwrap();
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
    append(&mut tx, 1, &ply(1, Seat::First), Some(Seat::Second)).unwrap();
    tx.commit().unwrap();
    let db = Connection::open(&file.path).unwrap();
    let insert = |verb: &str, entry: u32, hash: &str| {
        format!(
            "{verb} INTO moves (board, entry, kind, ply, seat, text, made_at, via, hash)
             SELECT 1, {entry}, 0, 2, 2, 'a', made_at, 0, {hash} FROM moves"
        )
    };
    // What is said to be the hash of the last entry is not.
    let broken = "UPDATE boards SET head = replace(head, substr(head, 1, 1), 'x')";
    let mended = "UPDATE boards SET head = (SELECT lower(hex(hash)) FROM moves)";
    for (before, sql, words) in [
        ("", "UPDATE moves SET text = 'a1'".to_owned(), "never changed"),
        ("", "DELETE FROM moves".to_owned(), "never taken away"),
        ("", insert("REPLACE", 1, "randomblob(32)"), "the next one"),
        (broken, insert("INSERT", 2, "randomblob(32)"), "chained to the hash"),
        (mended, insert("INSERT", 2, "hash"), "chained to the hash"),
        ("", insert("INSERT", 2, "randomblob(31)"), "length(hash) = 32"),
    ] {
        db.execute_batch(before).unwrap();
        let error = db.execute(&sql, []).unwrap_err().to_string();
        assert!(error.contains(words), "{sql}: {error}");
    }
    assert_eq!(db.execute(&insert("INSERT", 2, "randomblob(32)"), []).unwrap(), 1, "nothing else was the matter");
}

/// Boards of 50 plies that are played side by side, as they are on a server: the pages of the table are split while they
/// fill, and are not as full as those of an export would be.
#[test]
fn a_ply_takes_at_most_100_bytes() {
    const BOARDS: u32 = 400;
    const PLIES: u32 = 50;
    let file = File::fresh();
    let mut store = filled(&file);
    store.settle().unwrap();
    let size = || std::fs::metadata(&file.path).unwrap().len();
    let before = size();
    let mut tx = store.write().unwrap();
    for number in 2..=BOARDS {
        let new =
            NewBoard { hash: chain::genesis("marque", "", ["Alice", "bob"]), ..board([PlayerId(1), PlayerId(2)]) };
        assert_eq!(tx.add_board(&new).unwrap().0, number);
    }
    tx.commit().unwrap();
    for n in 1..=PLIES {
        let mut tx = store.write().unwrap();
        let seat = if n % 2 == 1 { Seat::First } else { Seat::Second };
        // One after the other in an order that is not that of their numbers: 7 and 400 have no common divisor.
        for nth in 0..BOARDS {
            append(&mut tx, nth * 7 % BOARDS + 1, &Entry { text: "f3,f4".into(), ..ply(n, seat) }, Some(seat.other()))
                .unwrap();
        }
        tx.commit().unwrap();
    }
    store.settle().unwrap();
    let bytes = (size() - before) / u64::from(BOARDS * PLIES);
    assert!(bytes <= 100, "a ply takes {bytes} bytes");
}
