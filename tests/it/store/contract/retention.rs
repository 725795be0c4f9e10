//! The deletion of old data.

use super::*;

fn verdict(kind: VerdictKind, identity: &str) -> Verdict {
    let (sender, identity) = (Some("a@example.org".into()), Some(identity.into()));
    Verdict { kind, sender, identity, commands: "move 1 f3".into(), reason: "obeyed".into() }
}

pub fn old_messages_are_erased_except_for_their_identity(fresh: Fresh) {
    let Instance { database: _database, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let ids: Vec<_> = (0..4).map(|i| tx.add_mail(b"raw", false, MailSource::Pipe, at(i)).unwrap()).collect();
    tx.close_mail(ids[0], &verdict(VerdictKind::Done, "<a@x>"), at(10)).unwrap();
    tx.quarantine_mail(ids[1], &verdict(VerdictKind::Poison, "<b@x>"), at(11)).unwrap();
    tx.close_mail(ids[2], &verdict(VerdictKind::Refused, "<c@x>"), at(20)).unwrap();
    tx.count(CountedKind::Letter, "a@example.org", "a@example.org", at(19)).unwrap();
    tx.count(CountedKind::Letter, "a@example.org", "a@example.org", at(21)).unwrap();
    assert_eq!((tx.forget_mails(&span(20, 60), 1).unwrap(), tx.forget_mails(&span(20, 60), 9).unwrap()), (1, 1));
    assert_eq!(tx.forget_mails(&span(20, 60), 9).unwrap(), 0, "a message is erased only once");
    let rows = tx.inbox(9).unwrap();
    let shown = |row: &InboxRow| {
        let verdict = row.verdict.as_ref().unwrap();
        (verdict.kind, verdict.sender.clone(), verdict.commands.clone(), verdict.reason.clone())
    };
    let kept = (VerdictKind::Refused, Some("a@example.org".into()), "move 1 f3".into(), "obeyed".into());
    assert!(rows[0].verdict.is_none(), "the message waits");
    assert_eq!(shown(&rows[1]), kept);
    let erased = "Its data has been erased.";
    assert_eq!(shown(&rows[2]), (VerdictKind::Poison, None, String::new(), erased.into()));
    assert_eq!(shown(&rows[3]), (VerdictKind::Done, None, String::new(), erased.into()));
    assert_eq!(tx.quarantined_mail(ids[1]).unwrap(), None);
    assert_eq!(
        tx.counted(CountedKind::Letter, CountedBy::Of("a@example.org"), &span(0, 60)).unwrap(),
        1,
        "older counts are removed as well"
    );
    assert_eq!(tx.mail_seen("<a@x>").unwrap(), Some(ids[0]), "a late copy is still recognised");
}

fn add_notice(tx: &mut Transaction<'_>, player: PlayerId, minute: i64) -> OutboxId {
    tx.add_notice(&NewNotice {
        player: Some(player),
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
}

pub fn old_letters_are_deleted_once_they_were_sent(fresh: Fresh) {
    let Instance { database: _database, alice, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let add = |tx: &mut Transaction<'_>, minute: i64| add_notice(tx, alice, minute);
    let [sent, with, given_up, waits, held, new] = [1, 1, 2, 3, 4, 30].map(|minute| add(&mut tx, minute));
    for letter in [&[sent, with][..], &[given_up], &[waits], &[held], &[new]] {
        tx.bind_letters(&[letter], at(31)).unwrap();
    }
    let delivery = Delivery { address: "a@example.org".into(), state: DeliveryState::Sent, at: at(5), error: None };
    tx.set_delivery(sent, &delivery).unwrap();
    tx.letters_sent(&[sent], at(40)).unwrap();
    tx.letters_sent(&[new], at(40)).unwrap();
    tx.letter_failed(given_up, "never", None).unwrap();
    tx.hold(&[held]).unwrap();
    assert_eq!((tx.forget_letters(&span(30, 60), 1).unwrap(), tx.forget_letters(&span(30, 60), 9).unwrap()), (1, 1));
    let mut left: Vec<_> = tx.outbox(9).unwrap().iter().map(|notice| notice.id).collect();
    left.sort_by_key(|id| id.0);
    assert_eq!(left, [waits, held, new]);
    assert!(tx.deliveries(sent).unwrap().is_empty());
    assert!(add(&mut tx, 50).0 > new.0, "a number is never used again, because it is part of a Message-ID");
}

pub fn entries_from_the_future_are_as_old_as_the_next_ones(fresh: Fresh) {
    let Instance { database: _database, alice, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    // The server's clock was ahead when the second message and the second letter were stored.
    let minutes = [10, 9_000, 11, 20];
    let (mut mails, mut letters) = (Vec::new(), Vec::new());
    for (nth, minute) in minutes.into_iter().enumerate() {
        let mail = tx.add_mail(b"raw", false, MailSource::Pipe, at(minute)).unwrap();
        tx.close_mail(mail, &verdict(VerdictKind::Done, &format!("<{nth}@x>")), at(minute)).unwrap();
        mails.push(mail);
        let letter = add_notice(&mut tx, alice, minute);
        tx.bind_letters(&[&[letter]], at(minute)).unwrap();
        tx.letters_sent(&[letter], at(minute)).unwrap();
        letters.push(letter);
    }
    // If the clock is behind, all times are in the future, and nothing is erased.
    let behind = span(-9_000, 1);
    assert_eq!((tx.forget_mails(&behind, 9).unwrap(), tx.forget_letters(&behind, 9).unwrap()), (0, 0));
    let left = |tx: &Transaction<'_>| -> (Vec<InboxId>, Vec<OutboxId>) {
        let mut mails = tx.inbox(9).unwrap();
        mails.retain(|row| row.verdict.as_ref().unwrap().sender.is_some());
        let letters = tx.outbox(9).unwrap();
        (mails.iter().rev().map(|row| row.id).collect(), letters.iter().rev().map(|notice| notice.id).collect())
    };
    for (from, gone) in [(11, 1), (12, 3)] {
        let kept = span(from, 60);
        while tx.forget_mails(&kept, 1).unwrap() + tx.forget_letters(&kept, 1).unwrap() > 0 {}
        assert_eq!(left(&tx), (mails[gone..].to_vec(), letters[gone..].to_vec()), "{from}");
    }
}
