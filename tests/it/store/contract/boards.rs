//! Open challenges, boards, and their related data.

use std::collections::BTreeSet;

use super::*;

fn clock(due: Option<i64>) -> BoardClock {
    BoardClock { since: at(1), thinking_time: TimeDelta::seconds(86_399), reminded: 2, due_at: due.map(at) }
}

fn arranged() -> SeatState {
    let used = TimeDelta::seconds(4711);
    SeatState {
        used,
        credit: TimeDelta::seconds(815),
        plan: Some("if a1 then b2".into()),
        submitted: Some(SubmittedMove { text: "c3".into(), after: EntryNumber(0) }),
    }
}

pub fn challenges_and_boards_share_their_numbers(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    assert_eq!(tx.add_open_challenge(&challenge(alice)).unwrap(), BoardNumber(2));
    assert_eq!(
        tx.add_open_challenge(&OpenChallenge { game: "chess".into(), number: BoardNumber(77), ..challenge(alice) })
            .unwrap(),
        BoardNumber(3)
    );
    assert_eq!(tx.add_board(&board([alice, bob])).unwrap(), BoardNumber(4));
    assert_eq!(
        tx.open_challenge(BoardNumber(2)).unwrap(),
        Some(OpenChallenge { number: BoardNumber(2), ..challenge(alice) })
    );
    let numbers =
        |challenges: Vec<OpenChallenge>| challenges.iter().map(|challenge| challenge.number.0).collect::<Vec<_>>();
    assert_eq!(numbers(tx.open_challenges(None).unwrap()), [2, 3]);
    assert_eq!(numbers(tx.open_challenges(Some("marque")).unwrap()), [2]);
    tx.close_open_challenge(BoardNumber(2), at(8)).unwrap();
    assert!(
        tx.close_open_challenge(BoardNumber(2), at(9)).is_err()
            && tx.close_open_challenge(BoardNumber(99), at(9)).is_err()
    );
    assert_eq!(tx.open_challenge(BoardNumber(2)).unwrap().unwrap().closed_at, Some(at(8)));
    assert_eq!(numbers(tx.open_challenges(None).unwrap()), [3]);

    let taken = NewBoard { number: Some(BoardNumber(2)), terms: terms(true, true), ..board([alice, bob]) };
    assert_eq!(tx.add_board(&taken).unwrap(), BoardNumber(2));
    assert!(refuses(&mut tx, |tx| tx.add_board(&taken)), "the board number is taken");
    let made = tx.board(BoardNumber(2)).unwrap().unwrap();
    assert_eq!(
        (made.terms.flags.rated, made.terms.flags.private, made.terms.time_control, made.challenger),
        (true, true, taken.terms.time_control, Some(alice))
    );
    assert_eq!(
        tx.add_open_challenge(&challenge(bob)).unwrap(),
        BoardNumber(5),
        "a smaller board number does not change the next number"
    );
    assert_eq!(
        tx.add_board(&NewBoard { number: Some(BoardNumber(40)), ..board([alice, bob]) }).unwrap(),
        BoardNumber(40)
    );
    assert_eq!(
        (tx.add_open_challenge(&challenge(bob)).unwrap(), tx.add_board(&board([alice, bob])).unwrap()),
        (BoardNumber(41), BoardNumber(42))
    );
    assert!(refuses(&mut tx, |tx| tx.add_board(&NewBoard { number: Some(BoardNumber(0)), ..board([alice, bob]) })));
    tx.add_board(&NewBoard { number: Some(BoardNumber(u32::MAX)), ..board([alice, bob]) }).unwrap();
    assert!(
        refuses(&mut tx, |tx| tx.add_open_challenge(&challenge(bob)))
            && refuses(&mut tx, |tx| tx.add_board(&board([alice, bob]))),
        "no board number remains"
    );
}

