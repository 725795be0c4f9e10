//! The rules of Breakthrough.

use turnpost::rules::breakthrough::{Breakthrough, Position};
use turnpost::rules::kit::Colour;
use turnpost::rules::{Game, GameState, Options, Play, RefusalKind, Seat};

use crate::common::stepping::{end, play, refusal, won_by};

fn start() -> Box<dyn Play> {
    Breakthrough.start(&Options::default()).unwrap()
}

#[test]
fn a_piece_on_the_last_row_wins() {
    let mut game = start();
    play(&mut *game, "c2-c3 f7-f6 c3-c4 f6-f5 c4-c5 f5-f4 c5-c6 f4-e3 c6xb7 e3xd2");
    assert_eq!(won_by(&mut *game, "b7xa8"), ["a8"]);
    assert_eq!(end(&*game), Some((Some(Seat::First), "last row")));
    assert_eq!(crate::common::words(&game.achievement().unwrap()), "reached the last row");
}

#[test]
fn a_player_without_pieces_loses() {
    let mut game = GameState::new(Position::set_up(["c4", "h2 d3"], Colour::White));
    assert_eq!(won_by(&mut game, "d3xc4"), Vec::<String>::new());
    assert_eq!(end(&game), Some((Some(Seat::First), "all captured")));
    assert_eq!(crate::common::words(&game.achievement().unwrap()), "captured all enemy pieces");
}

#[test]
fn a_game_has_no_draws() {
    assert!(!Breakthrough.has_draws());
}

#[test]
fn a_move_without_its_separator_is_understood() {
    let mut game = start();
    play(&mut *game, "d2,d3 e7,e6 d3,d4 e6,e5");
    assert_eq!(game.play("d4,e5").unwrap().text, "d4xe5");
}

#[test]
fn bad_moves_are_explained() {
    let mut game = start();
    play(&mut *game, "d2-d3 d7-d6 d3-d4 d6-d5 e2-e3 e7-e6");
    for (text, why) in [
        ("d4-d5", "Black's piece blocks the way to d5. A piece captures only diagonally."),
        ("d4xd5", "Black's piece blocks the way to d5. A piece captures only diagonally."),
        ("e3-e2", "e3-e2 is not possible: a piece moves one square forward, straight or diagonally."),
        ("e3-e5", "e3-e5 is not possible: a piece moves one square forward, straight or diagonally."),
        ("d4xe5", "There is nothing to capture on e5. A move is written d4-e5."),
        ("e3-d4", "Your own piece is on d4."),
        ("e5-e6", "There is no piece on e5."),
        ("e6-e5", "The piece on e6 is Black's, not yours."),
    ] {
        assert_eq!(refusal(&mut *game, text), (RefusalKind::Illegal, why.to_owned()), "{text}");
    }
    play(&mut *game, "a2-a3 d5-c4 a3-a4 c4-b3");
    let why = "Black has a piece on b3. A capture is written c2xb3.";
    assert_eq!(refusal(&mut *game, "c2-b3"), (RefusalKind::Illegal, why.to_owned()));
    let example = "A move names two squares: where the piece is and where it moves. For example, d2-d3.";
    assert_eq!(refusal(&mut *game, "d4"), (RefusalKind::NotAMove, example.to_owned()));
    let rows = "There is no such cell: the columns are a to h from the left, the rows 1 to 8 from the bottom.";
    assert_eq!(refusal(&mut *game, "d4-d9"), (RefusalKind::NotAMove, rows.to_owned()));
}
