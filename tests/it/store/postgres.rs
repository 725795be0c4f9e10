//! Tests that only PostgreSQL needs, in addition to the contract: schemas, lost connections, conflicts, and databases
//! that the program refuses to open.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread;

use turnpost::numbers::BoardNumber;
use turnpost::store::*;
use turnpost::world::World;

use super::contract;
use crate::common::postgres;
use crate::common::serving::wait_until;

/// A database without tables. The first connection of the store creates them.
struct Empty(postgres::Database);

impl contract::Database for Empty {
    fn open(&self) -> Box<dyn Store> {
        create(self.0.location(), World::REAL).unwrap();
        open(self.0.location(), World::REAL).unwrap()
    }
}

/// Creates an empty database for a test of the contract.
pub fn fresh() -> Box<dyn contract::Database> {
    Box::new(Empty(postgres::Database::empty()))
}

/// A proxy to the tests' PostgreSQL server. It can cut a connection during a commit.
struct Wire {
    dir: tempfile::TempDir,
    cut: Arc<Mutex<Cut>>,
}

/// When the proxy cuts the connection during the next commit.
#[derive(Clone, Copy, PartialEq)]
enum Cut {
    /// The proxy forwards the commit and the server's reply.
    Nothing,
    /// The proxy cuts the connection before it forwards the commit.
    Before,
    /// The proxy forwards the commit, but not the server's reply.
    After,
}

impl Wire {
    fn to(socket: PathBuf) -> Wire {
        let dir = tempfile::tempdir().unwrap();
        let cut = Arc::new(Mutex::new(Cut::Nothing));
        let listener = UnixListener::bind(dir.path().join(".s.PGSQL.5432")).unwrap();
        let cutting = Arc::clone(&cut);
        thread::spawn(move || {
            for client in listener.incoming() {
                let (client, server) = (client.unwrap(), UnixStream::connect(&socket).unwrap());
                let cutting = Arc::clone(&cutting);
                thread::spawn(move || carry(client, server, &cutting));
            }
        });
        Wire { dir, cut }
    }

    fn location(&self, database: &postgres::Database) -> Location {
        let url = format!("postgresql://turnpost@/{}?host={}", database.name, self.dir.path().display());
        Location::Postgres(url.parse().unwrap())
    }
}

