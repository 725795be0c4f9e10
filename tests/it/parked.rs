//! Mails whose passwords are being hashed hold up nobody but their sender.

use std::sync::Arc;

use crate::common::database::sql;
use crate::common::inside::{Inside, WORLD};
use crate::common::serving::{Peer, Serving, wait_until};
use crate::common::{Server, done, to};
use serde_json::Value;
use turnpost::compose::Composer;
use turnpost::config::Config;
use turnpost::mail::inbound::receive;
use turnpost::mail::outbound::{LocalServer, SendError};
use turnpost::serve::Instance;
use turnpost::store::{self, MailSource, Store, VerdictKind};

const CONFIG: &str = "[receive]\nlmtp = \"unix:lmtp.sock\"\n";

fn deliver(peer: &mut Peer, recipient: &str, from: &str, line: &str) {
    peer.begin(recipient);
    peer.send(format!("From: {from}\r\nTo: <{recipient}>\r\n\r\n{line}\r\n.\r\n").as_bytes());
    assert_eq!(peer.reply(), "250 2.0.0 Kept.");
}

/// The numbers of mails in the order in which they were closed.
fn closed(log: &str) -> Vec<u64> {
    let entries = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    entries.filter(|entry| entry["message"] == "mail read").map(|entry| entry["mail"].as_u64().unwrap()).collect()
}

#[test]
fn a_flood_of_wrong_passwords_delays_nobodys_turn() {
    const FLOOD: u64 = 60;
    let mut server = Server::with_players();
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
    // The same sender goes on with something that needs no password: it waits for the first mail.
    deliver(&mut peer, "turnpost@localhost", &format!("mallory{FLOOD}@example.org"), "show 1");
    deliver(&mut peer, &reply_to, "alice@example.org", "f3");
    let all = usize::try_from(FLOOD + 2).unwrap();
    wait_until("every mail is closed", || (closed(&serving.log()).len() == all).then_some(()));
    let order = closed(&serving.stop());
    let place = |mail: u64| order.iter().position(|closed| *closed == mail).unwrap();
    assert!(place(FLOOD + 2) < all - 2, "alice waited for all of the flood: {order:?}");
    assert!(place(FLOOD) < place(FLOOD + 1), "{order:?}");
    assert_eq!(sql(&server, "SELECT text FROM moves WHERE board = 1"), "f3");
    // Each sender guessed once, so none waits yet, and each guess was counted.
    assert_eq!(sql(&server, "SELECT count(*) FROM wrong_passwords"), FLOOD.to_string());
}

/// A mail server that never answers.
struct Silent;

impl LocalServer for Silent {
    fn take(&self, _: &[u8], _: &str, _: &str) -> Result<(), SendError> {
        Err(SendError::Hung("no answer in time".to_owned()))
    }
}

/// Without `serve`, nobody else would process the mail until the next one comes.
#[test]
fn a_mail_whose_password_was_hashed_while_a_letter_hung_is_processed() {
    let mut inside = Inside::with_players(&["alice", "bob"]);
    inside.say("alice", "marque challenge alice bob");
    let mail = b"From: alice@example.org\nMessage-ID: <1@x>\nSubject: marque move 1 alice secret f3\n\n";
    let now = inside.now();
    receive(&mut inside.store, &mail[..], MailSource::Pipe, now).unwrap();
    let store = store::open(inside.location(), WORLD).unwrap();
    let parts = (Config::default(), Composer::new(None, None).unwrap());
    let mut instance = Instance::local(inside.dir.path(), store, parts, Arc::new(Silent), WORLD);
    instance.process_all().unwrap();
    let verdict = instance.store.read().unwrap().inbox(1).unwrap().remove(0).verdict;
    assert_eq!(verdict.expect("it waits").kind, VerdictKind::Done);
}