pub fn an_open_challenge_may_have_the_first_number(fresh: Fresh) {
    let database = fresh();
    let mut store = database.open();
    let mut tx = store.write().unwrap();
    let alice = tx.add_player("Alice", "x", at(0)).unwrap();
    assert_eq!(
        (tx.add_open_challenge(&challenge(alice)).unwrap(), tx.add_open_challenge(&challenge(alice)).unwrap()),
        (BoardNumber(1), BoardNumber(2))
    );
    assert_eq!(tx.add_board(&board([alice, alice])).unwrap(), BoardNumber(3));
    assert_eq!(
        tx.add_board(&NewBoard { number: Some(BoardNumber(1)), ..board([alice, alice]) }).unwrap(),
        BoardNumber(1)
    );
}

pub fn unanswered_challenges_are_counted(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let (first, second) = (Seat::First, Seat::Second);
    assert_eq!((tx.unanswered(alice).unwrap(), tx.unanswered(bob).unwrap()), (1, 0));
    let offered = tx.add_open_challenge(&challenge(alice)).unwrap();
    tx.add_board(&board([alice, alice])).unwrap();
    let declined = tx.add_board(&board([alice, bob])).unwrap();
    assert_eq!(tx.unanswered(alice).unwrap(), 3, "a board against oneself is not an unanswered challenge");
    tx.end_without_result(declined, NoResult::Declined, Some(bob), at(2)).unwrap();
    tx.close_open_challenge(offered, at(2)).unwrap();
    append(&mut tx, 1, &ply(1, first), Some(second)).unwrap();
    assert_eq!(tx.unanswered(alice).unwrap(), 1, "the challenger's own move is not an answer");
    append(&mut tx, 1, &ply(2, second), Some(first)).unwrap();
    assert_eq!(tx.unanswered(alice).unwrap(), 0);
    append(&mut tx, 1, &entry(3, EntryKind::Undo, 1, Some(second)), Some(second)).unwrap();
    assert_eq!(tx.unanswered(alice).unwrap(), 0, "a move is an answer even after an undo");
}

pub fn boards_awaiting_a_player_are_listed(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    tx.add_board(&board([bob, alice])).unwrap();
    tx.add_board(&board([alice, alice])).unwrap();
    tx.add_board(&board([alice, bob])).unwrap();
    assert_eq!((tx.waiting_for(alice).unwrap(), tx.waiting_for(bob).unwrap()), (numbers(&[1, 3, 4]), numbers(&[2])));
    append(&mut tx, 1, &ply(1, Seat::First), Some(Seat::Second)).unwrap();
    tx.end_without_result(BoardNumber(4), NoResult::Declined, Some(bob), at(4)).unwrap();
    assert_eq!((tx.waiting_for(alice).unwrap(), tx.waiting_for(bob).unwrap()), (numbers(&[3]), numbers(&[1, 2])));
    assert_eq!(tx.boards(None, None, false).unwrap().len(), 3, "a declined board is not listed");
}

