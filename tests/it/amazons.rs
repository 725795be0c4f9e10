//! The rules of Amazons.

use turnpost::rules::amazons::{Amazons, Position};
use turnpost::rules::kit::Colour;
use turnpost::rules::{Game, GameState, Options, Play, RefusalKind, Seat};

use crate::common::stepping::{end, play, refusal};
use crate::common::words;

fn start() -> Box<dyn Play> {
    Amazons.start(&Options::default()).unwrap()
}

#[test]
fn a_player_without_a_move_loses() {
    let mut game = GameState::new(Position::set_up(["a1", "a2 b1 c4"], Colour::White));
    play(&mut game, "c4-c3/b2");
    assert_eq!((end(&game), game.legal_count()), (Some((Some(Seat::First), "no moves")), 0));
    assert!(!Amazons.has_draws());
}

#[test]
fn an_arrow_may_land_on_the_square_that_the_piece_has_left() {
    let mut game = start();
    play(&mut *game, "d1-d7/d1");
    assert!(game.pieces().contains(&("d1".to_owned(), "#".to_owned())), "{:?}", game.pieces());
    let blocked = (RefusalKind::Illegal, "The arrow on d1 is in the way.".to_owned());
    play(&mut *game, "d10-d9/d8");
    assert_eq!(refusal(&mut *game, "g1-c1/c2"), blocked);
}

#[test]
fn three_squares_are_understood_without_separators() {
    for text in ["D1,D7,G7", "d1d7g7", "d1-d7g7"] {
        assert_eq!(start().play(text).unwrap().text, "d1-d7/g7", "{text}");
    }
}

#[test]
fn bad_moves_are_explained() {
    let mut game = start();
    for (text, why) in [
        ("d1-e3/e4", "d1 and e3 are not in one row, column or diagonal."),
        ("d1-h1/h2", "White's piece on g1 is in the way."),
        ("d1-g1/h2", "Your own piece is on g1."),
        ("d1-d7/g8", "The arrow cannot go there. d7 and g8 are not in one row, column or diagonal."),
        ("d1-d7/d10", "An arrow needs an empty square, and Black has a piece on d10."),
        ("d1-d7/j7", "An arrow needs an empty square, and Black has a piece on j7."),
        ("d1-d4/a4", "An arrow needs an empty square, and White has a piece on a4."),
        ("d1-d10/g7", "Black's piece on d10 is in the way."),
        ("e1-e2/e3", "There is no piece on e1."),
        ("a7-b7/c7", "The piece on a7 is Black's, not yours."),
    ] {
        assert_eq!(refusal(&mut *game, text), (RefusalKind::Illegal, why.to_owned()), "{text}");
    }
    let parts = "A move names three squares: where the piece is, where it moves and where its arrow lands. \
                 For example, d1-d7/g7.";
    for text in ["d1-d7", "d1-d7/", "d1-/g7", "d1d7"] {
        assert_eq!(refusal(&mut *game, text), (RefusalKind::NotAMove, parts.to_owned()), "{text}");
    }
    for text in ["d1xd7/g7", "D1xD7/G7", "d1-d7xg7"] {
        let refusal = game.play(text).unwrap_err();
        let why = "Amazons has no captures. Did you mean d1-d7/g7?";
        assert_eq!((refusal.word.as_str(), words(&refusal.whole_message()).as_str()), (text, why));
    }
}
