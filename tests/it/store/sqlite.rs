//! Tests that only SQLite needs, in addition to the contract: the database file, triggers, and databases of other
//! versions.

use std::path::PathBuf;

use rusqlite::Connection;
use turnpost::numbers::{BoardNumber, EntryNumber};
use turnpost::store::*;
use turnpost::world::World;

use super::contract::{Database, append, at, board, ply};

/// A database file in a separate directory.
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

/// Creates an empty database for a test of the contract.
pub fn fresh() -> Box<dyn Database> {
    Box::new(File::fresh())
}

/// Creates a database with board 1, and returns its store.
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
fn only_its_owner_can_read_the_file() {
    let file = File::fresh();
    let _store = file.open();
    assert_eq!(std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(&file.path).unwrap()) & 0o777, 0o600);
}

/// The messages have different lengths, so that SQLite splits and joins the pages of the table while they contain
/// secrets.
#[test]
fn a_closed_message_is_erased_from_the_database() {
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
    store.checkpoint().unwrap();
    for entry in std::fs::read_dir(file.dir.path()).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        let left = bytes.windows(14).filter(|w| w == b"sesame-open-up").count();
        assert_eq!(left, 0, "{}", path.display());
    }
}

#[test]
fn an_unknown_setting_is_an_error() {
    let file = File::fresh();
    let mut store = filled(&file);
    Connection::open(&file.path)
        .unwrap()
        .execute_batch("UPDATE players SET settings = 'rhythm=hourly' WHERE id = 1")
        .unwrap();
    let error = store.read().unwrap().player("alice").unwrap_err().to_string();
    assert!(error.contains("hourly"), "{error}");
}

/// Each change of a board replaces the row of its previous change.
#[test]
fn changes_of_a_board_need_one_row() {
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
            "{verb} INTO entries (board, entry, kind, ply, seat, text, made_at, via, hash)
             SELECT 1, {entry}, 0, 2, 2, 'a', made_at, 0, {hash} FROM entries"
        )
    };
    // The stored hash of the last entry is wrong.
    let broken = "UPDATE boards SET head = replace(head, substr(head, 1, 1), 'x')";
    let mended = "UPDATE boards SET head = (SELECT lower(hex(hash)) FROM entries)";
    for (before, sql, words) in [
        ("", "UPDATE entries SET text = 'a1'".to_owned(), "never changed"),
        ("", "DELETE FROM entries".to_owned(), "never deleted"),
        ("", insert("REPLACE", 1, "randomblob(32)"), "the next one"),
        (broken, insert("INSERT", 2, "randomblob(32)"), "chained to the hash"),
        (mended, insert("INSERT", 2, "hash"), "chained to the hash"),
        ("", insert("INSERT", 2, "randomblob(31)"), "length(hash) = 32"),
    ] {
        db.execute_batch(before).unwrap();
        let error = db.execute(&sql, []).unwrap_err().to_string();
        assert!(error.contains(words), "{sql}: {error}");
    }
    assert_eq!(db.execute(&insert("INSERT", 2, "randomblob(32)"), []).unwrap(), 1, "the row without an error is valid");
}

/// Plays 400 boards of 50 plies in parallel, as on a real server. SQLite then splits the pages of the table again and
/// again, so that they are less full than if the boards were written one after another.
#[test]
fn a_ply_takes_at_most_100_bytes() {
    const BOARDS: u32 = 400;
    const PLIES: u32 = 50;
    let file = File::fresh();
    let mut store = filled(&file);
    store.checkpoint().unwrap();
    let size = || std::fs::metadata(&file.path).unwrap().len();
    let before = size();
    let mut tx = store.write().unwrap();
    for number in 2..=BOARDS {
        let new = NewBoard { hash: genesis_hash("marque", "", ["Alice", "bob"]), ..board([PlayerId(1), PlayerId(2)]) };
        assert_eq!(tx.add_board(&new).unwrap().0, number);
    }
    tx.commit().unwrap();
    for n in 1..=PLIES {
        let mut tx = store.write().unwrap();
        let seat = if n % 2 == 1 { Seat::First } else { Seat::Second };
        // Visits every board once, but not in the order of their numbers: 7 and 400 have no common divisor.
        for nth in 0..BOARDS {
            append(&mut tx, nth * 7 % BOARDS + 1, &Entry { text: "f3,f4".into(), ..ply(n, seat) }, Some(seat.other()))
                .unwrap();
        }
        tx.commit().unwrap();
    }
    store.checkpoint().unwrap();
    let bytes = (size() - before) / u64::from(BOARDS * PLIES);
    assert!(bytes <= 100, "a ply takes {bytes} bytes");
}

#[test]
fn a_database_of_a_newer_turnpost_is_refused() {
    let file = File::fresh();
    drop(file.open());
    let db = Connection::open(&file.path).unwrap();
    db.execute_batch("PRAGMA user_version = 99").unwrap();
    assert!(matches!(open(&file.path, World::REAL), Err(StoreError::TooNew { found: 99, .. })));
}

/// The database was created by a version before the first release.
#[test]
fn a_database_from_before_the_first_release_is_refused_with_a_solution() {
    let file = File::fresh();
    let db = Connection::open(&file.path).unwrap();
    let older = "PRAGMA application_id = 1953854062; PRAGMA user_version = 46; \
         CREATE TABLE migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL); \
         INSERT INTO migrations VALUES (1, 'tables'), (46, 'shared_statements')";
    db.execute_batch(older).unwrap();
    let refused = open(&file.path, World::REAL).err().expect("the database is refused");
    assert!(matches!(refused, StoreError::Unreleased));
    assert!(refused.to_string().contains("turnpost admin export"), "{refused}");
}

#[test]
fn the_file_is_intact_and_its_views_work() {
    let file = File::fresh();
    drop(filled(&file));
    let db = Connection::open(&file.path).unwrap();
    let views = "SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY name";
    let views: Vec<String> =
        db.prepare(views).unwrap().query_map([], |row| row.get(0)).unwrap().map(|name| name.unwrap()).collect();
    let all = [
        "board_story", "bounces", "game_moves", "games", "games_a_month", "incoming_mail", "letters", "mail_log",
        "open_challenges", "paused_addresses", "player_activity", "rating_history", "ratings", "record",
        "undelivered_mail", "waiting",
    ];
    assert_eq!(views, all);
    for view in views {
        db.prepare(&format!("SELECT * FROM {view}")).unwrap().query([]).unwrap().next().unwrap();
    }
    let check: String = db.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    let orphans = db.prepare("PRAGMA foreign_key_check").unwrap().exists([]).unwrap();
    assert_eq!((check.as_str(), orphans), ("ok", false));
}

#[test]
fn each_database_has_a_permanent_key() {
    let (board, entry) = (BoardNumber(1), EntryNumber(2));
    let token = turnpost::token::Token { player: 1, board, entry, proposal: None };
    let sign = |store: &mut dyn Store| token.sign(&store.read().unwrap().reply_key().unwrap());
    let file = File::fresh();
    let signed = sign(&mut *file.open());
    assert_eq!(sign(&mut *open(&file.path, World::REAL).unwrap()), signed);
    assert_ne!(sign(&mut *File::fresh().open()), signed);
    // The database refuses a key that is shorter than 32 bytes.
    let db = Connection::open(&file.path).unwrap();
    assert!(db.execute_batch("UPDATE server SET reply_key = x'00'").is_err());
}
