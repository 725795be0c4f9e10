//! Mail that waits for a password hash, and its effect on other mail.

use std::sync::Arc;

use crate::common::database::sql;
use crate::common::inside::{Inside, WORLD};
use crate::common::serving::{Peer, Serving, wait_until};
use crate::common::{Server, done, to};
use serde_json::Value;
use turnpost::compose::Composer;
use turnpost::config::Config;
use turnpost::mail::inbound::{InboxContext, InboxWorker, receive};
use turnpost::mail::outbound::{LocalServer, SendError};
use turnpost::numbers::BoardNumber;
use turnpost::serve::Instance;
use turnpost::store::{self, MailSource, VerdictKind};

const CONFIG: &str = "[receive]\nlmtp = \"unix:lmtp.sock\"\n";

fn deliver(peer: &mut Peer, recipient: &str, from: &str, line: &str) {
    peer.begin(recipient);
    peer.send(format!("From: {from}\r\nTo: <{recipient}>\r\n\r\n{line}\r\n.\r\n").as_bytes());
    assert_eq!(peer.reply(), "250 2.0.0 Stored.");
}

/// Returns the numbers of messages in the order in which the server finished them.
fn closed(log: &str) -> Vec<u64> {
    let entries = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    entries.filter(|entry| entry["message"] == "mail read").map(|entry| entry["mail"].as_u64().unwrap()).collect()
}

#[test]
fn a_flood_of_wrong_passwords_does_not_delay_turns() {
    const FLOOD: u64 = 180;
    let mut server = Server::new();
    // Uses normal password hashes, which take time.
    for line in ["signup alice wonderland alice@example.org", "signup bob builder bob@example.org"] {
        done(&server, line);
    }
    done(&server, "marque challenge alice bob");
    let letters = server.letters();
    let letter = to(&letters, "alice@example.org");
    let reply_to = letter.reply_to().rsplit_once('<').unwrap().1.trim_end_matches('>').to_owned();
    let serving = Serving::start(&server, CONFIG);
    let mut peer = Peer::greeted(&server.data().join("lmtp.sock"));
    for n in 1..=FLOOD {
        let line = format!("marque move 1 alice guess{n} f3");
        deliver(&mut peer, "turnpost@localhost", &format!("mallory{n}@example.org"), &line);
    }
    // The last of these senders sends a second message. It contains no password, but waits for the first one.
    deliver(&mut peer, "turnpost@localhost", &format!("mallory{FLOOD}@example.org"), "show 1");
    deliver(&mut peer, &reply_to, "alice@example.org", "f3");
    let all = usize::try_from(FLOOD + 2).unwrap();
    wait_until("all messages to be closed", || (closed(&serving.log()).len() == all).then_some(()));
    let order = closed(&serving.stop());
    let place = |mail: u64| order.iter().position(|closed| *closed == mail).unwrap();
    assert!(place(FLOOD + 2) < all - 2, "alice does not wait for the whole flood: {order:?}");
    assert!(place(FLOOD) < place(FLOOD + 1), "{order:?}");
    assert_eq!(sql(&server, "SELECT text FROM entries WHERE board = 1"), "f3");
    // Each sender guessed only once, so none is locked out, but each guess was counted.
    assert_eq!(sql(&server, "SELECT count(*) FROM rate_limits WHERE what = 'wrong password'"), FLOOD.to_string());
}

/// A mail server that never answers.
struct Silent;

impl LocalServer for Silent {
    fn take(&self, _: &[u8], _: &str, _: &str) -> Result<(), SendError> {
        Err(SendError::Hung("no answer in time".to_owned()))
    }
}

/// No `serve` is running. If this process did not process the message, the message would wait until the next one
/// arrives.
#[test]
fn a_message_is_processed_once_its_password_is_hashed_although_a_letter_hangs() {
    let mut inside = Inside::with_players(&["alice", "bob"]);
    inside.say("alice", "marque challenge alice bob");
    let mail = b"From: alice@example.org\nMessage-ID: <1@x>\nSubject: marque move 1 alice secret f3\n\n";
    let now = inside.now();
    receive(&mut *inside.store, &mail[..], MailSource::Pipe, now).unwrap();
    let store = store::open(inside.location(), WORLD).unwrap();
    let parts = (Config::default(), Composer::new(None, None).unwrap());
    let mut instance = Instance::local(inside.dir.path(), store, parts, Arc::new(Silent), WORLD);
    instance.process_all().unwrap();
    let verdict = instance.store.read().unwrap().inbox(1).unwrap().remove(0).verdict;
    assert_eq!(verdict.expect("the message has a verdict").kind, VerdictKind::Done);
}

