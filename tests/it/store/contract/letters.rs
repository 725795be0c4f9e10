//! Notices and their letters.

use super::*;

pub fn notice(player: PlayerId, due: Option<i64>) -> NewNotice {
    NewNotice {
        player: Some(player),
        address: None,
        kind: "move".into(),
        board: Some(BoardNumber(1)),
        entry: Some(EntryNumber(1)),
        facts: "{}".into(),
        in_reply_to: Some("<m@x>".into()),
        domain: "example.org".into(),
        created_at: at(5),
        due_at: due.map(at),
    }
}

fn ids(notices: &[OutboxNotice]) -> Vec<OutboxId> {
    notices.iter().map(|notice| notice.id).collect()
}

fn letters(tx: &Transaction<'_>, minute: i64) -> Vec<Vec<OutboxId>> {
    tx.due_letters(at(minute), 9, None).unwrap().iter().map(|letter| ids(letter)).collect()
}

/// Lists the unsent notices, newest first.
fn undelivered(tx: &Transaction<'_>) -> Vec<OutboxNotice> {
    tx.outbox(u32::MAX).unwrap().into_iter().filter(|notice| notice.sent_at.is_none()).collect()
}

pub fn a_notice_becomes_a_letter(fresh: Fresh) {
    let Instance { database: _database, alice, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let id = tx.add_notice(&notice(alice, Some(6))).unwrap();
    assert!(tx.loose_notices(at(5), 9).unwrap().is_empty());
    let loose = tx.loose_notices(at(6), 9).unwrap().remove(0);
    assert_eq!(loose.message_id, format!("<{}.{}@example.org>", id.0, tx.server_id().unwrap()));
    assert_eq!((&loose.player, loose.attempts, loose.letter), (&Some(named(alice, "Alice")), 0, None));
    assert_eq!((loose.created_at, loose.due_at, tx.next_due().unwrap()), (at(5), Some(at(6)), Some(at(6))));
    assert!(letters(&tx, 9).is_empty(), "the notice is not bound to a letter yet");
    assert!(
        refuses(&mut tx, |tx| tx.letters_sent(&[id], at(9))) && tx.letter_failed(id, "x", None).is_err(),
        "the notice is not bound to a letter yet"
    );
    tx.bind_letters(&[&[id]], at(30)).unwrap();
    for refused in [id, OutboxId(99)] {
        assert!(refuses(&mut tx, |tx| tx.bind_letters(&[&[refused]], at(30))));
    }
    tx.bind_letters::<&[OutboxId]>(&[], at(30)).unwrap();
    assert!(tx.loose_notices(at(9), 9).unwrap().is_empty() && letters(&tx, 5).is_empty());
    let letter = tx.due_letters(at(6), 9, None).unwrap().remove(0).remove(0);
    assert_eq!((letter.message_id, letter.letter), (loose.message_id, Some(id)));

    tx.letter_failed(id, "no route", Some(at(10))).unwrap();
    assert_eq!((tx.next_due().unwrap(), letters(&tx, 9).len()), (Some(at(10)), 0));
    tx.letter_failed(id, "no route", None).unwrap();
    let failed = undelivered(&tx).remove(0);
    assert_eq!((tx.next_due().unwrap(), failed.attempts), (None, 2));
    assert_eq!(tx.given_up().unwrap(), [id]);
    assert_eq!(failed.error.as_deref(), Some("no route"));
    assert!(tx.resend(id, at(20)).unwrap() && !tx.resend(OutboxId(99), at(20)).unwrap());
    assert_eq!((tx.next_due().unwrap(), undelivered(&tx)[0].attempts), (Some(at(20)), 0));
    assert!(tx.given_up().unwrap().is_empty());
    tx.letters_sent(&[id], at(21)).unwrap();
    assert!(undelivered(&tx).is_empty());
    assert_eq!(tx.outbox(9).unwrap()[0].sent_at, Some(at(21)));
}

pub fn a_notice_is_removed_unless_it_is_part_of_a_letter(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let mut add = |player, due| tx.add_notice(&notice(player, due)).unwrap();
    let [now, soon, sent, later, held, other] =
        [(alice, Some(6)), (alice, Some(7)), (alice, Some(7)), (alice, Some(8)), (alice, None), (bob, Some(7))]
            .map(|(player, due)| add(player, due));
    tx.bind_letters(&[&[sent]], at(6)).unwrap();
    let due = |tx: &Transaction<'_>, board| {
        tx.notices_due(alice, BoardNumber(board), &Span { from: at(7), until: at(8) }).unwrap()
    };
    assert_eq!((due(&tx, 1), due(&tx, 2)), (vec![soon], vec![]));
    for notice in [soon, sent, OutboxId(99)] {
        tx.remove_notice(notice).unwrap();
    }
    assert!(due(&tx, 1).is_empty());
    let mut left = ids(&tx.outbox(9).unwrap());
    left.reverse();
    assert_eq!(left, [now, sent, later, held, other]);
}

