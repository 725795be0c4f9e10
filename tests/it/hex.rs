//! The rules of Hex.

use turnpost::rules::hex::Hex;
use turnpost::rules::{Game, Options, Play, RefusalKind, Seat};

use crate::common::words;

fn after(options: &str, line: &str) -> Box<dyn Play> {
    let mut play = Hex.start(&Options::from_canonical(options)).unwrap();
    line.split(' ').filter(|text| !text.is_empty()).for_each(|text| drop(play.play(text).unwrap()));
    play
}

fn refused(play: &mut dyn Play, text: &str) -> (RefusalKind, String) {
    let refusal = play.play(text).unwrap_err();
    (refusal.kind, words(&refusal.whole_message()))
}

#[test]
fn black_joins_top_and_bottom_and_the_shortest_chain_is_marked() {
    let mut play = after("-size=5", "c1 a3 c2 b3 c4 d4 c5 e3 d1 e1");
    let played = play.play("c3").unwrap();
    let outcome = play.outcome().unwrap();
    assert_eq!((outcome.winner, outcome.reason.as_str()), (Some(Seat::First), "chain"));
    let won: Vec<&str> = played.effects.winning_cells.iter().map(|cell| cell.cell.as_str()).collect();
    assert_eq!(won, ["c1", "c2", "c3", "c4", "c5"]);
    assert_eq!(words(&play.achievement().unwrap()), "joined the top and the bottom side");
}

#[test]
fn a_chain_between_the_wrong_sides_does_not_win() {
    let play = after("-size=5", "a3 a1 b3 b1 c3 c1 d3 d1 e3");
    assert_eq!(play.outcome(), None);
    let play = after("-size=5", "a3 a1 b3 b1 c3 c1 d3 d1 e3 e1");
    assert_eq!(words(&play.achievement().unwrap()), "joined the left and the right side");
}

#[test]
fn stones_touch_along_only_one_diagonal() {
    // Stones touch along the diagonal that rises to the right, not along the one that falls.
    assert!(after("-size=5", "e1 a1 d2 b1 c3 a2 b4 b2 a5").outcome().is_some());
    assert!(after("-size=5", "a1 b1 b2 c1 c3 d1 d4 a2 e5").outcome().is_none());
}

#[test]
fn swap_exchanges_the_colours_and_not_the_stone() {
    let mut play = after("-size=5", "c3");
    assert_eq!(play.legal_moves().last().unwrap(), "swap");
    assert!(words(&play.aim()).ends_with("the players then exchange colours, and the stone stays."));
    let played = play.play("SWAP").unwrap();
    assert_eq!(played.effects.swapped, Some(['w', 'b']));
    assert_eq!((play.to_move(), play.mark(Seat::First)), (Some(Seat::First), 'w'));
    assert_eq!(play.pieces(), [("c3".to_owned(), "b".to_owned())]);
    assert_eq!(refused(play.as_mut(), "swap").1, "Only White may swap, and only on their first turn.");
    for text in ["a1", "c2", "a2", "c4", "a3", "c5", "a4", "c1"] {
        play.play(text).unwrap();
    }
    assert_eq!(play.outcome().unwrap().winner, Some(Seat::Second), "the player who swapped has Black");
}

#[test]
fn sizes_are_five_to_nineteen() {
    for size in 5..=19_usize {
        assert_eq!(after(&format!("-size={size}"), "").legal_count(), size * size);
    }
    for wrong in ["-size=4", "-size=20", "-size=09", "-size", "-length=9"] {
        let refusal = Hex.start(&Options::from_canonical(wrong)).err().unwrap();
        assert_eq!(refusal.kind, RefusalKind::Options, "{wrong}");
    }
}

#[test]
fn refusals_contain_the_reason() {
    let mut play = after("", "F6");
    let mut said = |text: &str, kind: RefusalKind, part: &str| {
        let (found, message) = refused(play.as_mut(), text);
        assert_eq!(found, kind, "{text}: {message}");
        assert!(message.contains(part), "{text}: {message}");
    };
    said("f6", RefusalKind::Illegal, "Cell f6 is already taken by Black.");
    said("h12", RefusalKind::NotAMove, "the rows 1 to 11 from the top. Did you mean h11?");
    said("8h", RefusalKind::NotAMove, "Did you mean h8?");
    said("l3", RefusalKind::NotAMove, "the columns are a to k");
    said("swop", RefusalKind::NotAMove, "Did you mean swap?");
    said("", RefusalKind::NotAMove, "A move is one cell, a1 to k11, or swap on White's first turn.");
}
