//! Limits the number of network round trips to PostgreSQL for a turn, a page or the examination of an event.

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use turnpost::mail::inbound::{InboxContext, InboxWorker, RawMail, receive_all};
use turnpost::store::{Location, MailSource};

use crate::common::inside::{Inside, WORLD};
use crate::common::{mail, postgres};

/// The maximum number of round trips of a turn by mail, from its arrival until both letters are recorded as sent.
const MOST: usize = 26;

/// A proxy to PostgreSQL that counts round trips. A round trip begins when the client sends data after an answer.
struct Counter {
    dir: tempfile::TempDir,
    count: Arc<AtomicUsize>,
}

impl Counter {
    fn before(socket: PathBuf) -> Counter {
        let (dir, count) = (tempfile::tempdir().unwrap(), Arc::new(AtomicUsize::new(0)));
        let listener = UnixListener::bind(dir.path().join(".s.PGSQL.5432")).unwrap();
        let counting = Arc::clone(&count);
        thread::spawn(move || {
            for client in listener.incoming() {
                let (client, server) = (client.unwrap(), UnixStream::connect(&socket).unwrap());
                let (count, answered) = (Arc::clone(&counting), Arc::new(AtomicBool::new(true)));
                let (to_client, from_server) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                let has_answered = Arc::clone(&answered);
                thread::spawn(move || carry(from_server, to_client, || has_answered.store(true, Ordering::SeqCst)));
                thread::spawn(move || {
                    carry(client, server, || {
                        count.fetch_add(usize::from(answered.swap(false, Ordering::SeqCst)), Ordering::SeqCst);
                    });
                });
            }
        });
        Counter { dir, count }
    }

    fn location(&self, database: &postgres::Database) -> Location {
        let url = format!("postgresql://turnpost@/{}?host={}", database.name, self.dir.path().display());
        Location::Postgres(url.parse().unwrap())
    }

    /// Returns the number of round trips since the last call.
    fn take(&self) -> usize {
        self.count.swap(0, Ordering::SeqCst)
    }
}

/// Copies the data of one direction, and calls `before` before it writes each part.
fn carry(mut from: UnixStream, mut to: UnixStream, before: impl Fn()) {
    let mut buffer = [0; 65_536];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        before();
        if to.write_all(&buffer[..read]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(std::net::Shutdown::Write);
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn a_turn_by_mail_needs_few_round_trips() {
    let database = postgres::Database::empty();
    let counter = Counter::before(database.socket());
    let mut server = Inside::at(Some(counter.location(&database)));
    for userid in ["alice", "bob"] {
        server.add_player(userid);
    }
    server.say("alice", "brique challenge alice bob");
    let mut letters = server.letters();
    let mut worker = InboxWorker::new(Arc::new(|| ()));
    let mut counts = Vec::new();
    for (ply, text) in ["c3", "d4", "e5", "f6", "g7", "h8"].iter().enumerate() {
        let from = if ply % 2 == 0 { "alice@example.org" } else { "bob@example.org" };
        let letter = mail::read(&letters[from].last().unwrap().replace('\n', "\r\n"));
        let headers = serde_json::json!({ "To": letter.reply_to() });
        let raw =
            mail::compose(from, &format!("Re: {}", letter.subject), text, &format!("<{ply}@example.org>"), &headers);
        counter.take();
        let now = server.now();
        receive_all(&mut *server.store, &[RawMail::whole(raw.into_bytes())], MailSource::Lmtp, now).unwrap();
        let accepted = counter.take();
        let Inside { store, composer, config, .. } = &mut server;
        let service = config.service(WORLD);
        let inbox = InboxContext { service: &service, server_address: &config.address, composer, now };
        assert_eq!(worker.process(&mut **store, &inbox, &mut |_| {}).unwrap(), 1);
        let processed = counter.take();
        assert_eq!(server.send_due().len(), 2);
        let sent = counter.take();
        letters = server.letters();
        counts.push((accepted, processed, sent));
    }
    // Checks only the last ply, by which all statements have been prepared.
    let (accepted, processed, sent) = counts[5];
    let all = accepted + processed + sent;
    println!(
        "round trips: {accepted} to accept a message, {processed} to process it, {sent} to send both letters: {all}"
    );
    assert!(all <= MOST, "{counts:?}");
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn more_players_cause_no_more_round_trips_for_pages_and_examinations() {
    let database = postgres::Database::empty();
    let counter = Counter::before(database.socket());
    let mut server = Inside::at(Some(counter.location(&database)));
    let names: Vec<String> = (0..22).map(|nth| format!("player{nth}")).collect();
    for userid in &names {
        server.add_player(userid);
    }
    for (kind, players) in [("league", 4), ("league", 22), ("cup", 4), ("cup", 22), ("ladder", 4), ("ladder", 22)] {
        server.say_as_shell(&format!("event new {kind}{players} hex --kind={kind} player0 secret"));
        for userid in &names[..players] {
            server.say(userid, &format!("join {kind}{players} {userid} -"));
        }
    }
    server.say("player3", "event challenge ladder4 player2 player3 -");
    server.say("player3", "event challenge ladder22 player2 player3 -");
    server.pass(chrono::TimeDelta::days(7));
    server.tick();
    let mut count = |line: &str| {
        // The first call prepares the statements.
        server.say("player1", line);
        counter.take();
        server.say("player1", line);
        counter.take()
    };
    for kind in ["league", "cup", "ladder"] {
        let counts = [4, 22].map(|players| count(&format!("event {kind}{players}")));
        println!("round trips for a {kind}: {counts:?}");
        assert!(counts[0] == counts[1] && counts[0] < 12, "{kind}: {counts:?}");
    }
    let list = count("events");
    assert!(list < 10, "{list} round trips for six events");
    // Since the last examination of these events, nothing has happened.
    let mut examine = |name: &str| {
        let now = server.now();
        let mut tx = server.store.write().unwrap();
        let event = tx.event(name).unwrap().unwrap();
        tx.set_event_due(event.id, Some(now)).unwrap();
        tx.commit().unwrap();
        counter.take();
        server.tick();
        counter.take()
    };
    for kind in ["league", "cup"] {
        let counts = [4, 22].map(|players| {
            examine(&format!("{kind}{players}"));
            examine(&format!("{kind}{players}"))
        });
        println!("round trips to examine a {kind}: {counts:?}");
        assert!(counts[0] == counts[1] && counts[0] < 25, "{kind}: {counts:?}");
    }
}
