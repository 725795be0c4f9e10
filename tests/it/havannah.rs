//! The rules of Havannah.

use turnpost::rules::havannah::Havannah;
use turnpost::rules::{Game, Options, Play, Seat};

use crate::common::words;

/// Returns the board with four cells a side after these moves, and the winning cells of the last move.
fn after(line: &str) -> (Box<dyn Play>, Vec<String>) {
    let mut play = Havannah.start(&Options::from_canonical("-size=4")).unwrap();
    let played = line.split_whitespace().map(|text| play.play(text).unwrap()).last();
    let won = played.map(|played| played.effects.winning_cells).unwrap_or_default();
    (play, won.into_iter().map(|cell| cell.cell).collect())
}

fn end(play: &dyn Play) -> Option<(Option<Seat>, &'static str)> {
    play.outcome().map(|end| (end.winner, end.reason.as_str()))
}

#[test]
fn two_corners_are_a_bridge() {
    let (play, won) = after("a1 d3 a2 d4 a4 e3 b3 f3 b1 g2 a3");
    assert_eq!(end(&*play), Some((Some(Seat::First), "bridge")));
    assert_eq!(won, ["a1", "a2", "a3", "a4"]);
    assert_eq!(words(&play.achievement().unwrap()), "joined two corners with a bridge");
}

#[test]
fn three_sides_are_a_fork_and_corners_are_not_part_of_a_side() {
    let (play, won) = after("a2 g2 b2 g3 c2 f3 d2 e4 e1 d5 c1");
    assert_eq!((end(&*play), won.len()), (Some((Some(Seat::First), "fork")), 6));
    // a1 is a corner between two sides: this chain touches only the top side.
    let (play, _) = after("a1 g2 a2 g3 a3 f3");
    assert_eq!(end(&*play), None);
}

#[test]
fn a_ring_may_enclose_anything() {
    for inside in ["g3", "c3"] {
        let (play, won) = after(&format!("b2 a1 b3 a4 c4 g1 d4 g4 d3 {inside} c2"));
        assert_eq!(end(&*play), Some((Some(Seat::First), "ring")), "{inside}");
        assert_eq!(won, ["b2", "b3", "c2", "c4", "d3", "d4"]);
    }
    // The ring surrounds a stone of the same colour. Because of this stone, all stones of the ring are connected even
    // before the last one is placed.
    let (play, won) = after("c3 a1 b2 a4 b3 g1 c4 g4 d4 d1 d3 g2 c2");
    assert_eq!(end(&*play), Some((Some(Seat::First), "ring")));
    assert_eq!(won, ["b2", "b3", "c2", "c4", "d3", "d4"]);
}

#[test]
fn a_solid_group_of_stones_is_not_a_ring() {
    let (play, _) = after("c3 a1 b2 a4 b3 g1 c4 g4 d4 d1 d3 g2");
    assert_eq!(end(&*play), None);
}

#[test]
fn a_full_board_is_a_draw() {
    let line = "f2 b2 g3 e4 c3 b4 e3 e6 b5 f1 d1 g1 b3 c1 a2 c2 e2 g4 b1 d3 a1 f3 a3 c5 f5 c4 d6 e5 c6 a4 d7 d5 f4 e1 \
                d2 d4 g2";
    let (play, _) = after(line);
    assert_eq!(end(&*play), Some((None, "board full")));
}
