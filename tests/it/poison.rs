//! A mail whose reading fails again and again is set aside, and the queue goes on.

use turnpost::compose::Composer;
use turnpost::config::Config;
use turnpost::mail::inbound::{ATTEMPTS, InboxContext, process_inbox, receive};
use turnpost::store::{self, MailSource, Store, VerdictKind};
use turnpost::world::World;

#[test]
fn a_mail_that_failed_three_times_is_set_aside_and_the_next_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = store::open(&dir.path().join("turnpost.db"), World::REAL).unwrap();
    let now = "2026-11-21T12:00:00Z".parse().unwrap();
    let mail =
        |subject: &str| format!("From: a@example.org\nMessage-ID: <{subject}@x>\nSubject: {subject}\n\n").into_bytes();
    let poison = receive(&mut store, &mail("first")[..], MailSource::Pipe, now).unwrap();
    let next = receive(&mut store, &mail("help")[..], MailSource::Pipe, now).unwrap();
    // Attempts are counted before each reading: this is what three crashes leave behind.
    for _ in 0..ATTEMPTS {
        let mut tx = store.write().unwrap();
        tx.count_attempt(poison).unwrap();
        tx.commit().unwrap();
    }
    let composer = Composer::new(None, None).unwrap();
    let config = Config::default();
    let service = config.service(World::REAL);
    let inbox = InboxContext { service: &service, server_address: "turnpost@localhost", composer: &composer, now };
    let mut verdicts = Vec::new();
    let closed = process_inbox(&mut store, &inbox, &mut |mail| {
        verdicts.push((mail.id, mail.verdict.kind));
    });
    assert_eq!(closed.unwrap(), 2);
    assert_eq!(verdicts, [(poison, VerdictKind::Poison), (next, VerdictKind::Done)]);
    assert!(store.read().unwrap().waiting_mail(9).unwrap().is_empty());
}
