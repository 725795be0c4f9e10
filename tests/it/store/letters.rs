//! Notices, and the letters that they become.

use super::*;

fn notice(player: PlayerId, due: Option<i64>) -> NewNotice {
    NewNotice {
        player: Some(player),
        address: None,
        kind: "move".into(),
        board: Some(1),
        entry: Some(1),
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

fn letters(l: &dyn Transaction, minute: i64) -> Vec<Vec<OutboxId>> {
    l.due_letters(at(minute), 9).unwrap().iter().map(|letter| ids(letter)).collect()
}

#[test]
fn a_notice_becomes_a_letter() {
    let Instance { dir: _dir, alice, mut store, .. } = instance();
    let mut l = store.write().unwrap();
    let id = l.add_notice(&notice(alice, Some(6))).unwrap();
    assert!(l.loose_notices(at(5), 9).unwrap().is_empty());
    let loose = l.loose_notices(at(6), 9).unwrap().remove(0);
    assert_eq!(loose.message_id, format!("<{}.{}@example.org>", id.0, l.server_id().unwrap()));
    assert_eq!((&loose.player, loose.attempts, loose.letter), (&Some(named(alice, "Alice")), 0, None));
    assert_eq!((loose.created_at, loose.due_at, l.next_due().unwrap()), (at(5), Some(at(6)), Some(at(6))));
    assert!(letters(&*l, 9).is_empty(), "it is no letter yet");
    assert!(l.letter_sent(id, at(9)).is_err() && l.letter_failed(id, "x", None).is_err(), "it is no letter yet");
    l.bind_letter(&[id]).unwrap();
    assert!(l.bind_letter(&[id]).is_err() && l.bind_letter(&[OutboxId(99)]).is_err());
    l.bind_letter(&[]).unwrap();
    assert!(l.loose_notices(at(9), 9).unwrap().is_empty() && letters(&*l, 5).is_empty());
    let letter = l.due_letters(at(6), 9).unwrap().remove(0).remove(0);
    assert_eq!((letter.message_id, letter.letter), (loose.message_id, Some(id)));

    l.letter_failed(id, "no route", Some(at(10))).unwrap();
    assert_eq!((l.next_due().unwrap(), letters(&*l, 9).len()), (Some(at(10)), 0));
    l.letter_failed(id, "no route", None).unwrap();
    let undelivered = l.outbox(true, 9).unwrap().remove(0);
    assert_eq!((l.next_due().unwrap(), undelivered.attempts), (None, 2));
    assert_eq!(undelivered.error.as_deref(), Some("no route"));
    assert!(l.resend(id, at(20)).unwrap() && !l.resend(OutboxId(99), at(20)).unwrap());
    assert_eq!((l.next_due().unwrap(), l.outbox(true, 9).unwrap()[0].attempts), (Some(at(20)), 0));
    l.letter_sent(id, at(21)).unwrap();
    assert!(l.outbox(true, 9).unwrap().is_empty());
    assert_eq!(l.outbox(false, 9).unwrap()[0].sent_at, Some(at(21)));
}

#[test]
fn several_notices_move_together() {
    let Instance { dir: _dir, alice, bob, mut store, .. } = instance();
    let mut l = store.write().unwrap();
    let domains = ["one.example", "two.example", "two.example"];
    let merged: Vec<OutboxId> = [(8, 0), (7, 1), (6, 2)]
        .map(|(due, n)| l.add_notice(&NewNotice { domain: domains[n].into(), ..notice(alice, Some(due)) }).unwrap())
        .into();
    let other = l.add_notice(&notice(bob, Some(7))).unwrap();
    let loose = ids(&l.loose_notices(at(8), 9).unwrap());
    assert_eq!(loose, [merged[2], merged[1], other, merged[0]], "oldest first");
    assert_eq!(ids(&l.loose_notices(at(8), 2).unwrap()), loose[..2]);
    l.bind_letter(&[merged[1], merged[2], merged[0]]).unwrap();
    l.bind_letter(&[other]).unwrap();
    assert_eq!(letters(&*l, 6), [[]; 0], "the leading notice decides when");
    assert_eq!(letters(&*l, 7), [merged.clone(), vec![other]]);
    assert_eq!(l.due_letters(at(8), 1).unwrap().len(), 1);
    let letter = l.due_letters(at(8), 1).unwrap().remove(0);
    let message_id = format!("<{}.{}@two.example>", merged[1].0, l.server_id().unwrap());
    assert!(letter.iter().all(|notice| notice.message_id == message_id && notice.letter == Some(merged[1])));

    // Whichever of them is named, the letter is meant.
    l.letter_failed(merged[0], "no route", Some(at(30))).unwrap();
    assert_eq!((letters(&*l, 29), letters(&*l, 30)), (vec![vec![other]], vec![vec![other], merged.clone()]));
    l.letter_sent(merged[2], at(31)).unwrap();
    let sent = |l: &dyn Transaction| l.outbox(false, 9).unwrap().iter().filter(|n| n.sent_at == Some(at(31))).count();
    assert_eq!((sent(&*l), l.next_due().unwrap()), (3, Some(at(7))));
    assert!(l.resend(merged[2], at(40)).unwrap());
    assert_eq!((sent(&*l), letters(&*l, 40)), (0, vec![vec![other], merged]));
}

#[test]
fn what_is_held_waits_for_its_player() {
    let Instance { dir: _dir, alice, bob, mut store, .. } = instance();
    let mut l = store.write().unwrap();
    let held = [alice, alice, bob, bob].map(|player| l.add_notice(&notice(player, None)).unwrap());
    let due = l.add_notice(&notice(alice, Some(50))).unwrap();
    assert!(l.loose_notices(at(49), 9).unwrap().is_empty() && l.bind_letter(&held[..1]).is_err());
    assert_eq!((l.next_due().unwrap(), l.outbox(true, 9).unwrap().len()), (Some(at(50)), 5));
    assert_eq!((l.release_held(alice, at(20)).unwrap(), l.release_held(alice, at(30)).unwrap()), (2, 0));
    assert_eq!(ids(&l.loose_notices(at(20), 9).unwrap()), held[..2]);
    assert!(l.resend(held[3], at(10)).unwrap(), "the administrator releases it");
    assert_eq!(ids(&l.loose_notices(at(20), 9).unwrap()), [held[3], held[0], held[1]]);
    assert_eq!(l.release_held(bob, at(60)).unwrap(), 1);
    assert_eq!(ids(&l.loose_notices(at(60), 9).unwrap()), [held[3], held[0], held[1], due, held[2]]);
}

#[test]
fn what_is_held_once_more_may_become_part_of_another_letter_until_it_was_tried() {
    let Instance { dir: _dir, alice, mut store, .. } = instance();
    let mut l = store.write().unwrap();
    let [first, second, sent] = [(); 3].map(|()| l.add_notice(&notice(alice, Some(10))).unwrap());
    l.bind_letter(&[first]).unwrap();
    l.bind_letter(&[second]).unwrap();
    l.bind_letter(&[sent]).unwrap();
    l.letter_failed(second, "no route", Some(at(11))).unwrap();
    l.letter_sent(sent, at(11)).unwrap();
    l.hold(&[first, second, sent]).unwrap();
    assert!(letters(&*l, 99).is_empty() && l.loose_notices(at(99), 9).unwrap().is_empty());
    assert_eq!(l.release_held(alice, at(20)).unwrap(), 2);
    assert_eq!(ids(&l.loose_notices(at(20), 9).unwrap()), [first], "its Message-ID was never seen");
    assert_eq!(letters(&*l, 20), [[second]]);
}

#[test]
fn deliveries_tell_where_a_letter_is() {
    let Instance { dir: _dir, alice, mut store, .. } = instance();
    let mut l = store.write().unwrap();
    let letter = l.add_notice(&notice(alice, Some(10))).unwrap();
    l.bind_letter(&[letter]).unwrap();
    let at_address = |address: &str, state, minute| Delivery {
        address: address.into(),
        state,
        at: at(minute),
        error: (state != DeliveryState::Sent).then(|| "why".to_owned()),
    };
    let a = |state, minute| at_address("a@x.example", state, minute);
    l.set_delivery(letter, &a(DeliveryState::Failed, 11)).unwrap();
    l.set_delivery(letter, &a(DeliveryState::Sent, 12)).unwrap();
    l.set_delivery(letter, &at_address("b@x.example", DeliveryState::Refused, 12)).unwrap();
    let known = l.deliveries(letter).unwrap();
    assert_eq!(known, [a(DeliveryState::Sent, 12), at_address("b@x.example", DeliveryState::Refused, 12)]);
    // An address is the same in any case.
    l.set_delivery(letter, &at_address("A@X.example", DeliveryState::Bounced, 13)).unwrap();
    assert_eq!(l.deliveries(letter).unwrap()[0], a(DeliveryState::Bounced, 13));
    let bounces = |l: &dyn Transaction, since| l.bounces_since("A@x.example", at(since)).unwrap();
    assert_eq!((bounces(&*l, 12), bounces(&*l, 13), l.bounces_since("b@x.example", at(0)).unwrap()), (1, 0, 0));
    assert!(l.resend(letter, at(20)).unwrap() && l.deliveries(letter).unwrap().is_empty());
}

#[test]
fn the_newest_reminder_of_an_entry() {
    let Instance { dir: _dir, alice, mut store, .. } = instance();
    let mut l = store.write().unwrap();
    let reminder = |entry| NewNotice { kind: "reminder".into(), entry: Some(entry), ..notice(alice, Some(5)) };
    l.add_notice(&reminder(1)).unwrap();
    let newest = l.add_notice(&reminder(1)).unwrap();
    l.add_notice(&reminder(2)).unwrap();
    l.add_notice(&notice(alice, Some(5))).unwrap();
    assert_eq!(l.reminder(1, 1).unwrap().unwrap().id, newest);
    assert!(l.reminder(1, 3).unwrap().is_none() && l.reminder(2, 1).unwrap().is_none());
}

#[test]
fn answers_are_counted_by_address_time_and_text() {
    let Instance { dir: _dir, alice, mut store, .. } = instance();
    let mut l = store.write().unwrap();
    let answer = |address: &str, minute, facts: &str| {
        let (address, facts) = (Some(address.into()), facts.into());
        NewNotice { kind: "answer".into(), address, facts, created_at: at(minute), ..notice(alice, Some(minute)) }
    };
    l.add_notice(&answer("a@example.org", 1, "hello")).unwrap();
    l.add_notice(&answer("A@Example.org", 2, "100% of_it")).unwrap();
    l.add_notice(&answer("b@example.org", 2, "hello")).unwrap();
    l.add_notice(&NewNotice { kind: "help".into(), ..answer("a@example.org", 2, "hello") }).unwrap();
    let count = |minute, saying| l.answers_since("a@example.org", at(minute), saying).unwrap();
    assert_eq!((count(0, ""), count(1, ""), count(2, "")), (2, 1, 0));
    assert_eq!((count(0, "ell"), count(0, "HELLO"), count(0, "%"), count(0, "_")), (1, 0, 1, 1));
}
