//! The rules of TwixT.

use turnpost::draw::ascii::Style;
use turnpost::rules::twixt::TwixT;
use turnpost::rules::{Game, Options, Play, RefusalKind, Seat};

use crate::common::stepping::{end, play, refusal, won_by};
use crate::common::{characters, words};

fn start(size: u16) -> Box<dyn Play> {
    TwixT.start(&Options::from_canonical(&format!("-size={size}"))).unwrap()
}

/// Returns the links of a board by their ends.
fn links(game: &dyn Play) -> Vec<String> {
    let scene = game.scene();
    let name = |at: usize| scene.cells[at].name.as_str();
    let mut links: Vec<String> =
        scene.bonds.iter().map(|ends| ends.map(name)).map(|[from, to]| format!("{from}-{to}")).collect();
    links.sort();
    links
}

#[test]
fn a_chain_of_links_between_own_sides_wins() {
    let mut game = start(12);
    play(&mut *game, "f2 b2 g4 b4 f6 b6 g8 b8 f10 b10 e12 c3");
    assert_eq!((end(&*game), game.legal_count()), (None, 120 - 12), "the chain does not reach row 1 yet");
    assert_eq!(won_by(&mut *game, "h1"), ["h1", "f2", "g4", "f6", "g8", "f10", "e12"]);
    assert_eq!(end(&*game), Some((Some(Seat::First), "chain")));
    assert_eq!(words(&game.achievement().unwrap()), "joined the top and the bottom side");
}

#[test]
fn a_link_does_not_cross_an_enemy_link() {
    let mut game = start(12);
    play(&mut *game, "f5 g5 g7 f7");
    assert_eq!(links(&*game), ["f5-g7"], "f7 and g5 are a knight's move apart, but White's link is between them");
}

#[test]
fn own_links_may_cross() {
    let mut game = start(12);
    play(&mut *game, "f5 b2 g7 b6 g5 b10 f7");
    assert_eq!(links(&*game), ["f5-g7", "f7-g5"]);
}

#[test]
fn a_peg_is_linked_to_every_own_peg_a_knights_move_away() {
    let mut game = start(12);
    play(&mut *game, "f4 k2 f8 k4 d5 k8 h7 k10 g6");
    assert_eq!(links(&*game), ["d5-f4", "f4-g6", "f8-g6", "f8-h7"]);
}

#[test]
fn the_player_who_swaps_plays_white() {
    let mut game = start(12);
    play(&mut *game, "f5 swap");
    assert_eq!((game.to_move(), words(&game.side(Seat::First))), (Some(Seat::First), "Black".to_owned()));
    play(&mut *game, "a5");
}

#[test]
fn columns_have_two_letters_after_z() {
    let mut game = start(30);
    play(&mut *game, "ac15 AD16");
    assert_eq!(game.pieces(), [("ac15".to_owned(), "w".to_owned()), ("ad16".to_owned(), "b".to_owned())]);
}

#[test]
fn columns_with_two_letters_are_labelled_vertically_in_plain_text() {
    let text = characters(&start(30).scene(), Style::Plain);
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let letters = "a b c d e f g h i j k l m n o p q r s t u v w x y z a b c d";
    assert_eq!((lines[0], lines[1], lines[2].starts_with("1 ")), ("a a a a", letters, true), "{text}");
    assert_eq!(lines[lines.len() - 2..], [letters.replace("z a b c d", "z a a a a").as_str(), "a b c d"], "{text}");
}

/// Plays random games until one ends without a winning chain.
#[test]
fn a_board_without_a_hole_for_the_player_to_move_is_a_draw() {
    let drawn = (0..2_000u64).find_map(|seed| {
        let (mut game, mut random) = (start(12), seed * 2 + 1);
        while game.outcome().is_none() {
            let moves = game.legal_moves();
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            game.play(&moves[(random >> 33) as usize % moves.len()]).unwrap();
        }
        game.outcome().filter(|outcome| outcome.winner.is_none())
    });
    assert_eq!(drawn.map(|outcome| outcome.reason.as_str()), Some("no hole"));
}

#[test]
fn bad_moves_are_explained() {
    let mut game = start(12);
    for (text, why) in [
        ("swap", "Only Black may swap, and only on their first turn."),
        ("a5", "a5 is on Black's side of the board, where you may not place pegs."),
    ] {
        assert_eq!(refusal(&mut *game, text), (RefusalKind::Illegal, why.to_owned()), "{text}");
    }
    for (text, why) in [
        ("a1", "The corners of the board have no holes."),
        ("l12", "The corners of the board have no holes."),
        ("m5", "There is no such cell: the columns are a to l from the left, the rows 1 to 12 from the top."),
        ("f5-g7", "A move is one hole, for example f6, or swap on Black's first turn."),
    ] {
        assert_eq!(refusal(&mut *game, text), (RefusalKind::NotAMove, why.to_owned()), "{text}");
    }
    play(&mut *game, "f5");
    let why = "f1 is on White's side of the board, where you may not place pegs.";
    assert_eq!(refusal(&mut *game, "f1"), (RefusalKind::Illegal, why.to_owned()));
    assert_eq!(refusal(&mut *game, "f5").1, "Hole f5 is already taken by White.");
}
