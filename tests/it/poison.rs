//! Mails that cannot be processed are set aside and kept, and the queue goes on; what else ends a process counts against
//! no mail.

use std::sync::Arc;

use crate::common::Server;
use crate::common::inside::Inside;
use turnpost::mail::inbound::{ATTEMPTS, InboxContext, InboxWorker, receive};
use turnpost::store::{self, InboxId, MailSource, Store, VerdictKind};
use turnpost::world::World;

/// A world in which the code of a `signoff`, eight letters, cannot be drawn.
const BROKEN: World = World {
    random: |bytes| match bytes.len() {
        8 => panic!("no code can be drawn"),
        _ => bytes.fill(1),
    },
    ..World::REAL
};

fn mail(id: &str, from: &str, subject: &str) -> Vec<u8> {
    format!("From: {from}@example.org\nMessage-ID: <{id}@x>\nSubject: {subject}\n\n").into_bytes()
}

/// Processes the inbox as often as a mail that panics is tried; returns the verdicts.
fn process(inside: &mut Inside, world: World) -> Vec<(InboxId, VerdictKind)> {
    let (service, composer) = (inside.config.service(world), &inside.composer);
    let now = (World::REAL.now)();
    let inbox = InboxContext { service: &service, server_address: "turnpost@localhost", composer, now };
    let mut worker = InboxWorker::new(Arc::new(|| ()));
    let mut verdicts = Vec::new();
    for _ in 0..ATTEMPTS {
        while {
            let mut note = |mail: &_| {
                let turnpost::mail::inbound::ProcessedMail { id, verdict } = mail;
                verdicts.push((*id, verdict.kind));
            };
            worker.process(&mut *inside.store, &inbox, &mut note).unwrap() > 0 || worker.wait()
        } {}
    }
    verdicts
}

#[test]
fn a_mail_that_panics_is_set_aside_and_undoes_no_other() {
    let mut inside = Inside::with_players(&["alice", "bob"]);
    let now = inside.now();
    let mut receive = |mail: Vec<u8>| receive(&mut inside.store, &mail[..], MailSource::Pipe, now).unwrap();
    let before = receive(mail("1", "bob", "marque challenge alice bob"));
    let poison = receive(mail("2", "alice", "signoff alice secret"));
    let after = receive(mail("3", "bob", "show 1"));
    let expected = [(before, VerdictKind::Done), (after, VerdictKind::Done), (poison, VerdictKind::Poison)];
    assert_eq!(process(&mut inside, BROKEN), expected);
    assert!(inside.store.read().unwrap().waiting_mail(9, &[]).unwrap().is_empty());
    // It is kept, and processed again when the administrator says so.
    let mut tx = inside.store.write().unwrap();
    assert_eq!(tx.mail_set_aside(poison).unwrap(), Some(mail("2", "alice", "signoff alice secret")));
    assert!(tx.put_mail_back(poison).unwrap());
    tx.commit().unwrap();
    assert_eq!(process(&mut inside, World::REAL), [(poison, VerdictKind::Done)]);
}

#[test]
fn a_process_that_is_killed_again_and_again_discards_no_mail() {
    let server = Server::with_players();
    let mut store = store::open(&server.data().join("turnpost.db"), World::REAL).unwrap();
    let id = receive(&mut store, &mail("1", "alice", "show 1")[..], MailSource::Pipe, (World::REAL.now)()).unwrap();
    for _ in 0..5 {
        // What a process leaves behind that is killed while it processes this mail.
        std::fs::write(server.data().join("processing"), id.0.to_le_bytes()).unwrap();
        assert_eq!(server.shell("try-mail 1").status, 0);
        assert!(store.read().unwrap().waiting(id).unwrap().is_some(), "a rehearsal changes nothing");
    }
    assert_eq!(server.shell("tick").status, 0);
    assert!(store.read().unwrap().waiting(id).unwrap().is_none());
    assert_eq!(server.json("admin mail 1")["verdict"], "refused", "there is no board 1");
    let ran = server.shell("admin retry 1");
    assert!(ran.status == 1 && ran.err.contains("mail 1 was not set aside"), "{ran:?}");
    assert_eq!(server.json("admin inbox --set-aside"), serde_json::json!([]));
}