pub fn boards_awaiting_any_of_several_players_are_listed(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let carol = tx.add_player("carol", "$argon2$c", at(0)).unwrap();
    for players in [[bob, carol], [carol, bob], [alice, carol], [carol, alice], [carol, carol]] {
        tx.add_board(&board(players)).unwrap();
    }
    let waiting = |tx: &mut Transaction<'_>, userids: &[&str]| {
        let userids: Vec<String> = userids.iter().map(|userid| (*userid).to_owned()).collect();
        tx.waiting_for_any(&userids).unwrap()
    };
    assert_eq!(waiting(&mut tx, &[]), []);
    assert_eq!(waiting(&mut tx, &["nobody"]), []);
    assert_eq!(waiting(&mut tx, &["BOB", "nobody"]), numbers(&[2]));
    assert_eq!(waiting(&mut tx, &["bob", "alice"]), numbers(&[1, 2, 4]));
    // A board with an open proposal awaits the player who must answer it. The board is listed only once, even if it is
    // also that player's turn.
    let draw = |by| Some(Proposal { kind: ProposalKind::Draw, by });
    tx.set_proposal(BoardNumber(2), draw(Seat::Second)).unwrap();
    tx.set_proposal(BoardNumber(3), draw(Seat::First)).unwrap();
    tx.set_proposal(BoardNumber(5), draw(Seat::First)).unwrap();
    assert_eq!(waiting(&mut tx, &["bob"]), numbers(&[2, 3]));
    assert_eq!(waiting(&mut tx, &["carol"]), numbers(&[3, 5, 6]));
    tx.set_proposal(BoardNumber(2), None).unwrap();
    tx.set_proposal(BoardNumber(3), None).unwrap();
    append(&mut tx, 2, &ply(1, Seat::First), Some(Seat::Second)).unwrap();
    tx.end_without_result(BoardNumber(5), NoResult::Declined, Some(alice), at(4)).unwrap();
    assert_eq!(waiting(&mut tx, &["bob"]), []);
    assert_eq!(waiting(&mut tx, &["alice", "carol"]), numbers(&[1, 2, 3, 4, 6]));
    tx.rename(bob, "robert").unwrap();
    append(&mut tx, 2, &ply(2, Seat::Second), Some(Seat::First)).unwrap();
    assert_eq!((waiting(&mut tx, &["bob"]), waiting(&mut tx, &["robert"])), (vec![], numbers(&[2])));
    assert_eq!(tx.board(BoardNumber(2)).unwrap().unwrap().players[0].userid, "robert");
}

pub fn clocks_are_due_in_order(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    assert_eq!((tx.board(BoardNumber(1)).unwrap().unwrap().clock, tx.next_clock().unwrap()), (None, None));
    for (number, due) in [(1, Some(30)), (2, Some(10)), (3, None), (4, Some(20)), (5, Some(10))] {
        if number > 1 {
            tx.add_board(&board([alice, bob])).unwrap();
        }
        tx.set_clock(BoardNumber(number), Some(&clock(due))).unwrap();
        assert_eq!(tx.board(BoardNumber(number)).unwrap().unwrap().clock, Some(clock(due)));
    }
    assert_eq!(tx.next_clock().unwrap(), Some(at(10)));
    assert!(tx.due_boards(at(9), 9).unwrap().is_empty());
    assert_eq!(tx.due_boards(at(20), 9).unwrap(), numbers(&[2, 5, 4]));
    assert_eq!(tx.due_boards(at(99), 2).unwrap(), numbers(&[2, 5]));
    tx.set_clock(BoardNumber(2), None).unwrap();
    tx.end_without_result(BoardNumber(5), NoResult::Declined, Some(bob), at(15)).unwrap();
    assert_eq!((tx.board(BoardNumber(2)).unwrap().unwrap().clock, tx.next_clock().unwrap()), (None, Some(at(20))));
    assert!(
        refuses(&mut tx, |tx| tx.set_clock(BoardNumber(99), None))
            && refuses(&mut tx, |tx| tx.set_clock(BoardNumber(5), Some(&clock(None)))),
        "no clock can run on a missing or declined board"
    );
    let given = BoardClock { thinking_time: TimeDelta::seconds(-1), ..clock(None) };
    tx.set_clock(BoardNumber(1), Some(&given)).unwrap();
    assert_eq!(tx.board(BoardNumber(1)).unwrap().unwrap().clock, Some(given));
    tx.set_clock(BoardNumber(1), None).unwrap();
    tx.set_clock(BoardNumber(1), Some(&clock(None))).unwrap();
    assert_eq!(
        tx.board(BoardNumber(1)).unwrap().unwrap().clock,
        Some(clock(None)),
        "the new clock does not inherit the given time"
    );
}

