//! The rules of Pente.

use turnpost::rules::pente::Pente;
use turnpost::rules::{Game, Options, Play, RefusalKind, Seat};

use crate::common::stepping::{end, play, refusal, won_by};
use crate::common::words;

/// Returns a board of 13 cells a side after these moves.
fn after(line: &str) -> Box<dyn Play> {
    let mut game = Pente.start(&Options::from_canonical("-size=13")).unwrap();
    play(&mut *game, line);
    game
}

/// Returns the stones that a move captures after these moves.
fn captured(line: &str, text: &str) -> Vec<String> {
    after(line).play(text).unwrap().effects.captured
}

/// Moves after which White has captured four pairs and can capture the fifth with d9.
const FOUR_PAIRS: &str = "a1 b1 a3 c1 d1 b3 a5 c3 d3 b5 a7 c5 d5 b7 a9 c7 d7 b9 m13 c9";

#[test]
fn a_pair_between_two_stones_is_captured_in_each_direction() {
    for (line, text, pair) in [
        ("g7 f7 h7", "i7", ["g7", "h7"]),
        ("g7 i7 h7", "f7", ["g7", "h7"]),
        ("g7 g6 g8", "g9", ["g8", "g7"]),
        ("g7 g9 g8", "g6", ["g8", "g7"]),
        ("g7 f6 h8", "i9", ["h8", "g7"]),
        ("g7 i9 h8", "f6", ["h8", "g7"]),
        ("g7 f8 h6", "i5", ["g7", "h6"]),
        ("g7 i5 h6", "f8", ["g7", "h6"]),
    ] {
        assert_eq!(captured(line, text), pair, "{line} {text}");
    }
    // A player may place a stone on a cell again after a capture there.
    assert_eq!(captured("g7 f7 h7 i7", "g7"), [""; 0]);
}

#[test]
fn one_and_three_stones_are_not_captured() {
    assert_eq!(captured("g7 f7 a1", "h7"), [""; 0]);
    assert_eq!(captured("g7 f7 h7 a1 i7", "j7"), [""; 0]);
}

#[test]
fn a_pair_may_move_between_enemy_stones() {
    let mut game = after("g7 f7 a1 i7");
    assert_eq!(game.play("h7").unwrap().effects.captured, [""; 0]);
    assert_eq!(game.pieces().len(), 5);
    // A later move elsewhere does not capture the pair.
    assert_eq!(game.play("m1").unwrap().effects.captured, [""; 0]);
}

#[test]
fn the_rim_does_not_capture_and_lines_end_there() {
    assert_eq!(captured("a1 m13 b1", "c1"), [""; 0]);
    assert_eq!(captured("l6 k6 m6", "a5"), [""; 0]);
}

#[test]
fn one_stone_captures_several_pairs() {
    let three = captured("h7 j7 i7 g10 g8 d10 g9 a1 f8 m13 e9", "g7");
    assert_eq!(three, ["e9", "g9", "f8", "g8", "h7", "i7"]);
}

#[test]
fn the_aim_counts_captured_pairs() {
    let aim = |line: &str| words(&after(line).aim());
    assert_eq!(aim("g7 f7 h7"), "Put five stones in a row, or capture five pairs.");
    let white = "Put five stones in a row, or capture five pairs. White has captured 1 pair, Black 0.";
    assert_eq!(aim("a1 b1 m13 c1 d1"), white);
    let both = "Put five stones in a row, or capture five pairs. White has captured 4 pairs, Black 0.";
    assert_eq!(aim(FOUR_PAIRS), both);
    assert!(aim("g7").ends_with(" Black may swap now: the players then exchange colours, and the stone stays."));
}

#[test]
fn five_in_a_row_wins() {
    let mut game = after("e7 e9 f7 g10 g7 k3 h7 d7");
    let won = won_by(&mut *game, "i7");
    assert_eq!(end(&*game), Some((Some(Seat::First), "five in a row")));
    assert_eq!(won, ["e7", "f7", "g7", "h7", "i7"]);
    assert_eq!(words(&game.achievement().unwrap()), "put 5 stones in a row");
    assert_eq!(refusal(&mut *game, "a1").0, RefusalKind::GameOver);
}

