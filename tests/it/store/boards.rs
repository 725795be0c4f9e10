//! Open challenges, boards, and what is arranged and kept at them.

use super::*;

fn offer(challenger: PlayerId) -> OpenChallenge {
    OpenChallenge {
        number: 0,
        game: "marque".into(),
        options: "x".into(),
        challenger: named(challenger, "Alice"),
        seat: Seat::Second,
        rated: true,
        private: true,
        limits: Limits { nag: 1, forfeit: 2, total: 3 },
        comment: Some("hello".into()),
        created_at: at(1),
        closed_at: None,
    }
}

fn clock(due: Option<i64>) -> BoardClock {
    BoardClock { since: at(1), thought: TimeDelta::seconds(86_399), reminded: 2, due_at: due.map(at) }
}

fn arranged() -> SeatState {
    let used = TimeDelta::seconds(4711);
    SeatState { used, plan: Some("if a1 then b2".into()), submitted: Some(("c3".into(), 0)), resigns: true }
}

#[test]
fn offers_and_boards_share_their_numbers() {
    let Instance { dir: _dir, alice, bob, mut store, .. } = instance();
    let mut l = store.write().unwrap();
    assert_eq!(l.add_open_challenge(&offer(alice)).unwrap(), 2);
    assert_eq!(l.add_open_challenge(&OpenChallenge { game: "chess".into(), number: 77, ..offer(alice) }).unwrap(), 3);
    assert_eq!(l.add_board(&board([alice, bob])).unwrap(), 4);
    assert_eq!(l.open_challenge(2).unwrap(), Some(OpenChallenge { number: 2, ..offer(alice) }));
    let numbers = |offers: Vec<OpenChallenge>| offers.iter().map(|offer| offer.number).collect::<Vec<_>>();
    assert_eq!(numbers(l.open_challenges(None).unwrap()), [2, 3]);
    assert_eq!(numbers(l.open_challenges(Some("marque")).unwrap()), [2]);
    l.close_open_challenge(2, at(8)).unwrap();
    assert!(l.close_open_challenge(2, at(9)).is_err() && l.close_open_challenge(99, at(9)).is_err());
    assert_eq!(l.open_challenge(2).unwrap().unwrap().closed_at, Some(at(8)));
    assert_eq!(numbers(l.open_challenges(None).unwrap()), [3]);

    let taken = NewBoard { number: Some(2), private: true, ..board([alice, bob]) };
    assert_eq!(l.add_board(&taken).unwrap(), 2);
    assert!(l.add_board(&taken).is_err(), "it is taken");
    let made = l.board(2).unwrap().unwrap();
    assert_eq!((made.rated, made.private, made.limits, made.challenger), (true, true, taken.limits, Some(alice)));
    assert_eq!(l.add_open_challenge(&offer(bob)).unwrap(), 5, "a smaller number given leaves the sequence where it is");
    assert_eq!(l.add_board(&NewBoard { number: Some(40), ..board([alice, bob]) }).unwrap(), 40);
    assert_eq!((l.add_open_challenge(&offer(bob)).unwrap(), l.add_board(&board([alice, bob])).unwrap()), (41, 42));
    assert!(l.add_board(&NewBoard { number: Some(0), ..board([alice, bob]) }).is_err());
    l.add_board(&NewBoard { number: Some(u32::MAX), ..board([alice, bob]) }).unwrap();
    assert!(l.add_open_challenge(&offer(bob)).is_err() && l.add_board(&board([alice, bob])).is_err(), "none is left");
}

#[test]
fn the_first_number_may_be_an_offers() {
    let (_dir, path) = file();
    let mut store = store::open(&path, World::REAL).unwrap();
    let mut l = store.write().unwrap();
    let alice = l.add_player("Alice", "x", at(0)).unwrap();
    assert_eq!((l.add_open_challenge(&offer(alice)).unwrap(), l.add_open_challenge(&offer(alice)).unwrap()), (1, 2));
    assert_eq!(l.add_board(&board([alice, alice])).unwrap(), 3);
    assert_eq!(l.add_board(&NewBoard { number: Some(1), ..board([alice, alice]) }).unwrap(), 1);
}

