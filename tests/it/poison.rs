//! Messages that cannot be processed are quarantined and stored, and later messages are processed. A message is not
//! quarantined if the process ends for another reason.

use std::sync::Arc;
use std::time::Duration;

use crate::common::Server;
use crate::common::inside::Inside;
use turnpost::mail::inbound::{ATTEMPTS, InboxContext, InboxWorker, receive};
use turnpost::store::{InboxId, MailSource, Verdict, VerdictKind};
use turnpost::world::World;

/// A `World` in which `signoff` causes a panic, because its eight-letter code cannot be generated.
const BROKEN: World = World {
    random: |bytes| match bytes.len() {
        8 => panic!("no code can be generated"),
        _ => bytes.fill(1),
    },
    ..World::REAL
};

/// The maximum time to wait for a password hash, long enough for a busy machine.
const HASHED: Duration = Duration::from_secs(60);

fn mail(id: &str, from: &str, subject: &str) -> Vec<u8> {
    format!("From: {from}@example.org\nMessage-ID: <{id}@x>\nSubject: {subject}\n\n").into_bytes()
}

/// Processes the inbox as many times as the server tries a message that causes a panic. Returns the verdicts.
fn process(inside: &mut Inside, world: World) -> Vec<(InboxId, VerdictKind)> {
    let (service, composer) = (inside.config.service(world), &inside.composer);
    let now = (World::REAL.now)();
    let inbox = InboxContext { service: &service, server_address: "turnpost@localhost", composer, now };
    let mut worker = InboxWorker::new(Arc::new(|| ()));
    let mut verdicts = Vec::new();
    for _ in 0..ATTEMPTS {
        while {
            let mut note = |mail: &_| {
                let turnpost::mail::inbound::ProcessedMail { id, verdict, .. } = mail;
                verdicts.push((*id, verdict.kind));
            };
            worker.process(&mut *inside.store, &inbox, &mut note).unwrap() > 0 || worker.wait(HASHED)
        } {}
    }
    verdicts
}

#[test]
fn a_message_that_panics_is_quarantined_without_effects_on_others() {
    let mut inside = Inside::with_players(&["alice", "bob"]);
    inside.config.policy.administrators = vec!["bob".to_owned()];
    let now = inside.now();
    let mut receive = |mail: Vec<u8>| receive(&mut *inside.store, &mail[..], MailSource::Pipe, now).unwrap();
    let before = receive(mail("1", "bob", "marque challenge alice bob"));
    let poison = receive(mail("2", "alice", "signoff alice secret"));
    let after = receive(mail("3", "bob", "show 1"));
    let expected = [(before, VerdictKind::Done), (after, VerdictKind::Done), (poison, VerdictKind::Poison)];
    assert_eq!(process(&mut inside, BROKEN), expected);
    assert!(inside.store.read().unwrap().waiting_after(InboxId(0), 9).unwrap().is_empty());
    // The server notifies the sender and the administrator.
    let letters = inside.letters();
    let told = |address: &str, words: &[&str]| {
        let told = letters[address]
            .iter()
            .any(|letter| words.iter().all(|word| turnpost::text::squeezed(letter).contains(word)));
        assert!(told, "{words:?}: {letters:#?}");
    };
    told("alice@example.org", &["Your message could not be processed", "send your request again"]);
    told("bob@example.org", &["Message 2 from alice@example.org could not be processed", "turnpost admin retry 2"]);
    // The message is stored, and processed again at the administrator's request.
    let mut tx = inside.store.write().unwrap();
    assert_eq!(tx.quarantined_mail(poison).unwrap(), Some(mail("2", "alice", "signoff alice secret")));
    assert!(tx.put_mail_back(poison).unwrap());
    tx.commit().unwrap();
    assert_eq!(process(&mut inside, World::REAL), [(poison, VerdictKind::Done)]);
}

/// Simulates this many processes that died while they processed message 1.
fn die(server: &Server, times: u32) {
    for _ in 0..times {
        std::fs::write(server.data().join("processing"), 1_i64.to_le_bytes()).unwrap();
        assert_eq!(server.shell("tick").status, 0);
    }
}

