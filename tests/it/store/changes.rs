//! Changes are counted by the database itself, whoever writes.

use super::*;

fn change(seq: i64, board: u32) -> BoardChange {
    BoardChange { seq, board }
}

#[test]
fn every_change_of_a_board_is_the_last_one() {
    let Instance { dir: _dir, alice, bob, mut store, .. } = instance();
    let mut l = store.write().unwrap();
    let mut last = l.last_change().unwrap();
    assert!(last > 0 && l.change_of(1).unwrap() == last, "making it was a change");
    assert_eq!(l.add_board(&board([bob, alice])).unwrap(), 2);
    // What is done to a board, and whether its page shows it.
    type Act = fn(&mut dyn Transaction, PlayerId);
    let acts: &[(&str, bool, Act)] = &[
        ("a move", true, |l, _| l.add_entry(1, &ply(1, Seat::First), Some(Seat::Second)).unwrap()),
        ("a comment", true, |l, alice| {
            let comment = Comment { board: 1, entry: 1, player: alice, text: "hm".into(), said_at: at(5) };
            l.add_comment(&comment).unwrap();
        }),
        ("a proposal", true, |l, _| {
            l.set_proposal(1, Some(Proposal { kind: ProposalKind::Draw, by: Seat::First })).unwrap();
        }),
        ("the same again", false, |l, _| {
            l.set_proposal(1, Some(Proposal { kind: ProposalKind::Draw, by: Seat::First })).unwrap();
        }),
        ("a clock", true, |l, _| {
            let clock = BoardClock { since: at(5), thought: TimeDelta::zero(), reminded: 0, due_at: Some(at(9)) };
            l.set_clock(1, Some(&clock)).unwrap();
        }),
        ("a plan", false, |l, _| {
            l.set_seat(1, Seat::First, &SeatState { plan: Some("else a1".into()), ..SeatState::default() }).unwrap();
        }),
        ("a note", false, |l, alice| l.set_note(1, alice, Some("hm"), at(6)).unwrap()),
        ("a decline", true, |l, alice| l.decline_board(1, alice, at(7)).unwrap()),
    ];
    for (what, shows, act) in acts {
        let before = l.last_change().unwrap();
        act(&mut *l, alice);
        let after = l.change_of(1).unwrap();
        assert_eq!(after > before, *shows, "{what}");
        assert!(after >= last);
        last = after;
    }
    let other = l.change_of(2).unwrap();
    assert_eq!(
        l.changes_since(0, 9).unwrap(),
        [change(other, 2), change(last, 1)],
        "each board once, the last change last"
    );
    assert_eq!(l.changes_since(other, 9).unwrap(), [change(last, 1)]);
    assert_eq!(l.changes_since(0, 1).unwrap(), [change(other, 2)]);
    assert_eq!(l.changes_for(alice, 0).unwrap(), [change(other, 2), change(last, 1)]);
    assert_eq!(l.changes_for(bob, other).unwrap(), [change(last, 1)]);
    let carol = l.add_player("carol", "x", at(1)).unwrap();
    assert_eq!(l.changes_for(carol, 0).unwrap(), []);
    assert_eq!((l.changes_since(last, 9).unwrap(), l.change_of(9).unwrap()), (vec![], 0));
    let offer = OpenChallenge {
        number: 0,
        game: "marque".into(),
        options: String::new(),
        challenger: named(alice, "Alice"),
        seat: Seat::First,
        rated: true,
        private: false,
        limits: Limits::default(),
        comment: None,
        created_at: at(8),
        closed_at: None,
    };
    let number = l.add_open_challenge(&offer).unwrap();
    assert!(l.change_of(number).unwrap() > last);
    last = l.last_change().unwrap();
    l.close_open_challenge(number, at(9)).unwrap();
    assert!(l.change_of(number).unwrap() > last);
    last = l.last_change().unwrap();
    l.commit().unwrap();
    // What is rolled back was none.
    store.write().unwrap().close_open_challenge(number, at(9)).unwrap_err();
    let mut l = store.write().unwrap();
    l.set_proposal(2, Some(Proposal { kind: ProposalKind::Undo, by: Seat::First })).unwrap();
    drop(l);
    assert_eq!(store.read().unwrap().last_change().unwrap(), last);
}

