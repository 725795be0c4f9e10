//! Inbox workers in the test's process, which run one pass at a time.
//!
//! The whole process caches password hashes, so tests here must not share userids.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use turnpost::mail::inbound::{InboxContext, InboxWorker, receive};
use turnpost::numbers::BoardNumber;
use turnpost::service::Response;
use turnpost::store::{self, InboxId, MailSource, Store, StoreFaults, Verdict, VerdictKind};

use crate::common::database::sql_on;
use crate::common::inside::{Inside, WORLD};
use crate::common::postgres::Database;

/// Starts a board between two players, and returns its number.
fn begin(inside: &mut Inside, first: &str, second: &str) -> BoardNumber {
    match inside.say(first, &format!("marque challenge {first} {second}")) {
        Response::Challenged { board } => board.number,
        other => panic!("{other:?}"),
    }
}

/// Stores messages, given as the sender's userid and the command.
fn arrive(inside: &mut Inside, mails: &[(&str, String)]) {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    for (userid, line) in mails {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let mail = format!("From: {userid}@example.org\nMessage-ID: <{number}@workers>\nSubject: {line}\n\n");
        let now = inside.now();
        receive(&mut *inside.store, mail.as_bytes(), MailSource::Pipe, now).unwrap();
    }
}

/// Runs one pass with the clock at this time.
fn pass_at(
    now: DateTime<Utc>,
    worker: &mut InboxWorker,
    store: &mut dyn Store,
    inside: &Inside,
) -> store::Result<usize> {
    let (service, composer) = (inside.service(), &inside.composer);
    let inbox = InboxContext { service: &service, server_address: &inside.config.address, composer, now };
    worker.process(store, &inbox, &mut |_| {})
}

fn pass(worker: &mut InboxWorker, store: &mut dyn Store, inside: &Inside) -> store::Result<usize> {
    pass_at(inside.now(), worker, store, inside)
}

/// Returns the verdicts, oldest message first; `None` for a waiting message.
fn verdicts(inside: &mut Inside) -> Vec<Option<VerdictKind>> {
    let rows = inside.store.read().unwrap().inbox(99).unwrap();
    rows.into_iter().rev().map(|row| row.verdict.map(|verdict| verdict.kind)).collect()
}

/// Returns the moves of a board.
fn moves(inside: &mut Inside, board: BoardNumber) -> Vec<String> {
    inside.read(|tx| tx.entries(board).unwrap().into_iter().map(|entry| entry.text).collect())
}

#[test]
fn mail_closed_by_another_worker_does_not_block_later_mail() {
    let mut inside = Inside::with_players(&["hero", "leander"]);
    let board = begin(&mut inside, "hero", "leander");
    let number = board.0;
    let [mut store, mut other_store] = [0; 2].map(|_| store::open(inside.location(), WORLD).unwrap());
    let (wake, woken) = channel();
    let wake = move || {
        // Sending fails if the test has ended.
        let _ = wake.send(());
    };
    let (mut one, mut other) = (InboxWorker::new(Arc::new(wake)), InboxWorker::without_threads());
    arrive(&mut inside, &[("hero", format!("marque move {number} hero secret f3"))]);
    assert_eq!(pass(&mut one, &mut *store, &inside).unwrap(), 0, "the password is hashed first");
    woken.recv_timeout(Duration::from_secs(60)).expect("the password is hashed");
    pass(&mut other, &mut *other_store, &inside).unwrap();
    assert_eq!(verdicts(&mut inside), [Some(VerdictKind::Done)]);
    arrive(&mut inside, &[("hero", format!("marque chat {number} hero secret --say=Hello!"))]);
    for _ in 0..2 {
        pass(&mut one, &mut *store, &inside).unwrap();
    }
    assert_eq!(verdicts(&mut inside), [Some(VerdictKind::Done); 2]);
}

/// Simulates another node that finishes a message just before this store executes its second statement.
struct ClosesBetween {
    requests: AtomicU32,
    other: Mutex<Box<dyn Store>>,
    mail: InboxId,
}

impl StoreFaults for ClosesBetween {
    fn fails_to_begin(&self) -> bool {
        false
    }

    fn fails_in_statement(&self) -> bool {
        if self.requests.fetch_add(1, Ordering::Relaxed) == 1 {
            let verdict = Verdict {
                kind: VerdictKind::Done,
                sender: Some("hector@example.org".into()),
                identity: Some("<another>".into()),
                commands: "help".into(),
                reason: "closed by another node".into(),
            };
            let mut other = self.other.lock().unwrap();
            let mut tx = other.write().unwrap();
            tx.close_mail(self.mail, &verdict, (WORLD.now)()).unwrap();
            tx.commit().unwrap();
        }
        false
    }