pub fn vacations_and_standstills_stop_clocks(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let stop = |from, until: Option<i64>, cause, reason: &str| Stop {
        from: at(from),
        until: until.map(at),
        cause,
        reason: reason.to_owned(),
    };
    assert_eq!((tx.clocks_seen_at().unwrap(), tx.stops(alice).unwrap()), (None, vec![]));
    tx.set_clocks_seen_at(at(90)).unwrap();
    assert_eq!(tx.clocks_seen_at().unwrap(), Some(at(90)));
    tx.add_vacation(alice, &span(20, 30)).unwrap();
    let (off, held, paused) = (StopCause::Off, StopCause::Held, StopCause::Paused);
    let maintained = stop(5, None, StopCause::Maintenance, "Back at 18:00.");
    tx.add_standstill(&maintained).unwrap();
    assert_eq!(tx.lasting(StopCause::Maintenance).unwrap(), Some(maintained));
    tx.end_standstill(StopCause::Maintenance, None).unwrap();
    let all = [
        stop(10, Some(15), off, ""),
        stop(17, None, held, ""),
        stop(25, None, paused, "A new disk."),
        stop(40, Some(60), off, ""),
    ];
    all.iter().for_each(|stop| tx.add_standstill(stop).unwrap());
    assert_eq!((tx.lasting(held).unwrap().as_ref(), tx.lasting(off).unwrap()), (Some(&all[1]), None));
    let vacation = stop(20, Some(30), StopCause::Vacation, "");
    let [_, held_stop, paused_stop, newest] = all;
    assert_eq!(tx.stops(alice).unwrap(), [held_stop, vacation.clone(), paused_stop.clone(), newest.clone()]);
    tx.end_standstill(held, Some(at(70))).unwrap();
    assert_eq!(tx.stops(bob).unwrap(), [paused_stop, newest.clone()], "only the newest of the ended stops is listed");
    tx.end_standstill(paused, None).unwrap();
    assert_eq!((tx.lasting(held).unwrap(), tx.lasting(paused).unwrap()), (None, None));
    // The server's clock was ahead, so times after minute 50 are set to minute 50.
    tx.restamp(at(50), at(99)).unwrap();
    assert_eq!(tx.stops(alice).unwrap(), [vacation, Stop { until: Some(at(50)), ..newest }]);
    assert_eq!(tx.clocks_seen_at().unwrap(), Some(at(50)));
}

