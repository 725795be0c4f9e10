//! Lists that are read page by page, and counts of their rows.

use super::*;

pub fn a_page_begins_at_its_cursor(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    for nth in 2..=10 {
        let players = if nth == 4 { [alice, alice] } else { [alice, bob] };
        assert_eq!(
            tx.add_board(&NewBoard { terms: terms(true, nth == 6), ..board(players) }).unwrap(),
            BoardNumber(nth)
        );
    }
    tx.end_without_result(BoardNumber(3), NoResult::Declined, Some(bob), at(2)).unwrap();
    for number in [5, 9] {
        tx.end_board(BoardNumber(number), &result(None, "draw")).unwrap();
    }
    let page = |of: BoardsOf<'_>, over: bool, shown_to: ShownTo, cursor: Cursor, most: u32| {
        let boards = tx.board_page(&BoardList { of, over, shown_to }, cursor, most).unwrap();
        boards.iter().map(|board| board.number.0).collect::<Vec<_>>()
    };
    let (marque, administrator) = (BoardsOf::Game("marque"), ShownTo::Administrator);
    for of in [marque, BoardsOf::Player(alice, None)] {
        assert_eq!(page(of, false, administrator, Cursor::Newest, 3), [10, 8, 7]);
        assert_eq!(page(of, false, administrator, Cursor::Before(BoardNumber(7)), 3), [6, 4, 2]);
        assert_eq!(page(of, false, administrator, Cursor::Before(BoardNumber(2)), 3), [1]);
        assert_eq!(page(of, false, administrator, Cursor::After(BoardNumber(2)), 3), [7, 6, 4]);
        assert_eq!(page(of, false, administrator, Cursor::After(BoardNumber(10)), 3), [0; 0]);
        assert_eq!(page(of, true, administrator, Cursor::Newest, 3), [9, 5]);
        assert_eq!(page(of, false, ShownTo::Everybody, Cursor::Before(BoardNumber(7)), 3), [4, 2, 1]);
        assert_eq!(page(of, false, ShownTo::Player(bob), Cursor::Before(BoardNumber(7)), 3), [6, 4, 2]);
        assert_eq!(page(of, false, ShownTo::Player(PlayerId(99)), Cursor::Before(BoardNumber(7)), 3), [4, 2, 1]);
    }
    assert_eq!(page(BoardsOf::Player(bob, None), false, administrator, Cursor::Newest, 50), [10, 8, 7, 6, 2, 1]);
    assert_eq!(page(BoardsOf::Game("chess"), false, administrator, Cursor::Newest, 50), [0; 0]);
    for over in [false, true] {
        let all = page(BoardsOf::Player(bob, None), over, administrator, Cursor::Newest, 50);
        assert_eq!(page(BoardsOf::Player(bob, Some("marque")), over, administrator, Cursor::Newest, 50), all);
        assert_eq!(page(BoardsOf::Player(bob, Some("chess")), over, administrator, Cursor::Newest, 50), [0; 0]);
    }
    assert_eq!(tx.tally(alice).unwrap(), Tally { active: 7, next: 7, finished: 2 });
    assert_eq!(tx.tally(bob).unwrap(), Tally { active: 6, next: 0, finished: 2 });
    assert_eq!(tx.tally(PlayerId(99)).unwrap(), Tally::default());
}

/// Returns how many boards of a player are in progress, on how many it is the player's turn, how many have ended, and
/// the time of the player's last activity.
fn listed(tx: &Transaction<'_>, userid: &str) -> String {
    let players = Report::Players { named: Some(userid), idle_days: None, paused: false, by_boards: false };
    let rows = tx.report(&players, ReportPage { skip: 0, most: 2 }).unwrap();
    let [ReportRow(cells)] = rows.as_slice() else { panic!("{rows:?}") };
    let cell = |name: &str| cells.iter().find(|(column, _)| column == name).unwrap().1.to_string();
    ["boards", "their_turn", "finished", "last_active"].map(cell).join(" ")
}