/// Creates a server with a waiting message. Maintenance pauses its processing.
fn waiting(subject: &str) -> Server {
    let server = Server::with_players();
    server.configure("[policy]\nadministrators = [\"bob\"]\n");
    assert_eq!(server.shell("admin maintenance on Upgrade").status, 0);
    let mut store = server.store(World::REAL);
    receive(&mut *store, &mail("1", "alice", subject)[..], MailSource::Pipe, (World::REAL.now)()).unwrap();
    server
}

#[test]
fn a_message_is_processed_after_two_processes_died_with_it() {
    let server = waiting("show 1");
    die(&server, ATTEMPTS - 1);
    assert_eq!(server.json("admin inbox --quarantined"), serde_json::json!([]));
    assert_eq!(server.shell("admin maintenance off").status, 0);
    assert_eq!(server.shell("tick").status, 0);
    assert_eq!(server.json("admin mail 1")["verdict"], "refused", "board 1 does not exist");
    let ran = server.shell("admin retry 1");
    assert!(ran.status == 1 && ran.err.contains("message 1 was not quarantined"), "{ran:?}");
}

#[test]
fn a_message_is_quarantined_after_three_processes_died_with_it() {
    let mut server = waiting("marque challenge alice bob");
    die(&server, ATTEMPTS);
    let shown = server.json("admin mail 1");
    assert_eq!((&shown["verdict"], &shown["from"]), (&"poison".into(), &"alice@example.org".into()), "{shown}");
    assert_eq!(server.shell("admin maintenance off").status, 0);
    assert_eq!(server.shell("tick").status, 0);
    let letters = server.letters();
    let told = |words: &str| letters.iter().any(|letter| turnpost::text::squeezed(&letter.text).contains(words));
    assert!(told("Your message could not be processed"), "{letters:?}");
    assert!(told("Message 1 from alice@example.org could not be processed"), "{letters:?}");
    // The message is stored, and processed again at the administrator's request.
    assert_eq!(server.shell("admin retry 1").status, 0);
    assert_eq!(server.json("admin mail 1")["verdict"], "done");
}

#[test]
fn a_message_is_quarantined_without_its_sender_if_reading_it_crashes_the_program() {
    let server = waiting("show 1");
    // All attempts to process the message have failed. The next process died before it could quarantine the message.
    let mut store = server.store(World::REAL);
    let mut tx = store.write().unwrap();
    for _ in 0..ATTEMPTS {
        tx.count_attempt(InboxId(1)).unwrap();
    }
    tx.commit().unwrap();
    die(&server, 1);
    let shown = server.json("admin mail 1");
    assert!(shown["verdict"] == "poison" && shown["sender"].is_null(), "{shown}");
}

#[test]
fn a_quarantined_message_is_shown_without_its_password_and_can_be_retried() {
    let server = Server::with_players();
    assert_eq!(server.shell("marque challenge alice bob").status, 0);
    let mut store = server.store(World::REAL);
    let mut raw = mail("1", "alice", "marque move 1 alice wonderland f3");
    raw.extend_from_slice(b"Hello wonderland\n");
    let id = receive(&mut *store, &raw[..], MailSource::Pipe, (World::REAL.now)()).unwrap();
    let mut tx = store.write().unwrap();
    let verdict = Verdict {
        kind: VerdictKind::Poison,
        sender: Some("alice@example.org".to_owned()),
        identity: None,
        commands: String::new(),
        reason: "It crashes the program.".to_owned(),
    };
    tx.quarantine_mail(id, &verdict, (World::REAL.now)()).unwrap();
    tx.commit().unwrap();
    let shown = server.shell("admin mail 1").out;
    for words in ["It crashes the program.", "From: alice@example.org", "Subject: marque move 1 alice *** f3"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    assert!(!shown.contains("wonderland"), "{shown}");
    let lines = &server.json("admin mail 1")["quarantined"];
    assert!(lines.as_array().unwrap().contains(&"From: alice@example.org".into()), "{lines}");
    assert!(server.shell("admin inbox --quarantined").out.contains("alice@example.org"));
    assert_eq!(server.shell("admin retry 1").status, 0);
    assert_eq!(server.json("show 1")["boards"][0]["plies"], 1, "{}", server.json("show 1"));
    assert!(server.json("admin mail 1")["quarantined"].is_null());
}
