//! The rules of Catchup.

use turnpost::rules::catchup::Catchup;
use turnpost::rules::{Game, MoveList, Options, Play, RefusalKind, Seat};

use crate::common::stepping::{end, play, refusal, won_by};
use crate::common::words;

/// Returns the board with four cells a side after these turns.
fn after(line: &str) -> Box<dyn Play> {
    let mut game = Catchup.start(&Options::from_canonical("-size=4")).unwrap();
    play(&mut *game, line);
    game
}

/// Returns the maximum number of stones in the next turn.
fn most(line: &str) -> usize {
    match after(line).move_list() {
        MoveList::Sets(sets) => sets.most,
        MoveList::Texts(texts) => panic!("{texts:?}"),
    }
}

#[test]
fn the_first_turn_is_one_stone_and_later_ones_are_one_or_two() {
    assert_eq!([most(""), most("d4"), most("d4 a1,g4"), most("d4 a1 g1")], [1, 2, 2, 2]);
}

#[test]
fn the_player_behind_may_place_three() {
    assert_eq!(most("d4 a1,a2"), 3, "Black's group is larger");
    assert_eq!(most("d4 a1 d5 a2"), 3, "Black's group is now as large as White's");
    assert_eq!(most("d4 a1 d5,d6 a2"), 2, "Black's group grew, but White's is still larger");
    assert_eq!(most("d4 a1,a2 g1 c1"), 2, "Black's group is larger, but did not grow in the last turn");
    assert_eq!(most("d4 a1,a2 g1 g4,f5"), 2, "a second group of two is not larger");
    assert_eq!(most("d4 a1"), 2, "a group of one stone does not count");
}

#[test]
fn the_cells_of_a_turn_are_read_in_any_order() {
    let mut game = after("d4");
    assert_eq!(game.play("C4,a1").unwrap().text, "a1,c4");
}

#[test]
fn a_turn_takes_at_most_the_empty_cells() {
    let game = after(
        "c1 d7,e6 b3,d1,f2 a1,d3,e5 b1,d5,f3 c2,c5,g1 b2,e3 a3,d6,f5 d4,e1,e2 c4,c6,f4 a2,g3 b5,c3,g4 b4,d2,g2 a4,e4",
    );
    assert_eq!(game.legal_moves(), ["f1"]);
}

#[test]
fn the_largest_group_wins() {
    let mut game =
        after("g3 a3,e4 a4,c5 d6,f3 b5,e3,f2 b4,d5,f1 b2,d3,d4 a2,b3,g1 c3,d7 b1,c4,e1 e5,e6,f5 a1 g2 c1,g4 c6,d1,f4");
    let won = won_by(&mut *game, "c2,d2,e2");
    assert_eq!((end(&*game), won.len()), (Some((Some(Seat::Second), "largest group")), 18));
    assert_eq!(words(&game.achievement().unwrap()), "had the largest group: 18 stones to 17");
}

#[test]
fn second_groups_break_ties_of_the_largest() {
    let mut game =
        after("c1 d7,e6 b3,d1,f2 a1,d3,e5 b1,d5,f3 c2,c5,g1 b2,e3 a3,d6,f5 d4,e1,e2 c4,c6,f4 a2,g3 b5,c3,g4 b4,d2,g2");
    assert_eq!(won_by(&mut *game, "a4,e4,f1"), ["f1", "g1"]);
    assert_eq!(end(&*game), Some((Some(Seat::Second), "largest group")));
    assert_eq!(words(&game.achievement().unwrap()), "won by the second-largest group: 2 stones to 0");
}

#[test]
fn third_and_fourth_groups_break_ties_of_the_second() {
    let third = "a3 g1,g2 e3 b5,f1 c3,e6,f5 c2,d4 g4 d6,f2,f3 a1,c4,d5 c1,e4 a2,a4,b2 d1,d3,e1 b3,c6,e5 b1,e2,f4 \
                 b4,c5,d7 d2,g3";
    let game = after(third);
    assert_eq!(end(&*game), Some((Some(Seat::Second), "largest group")));
    assert_eq!(words(&game.achievement().unwrap()), "won by the third-largest group: 1 stone to 0");
    let fourth = "f1 d5,g4 e2,f2 b4,c3,c4 a4,b1,b2 f4,g1 d4,e3 c6,d6 c5 d3,e4 d1,f3,g2 a3,c2 g3 b5,e5 a2,b3,d2 \
                  a1,f5 c1,e1,e6 d7";
    let game = after(fourth);
    assert_eq!(end(&*game), Some((Some(Seat::First), "largest group")));
    assert_eq!(words(&game.achievement().unwrap()), "won by the 4th-largest group: 1 stone to 0");
}

/// A draw needs equal groups, and thus an even number of cells.
#[test]
fn no_board_allows_a_draw() {
    for size in ["4", "5", "6", "7"] {
        let game = Catchup.start(&Options::new(vec![("size".to_owned(), Some(size.to_owned()))])).unwrap();
        assert_eq!(game.scene().cells.len() % 2, 1, "-size={size}");
    }
    assert!(!Catchup.has_draws());
}

#[test]
fn the_aim_compares_the_largest_groups() {
    let aim = |line: &str| words(&after(line).aim());
    assert_eq!(aim(""), "Have the largest group when the board is full. White may place one stone now.");
    assert_eq!(
        aim("d4 a1,a2"),
        "Have the largest group when the board is full. The largest groups: White 1, Black 2. White may place up to 3 \
         stones now."
    );
}

#[test]
fn bad_turns_are_explained() {
    let mut game = after("");
    assert_eq!(refusal(&mut *game, "d4,d5").1, "The first turn of the game is one stone.");
    play(&mut *game, "d4");
    let two = "You may place at most two stones. Three are allowed after a turn in which your opponent's largest group \
               grew and became at least as large as yours.";
    for (text, why) in
        [("a1,d4", "Cell d4 is already taken by White."), ("a1,a2,a3", two), ("a1,A1", "Your turn names a1 twice.")]
    {
        assert_eq!(refusal(&mut *game, text), (RefusalKind::Illegal, why.to_owned()), "{text}");
    }
    for (text, why) in [
        ("a1,a2,a3,a4", "A turn is one to three cells, for example e5 or e4,e5."),
        ("a1,", "A turn is one to three cells, for example e5 or e4,e5."),
        ("swap", "This game has no swap."),
        ("a5,b1", "Row a has the cells 1 to 4."),
        ("h1", "There is no such row: the rows are a to g from the top."),
    ] {
        assert_eq!(refusal(&mut *game, text), (RefusalKind::NotAMove, why.to_owned()), "{text}");
    }
}