/// The server's clock was ahead and is corrected in minute 10.
pub fn times_in_the_future_are_reset(fresh: Fresh) {
    let Instance { database: _database, alice, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let [due, soon, later] = [9, 50, 99].map(|due| tx.add_notice(&letters::notice(alice, Some(due))).unwrap());
    let letter = tx.add_notice(&letters::notice(alice, Some(99))).unwrap();
    tx.bind_letters(&[&[letter]], at(98)).unwrap();
    for (session, begun) in [(1, 9), (2, 98)] {
        tx.begin_session(&[session; 32], alice, at(begun)).unwrap();
    }
    let (url, secret) = ("https://bot.example.org/".into(), "th_x".into());
    tx.set_webhook(&Webhook { player: alice, url, secret, created_at: at(1), failures: 0, paused: None }).unwrap();
    tx.add_webhook_call(alice, BoardNumber(1), EntryNumber(0), at(98)).unwrap();

    tx.restamp(at(10), at(60)).unwrap();
    let loose: Vec<_> = tx.loose_notices(at(10), 9).unwrap().iter().map(|notice| notice.id).collect();
    assert_eq!(loose, [due, later]);
    assert_eq!(
        tx.loose_notices(at(50), 9).unwrap().last().unwrap().id,
        soon,
        "a notice that is due within the limit is not reset"
    );
    let [bound] = &tx.due_letters(at(10), 9, None).unwrap()[..] else { panic!("one letter is due") };
    assert_eq!(bound[0].bound_at, Some(at(10)));
    let begun = |session, from| tx.session(&[session; 32], &span(from, from + 1)).unwrap();
    assert_eq!([begun(1, 9), begun(2, 10)], [Some(alice); 2]);
    assert_eq!(tx.due_webhook_calls(at(10), 9, None).unwrap().len(), 1);
}

pub fn plans_and_proposals_end_with_the_board(fresh: Fresh) {
    for declined in [false, true] {
        let Instance { database: _database, bob, mut store, .. } = instance(fresh);
        let mut tx = store.write().unwrap();
        let proposal = Proposal { kind: ProposalKind::Undo, by: Seat::Second };
        tx.set_seat(BoardNumber(1), Seat::First, &arranged()).unwrap();
        tx.set_proposal(BoardNumber(1), Some(proposal)).unwrap();
        tx.set_clock(BoardNumber(1), Some(&clock(Some(5)))).unwrap();
        let board = tx.board(BoardNumber(1)).unwrap().unwrap();
        assert_eq!((board.seats, board.proposal), ([arranged(), SeatState::default()], Some(proposal)));
        match declined {
            false => tx.end_board(BoardNumber(1), &result(None, "agreed")).unwrap(),
            true => tx.end_without_result(BoardNumber(1), NoResult::Declined, Some(bob), at(5)).unwrap(),
        }
        let board = tx.board(BoardNumber(1)).unwrap().unwrap();
        let used = SeatState { used: arranged().used, credit: arranged().credit, ..SeatState::default() };
        assert_eq!((board.seats, board.proposal, board.clock), ([used, SeatState::default()], None, None));
        assert!(
            refuses(&mut tx, |tx| tx.set_proposal(BoardNumber(1), Some(proposal)))
                && tx.set_proposal(BoardNumber(1), None).is_ok()
        );
        assert!(
            tx.set_seat(BoardNumber(9), Seat::First, &arranged()).is_err()
                && tx.set_proposal(BoardNumber(9), None).is_err()
        );
    }
}

pub fn each_player_has_a_separate_note(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    tx.set_note(BoardNumber(1), alice, Some("a trap"), at(1)).unwrap();
    tx.set_note(BoardNumber(1), alice, Some("no trap"), at(2)).unwrap();
    assert_eq!(
        (tx.note(BoardNumber(1), alice).unwrap().as_deref(), tx.note(BoardNumber(1), bob).unwrap()),
        (Some("no trap"), None)
    );
    tx.set_note(BoardNumber(1), alice, None, at(3)).unwrap();
    tx.set_note(BoardNumber(1), alice, None, at(3)).unwrap();
    assert_eq!(tx.note(BoardNumber(1), alice).unwrap(), None);
}

fn follower(player: PlayerId, ends_only: bool) -> Follower {
    Follower { player, ends_only }
}

fn following(what: &Followed, ends_only: bool) -> Following {
    Following { what: what.clone(), ends_only }
}

pub fn a_follower_of_a_board_and_its_game_is_listed_once(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let carol = tx.add_player("carol", "x", at(0)).unwrap();
    let (one, game) = (Followed::Board(BoardNumber(1)), Followed::Game("marque".into()));
    tx.add_board(&NewBoard { game: "chess".into(), ..board([alice, bob]) }).unwrap();
    tx.follow(alice, &one, Some(true)).unwrap();
    tx.follow(alice, &game, Some(false)).unwrap();
    tx.follow(bob, &one, Some(false)).unwrap();
    tx.follow(bob, &game, Some(true)).unwrap();
    tx.follow(carol, &game, Some(true)).unwrap();
    tx.follow(carol, &Followed::Game("chess".into()), Some(false)).unwrap();
    assert_eq!(
        tx.followers(BoardNumber(1)).unwrap(),
        [follower(alice, false), follower(bob, false), follower(carol, true)]
    );
    assert_eq!(
        (tx.followers(BoardNumber(2)).unwrap(), tx.followers(BoardNumber(9)).unwrap()),
        (vec![follower(carol, false)], vec![])
    );
    assert_eq!(tx.following(bob).unwrap(), [following(&one, false), following(&game, true)]);
    tx.follow(bob, &one, Some(true)).unwrap();
    tx.follow(alice, &game, None).unwrap();
    tx.follow(alice, &game, None).unwrap();
    assert_eq!(tx.followers(BoardNumber(1)).unwrap(), [alice, bob, carol].map(|player| follower(player, true)));
    tx.leave(carol, at(1)).unwrap();
    assert_eq!(tx.followers(BoardNumber(1)).unwrap().len(), 2);
    assert!(
        refuses(&mut tx, |tx| tx.follow(bob, &Followed::Board(BoardNumber(9)), Some(true))),
        "the board does not exist"
    );
}

pub fn boards_and_challenges_are_listed_in_order(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let open = tx.add_open_challenge(&challenge(alice)).unwrap();
    let closed = tx.add_open_challenge(&challenge(alice)).unwrap();
    tx.close_open_challenge(closed, at(2)).unwrap();
    tx.add_board(&NewBoard { number: Some(closed), ..board([alice, bob]) }).unwrap();
    tx.add_board(&NewBoard { number: Some(BoardNumber(5_000)), ..board([alice, bob]) }).unwrap();
    tx.end_without_result(BoardNumber(5_000), NoResult::Declined, Some(bob), at(3)).unwrap();
    let found: Vec<Numbered> = numbered(&tx).unwrap().collect::<Result<_>>().unwrap();
    let kinds = found.iter().map(|item| (item.number, item.challenge.is_some(), item.board.is_some()));
    let all =
        [(BoardNumber(1), false, true), (open, true, false), (closed, true, true), (BoardNumber(5_000), false, true)];
    assert_eq!(kinds.collect::<Vec<_>>(), all, "old, closed and declined challenges are found, too");
}

pub fn a_rematch_is_found_by_its_first_board(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let first = BoardNumber(1);
    assert_eq!((tx.board(first).unwrap().unwrap().rematch_of, tx.rematch(first).unwrap()), (None, None));
    let seen = tx.last_change().unwrap();
    let rematch = NewBoard { rematch_of: Some(first), ..board([bob, alice]) };
    let second = tx.add_board(&rematch).unwrap();
    assert_eq!(tx.board(second).unwrap().unwrap().rematch_of, Some(first));
    assert_eq!((tx.rematch(first).unwrap(), tx.rematch(second).unwrap()), (Some(second), None));
    // The page of the first board shows a link to the rematch, so starting a rematch changes the first board, too.
    let changed = |tx: &Transaction<'_>, after: i64| {
        let changes = tx.changes_since(after, 9).unwrap();
        changes.into_iter().map(|change| change.board).collect::<BTreeSet<_>>()
    };
    assert_eq!(changed(&tx, seen), BTreeSet::from([first, second]));
    let seen = tx.last_change().unwrap();
    tx.end_without_result(second, NoResult::Declined, Some(alice), at(5)).unwrap();
    assert_eq!((changed(&tx, seen), tx.rematch(first).unwrap()), (BTreeSet::from([first, second]), None));
    let third = tx.add_board(&rematch).unwrap();
    assert_eq!(tx.rematch(first).unwrap(), Some(third));
}

pub fn an_abandoned_board_is_listed_without_a_result(fresh: Fresh) {
    let Instance { database: _database, alice, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let proposal = Proposal { kind: ProposalKind::Abandon, by: Seat::First };
    tx.set_proposal(BoardNumber(1), Some(proposal)).unwrap();
    assert_eq!(tx.board(BoardNumber(1)).unwrap().unwrap().proposal, Some(proposal));
    tx.end_without_result(BoardNumber(1), NoResult::Abandoned, None, at(5)).unwrap();
    let board = tx.board(BoardNumber(1)).unwrap().unwrap();
    assert_eq!((board.result, board.no_result, board.proposal), (None, Some(NoResult::Abandoned), None));
    assert_eq!(tx.boards(None, Some(alice), false).unwrap().len(), 1);
    assert_eq!((tx.tally(alice).unwrap().active, tx.tally(alice).unwrap().finished), (0, 1));
    assert_eq!(tx.results(alice, ShownTo::Everybody, 9).unwrap(), []);
    tx.reopen_board(BoardNumber(1)).unwrap();
    assert_eq!(tx.board(BoardNumber(1)).unwrap().unwrap().no_result, None);
}
