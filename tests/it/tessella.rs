//! The rules of Tessella, one by one.

use turnpost::rules::tessella::{Position, Tessella};
use turnpost::rules::{Described, Game, Options, Play, Position as _, RefusalKind, Seat};

use crate::common::words;

fn board(clear: &[&str], dark: &[&str]) -> Box<dyn Play> {
    Tessella.start_at(Position::from_names(clear, dark, Seat::First).unwrap())
}

fn refused(play: &mut dyn Play, text: &str) -> (RefusalKind, String) {
    let refusal = play.play(text).unwrap_err();
    (refusal.kind, words(&refusal.whole_message()))
}

fn from<'a>(moves: &'a [String], space: &str) -> Vec<&'a str> {
    moves.iter().filter(|text| text.starts_with(space)).map(|text| &text[2..]).collect()
}

#[test]
fn octagons_step_in_eight_directions_and_squares_in_four() {
    let play = board(&["e5", "d4", "a5"], &["f8"]);
    let moves = play.legal_moves();
    // e5 cannot step to d4, which is occupied. The corner a5 has only three neighbours.
    assert_eq!(from(&moves, "e5"), ["-d6", "-e6", "-f6", "-d5", "-f5", "-e4", "-f4"]);
    assert_eq!(from(&moves, "a5"), ["-b6", "-b5", "-b4"]);
    let square = board(&["e4"], &["i5"]);
    assert_eq!(from(&square.legal_moves(), "e4"), ["-e5", "-d4", "-f4", "-e3"]);
}

#[test]
fn a_backed_piece_shoots_away_from_its_backer() {
    let mut play = board(&["a5", "c5"], &["g5", "h5", "e9"]);
    assert!(from(&play.legal_moves(), "a5").iter().all(|text| !text.contains('x')), "a5 has no backer");
    // A shot crosses empty spaces and captures the first piece in its way. The piece behind it remains.
    assert_eq!(play.play("c5xg5").unwrap().effects.captured, ["g5"]);
    assert!(words(&play.aim()).contains("Clear has captured 5, Dark 5."));
}

#[test]
fn an_enemy_between_removes_the_backing() {
    let mut play = board(&["a5", "c5"], &["b5", "g5"]);
    let (kind, message) = refused(play.as_mut(), "c5xg5");
    assert_eq!(kind, RefusalKind::Illegal);
    assert!(message.contains("No piece of your own backs c5"), "{message}");
}

#[test]
fn squares_capture_along_the_diagonal_of_squares() {
    let mut play = board(&["d5", "e6"], &["f7"]);
    assert_eq!(play.play("e6xf7").unwrap().effects.captured, ["f7"]);
}

#[test]
fn every_capture_can_be_picked_and_no_other_move() {
    let mut random = 1_u64;
    for _ in 0..50 {
        let mut position = Position::default();
        while position.outcome().is_none() {
            let captures = position.legal().map(|mv| position.text(mv)).filter(|text| text.contains('x'));
            let (mut captures, mut picked) = (captures.collect::<Vec<_>>(), Vec::new());
            for number in 0..captures.len() {
                let capture = position.pick_capture(|count| {
                    assert_eq!(count, captures.len());
                    number
                });
                picked.push(position.text(capture.unwrap()));
            }
            picked.sort();
            captures.sort();
            assert_eq!(picked, captures);
            assert!(!captures.is_empty() || position.pick_capture(|_| 0).is_none());
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            position.play_unchecked(position.pick(|count| (random >> 33) as usize % count).unwrap());
        }
    }
}

#[test]
fn four_captures_win() {
    let mut play =
        Tessella.start_at(Position::from_names(&["a5", "c5", "e1"], &["g5", "e9", "i5", "h6"], Seat::First).unwrap());
    play.play("c5xg5").unwrap();
    let outcome = play.outcome().unwrap();
    assert_eq!((outcome.winner, outcome.reason.as_str()), (Some(Seat::First), "captures"));
    assert_eq!(refused(play.as_mut(), "e9-d8").1, "The game has ended: Clear has won.");
}

#[test]
fn the_third_occurrence_of_the_start_is_a_draw() {
    let mut play = Tessella.start(&Options::default()).unwrap();
    let cycle = ["e1-e2", "e9-e8", "e2-e1", "e8-e9"];
    for text in cycle.iter().chain(&cycle[..3]) {
        play.play(text).unwrap();
        assert_eq!(play.outcome(), None);
    }
    play.play("e8-e9").unwrap();
    let outcome = play.outcome().unwrap();
    assert_eq!((outcome.winner, outcome.reason.as_str(), play.to_move()), (None, "repetition", None));
}

#[test]
fn refusals_contain_the_reason() {
    let mut play = Tessella.start(&Options::default()).unwrap();
    let mut said = |text: &str, kind: RefusalKind, part: &str| {
        let (found, message) = refused(play.as_mut(), text);
        assert_eq!(found, kind, "{text}: {message}");
        assert!(message.contains(part), "{text}: {message}");
    };
    said("e1", RefusalKind::NotAMove, "two spaces, from and to: e1-e2");
    said("", RefusalKind::NotAMove, "a step such as e1-e2");
    said("e1-", RefusalKind::NotAMove, "a step such as e1-e2");
    said("swap", RefusalKind::NotAMove, "This game has no swap.");
    said("a4-a5", RefusalKind::NotAMove, "column a has a5 only");
    said("c2-c3", RefusalKind::NotAMove, "column c has c3 to c7. Did you mean c3?");
    said("e1-j1", RefusalKind::NotAMove, "a letter a to i");
    said("é-e1", RefusalKind::NotAMove, "no such space");
    said("e5-e6", RefusalKind::Illegal, "no piece on e5");
    said("e9-e8", RefusalKind::Illegal, "is Dark's, not yours");
    said("e1-d2", RefusalKind::Illegal, "Your own piece is on d2");
    said("e1-e9", RefusalKind::Illegal, "write a capture as e1xe9");
    said("e1xe2", RefusalKind::Illegal, "write a step as e1-e2");
    said("e1-e3", RefusalKind::Illegal, "share no edge");
    said("e1xc7", RefusalKind::Illegal, "not in one line");
    said("e1xe9", RefusalKind::Illegal, "No piece of your own backs e1");
    assert_eq!(play.boxed_clone().play("e1e2").unwrap().text, "e1-e2");
    assert_eq!(play.play(" E1-E2 ").unwrap().text, "e1-e2");
    play.play("e9-e8").unwrap();
    let (_, message) = refused(play.as_mut(), "e2-d3");
    assert!(message.contains("directly left"), "{message}");
}
