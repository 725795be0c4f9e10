//! The list of changed boards, API tokens, and webhooks.

use super::*;
use turnpost::text::Message;

fn change(seq: i64, board: u32) -> BoardChange {
    BoardChange { seq, board: BoardNumber(board) }
}

pub fn every_visible_change_of_a_board_is_recorded(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let mut last = tx.last_change().unwrap();
    assert!(last > 0 && tx.change_of(BoardNumber(1)).unwrap() == last, "creating the board is a change");
    assert_eq!(tx.add_board(&board([bob, alice])).unwrap(), BoardNumber(2));
    // Actions on a board, and whether each of them changes what the board's page shows.
    type Act = fn(&mut Transaction<'_>, PlayerId);
    let acts: &[(&str, bool, Act)] = &[
        ("a move", true, |tx, _| {
            append(tx, 1, &ply(1, Seat::First), Some(Seat::Second)).unwrap();
        }),
        ("a comment", true, |tx, alice| {
            let comment = Comment {
                board: BoardNumber(1),
                entry: EntryNumber(1),
                player: alice,
                text: "hm".into(),
                said_at: at(5),
            };
            tx.add_comment(&comment).unwrap();
        }),
        ("a proposal", true, |tx, _| {
            tx.set_proposal(BoardNumber(1), Some(Proposal { kind: ProposalKind::Draw, by: Seat::First })).unwrap();
        }),
        ("an equal proposal", false, |tx, _| {
            tx.set_proposal(BoardNumber(1), Some(Proposal { kind: ProposalKind::Draw, by: Seat::First })).unwrap();
        }),
        ("a clock", true, |tx, _| {
            let clock = BoardClock { since: at(5), thinking_time: TimeDelta::zero(), reminded: 0, due_at: Some(at(9)) };
            tx.set_clock(BoardNumber(1), Some(&clock)).unwrap();
        }),
        ("a plan", false, |tx, _| {
            tx.set_seat(
                BoardNumber(1),
                Seat::First,
                &SeatState { plan: Some("else a1".into()), ..SeatState::default() },
            )
            .unwrap();
        }),
        ("a note", false, |tx, alice| tx.set_note(BoardNumber(1), alice, Some("hm"), at(6)).unwrap()),
        ("a decline", true, |tx, alice| {
            tx.end_without_result(BoardNumber(1), NoResult::Declined, Some(alice), at(7)).unwrap();
        }),
    ];
    for (what, shows, act) in acts {
        let before = tx.last_change().unwrap();
        act(&mut tx, alice);
        let after = tx.change_of(BoardNumber(1)).unwrap();
        assert_eq!(after > before, *shows, "{what}");
        assert!(after >= last);
        last = after;
    }
    let other = tx.change_of(BoardNumber(2)).unwrap();
    assert_eq!(
        tx.changes_since(0, 9).unwrap(),
        [change(other, 2), change(last, 1)],
        "each board is listed once, ordered by its last change"
    );
    assert_eq!(tx.changes_since(other, 9).unwrap(), [change(last, 1)]);
    assert_eq!(tx.changes_since(0, 1).unwrap(), [change(other, 2)]);
    assert_eq!(tx.changes_for(alice, 0).unwrap(), [change(other, 2), change(last, 1)]);
    assert_eq!(tx.changes_for(bob, other).unwrap(), [change(last, 1)]);
    let carol = tx.add_player("carol", "x", at(1)).unwrap();
    assert_eq!(tx.changes_for(carol, 0).unwrap(), []);
    assert_eq!((tx.changes_since(last, 9).unwrap(), tx.change_of(BoardNumber(9)).unwrap()), (vec![], 0));
    let challenge = OpenChallenge {
        number: BoardNumber(0),
        game: "marque".into(),
        options: String::new(),
        terms: Terms::default(),
        challenger: named(alice, "Alice"),
        seat: Seat::First,
        comment: None,
        created_at: at(8),
        closed_at: None,
    };
    let number = tx.add_open_challenge(&challenge).unwrap();
    assert!(tx.change_of(number).unwrap() > last);
    last = tx.last_change().unwrap();
    tx.close_open_challenge(number, at(9)).unwrap();
    assert!(tx.change_of(number).unwrap() > last);
    last = tx.last_change().unwrap();
    tx.commit().unwrap();
    // A change in a transaction that is rolled back is not recorded.
    store.write().unwrap().close_open_challenge(number, at(9)).unwrap_err();
    let mut tx = store.write().unwrap();
    tx.set_proposal(BoardNumber(2), Some(Proposal { kind: ProposalKind::Undo, by: Seat::First })).unwrap();
    drop(tx);
    assert_eq!(store.read().unwrap().last_change().unwrap(), last);
}

pub fn a_token_is_valid_until_its_player_leaves_or_changes_their_password(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let token = |player, byte, minute| PersonalToken {
        hash: [byte; 32],
        player,
        label: "bot".into(),
        created_at: at(minute),
        used_at: None,
    };
    let [first, second, third, other] = [token(alice, 3, 1), token(alice, 2, 2), token(alice, 1, 3), token(bob, 4, 1)];
    for token in [&second, &first, &third, &other] {
        tx.add_token(token).unwrap();
    }
    assert!(refuses(&mut tx, |tx| tx.add_token(&first)), "hashes are unique");
    assert_eq!(tx.tokens(alice).unwrap(), [first.clone(), second.clone(), third]);
    tx.token_used(&[3; 32], at(9)).unwrap();
    assert_eq!(tx.token(&[3; 32]).unwrap(), Some(PersonalToken { used_at: Some(at(9)), ..first }));
    tx.remove_token(&[1; 32]).unwrap();
    assert!(tx.token(&[1; 32]).unwrap().is_none() && tx.remove_token(&[1; 32]).is_err());
    tx.set_password(alice, "$argon2$other").unwrap();
    assert!(tx.tokens(alice).unwrap().is_empty() && tx.token(&[4; 32]).unwrap().is_some());
    tx.leave(bob, at(10)).unwrap();
    assert!(tx.token(&[4; 32]).unwrap().is_none());
}

pub fn calls_wait_until_their_webhook_is_removed(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let webhook = |player| Webhook {
        player,
        url: "https://bot.example.org/".into(),
        secret: "th_x".into(),
        created_at: at(1),
        failures: 0,
        paused: None,
    };
    assert!(
        refuses(&mut tx, |tx| tx.add_webhook_call(alice, BoardNumber(1), EntryNumber(0), at(2))),
        "the player has no webhook"
    );
    for player in [alice, bob] {
        tx.set_webhook(&webhook(player)).unwrap();
    }
    for why in [Message::verbatim("500"), turnpost::message!("client.webhook-answered", status = 500)] {
        let paused = Webhook { failures: 20, paused: Some(WebhookPause { since: at(3), why }), ..webhook(bob) };
        tx.set_webhook(&paused).unwrap();
        assert_eq!((tx.webhook(bob).unwrap(), tx.webhook(alice).unwrap()), (Some(paused), Some(webhook(alice))));
    }
    for (player, entry, minute) in [(alice, 1, 2), (alice, 2, 3), (bob, 3, 4)] {
        tx.add_webhook_call(player, BoardNumber(1), EntryNumber(entry), at(minute)).unwrap();
    }
    let due = |tx: &Transaction<'_>, minute| -> Vec<(u32, u32)> {
        tx.due_webhook_calls(at(minute), 9, None).unwrap().iter().map(|call| (call.entry.0, call.attempts)).collect()
    };
    assert_eq!(due(&tx, 1), []);
    assert_eq!(due(&tx, 9), [(1, 0), (3, 0)], "one call is due for each player");
    assert_eq!(tx.next_webhook_call().unwrap(), Some(at(2)));
    let first = tx.due_webhook_calls(at(9), 1, None).unwrap().remove(0);
    assert_eq!((first.player, first.board, first.created_at), (alice, BoardNumber(1), at(2)));
    tx.retry_webhook_call(first.id, at(20)).unwrap();
    assert_eq!(due(&tx, 9), [(2, 0), (3, 0)], "a postponed call does not delay other calls");
    assert_eq!(due(&tx, 20), [(1, 1), (3, 0)], "failing webhooks are called last");
    tx.set_webhook(&webhook(bob)).unwrap();
    assert_eq!(due(&tx, 20), [(3, 0), (1, 1)], "among webhooks with equally many failures, the oldest call is first");
    tx.remove_webhook_call(first.id).unwrap();
    assert_eq!(due(&tx, 20), [(2, 0), (3, 0)]);
    tx.remove_webhook(alice).unwrap();
    tx.leave(bob, at(21)).unwrap();
    assert!(tx.next_webhook_call().unwrap().is_none() && tx.webhook(bob).unwrap().is_none());
}
