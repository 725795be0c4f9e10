//! The rules of Gonnect.

use turnpost::rules::gonnect::{Gonnect, Position};
use turnpost::rules::{Game, GameState, Options, Play, Position as _, RefusalKind, Seat};

use crate::common::words;

fn after(options: &str, line: &str) -> Box<dyn Play> {
    let mut play = Gonnect.start(&Options::from_canonical(options)).unwrap();
    line.split_whitespace().for_each(|text| drop(play.play(text).unwrap()));
    play
}

fn refused(play: &mut dyn Play, text: &str) -> (RefusalKind, String) {
    let refusal = play.play(text).unwrap_err();
    (refusal.kind, words(&refusal.whole_message()))
}

fn end(play: &dyn Play) -> Option<(Option<Seat>, &'static str)> {
    play.outcome().map(|end| (end.winner, end.reason.as_str()))
}

/// A game in which the last move, a black stone on e4, captures d4.
const KO: &str = "c4 f4 d5 e5 d3 e3 g7 d4 e4";

#[test]
fn stones_without_a_freedom_are_captured() {
    let mut play = after("-size=7", "b2 b1 c1 a1 e5 f6");
    let played = play.play("a2").unwrap();
    assert_eq!(played.effects.captured, ["a1", "b1"]);
    assert!(!play.pieces().iter().any(|(cell, _)| cell == "a1"));
}

#[test]
fn a_stone_without_a_freedom_is_refused_unless_it_captures() {
    let mut play = after("-size=7", "a2 e5 b1");
    let said = "A stone on a1 would have no freedom and capture nothing.";
    assert_eq!(refused(play.as_mut(), "a1"), (RefusalKind::Illegal, said.to_owned()));
    // White surrounds a2, so a stone on a1 captures it.
    let mut play = after("-size=7", "a2 a3 b1 b2 g7");
    assert_eq!(play.play("a1").unwrap().effects.captured, ["a2"]);
}

#[test]
fn a_stone_that_has_just_captured_one_stone_cannot_be_recaptured_immediately() {
    let mut play = after("-size=7", KO);
    let said = "A stone on d4 would only recapture the stone that has just captured one there. Move elsewhere first.";
    assert_eq!(refused(play.as_mut(), "d4"), (RefusalKind::Illegal, said.to_owned()));
    for text in ["g1", "g2"] {
        play.play(text).unwrap();
    }
    assert_eq!(play.play("d4").unwrap().effects.captured, ["e4"]);
}

#[test]
fn a_position_that_occurs_for_the_third_time_is_a_draw() {
    let start = "c3 f3 d4 e4 d2 e2 c7 f7 d8 e8 d6 e6 c11 f11 d12 e12 d10 e10 e7 d11 e3";
    let cycle = "d7 e11 d3 e7 d11 e3";
    assert_eq!(end(after("", &format!("{start} {cycle}")).as_ref()), None);
    let play = after("", &format!("{start} {cycle} {cycle}"));
    assert_eq!(end(play.as_ref()), Some((None, "repetition")));
}

#[test]
fn either_pair_of_sides_wins() {
    let upright = after("-size=7", "d1 e1 d2 e2 d3 e3 d4 e4 d5 e5 d6 e6 d7");
    assert_eq!(end(upright.as_ref()), Some((Some(Seat::First), "chain")));
    assert_eq!(words(&upright.achievement().unwrap()), "joined the top and the bottom side");
    let level = after("-size=7", "a4 a5 b4 b5 c4 c5 d4 d5 e4 e5 f4 f5 g4");
    assert_eq!(end(level.as_ref()), Some((Some(Seat::First), "chain")));
    assert_eq!(words(&level.achievement().unwrap()), "joined the left and the right side");
}

#[test]
fn a_player_without_a_move_loses() {
    let mut random = 1_u64;
    let stuck = (0..2_000).find_map(|_| {
        let mut game = GameState::new(Position::new(7));
        while game.outcome().is_none() {
            let mv = game.position().pick(|count| {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (random >> 33) as usize % count
            });
            game.play_unchecked(mv.unwrap());
        }
        game.outcome().filter(|end| end.reason.as_str() == "no moves").map(|_| game)
    });
    let stuck = stuck.expect("a random game ends without legal moves");
    assert_eq!(stuck.position().legal_count(), 0);
    assert_eq!(stuck.outcome().unwrap().winner, Some(stuck.position().to_move().other()));
}

#[test]
fn sizes_are_seven_to_nineteen() {
    for size in 7..=19_usize {
        assert_eq!(after(&format!("-size={size}"), "").legal_count(), size * size);
    }
    let refusal = Gonnect.start(&Options::from_canonical("-size=6")).err().unwrap();
    assert_eq!(words(&refusal.message), "A board of this game has 7 to 19 cells a side. For example: -size=13.");
}
