//! Puzzles of finished boards, and the subscribers of the puzzle of the day.

use chrono::NaiveDate;
use turnpost::numbers::PuzzleNumber;

use super::*;

fn day(day: u32) -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 11, day).unwrap()
}

fn puzzle(game: &str, number: u32) -> Puzzle {
    let (number, board, ply) = (PuzzleNumber(number), BoardNumber(1), Ply(7));
    let position = format!("{game:0>60}{number:0>4}");
    Puzzle { game: game.to_owned(), number, board, ply, position, solution: "f4".to_owned(), daily: None }
}

pub fn a_finished_board_is_searched_once_unless_it_is_private(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store } = instance(fresh);
    let mut tx = store.write().unwrap();
    for private in [false, true, false] {
        tx.add_board(&NewBoard { terms: terms(true, private), ..board([alice, bob]) }).unwrap();
    }
    tx.end_without_result(BoardNumber(1), NoResult::Declined, Some(bob), at(2)).unwrap();
    assert_eq!(tx.board_to_search().unwrap(), None, "boards in progress and declined boards are not searched");
    for number in [4, 3, 2] {
        tx.end_board(BoardNumber(number), &result(None, "draw")).unwrap();
    }
    for number in [2, 4] {
        assert_eq!(tx.board_to_search().unwrap(), Some(BoardNumber(number)));
        tx.set_searched(BoardNumber(number)).unwrap();
    }
    assert_eq!(tx.board_to_search().unwrap(), None);
    tx.commit().unwrap();
}

pub fn every_puzzle_has_been_daily_before_one_is_repeated(fresh: Fresh) {
    let Instance { database: _database, mut store, .. } = instance(fresh);
    let mut tx = store.write().unwrap();
    assert_eq!(tx.last_puzzle("marque").unwrap(), PuzzleNumber(0));
    let without =
        |tx: &Transaction<'_>, on: u32| tx.games_without_puzzle(&["marque", "lazo", "brique"], day(on)).unwrap();
    assert_eq!((tx.puzzle_of_day("marque", day(1)).unwrap(), without(&tx, 1)), (None, vec![]));
    let first = puzzle("marque", 1);
    assert!(!tx.knows_position(&first.position).unwrap());
    for new in [&first, &puzzle("marque", 2), &puzzle("lazo", 1)] {
        tx.add_puzzle(new).unwrap();
        assert!(tx.knows_position(&new.position).unwrap());
        assert_eq!(tx.puzzle(&new.game, new.number).unwrap().as_ref(), Some(new));
    }
    assert_eq!(tx.puzzle("marque", PuzzleNumber(3)).unwrap(), None);
    let of_day = |tx: &Transaction<'_>, on: u32| tx.puzzle_of_day("marque", day(on)).unwrap().unwrap().number.0;
    let mut chosen = Vec::new();
    for on in 1..=6 {
        if on == 4 {
            tx.add_puzzle(&puzzle("marque", 3)).unwrap();
        }
        let number = of_day(&tx, on);
        tx.set_puzzle_of_day("marque", PuzzleNumber(number), day(on)).unwrap();
        assert_eq!((of_day(&tx, on), without(&tx, on)), (number, vec!["lazo".to_owned()]));
        assert_eq!(without(&tx, on + 1), ["marque", "lazo"]);
        chosen.push(number);
    }
    assert_eq!(chosen, [1, 2, 1, 3, 2, 1]);
    assert_eq!(
        without(&tx, 3),
        ["lazo"],
        "the next day already has its puzzle after the clock went back over midnight"
    );
    // The clock was ahead by a week, so a later day already has puzzle 3. After the correction, puzzle 3 is chosen
    // first.
    tx.set_puzzle_of_day("marque", PuzzleNumber(3), day(14)).unwrap();
    assert_eq!((without(&tx, 7), of_day(&tx, 7)), (vec!["marque".to_owned(), "lazo".to_owned()], 3));
    tx.set_puzzle_of_day("marque", PuzzleNumber(3), day(7)).unwrap();
    assert_eq!((without(&tx, 7), of_day(&tx, 7), of_day(&tx, 8)), (vec!["lazo".to_owned()], 3, 2));
    let numbers = |after: u32, most: u32| -> Vec<u32> {
        tx.puzzles("marque", PuzzleNumber(after), most).unwrap().iter().map(|puzzle| puzzle.number.0).collect()
    };
    assert_eq!(
        (numbers(0, 2), numbers(1, 9), tx.last_puzzle("marque").unwrap()),
        (vec![1, 2], vec![2, 3], PuzzleNumber(3))
    );
    tx.commit().unwrap();
    let same_position = Puzzle { number: PuzzleNumber(9), ..puzzle("marque", 1) };
    let elsewhere = Puzzle { board: BoardNumber(99), ..puzzle("marque", 9) };
    for wrong in [same_position, elsewhere] {
        let mut tx = store.write().unwrap();
        assert!(refuses(&mut tx, |tx| tx.add_puzzle(&wrong)), "{wrong:?}");
    }
}

pub fn subscribers_get_the_puzzle_of_the_day(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store } = instance(fresh);
    let mut tx = store.write().unwrap();
    for (player, game) in [(bob, "marque"), (alice, "marque"), (alice, "lazo"), (alice, "marque")] {
        tx.set_gets_puzzles(player, game, true).unwrap();
    }
    assert_eq!(tx.puzzle_readers("marque").unwrap(), [alice, bob]);
    assert_eq!(tx.gets_puzzles_of(alice).unwrap(), ["lazo", "marque"]);
    tx.set_gets_puzzles(bob, "marque", false).unwrap();
    assert_eq!((tx.puzzle_readers("marque").unwrap(), tx.gets_puzzles_of(bob).unwrap()), (vec![alice], Vec::new()));
    tx.leave(alice, at(3)).unwrap();
    assert_eq!(tx.puzzle_readers("lazo").unwrap(), []);
    tx.commit().unwrap();
}

pub fn the_first_record_of_a_solved_puzzle_remains(fresh: Fresh) {
    let Instance { database: _database, alice, bob, mut store } = instance(fresh);
    let mut tx = store.write().unwrap();
    let solved = |game: &str, number: u32, on: u32, found: bool| SolvedPuzzle {
        game: game.to_owned(),
        number: PuzzleNumber(number),
        day: day(on),
        found,
    };
    for of in [solved("marque", 2, 1, true), solved("lazo", 1, 2, false), solved("marque", 2, 3, false)] {
        tx.add_solved_puzzle(alice, &of).unwrap();
    }
    assert_eq!(tx.solved_puzzles(alice).unwrap(), [solved("lazo", 1, 2, false), solved("marque", 2, 1, true)]);
    assert_eq!(tx.solved_puzzles(bob).unwrap(), []);
    tx.add_solved_puzzle(bob, &solved("lazo", 1, 4, true)).unwrap();
    tx.add_solved_puzzle(bob, &solved("lazo", 7, 4, true)).unwrap();
    tx.merge_players(bob, alice).unwrap();
    let merged = [solved("lazo", 1, 2, false), solved("lazo", 7, 4, true), solved("marque", 2, 1, true)];
    assert_eq!(tx.solved_puzzles(alice).unwrap(), merged);
    tx.commit().unwrap();
}