#[test]
fn challenges_that_nobody_answered() {
    let Instance { dir: _dir, alice, bob, mut store, .. } = instance();
    let mut l = store.write().unwrap();
    let (first, second) = (Seat::First, Seat::Second);
    assert_eq!((l.unanswered(alice).unwrap(), l.unanswered(bob).unwrap()), (1, 0));
    let offered = l.add_open_challenge(&offer(alice)).unwrap();
    l.add_board(&board([alice, alice])).unwrap();
    let declined = l.add_board(&board([alice, bob])).unwrap();
    assert_eq!(l.unanswered(alice).unwrap(), 3, "a board against oneself is none");
    l.decline_board(declined, bob, at(2)).unwrap();
    l.close_open_challenge(offered, at(2)).unwrap();
    l.add_entry(1, &ply(1, first), Some(second)).unwrap();
    assert_eq!(l.unanswered(alice).unwrap(), 1, "his own move answers nothing");
    l.add_entry(1, &ply(2, second), Some(first)).unwrap();
    assert_eq!(l.unanswered(alice).unwrap(), 0);
    l.add_entry(1, &entry(3, EntryKind::Undo, 1, Some(second)), Some(second)).unwrap();
    assert_eq!(l.unanswered(alice).unwrap(), 0, "he has moved, if he took it back");
}

#[test]
fn for_whom_boards_wait() {
    let Instance { dir: _dir, alice, bob, mut store, .. } = instance();
    let mut l = store.write().unwrap();
    l.add_board(&board([bob, alice])).unwrap();
    l.add_board(&board([alice, alice])).unwrap();
    l.add_board(&board([alice, bob])).unwrap();
    assert_eq!((l.waiting_for(alice).unwrap(), l.waiting_for(bob).unwrap()), (vec![1, 3, 4], vec![2]));
    l.add_entry(1, &ply(1, Seat::First), Some(Seat::Second)).unwrap();
    l.decline_board(4, bob, at(4)).unwrap();
    assert_eq!((l.waiting_for(alice).unwrap(), l.waiting_for(bob).unwrap()), (vec![3], vec![1, 2]));
    assert_eq!(l.boards(None, None, false).unwrap().len(), 3, "a declined board is listed no more");
}

#[test]
fn clocks_are_due_in_order() {
    let Instance { dir: _dir, alice, bob, mut store, .. } = instance();
    let mut l = store.write().unwrap();
    assert_eq!((l.board(1).unwrap().unwrap().clock, l.next_clock().unwrap()), (None, None));
    for (number, due) in [(1, Some(30)), (2, Some(10)), (3, None), (4, Some(20)), (5, Some(10))] {
        if number > 1 {
            l.add_board(&board([alice, bob])).unwrap();
        }
        l.set_clock(number, Some(&clock(due))).unwrap();
        assert_eq!(l.board(number).unwrap().unwrap().clock, Some(clock(due)));
    }
    assert_eq!(l.next_clock().unwrap(), Some(at(10)));
    assert!(l.due_boards(at(9), 9).unwrap().is_empty());
    assert_eq!(l.due_boards(at(20), 9).unwrap(), [2, 5, 4]);
    assert_eq!(l.due_boards(at(99), 2).unwrap(), [2, 5]);
    l.set_clock(2, None).unwrap();
    l.decline_board(5, bob, at(15)).unwrap();
    assert_eq!((l.board(2).unwrap().unwrap().clock, l.next_clock().unwrap()), (None, Some(at(20))));
    assert!(l.set_clock(99, None).is_err() && l.set_clock(5, Some(&clock(None))).is_err(), "no clock runs there");
    let negative = BoardClock { thought: TimeDelta::seconds(-1), ..clock(None) };
    assert!(l.set_clock(1, Some(&negative)).is_err());
}