    fn fails_to_commit(&self) -> bool {
        false
    }
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn mail_closed_between_two_reads_is_not_confused_with_later_mail() {
    let database = Database::set_up();
    let mut inside = Inside::at(Some(database.location()));
    let senders = ["hector", "ajax", "priam"];
    arrive(&mut inside, &senders.map(|userid| (userid, "help".into())));
    let [mail, ..] = inside.read(|tx| tx.waiting_after(InboxId(0), 9).unwrap())[..] else { panic!("no message waits") };
    let other = Mutex::new(store::open(database.location(), WORLD).unwrap());
    let faults: Arc<dyn StoreFaults> = Arc::new(ClosesBetween { requests: AtomicU32::new(0), other, mail });
    let mut store = store::open_failing(&database.location(), &faults).unwrap();
    let mut worker = InboxWorker::without_threads();
    assert_eq!(pass(&mut worker, &mut *store, &inside).unwrap(), 2);
    let rows = inside.read(|tx| tx.inbox(9).unwrap());
    let closed: Vec<_> = rows.into_iter().rev().map(|row| row.verdict.unwrap()).collect();
    assert_eq!(closed[0].reason, "closed by another node");
    let found: Vec<_> = closed.iter().map(|verdict| verdict.sender.clone().unwrap()).collect();
    assert_eq!(found, senders.map(|userid| format!("{userid}@example.org")));
    assert!(closed.iter().all(|verdict| verdict.kind == VerdictKind::Done), "{closed:?}");
}

/// Makes the nth commit fail, where n is the initial value.
struct FailsOnce(AtomicU32);

impl StoreFaults for FailsOnce {
    fn fails_to_begin(&self) -> bool {
        false
    }

    fn fails_in_statement(&self) -> bool {
        false
    }

    fn fails_to_commit(&self) -> bool {
        let left = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        left == Ok(1)
    }
}

/// The player plays against themselves, so that both messages have the same sender.
#[test]
fn mail_is_processed_in_order_after_a_failed_commit() {
    for nth in 1..=3 {
        let userid = format!("narcissus{nth}");
        let mut inside = Inside::at(None);
        inside.add_player(&userid);
        let board = begin(&mut inside, &userid, &userid);
        let mails = ["f3", "k1"].map(|cell| (&*userid, format!("marque move {} {userid} secret {cell}", board.0)));
        arrive(&mut inside, &mails);
        let faults = Arc::new(FailsOnce(AtomicU32::new(nth)));
        let failing: Arc<dyn StoreFaults> = faults.clone();
        let mut store = store::open_failing(&inside.dir.path().join("turnpost.db").into(), &failing).unwrap();
        let mut worker = InboxWorker::without_threads();
        for _ in 0..8 {
            // If a pass fails, the next one tries again.
            let _ = pass(&mut worker, &mut *store, &inside);
        }
        assert!(nth > 1 || faults.0.load(Ordering::Relaxed) == 0, "the first commit fails");
        assert_eq!(verdicts(&mut inside), [Some(VerdictKind::Done); 2]);
        assert_eq!(moves(&mut inside, board), ["f3", "k1"], "both moves are played after commit {nth} failed");
    }
}

/// Makes the database refuse changes of message 1.
const REFUSE: &str = "CREATE TRIGGER refusing BEFORE UPDATE ON inbox WHEN new.id = 1 \
                      BEGIN SELECT RAISE(ABORT, 'a row is damaged'); END";

#[test]
fn mail_that_fails_in_the_database_blocks_its_sender_for_a_minute() {
    for (passed, is_over) in [(0, false), (59, false), (60, true), (-1, true)] {
        let mut inside = Inside::at(None);
        for userid in ["echo", "pan"] {
            inside.add_player(userid);
        }
        let mut worker = InboxWorker::without_threads();
        let mut store = store::open(inside.location(), WORLD).unwrap();
        arrive(&mut inside, &[("echo", "help".into()), ("echo", "help".into()), ("pan", "help".into())]);
        sql_on(None, inside.dir.path(), REFUSE);
        let now = inside.now();
        pass_at(now, &mut worker, &mut *store, &inside).unwrap();
        assert_eq!(verdicts(&mut inside), [None, None, Some(VerdictKind::Done)]);
        sql_on(None, inside.dir.path(), "DROP TRIGGER refusing");
        pass_at(now + TimeDelta::seconds(passed), &mut worker, &mut *store, &inside).unwrap();
        let closed: Vec<bool> = verdicts(&mut inside).iter().map(Option::is_some).collect();
        assert_eq!(closed, [is_over, is_over, true], "after {passed} seconds");
    }
}

#[test]
fn new_mail_is_found_behind_any_number_of_waiting_messages() {
    const WAITING: usize = 1_001;
    let mut inside = Inside::with_players(&["orpheus", "pan"]);
    let mut worker = InboxWorker::new(Arc::new(|| ()));
    let mut store = store::open(inside.location(), WORLD).unwrap();
    // The first message waits until its password is hashed, and the others wait for the first one.
    let mut mails = vec![("orpheus", "help".to_owned()); WAITING];
    mails[0].1 = "set orpheus secret mail=text".to_owned();
    arrive(&mut inside, &mails);
    assert_eq!(pass(&mut worker, &mut *store, &inside).unwrap(), 0);
    assert!(!worker.is_due(&mut *store).unwrap());
    arrive(&mut inside, &[("pan", "help".into())]);
    assert!(worker.is_due(&mut *store).unwrap());
}
