//! The rules of Lines of Action.

use turnpost::rules::kit::Colour;
use turnpost::rules::loa::{LinesOfAction, Position};
use turnpost::rules::{Game, GameState, Options, Play, RefusalKind, Seat};

use crate::common::stepping::{end, play, refusal, won_by};
use crate::common::words;

fn start() -> Box<dyn Play> {
    LinesOfAction.start(&Options::default()).unwrap()
}

fn set_up(black: &str, white: &str, turn: Colour) -> GameState<Position> {
    GameState::new(Position::set_up([black, white], turn))
}

#[test]
fn one_group_wins() {
    let mut game = set_up("a1 d2", "b6 h7 h8", Colour::Black);
    assert_eq!(won_by(&mut game, "d2-c1"), Vec::<String>::new());
    play(&mut game, "b6-c7");
    assert_eq!(won_by(&mut game, "c1-b2"), ["b2", "a1"]);
    assert_eq!(end(&game), Some((Some(Seat::First), "one group")));
}

#[test]
fn one_group_of_each_side_is_a_draw() {
    let mut game = set_up("a1 d2", "b2 h7 h8", Colour::Black);
    play(&mut game, "d2xb2");
    assert_eq!(end(&game), Some((None, "both in one group")));
}

#[test]
fn a_player_who_captures_all_but_one_piece_loses() {
    let mut game = set_up("a1 d2 h5", "b2 h8", Colour::Black);
    assert_eq!(won_by(&mut game, "d2xb2"), ["h8"]);
    assert_eq!(end(&game), Some((Some(Seat::Second), "one group")));
    assert_eq!(words(&game.achievement().unwrap()), "connected all pieces in one group");
}

#[test]
fn a_third_repetition_is_a_draw() {
    let mut game = start();
    play(&mut *game, "b1-b3 a2-c2 b3-b1 c2-a2 b1-b3 a2-c2 b3-b1");
    assert_eq!(end(&*game), None);
    play(&mut *game, "c2-a2");
    assert_eq!(end(&*game), Some((None, "repetition")));
}

#[test]
fn own_pieces_can_be_jumped() {
    let mut game = set_up("a1 b1 h8", "h5 a8", Colour::Black);
    assert!(game.play("a1-c1").is_ok());
}

#[test]
fn bad_moves_are_explained() {
    let mut game = set_up("a1 b4 h8", "b1 c1 d8 h3", Colour::Black);
    for (text, why) in [
        ("a1-a3", "1 piece is on this line, so a piece moves exactly 1 square along it. a1 to a3 is 2 squares."),
        ("a1-e1", "3 pieces are on this line, so a piece moves exactly 3 squares along it. a1 to e1 is 4 squares."),
        ("a1-d1", "White's piece on b1 is in the way. A piece jumps only over pieces of its own side."),
        ("a1-b3", "a1 and b3 are not in one row, column or diagonal."),
        ("b4-d1", "b4 and d1 are not in one row, column or diagonal."),
        ("h8-d8", "2 pieces are on this line, so a piece moves exactly 2 squares along it. h8 to d8 is 4 squares."),
    ] {
        assert_eq!(refusal(&mut game, text).1, why, "{text}");
    }
    let mut game = start();
    let why = "There is nothing to capture on c3. A move is written c1-c3.";
    assert_eq!(refusal(&mut *game, "c1xc3"), (RefusalKind::Illegal, why.to_owned()));
    let parts = "A move names two squares: where the piece is and where it moves. For example, c1-c3.";
    for text in ["c1", "c1-", "c1x", "-c3", "c1c3x", "c1--c3"] {
        let refusal = game.play(text).unwrap_err();
        assert_eq!((refusal.word.as_str(), words(&refusal.message).as_str()), (text, parts));
    }
}

#[test]
fn squares_may_be_written_together() {
    let mut game = start();
    for (text, played) in [("c1c3", "c1-c3"), ("A5C5", "a5-c5"), ("e8 e6", "e8-e6"), ("h3e6", "h3xe6")] {
        assert_eq!(game.play(&text.replace(' ', ",")).unwrap().text, played);
    }
}