#[test]
fn a_token_is_kept_by_its_hash_until_its_player_leaves_or_changes_his_password() {
    let Instance { dir: _dir, alice, bob, mut store, .. } = instance();
    let mut l = store.write().unwrap();
    let token = |player, byte, minute| PersonalToken {
        hash: [byte; 32],
        player,
        label: "bot".into(),
        created_at: at(minute),
        used_at: None,
    };
    let [first, second, third, his] = [token(alice, 3, 1), token(alice, 2, 2), token(alice, 1, 3), token(bob, 4, 1)];
    for token in [&second, &first, &third, &his] {
        l.add_token(token).unwrap();
    }
    assert!(l.add_token(&first).is_err(), "no hash comes twice");
    assert_eq!(l.tokens(alice).unwrap(), [first.clone(), second.clone(), third]);
    l.token_used(&[3; 32], at(9)).unwrap();
    assert_eq!(l.token(&[3; 32]).unwrap(), Some(PersonalToken { used_at: Some(at(9)), ..first }));
    l.remove_token(&[1; 32]).unwrap();
    assert!(l.token(&[1; 32]).unwrap().is_none() && l.remove_token(&[1; 32]).is_err());
    l.set_password(alice, "$argon2$other").unwrap();
    assert!(l.tokens(alice).unwrap().is_empty() && l.token(&[4; 32]).unwrap().is_some());
    l.leave(bob, at(10)).unwrap();
    assert!(l.token(&[4; 32]).unwrap().is_none());
}

#[test]
fn turns_wait_to_be_told_until_their_hook_goes() {
    let Instance { dir: _dir, alice, bob, mut store, .. } = instance();
    let mut l = store.write().unwrap();
    let hook = |player| Webhook {
        player,
        url: "https://bot.example.org/".into(),
        secret: "th_x".into(),
        created_at: at(1),
        failures: 0,
        paused: None,
    };
    assert!(l.add_webhook_call(alice, 1, 0, at(2)).is_err(), "there is no hook to tell it at");
    for player in [alice, bob] {
        l.set_webhook(&hook(player)).unwrap();
    }
    let paused = Webhook { failures: 20, paused: Some((at(3), "500".into())), ..hook(bob) };
    l.set_webhook(&paused).unwrap();
    assert_eq!((l.webhook(bob).unwrap(), l.webhook(alice).unwrap()), (Some(paused), Some(hook(alice))));
    for (player, entry, minute) in [(alice, 1, 2), (alice, 2, 3), (bob, 3, 4)] {
        l.add_webhook_call(player, 1, entry, at(minute)).unwrap();
    }
    let due = |l: &dyn Transaction, minute| -> Vec<(u32, u32)> {
        l.due_webhook_calls(at(minute), 9).unwrap().iter().map(|call| (call.entry, call.attempts)).collect()
    };
    assert_eq!(due(&*l, 1), []);
    assert_eq!(due(&*l, 9), [(1, 0), (3, 0)], "one a player");
    assert_eq!(l.next_webhook_call().unwrap(), Some(at(2)));
    let first = l.due_webhook_calls(at(9), 1).unwrap().remove(0);
    assert_eq!((first.player, first.board, first.created_at), (alice, 1, at(2)));
    l.retry_webhook_call(first.id, at(20)).unwrap();
    assert_eq!(due(&*l, 9), [(2, 0), (3, 0)], "who waits holds up nothing");
    assert_eq!(due(&*l, 20), [(3, 0), (1, 1)]);
    l.remove_webhook_call(first.id).unwrap();
    assert_eq!(due(&*l, 20), [(2, 0), (3, 0)]);
    l.remove_webhook(alice).unwrap();
    l.leave(bob, at(21)).unwrap();
    assert!(l.next_webhook_call().unwrap().is_none() && l.webhook(bob).unwrap().is_none());
}

/// One board's row is replaced a few times in a transaction that has other work to do.
#[test]
fn counting_changes_leaves_no_rows_behind() {
    let Instance { dir: _dir, path, mut store, .. } = instance();
    for n in 1..=50 {
        let mut l = store.write().unwrap();
        let seat = if n % 2 == 1 { Seat::First } else { Seat::Second };
        l.add_entry(1, &ply(n, seat), Some(seat.other())).unwrap();
        l.commit().unwrap();
    }
    let rows =
        Connection::open(path).unwrap().query_row("SELECT count(*) FROM changes", [], |row| row.get::<_, i64>(0));
    assert_eq!(rows.unwrap(), 1);
}