#[test]
fn what_is_arranged_ends_with_the_board() {
    for declined in [false, true] {
        let Instance { dir: _dir, bob, mut store, .. } = instance();
        let mut l = store.write().unwrap();
        let proposal = Proposal { kind: ProposalKind::Undo, by: Seat::Second };
        l.set_seat(1, Seat::First, &arranged()).unwrap();
        l.set_proposal(1, Some(proposal)).unwrap();
        l.set_clock(1, Some(&clock(Some(5)))).unwrap();
        let board = l.board(1).unwrap().unwrap();
        assert_eq!((board.seats, board.proposal), ([arranged(), SeatState::default()], Some(proposal)));
        match declined {
            false => l.end_board(1, &result(None, "agreed")).unwrap(),
            true => l.decline_board(1, bob, at(5)).unwrap(),
        }
        let board = l.board(1).unwrap().unwrap();
        let used = SeatState { used: arranged().used, ..SeatState::default() };
        assert_eq!((board.seats, board.proposal, board.clock), ([used, SeatState::default()], None, None));
        assert!(l.set_proposal(1, Some(proposal)).is_err() && l.set_proposal(1, None).is_ok());
        assert!(l.set_seat(9, Seat::First, &arranged()).is_err() && l.set_proposal(9, None).is_err());
    }
}

#[test]
fn notes_are_a_players_own() {
    let Instance { dir: _dir, alice, bob, mut store, .. } = instance();
    let mut l = store.write().unwrap();
    l.set_note(1, alice, Some("a trap"), at(1)).unwrap();
    l.set_note(1, alice, Some("no trap"), at(2)).unwrap();
    assert_eq!((l.note(1, alice).unwrap().as_deref(), l.note(1, bob).unwrap()), (Some("no trap"), None));
    l.set_note(1, alice, None, at(3)).unwrap();
    l.set_note(1, alice, None, at(3)).unwrap();
    assert_eq!(l.note(1, alice).unwrap(), None);
}

fn follower(player: PlayerId, ends_only: bool) -> Follower {
    Follower { player, ends_only }
}

fn following(what: &Followed, ends_only: bool) -> Following {
    Following { what: what.clone(), ends_only }
}

#[test]
fn followers_count_once_and_by_their_fuller_wish() {
    let Instance { dir: _dir, alice, bob, mut store, .. } = instance();
    let mut l = store.write().unwrap();
    let carol = l.add_player("carol", "x", at(0)).unwrap();
    let (one, game) = (Followed::Board(1), Followed::Game("marque".into()));
    l.add_board(&NewBoard { game: "chess".into(), ..board([alice, bob]) }).unwrap();
    l.follow(alice, &one, Some(true)).unwrap();
    l.follow(alice, &game, Some(false)).unwrap();
    l.follow(bob, &one, Some(false)).unwrap();
    l.follow(bob, &game, Some(true)).unwrap();
    l.follow(carol, &game, Some(true)).unwrap();
    l.follow(carol, &Followed::Game("chess".into()), Some(false)).unwrap();
    assert_eq!(l.followers(1).unwrap(), [follower(alice, false), follower(bob, false), follower(carol, true)]);
    assert_eq!((l.followers(2).unwrap(), l.followers(9).unwrap()), (vec![follower(carol, false)], vec![]));
    assert_eq!(l.following(bob).unwrap(), [following(&one, false), following(&game, true)]);
    l.follow(bob, &one, Some(true)).unwrap();
    l.follow(alice, &game, None).unwrap();
    l.follow(alice, &game, None).unwrap();
    assert_eq!(l.followers(1).unwrap(), [alice, bob, carol].map(|player| follower(player, true)));
    l.leave(carol, at(1)).unwrap();
    assert_eq!(l.followers(1).unwrap().len(), 2);
    assert!(l.follow(bob, &Followed::Board(9), Some(true)).is_err(), "there is no such board");
}