#[test]
fn more_than_five_in_a_diagonal_row_wins() {
    let mut game = after("c3 a13 d4 c13 e5 e13 g7 g13 h8 i13");
    assert_eq!(won_by(&mut *game, "f6"), ["h8", "g7", "f6", "e5", "d4", "c3"]);
    assert_eq!(words(&game.achievement().unwrap()), "put 6 stones in a row");
}

#[test]
fn five_captured_pairs_win() {
    let mut game = after(FOUR_PAIRS);
    assert_eq!(end(&*game), None);
    assert_eq!(won_by(&mut *game, "d9"), [""; 0]);
    assert_eq!(end(&*game), Some((Some(Seat::First), "captures")));
    assert_eq!(words(&game.achievement().unwrap()), "captured 5 pairs");
}

#[test]
fn captures_belong_to_the_colour_that_the_players_have_after_a_swap() {
    let mut game = after("a1 swap b1");
    assert_eq!(game.to_move(), Some(Seat::Second));
    play(&mut *game, "a3 c1 d1 b3 a5 c3 d3 b5 a7 c5 d5 b7 a9 c7 d7 b9 m13 c9 d9");
    assert_eq!(end(&*game), Some((Some(Seat::Second), "captures")));
}

#[test]
fn a_capture_removes_stones_of_a_row() {
    let mut game = after("g7 g9 g8 m13 f7 a13 e7 m1 h7 g6 d7");
    assert_eq!(end(&*game), None, "d7 to h7 lack g7");
    play(&mut *game, "a1 g7");
    assert_eq!(end(&*game), Some((Some(Seat::First), "five in a row")));
}

#[test]
fn a_full_board_is_a_draw() {
    let line = "a13 b13 c13 d13 e13 f13 g13 h13 i13 j13 k13 l13 m13 a12 b12 c12 d12 e12 f12 g12 h12 i12 j12 k12 l12 m12 \
                a11 b11 c11 d11 e11 f11 g11 h11 i11 j11 k11 l11 m11 a10 b10 c10 d10 e10 f10 g10 h10 i10 j10 k10 l10 m10 \
                b9 a9 d9 c9 f9 e9 h9 g9 j9 i9 l9 k9 b8 m9 d8 a8 f8 c8 h8 e8 j8 g8 l8 i8 a7 k8 b7 m8 c7 d7 e7 f7 g7 h7 i7 \
                j7 k7 l7 m7 a6 d6 c6 f6 e6 h6 g6 j6 i6 l6 k6 a5 m6 b5 c5 d5 e5 f5 g5 h5 i5 j5 k5 l5 m5 a4 b4 d4 c4 f4 e4 \
                h4 g4 j4 i4 l4 k4 b3 m4 c3 d3 e3 f3 g3 h3 i3 j3 k3 l3 m3 a2 b2 c2 d2 e2 f2 g2 h2 i2 j2 k2 l2 m2 a1 c1 b1 \
                d1 f1 g1 h1 i1 j1 k1 l1 m1 a3 c5 e1 b4 c1 b6 d8 d1 c7 f1 e1 f1 g1";
    let game = after(line);
    assert_eq!((end(&*game), game.pieces().len()), (Some((None, "board full")), 169));
    assert_eq!(game.achievement(), None);
}

#[test]
fn taken_cells_and_late_swaps_are_refused() {
    let mut game = after("g7");
    let taken = (RefusalKind::Illegal, "Cell g7 is already taken by White.".to_owned());
    assert_eq!(refusal(&mut *game, "g7"), taken);
    play(&mut *game, "a1");
    let late = (RefusalKind::Illegal, "Only Black may swap, and only on their first turn.".to_owned());
    assert_eq!(refusal(&mut *game, "swap"), late);
    let (kind, why) = refusal(&mut *game, "n1");
    assert_eq!(kind, RefusalKind::NotAMove);
    assert!(
        why.starts_with(
            "There is no such cell: the columns are a to m from the left, the rows 1 to 13 from the bottom."
        ),
        "{why}"
    );
}

#[test]
fn boards_have_13_15_or_19_cells_a_side() {
    for (options, cells) in [("-size=13", 169), ("-size=15", 225), ("-size=19", 361), ("", 361)] {
        assert_eq!(Pente.start(&Options::from_canonical(options)).unwrap().legal_count(), cells);
    }
    let refusal = Pente.start(&Options::from_canonical("-size=14")).err().unwrap();
    assert_eq!(words(&refusal.message), "A board of this game has 13, 15 or 19 cells a side. For example: -size=19.");
}
