//! What is kept no longer.

use super::*;

fn verdict(kind: VerdictKind, identity: &str) -> Verdict {
    let (sender, identity) = (Some("a@example.org".into()), Some(identity.into()));
    Verdict { kind, sender, identity, commands: "move 1 f3".into(), reason: "obeyed".into() }
}

pub fn old_mails_are_forgotten_but_for_their_identity(fresh: Fresh) {
    let Instance { database: _database, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let ids: Vec<_> = (0..4).map(|i| tx.add_mail(b"raw", false, MailSource::Pipe, at(i)).unwrap()).collect();
    tx.close_mail(ids[0], &verdict(VerdictKind::Done, "<a@x>"), at(10)).unwrap();
    tx.set_mail_aside(ids[1], &verdict(VerdictKind::Poison, "<b@x>"), at(11)).unwrap();
    tx.close_mail(ids[2], &verdict(VerdictKind::Refused, "<c@x>"), at(20)).unwrap();
    tx.count_letter("a@example.org", "a@example.org", at(19)).unwrap();
    tx.count_letter("a@example.org", "a@example.org", at(21)).unwrap();
    assert_eq!((tx.forget_mails(at(20), 1).unwrap(), tx.forget_mails(at(20), 9).unwrap()), (1, 1));
    assert_eq!(tx.forget_mails(at(20), 9).unwrap(), 0, "once");
    let rows = tx.inbox(9).unwrap();
    let shown = |row: &InboxRow| {
        let verdict = row.verdict.as_ref().unwrap();
        (verdict.kind, verdict.sender.clone(), verdict.commands.clone(), verdict.reason.clone())
    };
    let kept = (VerdictKind::Refused, Some("a@example.org".into()), "move 1 f3".into(), "obeyed".into());
    assert!(rows[0].verdict.is_none(), "it waits");
    assert_eq!(shown(&rows[1]), kept);
    assert_eq!(shown(&rows[2]), (VerdictKind::Poison, None, String::new(), String::new()));
    assert_eq!(shown(&rows[3]), (VerdictKind::Done, None, String::new(), String::new()));
    assert_eq!(tx.mail_set_aside(ids[1]).unwrap(), None);
    assert_eq!(tx.letters_to("a@example.org", at(0)).unwrap(), 1, "what is counted is as old at most");
    assert_eq!(tx.mail_seen("<a@x>").unwrap(), Some(ids[0]), "a copy that comes late is one still");
}

pub fn old_letters_are_deleted_once_they_were_sent(fresh: Fresh) {
    let Instance { database: _database, alice, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let add = |tx: &mut dyn Transaction, minute: i64| {
        tx.add_notice(&NewNotice {
            player: Some(alice),
            address: None,
            kind: "move".into(),
            board: Some(BoardNumber(1)),
            entry: Some(EntryNumber(1)),
            facts: "{}".into(),
            in_reply_to: None,
            domain: "x.example".into(),
            created_at: at(minute),
            due_at: Some(at(minute)),
        })
        .unwrap()
    };
    let [sent, with, given_up, waits, held, new] = [1, 1, 2, 3, 4, 30].map(|minute| add(&mut *tx, minute));
    for letter in [&[sent, with][..], &[given_up], &[waits], &[held], &[new]] {
        tx.bind_letter(letter, at(31)).unwrap();
    }
    let delivery = Delivery { address: "a@example.org".into(), state: DeliveryState::Sent, at: at(5), error: None };
    tx.set_delivery(sent, &delivery).unwrap();
    tx.letter_sent(sent, at(40)).unwrap();
    tx.letter_sent(new, at(40)).unwrap();
    tx.letter_failed(given_up, "never", None).unwrap();
    tx.hold(&[held]).unwrap();
    assert_eq!((tx.forget_letters(at(30), 1).unwrap(), tx.forget_letters(at(30), 9).unwrap()), (1, 1));
    let mut left: Vec<_> = tx.outbox(false, 9).unwrap().iter().map(|notice| notice.id).collect();
    left.sort_by_key(|id| id.0);
    assert_eq!(left, [waits, held, new]);
    assert!(tx.deliveries(sent).unwrap().is_empty());
    assert!(add(&mut *tx, 50).0 > new.0, "a number is never used again: it is part of a Message-ID");
}