/// Returns the verdict on each stored message and its parsed commands. The oldest message is first.
fn verdicts(inside: &mut Inside) -> Vec<(VerdictKind, String)> {
    let rows = inside.store.read().unwrap().inbox(99).unwrap().into_iter().rev();
    rows.map(|row| row.verdict.map(|verdict| (verdict.kind, verdict.commands)).expect("the message has a verdict"))
        .collect()
}

/// Stores messages that arrive together, given as the sender's name and the subject.
fn receive_together(inside: &mut Inside, mails: &[(&str, &str)]) {
    let now = inside.now();
    for (number, (from, line)) in mails.iter().enumerate() {
        let mail = format!("From: {from}@example.org\nMessage-ID: <{number}@{from}>\nSubject: {line}\n\n");
        receive(&mut *inside.store, mail.as_bytes(), MailSource::Pipe, now).unwrap();
    }
}

#[test]
fn the_opponents_answer_does_not_overtake_a_move_whose_password_is_hashed() {
    let mut inside = Inside::with_players(&["alice", "bob", "carol", "dave"]);
    inside.say("alice", "marque challenge alice bob");
    inside.say("carol", "marque challenge carol dave");
    // Later messages of bob need no hash, because the hash for the first one is cached.
    let mails = [
        ("bob", "marque note 1 bob secret --say=\"I am ready\""),
        ("alice", "marque move 1 alice secret f3"),
        ("bob", "marque move 1 bob secret k4"),
        ("elsewhere", "marque move 2 carol secret f3"),
        ("dave", "marque move 2 dave secret k4"),
        ("alice", "marque move 1 alice secret h2"),
    ];
    receive_together(&mut inside, &mails);
    inside.process_inbox();
    let verdicts = verdicts(&mut inside);
    assert!(verdicts.iter().all(|(kind, _)| *kind == VerdictKind::Done), "{verdicts:?}");
    let tx = inside.store.read().unwrap();
    let moves = |board| tx.entries(BoardNumber(board)).unwrap().into_iter().map(|entry| entry.text).collect::<Vec<_>>();
    assert_eq!((moves(1), moves(2)), (vec!["f3".into(), "k4".into(), "h2".into()], vec!["f3".into(), "k4".into()]));
}

#[test]
fn a_password_that_changes_while_mail_waits_is_checked_again() {
    let mut inside = Inside::with_players(&["alice", "bob"]);
    inside.say("alice", "marque challenge alice bob");
    let mails = [
        ("alice", "change password alice secret another-one"),
        ("home", "marque move 1 alice another-one f3"),
        ("work", "vacation alice secret off"),
    ];
    receive_together(&mut inside, &mails);
    // The passwords of all three messages are hashed before the first message is processed, because the senders differ.
    let now = inside.now();
    let Inside { store, config, composer, .. } = &mut inside;
    let service = config.service(WORLD);
    let inbox = InboxContext { service: &service, server_address: &config.address, composer, now };
    let mut worker = InboxWorker::without_threads();
    while worker.process(&mut **store, &inbox, &mut |_| {}).unwrap() > 0 {}
    let kinds: Vec<_> = verdicts(&mut inside).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, [VerdictKind::Done, VerdictKind::Done, VerdictKind::Refused]);
}

#[test]
fn a_message_may_change_the_password_and_use_it() {
    let mut inside = Inside::with_players(&["alice", "bob"]);
    inside.say("alice", "marque challenge alice bob");
    let mail = b"From: alice@example.org\n\nchange password alice secret another-one\n\
        marque move 1 alice another-one f3\nmarque note 1 alice secret\nsignup zoe a-third-one zoe@example.org\n\
        vacation zoe a-third-one off\n";
    let now = inside.now();
    receive(&mut *inside.store, &mail[..], MailSource::Pipe, now).unwrap();
    inside.process_inbox();
    let letters = inside.letters();
    let answer = letters["alice@example.org"].join("\n");
    assert_eq!(verdicts(&mut inside)[0].0, VerdictKind::Done);
    let refused = answer.matches("No player has this userid and this password.").count();
    assert_eq!(refused, 1, "only the old password is refused: {answer}");
    assert_eq!(inside.store.read().unwrap().entries(BoardNumber(1)).unwrap().len(), 1, "{answer}");
}