pub fn players_are_listed_with_their_own_last_activity(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    let is = |tx: &Transaction<'_>, alices: (&str, i64), bobs: (&str, i64)| {
        for (userid, (counts, minute)) in [("alice", alices), ("bob", bobs)] {
            let time = at(minute).format("%Y-%m-%dT%H:%M:%SZ");
            assert_eq!(listed(tx, userid), format!("{counts} \"{time}\""), "{userid}");
        }
    };
    // Being challenged is not an activity: bob's last activity is still in minute 0.
    is(&tx, ("1 1 0", 1), ("1 0 0", 0));
    append(&mut tx, 1, &ply(1, Seat::First), Some(Seat::Second)).unwrap();
    is(&tx, ("1 0 0", 2), ("1 1 0", 0));
    // When the server plays a prepared reply, the player's last activity does not change.
    append(&mut tx, 1, &Entry { via: Channel::Plan, ..ply(2, Seat::Second) }, Some(Seat::First)).unwrap();
    is(&tx, ("1 1 0", 2), ("1 0 0", 0));
    let said = |player, minute| Comment {
        board: BoardNumber(1),
        entry: EntryNumber(2),
        player,
        text: "hello".into(),
        said_at: at(minute),
    };
    tx.add_comment(&said(bob, 20)).unwrap();
    // A comment with an earlier time does not set the last activity back.
    tx.add_comment(&said(bob, 10)).unwrap();
    is(&tx, ("1 1 0", 2), ("1 0 0", 20));
    let proposal = Proposal { kind: ProposalKind::Draw, by: Seat::First };
    let made =
        MadeProposal { board: BoardNumber(1), entry: EntryNumber(2), proposal, via: Channel::Web, made_at: at(30) };
    tx.add_proposal(&made).unwrap();
    is(&tx, ("1 1 0", 30), ("1 0 0", 20));
    // A board against oneself is counted once.
    tx.add_board(&NewBoard { created_at: at(40), ..board([bob, bob]) }).unwrap();
    is(&tx, ("1 1 0", 30), ("2 1 0", 40));
    tx.add_board(&NewBoard { created_at: at(50), ..board([alice, bob]) }).unwrap();
    is(&tx, ("2 2 0", 50), ("3 1 0", 40));
    tx.end_without_result(BoardNumber(3), NoResult::Declined, Some(bob), at(60)).unwrap();
    is(&tx, ("1 1 0", 50), ("2 1 0", 40));
    for number in [1, 2] {
        tx.end_board(BoardNumber(number), &result(None, "draw")).unwrap();
    }
    is(&tx, ("0 0 1", 50), ("0 0 2", 40));
    assert_eq!(tx.waiting_for(alice).unwrap(), []);
}

pub fn boards_of_a_pair_and_months_of_each_game_are_listed(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    for players in [[alice, alice], [bob, alice]] {
        tx.add_board(&NewBoard { game: "brique".into(), ..board(players) }).unwrap();
    }
    tx.end_board(BoardNumber(2), &result(None, "draw")).unwrap();
    let page = ReportPage { skip: 0, most: 9 };
    let cells = |report: &Report<'_>| -> Vec<Vec<String>> {
        let rows = tx.report(report, page).unwrap();
        rows.into_iter().map(|ReportRow(cells)| cells.into_iter().map(|(_, cell)| cell.to_string()).collect()).collect()
    };
    let of = |player, against| {
        let boards = cells(&Report::Boards { player: Some(player), against: Some(against), game: None, active: false });
        boards.into_iter().map(|cells| cells[0].clone()).collect::<Vec<_>>()
    };
    assert_eq!(
        (of("alice", "BOB"), of("alice", "alice"), of("bob", "nobody")),
        (vec!["3".to_owned(), "1".into()], vec!["2".into()], vec![])
    );
    let months = cells(&Report::Months { by_game: true });
    let counted: Vec<_> = months.iter().map(|cells| cells[1..].join(" ")).collect();
    assert_eq!(counted, ["\"brique\" 2 1", "\"marque\" 1 0"], "{months:?}");
}