/// Forwards data in both directions until the proxy cuts the connection.
fn carry(mut client: UnixStream, mut server: UnixStream, cut: &Mutex<Cut>) {
    let (mut answers, mut to_client) = (server.try_clone().unwrap(), client.try_clone().unwrap());
    let answering = thread::spawn(move || std::io::copy(&mut answers, &mut to_client));
    let mut buffer = [0; 8192];
    while let Ok(read @ 1..) = client.read(&mut buffer) {
        if buffer[..read].windows(6).any(|word| word == b"COMMIT") && *cut.lock().unwrap() != Cut::Nothing {
            let after = std::mem::replace(&mut *cut.lock().unwrap(), Cut::Nothing) == Cut::After;
            client.shutdown(Shutdown::Both).unwrap();
            if after {
                // The server executes the commit before it notices that the connection is closed.
                server.write_all(&buffer[..read]).unwrap();
                server.shutdown(Shutdown::Write).unwrap();
            }
            break;
        }
        if server.write_all(&buffer[..read]).is_err() {
            break;
        }
    }
    if *cut.lock().unwrap() == Cut::Nothing {
        let _ = server.shutdown(Shutdown::Write);
    }
    let _ = answering.join();
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn a_commit_on_a_broken_connection_is_atomic_and_the_connection_reopens() {
    let database = postgres::Database::set_up();
    let wire = Wire::to(database.socket());
    let mut store = open(wire.location(&database), World::REAL).unwrap();
    for (cut, userid) in [(Cut::Before, "alice"), (Cut::After, "bob")] {
        let mut tx = store.write().unwrap();
        tx.add_player(userid, "x", contract::at(0)).unwrap();
        *wire.cut.lock().unwrap() = cut;
        let committed = tx.commit();
        assert!(matches!(committed, Err(StoreError::CommitUnknown(_))), "{committed:?}");
    }
    // A write transaction waits for the writers' lock, so by now the server has ended the interrupted transaction.
    let tx = store.write().unwrap();
    assert!(tx.player("alice").unwrap().is_none() && tx.player("bob").unwrap().is_some());
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn a_closed_connection_is_reopened() {
    let database = postgres::Database::set_up();
    let mut store = open(database.location(), World::REAL).unwrap();
    let close = "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity \
         WHERE datname = current_database() AND pid <> pg_backend_pid()";
    database.lines(close);
    store.read().unwrap();
    let mut tx = store.write().unwrap();
    tx.add_player("alice", "x", contract::at(0)).unwrap();
    database.lines(close);
    let added = tx.add_player("bob", "x", contract::at(0));
    assert!(matches!(added, Err(StoreError::Unreachable(_))), "{added:?}");
    assert!(matches!(tx.commit(), Err(StoreError::Failed(_) | StoreError::Unreachable(_))));
    assert!(store.read().unwrap().players().unwrap().is_empty());
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn a_foreign_database_remains_unchanged() {
    let database = postgres::Database::empty();
    let opened = |database: &postgres::Database| open(database.location(), World::REAL).map(drop);
    assert!(matches!(opened(&database), Err(StoreError::Empty(_))));
    for theirs in ["CREATE TABLE games (id integer)", "CREATE TABLE migrations (version integer, name text)"] {
        let database = postgres::Database::empty();
        database.lines(theirs);
        assert!(matches!(opened(&database), Err(StoreError::ForeignSchema(_))), "{theirs}");
        assert!(matches!(create(database.location(), World::REAL), Err(StoreError::ForeignSchema(_))), "{theirs}");
        assert_eq!(database.lines("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"), "1");
    }
    let database = postgres::Database::set_up();
    assert!(!create(database.location(), World::REAL).unwrap());
    // A trigger refuses this change while an older program is connected, and the connection that created the tables may
    // not be closed yet.
    database.lines(
        "ALTER TABLE migrations DISABLE TRIGGER refuse_while_older_programs_work; \
         INSERT INTO migrations VALUES (77, 'later', 77)",
    );
    assert!(matches!(opened(&database), Err(StoreError::TooNew { found: 77, .. })));
    assert!(matches!(probe(&database.location()), Err(StoreError::TooNew { .. })));
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn a_server_works_in_a_separate_schema() {
    let database = postgres::Database::empty();
    database.lines("CREATE TABLE theirs (id integer); CREATE SCHEMA ours");
    let url = format!("{}&options=-c%20search_path%3Dours,public", database.url());
    let location = Location::Postgres(url.parse().unwrap());
    assert!(create(&location, World::REAL).unwrap());
    let mut store = open(location, World::REAL).unwrap();
    let mut tx = store.write().unwrap();
    tx.add_player("alice", "x", contract::at(0)).unwrap();
    tx.commit().unwrap();
    assert_eq!(
        database.lines("SELECT userid FROM ours.players; SELECT tablename FROM pg_tables WHERE schemaname = 'public'"),
        "alice\ntheirs"
    );
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn the_database_prevents_changes_of_a_record() {
    let database = postgres::Database::set_up();
    let mut store = open(database.location(), World::REAL).unwrap();
    let mut tx = store.write().unwrap();
    let [alice, bob] = ["Alice", "bob"].map(|userid| tx.add_player(userid, "x", contract::at(0)).unwrap());
    tx.add_board(&contract::board([alice, bob])).unwrap();
    contract::append(&mut tx, 1, &contract::ply(1, Seat::First), Some(Seat::Second)).unwrap();
    tx.commit().unwrap();
    let next = "INSERT INTO entries (board, entry, ply, made_at, kind, via, seat, text, hash) VALUES";
    let hash = "decode(repeat('ab', 32), 'hex')";
    for statement in [
        "UPDATE entries SET text = 'k1'".to_owned(),
        "DELETE FROM entries".to_owned(),
        "TRUNCATE entries".to_owned(),
        format!("{next} (1, 3, 2, 0, 0, 0, 2, 'k1', {hash})"),
        format!("{next} (1, 2, 2, 0, 0, 0, 1, 'k1', {hash})"),
        format!("{next} (1, 2, 2, 0, 0, 0, 2, 'k1', {hash})"),
    ] {
        assert!(database.connected().batch_execute(&statement).is_err(), "{statement}");
    }
    let hash = "sha256(convert_to((SELECT head FROM boards) || E'\\n2\\nk1\\n', 'UTF8'))";
    database.lines(&format!("{next} (1, 2, 2, 0, 0, 0, 2, 'k1', {hash})"));
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn text_is_returned_with_every_character() {
    let database = postgres::Database::set_up();
    let mut store = open(database.location(), World::REAL).unwrap();
    let mut tx = store.write().unwrap();
    let odd = "\0 \u{10ffff}0 \u{10ffff} \u{fffd} '\\ \u{1f9e9} \0\u{10ffff}1\0\0";
    tx.add_player("alice", odd, contract::at(0)).unwrap();
    let mail = tx.add_mail(b"\0\xff raw", false, MailSource::Pipe, contract::at(0)).unwrap();
    tx.commit().unwrap();
    let tx = store.read().unwrap();
    assert_eq!(tx.player("ALICE").unwrap().unwrap().password_hash, odd);
    assert_eq!(tx.waiting(mail).unwrap().unwrap().raw, b"\0\xff raw");
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn settings_that_may_lose_commits_are_reported() {
    let database = postgres::Database::set_up();
    let risks = |parameters: &str| {
        let url = format!("{}&options={parameters}", database.url());
        open(Location::Postgres(url.parse().unwrap()), World::REAL).unwrap().unsafe_settings().unwrap()
    };
    // The tests' server does not sync to disk, so its settings are always reported.
    let of_the_server = ["fsync", "full_page_writes"].map(|name| format!("{name} = off in the settings of PostgreSQL"));
    assert_eq!(risks("-c%20synchronous_commit%3Don"), of_the_server);
    assert_eq!(risks("-c%20synchronous_commit%3Doff").len(), 3);
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn a_database_from_before_the_first_release_is_refused_with_a_solution() {
    let database = postgres::Database::set_up();
    database.lines("UPDATE migrations SET name = 'first'");
    let refused = open(database.location(), World::REAL).err().expect("the database is refused");
    assert!(matches!(refused, StoreError::Unreleased), "{refused}");
}

/// A query that returns the number of transactions waiting for the writers' lock.
const WAITS_TO_WRITE: &str = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'writer'::regclass \
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";

/// Creates a database with boards 1 and 2.
fn database_of_two_boards() -> (postgres::Database, Box<dyn Store>) {
    let database = postgres::Database::set_up();
    let mut store = open(database.location(), World::REAL).unwrap();
    let mut tx = store.write().unwrap();
    let players = ["alice", "bob"].map(|userid| tx.add_player(userid, "x", contract::at(0)).unwrap());
    for _ in 1..=2 {
        tx.add_board(&contract::board(players)).unwrap();
    }
    tx.commit().unwrap();
    (database, store)
}

/// Appends a move to the record of a board.
fn play(tx: &mut Transaction<'_>, number: u32, ply: u32, seat: Seat) -> Result<Entry> {
    contract::append(tx, number, &contract::ply(ply, seat), Some(seat.other()))
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn a_writer_waits_for_another_one_and_sees_its_changes() {
    let (database, mut store) = database_of_two_boards();
    let mut first = store.write().unwrap();
    play(&mut first, 1, 1, Seat::First).unwrap();
    thread::scope(|scope| {
        let second = scope.spawn(|| {
            let mut store = open(database.location(), World::REAL).unwrap();
            let tx = store.write().unwrap();
            tx.board(BoardNumber(1)).unwrap().unwrap().plies.0
        });
        wait_until("the second writer to wait", || (database.lines(WAITS_TO_WRITE) == "1").then_some(()));
        first.commit().unwrap();
        assert_eq!(second.join().unwrap(), 1);
    });
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn a_write_that_conflicts_with_an_administrators_transaction_is_retried() {
    // A change that an administrator makes with SQL does not take the program's locks, so it can cause conflicts.
    const CHANGE: &str = "UPDATE boards SET clock_reminded = clock_reminded WHERE number = 1";
    let (database, mut store) = database_of_two_boards();
    let mut attempts = 0;
    let written = write_with_retries(&mut *store, |tx| {
        attempts += 1;
        tx.board(BoardNumber(1))?;
        if attempts == 1 {
            database.connected().batch_execute(CHANGE).unwrap();
        }
        play(tx, 1, 1, Seat::First)
    });
    assert!(written.is_ok() && attempts == 2, "a conflict with a later change is retried: {attempts}, {written:?}");

    thread::scope(|scope| {
        attempts = 0;
        let written = write_with_retries(&mut *store, |tx| {
            attempts += 1;
            tx.board(BoardNumber(1))?;
            if attempts == 1 {
                let mut administrator = database.connected();
                scope.spawn(move || {
                    let wait = "LOCK TABLE writer IN EXCLUSIVE MODE";
                    // With this timeout, PostgreSQL aborts the program's transaction and not the administrator's.
                    let work = format!("BEGIN; SET LOCAL deadlock_timeout = '1min'; {CHANGE}; {wait}; COMMIT");
                    administrator.batch_execute(&work).unwrap();
                });
                wait_until("the administrator's transaction to wait", || {
                    (database.lines(WAITS_TO_WRITE) == "1").then_some(())
                });
            }
            play(tx, 1, 2, Seat::Second)
        });
        assert!(written.is_ok() && attempts == 2, "a deadlock is retried: {attempts}, {written:?}");
    });

    attempts = 0;
    let written = write_with_retries(&mut *store, |tx| {
        attempts += 1;
        tx.board(BoardNumber(2))?;
        database.connected().batch_execute(&CHANGE.replace("= 1", "= 2")).unwrap();
        play(tx, 2, 1, Seat::First)
    });
    assert!(
        matches!(written, Err(StoreError::Conflict)) && attempts > 2,
        "retries have a limit: {attempts}, {written:?}"
    );
}
