//! The rules of Yavalath.

use turnpost::rules::yavalath::Yavalath;
use turnpost::rules::{Game, Options, Play, Seat};

use crate::common::words;

/// Returns the board after these moves, and the winning cells of the last move.
fn after(line: &str) -> (Box<dyn Play>, Vec<String>) {
    let mut play = Yavalath.start(&Options::default()).unwrap();
    let played = line.split_whitespace().map(|text| play.play(text).unwrap()).last();
    let won = played.map(|played| played.effects.winning_cells).unwrap_or_default();
    (play, won.into_iter().map(|cell| cell.cell).collect())
}

fn end(play: &dyn Play) -> Option<(Option<Seat>, &'static str)> {
    play.outcome().map(|end| (end.winner, end.reason.as_str()))
}

#[test]
fn four_in_a_row_wins() {
    let (play, won) = after("e3 a1 e4 c6 e6 h3 e5");
    assert_eq!(
        (end(&*play), won),
        (
            Some((Some(Seat::First), "four in a row")),
            vec!["e3".to_owned(), "e4".to_owned(), "e5".to_owned(), "e6".to_owned()]
        )
    );
    assert_eq!(words(&play.achievement().unwrap()), "put 4 stones in a row");
}

#[test]
fn three_in_a_row_loses() {
    let (play, won) = after("e3 a1 e4 c6 e5");
    assert_eq!((end(&*play), won), (Some((Some(Seat::Second), "three in a row loses")), Vec::new()));
    assert_eq!(play.achievement(), None);
}

#[test]
fn four_in_a_row_wins_even_with_three_in_another_direction() {
    // e5 completes e3 to e6, and c5 to e5 on a diagonal line.
    let (play, won) = after("e3 a1 e4 a3 e6 b6 c5 h5 d5 i1 e5");
    assert_eq!((end(&*play), won.len()), (Some((Some(Seat::First), "four in a row")), 4));
}

#[test]
fn more_than_four_in_a_row_wins() {
    let (play, won) = after("e2 a1 e3 c6 e5 h3 e6 b3 e4");
    assert_eq!((end(&*play), won.len()), (Some((Some(Seat::First), "four in a row")), 5));
}

#[test]
fn the_player_who_swapped_loses_to_three_of_white() {
    let (play, _) = after("e3 swap a1 e4 b4 e5");
    assert_eq!(end(&*play), Some((Some(Seat::First), "three in a row loses")));
}

#[test]
fn a_full_board_is_a_draw() {
    let line = "b5 e2 f5 g2 b4 d7 c6 i4 a2 c2 f4 f1 d6 d3 i3 h2 e1 e8 b2 a4 c1 a5 c4 g7 d2 f7 c3 e5 h1 d1 b1 i1 e4 h3 a3 \
                g4 g1 e3 i2 e9 h4 b3 d8 c5 f8 b6 h6 f6 g3 e6 e7 h5 i5 d4 c7 f3 g6 g5 d5 a1 f2";
    let (play, _) = after(line);
    assert_eq!(end(&*play), Some((None, "board full")));
}