pub fn the_notices_of_a_letter_are_updated_together(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let domains = ["one.example", "two.example", "two.example"];
    let merged: Vec<OutboxId> = [(8, 0), (7, 1), (6, 2)]
        .map(|(due, n)| tx.add_notice(&NewNotice { domain: domains[n].into(), ..notice(alice, Some(due)) }).unwrap())
        .into();
    let other = tx.add_notice(&notice(bob, Some(7))).unwrap();
    let loose = ids(&tx.loose_notices(at(8), 9).unwrap());
    assert_eq!(loose, [merged[2], merged[1], other, merged[0]], "notices are listed oldest first");
    assert_eq!(ids(&tx.loose_notices(at(8), 2).unwrap()), loose[..2]);
    tx.bind_letters(&[&[merged[1], merged[2], merged[0]]], at(30)).unwrap();
    let about = |tx: &Transaction<'_>, player, entry, most| {
        tx.letters_about(player, BoardNumber(1), EntryNumber(entry), OutboxId(i64::MAX), most).unwrap()
    };
    assert_eq!((about(&tx, alice, 1, 9), about(&tx, alice, 1, 1)), (vec![merged[1]; 3], vec![merged[1]]));
    let before = |letter| tx.letters_about(alice, BoardNumber(1), EntryNumber(1), letter, 9).unwrap().len();
    assert_eq!((before(merged[1]), before(OutboxId(merged[1].0 + 1))), (0, 3));
    assert!(about(&tx, bob, 1, 9).is_empty(), "the notice is not bound to a letter yet");
    tx.bind_letters(&[&[other]], at(30)).unwrap();
    assert_eq!((about(&tx, bob, 1, 9), about(&tx, bob, 2, 9)), (vec![other], Vec::new()));
    assert_eq!(letters(&tx, 6), [[]; 0], "the leading notice determines when a letter is due");
    assert_eq!(letters(&tx, 7), [merged.clone(), vec![other]]);
    assert_eq!(tx.due_letters(at(8), 1, None).unwrap().len(), 1);
    let letter = tx.due_letters(at(8), 1, None).unwrap().remove(0);
    let message_id = format!("<{}.{}@two.example>", merged[1].0, tx.server_id().unwrap());
    assert!(letter.iter().all(|notice| notice.message_id == message_id && notice.letter == Some(merged[1])));

    // Any notice of a letter can be used to refer to the letter, not only the leading one.
    tx.letter_failed(merged[0], "no route", Some(at(30))).unwrap();
    assert_eq!((letters(&tx, 29), letters(&tx, 30)), (vec![vec![other]], vec![vec![other], merged.clone()]));
    tx.letters_sent(&[merged[2]], at(31)).unwrap();
    let sent = |tx: &Transaction<'_>| tx.outbox(9).unwrap().iter().filter(|n| n.sent_at == Some(at(31))).count();
    assert_eq!((sent(&tx), tx.next_due().unwrap()), (3, Some(at(7))));
    assert!(tx.resend(merged[2], at(40)).unwrap());
    assert_eq!((sent(&tx), letters(&tx, 40)), (0, vec![vec![other], merged]));
}

pub fn held_notices_wait_for_their_player(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let held = [alice, alice, bob, bob].map(|player| tx.add_notice(&notice(player, None)).unwrap());
    let due = tx.add_notice(&notice(alice, Some(50))).unwrap();
    assert!(
        tx.loose_notices(at(49), 9).unwrap().is_empty()
            && refuses(&mut tx, |tx| tx.bind_letters(&[&held[..1]], at(30)))
    );
    assert_eq!((tx.next_due().unwrap(), undelivered(&tx).len()), (Some(at(50)), 5));
    assert_eq!((tx.release_held(alice, at(20)).unwrap(), tx.release_held(alice, at(30)).unwrap()), (2, 0));
    assert_eq!(ids(&tx.loose_notices(at(20), 9).unwrap()), held[..2]);
    assert!(tx.resend(held[3], at(10)).unwrap(), "the administrator can release a held letter");
    assert_eq!(ids(&tx.loose_notices(at(20), 9).unwrap()), [held[3], held[0], held[1]]);
    assert_eq!(tx.release_held(bob, at(60)).unwrap(), 1);
    assert_eq!(ids(&tx.loose_notices(at(60), 9).unwrap()), [held[3], held[0], held[1], due, held[2]]);
}

