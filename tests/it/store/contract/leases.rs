//! Leases, which make sure that only one node does a piece of work.

use super::transactions::{THREADS, in_threads, write};
use super::*;

fn node(name: &str) -> NodeName {
    NodeName(name.to_owned())
}

/// Tries to take a lease of the usual length at this minute. Returns whether the node got it.
fn take(tx: &mut Transaction<'_>, work: &Work, name: &str, minute: i64) -> bool {
    tx.take_lease(work, &Lease::of(&node(name), at(minute)), at(minute)).unwrap()
}

pub fn a_lease_belongs_to_one_node_until_it_expires(fresh: Fresh) {
    let Instance { database: _database, alice, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let (one, other) = (node("one"), node("other"));
    for work in [Work::LettersTo(alice), Work::Letter(OutboxId(7)), Work::Webhook(alice), Work::Mailbox] {
        assert!(take(&mut tx, &work, "one", 1) && !take(&mut tx, &work, "other", 1), "{work}");
        assert!(take(&mut tx, &work, "one", 1), "a node can take its own lease again");
        assert!(tx.has_lease(&work, &one).unwrap() && !tx.has_lease(&work, &other).unwrap());
    }
    assert!(take(&mut tx, &Work::Robot(BoardNumber(1)), "other", 1));
    assert!(take(&mut tx, &Work::Mailbox, "other", 2), "an expired lease can be taken");
    assert!(!tx.has_lease(&Work::Mailbox, &one).unwrap() && !take(&mut tx, &Work::Mailbox, "one", 2));
    assert!(
        tx.has_lease(&Work::Webhook(alice), &one).unwrap(),
        "an expired lease is valid until another node takes it"
    );

    tx.renew_leases(&Lease::of(&one, at(2))).unwrap();
    assert!(!take(&mut tx, &Work::Webhook(alice), "other", 2), "a renewed lease cannot be taken");
    tx.release_lease(&Work::Webhook(alice), &other).unwrap();
    assert!(tx.has_lease(&Work::Webhook(alice), &one).unwrap(), "a node cannot release the lease of another node");
    tx.release_lease(&Work::Webhook(alice), &one).unwrap();
    assert!(take(&mut tx, &Work::Webhook(alice), "other", 2));

    for name in ["b", "a"] {
        assert!(take(&mut tx, &Work::Serving(node(name)), name, 3));
    }
    let serving = |tx: &Transaction<'_>, minute| -> Vec<NodeName> {
        tx.serving_nodes(at(minute)).unwrap().into_iter().map(|serving| serving.node).collect()
    };
    assert_eq!(serving(&tx, 3), [node("a"), node("b")]);
    assert!(serving(&tx, 4).is_empty());
    tx.forget_expired_leases(at(3)).unwrap();
    assert!(!tx.has_leases(&one).unwrap() && !tx.has_leases(&other).unwrap() && tx.has_leases(&node("a")).unwrap());
    tx.release_leases(&node("a")).unwrap();
    assert_eq!(serving(&tx, 3), [node("b")]);
}

/// The clock of a node was ahead, and the node has died while holding leases.
pub fn a_lease_too_far_in_the_future_has_expired(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store } = instance(fresh);
    let mut tx = store.write().unwrap();
    let letter = tx.add_notice(&letters::notice(alice, Some(6))).unwrap();
    tx.bind_letters(&[&[letter]], at(6)).unwrap();
    let (url, secret) = ("https://bot.example.org/".into(), "th_x".into());
    tx.set_webhook(&Webhook { player: bob, url, secret, created_at: at(1), failures: 0, paused: None }).unwrap();
    tx.add_webhook_call(bob, BoardNumber(1), EntryNumber(0), at(2)).unwrap();
    let all = [Work::LettersTo(alice), Work::Webhook(bob), Work::Mailbox, Work::Serving(node("dead"))];
    let due = |tx: &Transaction<'_>| {
        let other = node("other");
        let letters = tx.due_letters(at(6), 9, Some(&other)).unwrap().len();
        (letters, tx.due_webhook_calls(at(6), 9, Some(&other)).unwrap().len(), tx.serving_nodes(at(6)).unwrap().len())
    };
    // The clocks of two nodes may differ by up to a minute.
    all.iter().for_each(|work| assert!(take(&mut tx, work, "dead", 7)));
    assert!(!take(&mut tx, &Work::Mailbox, "other", 6));
    assert_eq!(due(&tx), (0, 0, 1));
    all.iter().for_each(|work| assert!(take(&mut tx, work, "dead", 9_000)));
    assert_eq!(due(&tx), (1, 1, 0));
    assert!(take(&mut tx, &Work::Mailbox, "other", 6) && !take(&mut tx, &Work::Mailbox, "dead", 6));
    tx.forget_expired_leases(at(6)).unwrap();
    assert!(!tx.has_leases(&node("dead")).unwrap() && tx.has_leases(&node("other")).unwrap());
}

pub fn work_leased_by_another_node_is_not_due(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store } = instance(fresh);
    let mut tx = store.write().unwrap();
    let mut letter = |player: Option<PlayerId>| {
        let address = player.is_none().then(|| "eve@example.org".to_owned());
        let notice = tx.add_notice(&NewNotice { player, address, ..letters::notice(alice, Some(6)) }).unwrap();
        tx.bind_letters(&[&[notice]], at(6)).unwrap();
        notice
    };
    let (first, second) = (letter(Some(alice)), letter(Some(alice)));
    let (strangers, bobs) = (letter(None), letter(Some(bob)));
    let due = |tx: &Transaction<'_>, name: &str| -> Vec<OutboxId> {
        tx.due_letters(at(6), 9, Some(&node(name))).unwrap().iter().map(|letter| letter[0].id).collect()
    };
    assert_eq!(due(&tx, "one"), [first, second, strangers, bobs]);
    take(&mut tx, &Work::LettersTo(alice), "one", 6);
    take(&mut tx, &Work::Letter(strangers), "other", 6);
    assert_eq!(due(&tx, "one"), [first, second, bobs]);
    assert_eq!(due(&tx, "other"), [strangers, bobs], "only one node sends the letters to a player");
    assert_eq!(tx.due_letters(at(6), 9, None).unwrap().len(), 4);
    assert_eq!(tx.due_letters(at(7), 9, Some(&node("other"))).unwrap().len(), 4, "the leases have expired");

    for player in [alice, bob] {
        let (url, secret) = ("https://bot.example.org/".into(), "th_x".into());
        tx.set_webhook(&Webhook { player, url, secret, created_at: at(1), failures: 0, paused: None }).unwrap();
        tx.add_webhook_call(player, BoardNumber(1), EntryNumber(0), at(2)).unwrap();
    }
    take(&mut tx, &Work::Webhook(alice), "one", 6);
    let called = |name: &str| -> Vec<PlayerId> {
        tx.due_webhook_calls(at(6), 9, Some(&node(name))).unwrap().iter().map(|call| call.player).collect()
    };
    assert_eq!((called("one"), called("other")), (vec![alice, bob], vec![bob]));
}

pub fn only_one_of_several_nodes_gets_a_lease(fresh: Fresh) {
    let database = fresh();
    let taken = in_threads(&*database, |nth, store| {
        write(store, |tx| tx.take_lease(&Work::Mailbox, &Lease::of(&node(&nth.to_string()), at(1)), at(1))).unwrap()
    });
    assert_eq!((taken.len(), taken.iter().filter(|taken| **taken).count()), (THREADS as usize, 1));
}
