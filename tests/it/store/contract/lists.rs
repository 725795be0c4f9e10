//! Pages of lists, and counts.

use super::*;

pub fn a_page_begins_at_its_cursor(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    for nth in 2..=10 {
        let players = if nth == 4 { [alice, alice] } else { [alice, bob] };
        assert_eq!(tx.add_board(&NewBoard { private: nth == 6, ..board(players) }).unwrap(), BoardNumber(nth));
    }
    tx.decline_board(BoardNumber(3), bob, at(2)).unwrap();
    for number in [5, 9] {
        tx.end_board(BoardNumber(number), &result(None, "draw")).unwrap();
    }
    let page = |of: BoardsOf<'_>, over: bool, shown_to: ShownTo, cursor: Cursor, most: u32| {
        let boards = tx.board_page(&BoardList { of, over, shown_to }, cursor, most).unwrap();
        boards.iter().map(|board| board.number.0).collect::<Vec<_>>()
    };
    let (marque, administrator) = (BoardsOf::Game("marque"), ShownTo::Administrator);
    for of in [marque, BoardsOf::Player(alice)] {
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
    assert_eq!(page(BoardsOf::Player(bob), false, administrator, Cursor::Newest, 50), [10, 8, 7, 6, 2, 1]);
    assert_eq!(page(BoardsOf::Game("chess"), false, administrator, Cursor::Newest, 50), [0; 0]);
    assert_eq!(tx.tally(alice).unwrap(), Tally { active: 7, next: 7, finished: 2 });
    assert_eq!(tx.tally(bob).unwrap(), Tally { active: 6, next: 0, finished: 2 });
    assert_eq!(tx.tally(PlayerId(99)).unwrap(), Tally::default());
}