pub fn a_held_letter_is_not_split_and_is_sent_like_a_new_one(fresh: Fresh) {
    let Instance { database: _database, alice, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let [first, second, sent] = [(); 3].map(|()| tx.add_notice(&notice(alice, Some(10))).unwrap());
    tx.bind_letters(&[&[first]], at(30)).unwrap();
    tx.bind_letters(&[&[second]], at(30)).unwrap();
    tx.bind_letters(&[&[sent]], at(30)).unwrap();
    tx.letter_failed(second, "no route", Some(at(11))).unwrap();
    tx.letters_sent(&[sent], at(11)).unwrap();
    tx.hold(&[first, second, sent]).unwrap();
    assert!(letters(&tx, 99).is_empty() && tx.loose_notices(at(99), 9).unwrap().is_empty());
    assert_eq!(tx.release_held(alice, at(20)).unwrap(), 2);
    assert!(tx.loose_notices(at(20), 9).unwrap().is_empty(), "notices that are bound to a letter stay bound");
    assert_eq!(letters(&tx, 20), [[first], [second]]);
    for letter in [first, second] {
        let notice = tx.letter(letter).unwrap().remove(0);
        assert_eq!(
            (notice.attempts, notice.bound_at),
            (0, Some(at(20))),
            "time without a reachable address is not added to the time of failed attempts"
        );
    }
}

pub fn a_dropped_letter_is_never_due_and_can_be_resent(fresh: Fresh) {
    let Instance { database: _database, alice, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let [first, with, loose, sent] = [(); 4].map(|()| tx.add_notice(&notice(alice, Some(10))).unwrap());
    tx.bind_letters(&[&[first, with]], at(30)).unwrap();
    tx.bind_letters(&[&[sent]], at(30)).unwrap();
    tx.letters_sent(&[sent], at(11)).unwrap();
    assert!(tx.drop_letter(with, "why", at(40)).unwrap() && tx.drop_letter(loose, "why", at(40)).unwrap());
    assert!(!tx.drop_letter(first, "why", at(41)).unwrap() && !tx.drop_letter(sent, "why", at(41)).unwrap());
    assert!(letters(&tx, 99).is_empty() && tx.loose_notices(at(99), 9).unwrap().is_empty());
    assert_eq!(tx.given_up().unwrap(), [first, loose]);
    assert!(tx.resend(loose, at(42)).unwrap());
    assert_eq!(letters(&tx, 42), [[loose]]);
}

pub fn the_administrator_holds_all_letters(fresh: Fresh) {
    let Instance { database: _database, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    assert_eq!(tx.letters_held_at().unwrap(), None);
    tx.set_letters_held_at(Some(at(3))).unwrap();
    assert_eq!(tx.letters_held_at().unwrap(), Some(at(3)));
    tx.set_letters_held_at(None).unwrap();
    assert_eq!(tx.letters_held_at().unwrap(), None);
}

pub fn deliveries_show_the_state_of_a_letter_at_each_address(fresh: Fresh) {
    let Instance { database: _database, alice, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let letter = tx.add_notice(&notice(alice, Some(10))).unwrap();
    tx.bind_letters(&[&[letter]], at(30)).unwrap();
    let at_address = |address: &str, state, minute| Delivery {
        address: address.into(),
        state,
        at: at(minute),
        error: (state != DeliveryState::Sent).then(|| "why".to_owned()),
    };
    let a = |state, minute| at_address("a@x.example", state, minute);
    tx.set_delivery(letter, &a(DeliveryState::Failed, 11)).unwrap();
    tx.set_delivery(letter, &a(DeliveryState::Sent, 12)).unwrap();
    tx.set_delivery(letter, &at_address("b@x.example", DeliveryState::Refused, 12)).unwrap();
    let known = tx.deliveries(letter).unwrap();
    assert_eq!(known, [a(DeliveryState::Sent, 12), at_address("b@x.example", DeliveryState::Refused, 12)]);
    // Upper and lower case make no difference in an address.
    tx.set_delivery(letter, &at_address("A@X.example", DeliveryState::Bounced, 13)).unwrap();
    assert_eq!(tx.deliveries(letter).unwrap()[0], a(DeliveryState::Bounced, 13));
    let bounces = |address, from, until| tx.bounces(address, &span(from, until)).unwrap();
    let of_a = [(13, 14), (14, 99), (0, 13)].map(|(from, until)| bounces("A@x.example", from, until));
    assert_eq!((of_a, bounces("b@x.example", 0, 99)), ([1, 0, 0], 0));
    assert!(tx.resend(letter, at(20)).unwrap() && tx.deliveries(letter).unwrap().is_empty());
}

pub fn letters_since_a_time_are_found(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let [sent, given_up, dropped, _waiting] = [alice, bob, bob, alice].map(|player| {
        let letter = tx.add_notice(&notice(player, Some(10))).unwrap();
        tx.bind_letters(&[&[letter]], at(11)).unwrap();
        letter
    });
    let delivery = |state, minute| Delivery { address: "a@x.example".into(), state, at: at(minute), error: None };
    tx.set_delivery(sent, &delivery(DeliveryState::Sent, 30)).unwrap();
    tx.letters_sent(&[sent], at(30)).unwrap();
    tx.set_delivery(given_up, &delivery(DeliveryState::Failed, 40)).unwrap();
    tx.letter_failed(given_up, "no such host", None).unwrap();
    assert!(tx.drop_letter(dropped, "not now", at(12)).unwrap());
    let since = |minute, to| tx.letters_since(at(minute), to).unwrap();
    assert_eq!(since(0, None), [sent, given_up, dropped]);
    assert_eq!((since(30, None), since(31, None), since(41, None)), (vec![sent, given_up], vec![given_up], vec![]));
    assert_eq!((since(0, Some("ALICE")), since(0, Some("bob"))), (vec![sent], vec![given_up, dropped]));
    assert_eq!((since(0, Some("A@x.example")), since(0, Some("x.example"))), (vec![sent, given_up], vec![]));
}

pub fn the_newest_reminder_of_an_entry_is_found(fresh: Fresh) {
    let Instance { database: _database, alice, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let reminder = |entry| NewNotice { kind: "reminder".into(), entry: Some(entry), ..notice(alice, Some(5)) };
    tx.add_notice(&reminder(EntryNumber(1))).unwrap();
    let newest = tx.add_notice(&reminder(EntryNumber(1))).unwrap();
    tx.add_notice(&reminder(EntryNumber(2))).unwrap();
    tx.add_notice(&notice(alice, Some(5))).unwrap();
    assert_eq!(tx.reminder(BoardNumber(1), EntryNumber(1)).unwrap().unwrap().id, newest);
    assert!(
        tx.reminder(BoardNumber(1), EntryNumber(3)).unwrap().is_none()
            && tx.reminder(BoardNumber(2), EntryNumber(1)).unwrap().is_none()
    );
}

pub fn answers_are_listed_by_address_and_time(fresh: Fresh) {
    let Instance { database: _database, alice, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let answer = |address: &str, minute, facts: &str| {
        let (address, facts) = (Some(address.into()), facts.into());
        NewNotice { kind: "answer".into(), address, facts, created_at: at(minute), ..notice(alice, Some(minute)) }
    };
    tx.add_notice(&answer("a@example.org", 1, "hello")).unwrap();
    tx.add_notice(&answer("A@Example.org", 2, "100% of_it")).unwrap();
    tx.add_notice(&answer("b@example.org", 2, "hello")).unwrap();
    tx.add_notice(&NewNotice { kind: "help".into(), ..answer("a@example.org", 2, "hello") }).unwrap();
    let facts = |from, until| {
        let answers = tx.answers("a@example.org", &span(from, until)).unwrap();
        answers.into_iter().map(|answer| answer.facts).collect::<Vec<_>>()
    };
    assert_eq!(facts(1, 3), ["hello", "100% of_it"]);
    assert_eq!(facts(2, 3), ["100% of_it"]);
    assert_eq!(facts(1, 2), ["hello"]);
    assert!(facts(3, 9).is_empty());
}
