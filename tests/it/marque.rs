//! The rules of Marque, one by one.

use turnpost::rules::marque::{self, Formation, Marque, Stones};
use turnpost::rules::{Described, Game, Options, Play, RefusalKind, Seat};

use crate::common::words;

fn board(white: &[&str], black: &[&str], to_move: Seat) -> Box<dyn Play> {
    Marque.start_at(Stones::from_names(white, black).unwrap(), to_move, &Options::default()).unwrap()
}

fn refused(play: &mut dyn Play, text: &str) -> (RefusalKind, String) {
    let refusal = play.play(text).unwrap_err();
    (refusal.kind, words(&refusal.whole_message()))
}

/// Returns a position with two kos: White has just captured at b1, and Black at a2. Each capture can be answered by a
/// recapture.
fn two_kos() -> Box<dyn Play> {
    board(&["b1", "b2", "b3"], &["a2", "c1", "c3", "d1", "d4"], Seat::Second)
}

#[test]
fn a_group_without_a_freedom_is_captured() {
    let mut play = board(&["a1"], &["b1"], Seat::Second);
    assert_eq!(play.play("b2").unwrap().effects.captured, ["a1"]);
    assert!(!play.pieces().iter().any(|(cell, _)| cell == "a1"));
}

#[test]
fn suicide_is_refused() {
    let mut play = board(&[], &["b1", "b2"], Seat::First);
    let (kind, message) = refused(play.as_mut(), "a1");
    assert_eq!(kind, RefusalKind::Illegal);
    assert!(message.contains("freedom"), "{message}");
}

#[test]
fn only_own_stones_surround_a_cell() {
    let stones = Stones::from_names(&["b1", "b2"], &["b4"]).unwrap();
    let is_surrounded = |text: &str, to_move: Seat| {
        let position = marque::Position::new(Formation::default(), stones, to_move);
        position.is_surrounded(position.parse(text).unwrap())
    };
    assert!(is_surrounded("a1", Seat::First) && !is_surrounded("a1", Seat::Second));
    assert!(["a2", "c1", "f3", "f3,f4"].iter().all(|text| !is_surrounded(text, Seat::First)));
}

#[test]
fn captures_precede_the_check_of_freedom() {
    let mut play = board(&["b2"], &["a1", "c1", "d1"], Seat::First);
    assert_eq!(play.play("b1").unwrap().effects.captured, ["a1"]);
}

#[test]
fn a_repeated_move_is_refused_but_a_pair_around_it_is_allowed() {
    let mut play = two_kos();
    assert_eq!(play.play("a1").unwrap().effects.captured, ["b1"]);
    assert_eq!(play.play("b1").unwrap().effects.captured, ["a1"]);
    let (kind, message) = refused(play.as_mut(), "A1");
    assert_eq!(kind, RefusalKind::Illegal);
    assert!(message.contains("last turn"), "{message}");
    assert!(!play.legal_moves().contains(&"a1".to_owned()));
}

#[test]
fn the_third_repetition_is_a_draw() {
    let mut play = two_kos();
    // These four moves lead back to the first position. The position after a1 equals that after a2, so each cycle
    // repeats it twice.
    for text in ["a1", "b4", "a2", "b1"] {
        play.play(text).unwrap();
        assert_eq!(play.outcome(), None, "{text}");
    }
    play.play("a1").unwrap();
    let outcome = play.outcome().unwrap();
    assert_eq!((outcome.winner, outcome.reason.as_str(), play.to_move()), (None, "repetition", None));
    assert_eq!(refused(play.as_mut(), "u1"), (RefusalKind::GameOver, "The game has ended in a draw.".to_owned()));
}

/// Returns the cells of White's stones, which fill the right half of the board, and of Black's, which fill the left
/// half. Four cells are empty. Neither player may occupy an empty cell in the other's half.
fn walls() -> (Vec<String>, Vec<String>) {
    let scene = Marque.start(&Options::default()).unwrap().scene();
    let holes = ["k1", "c3", "k10", "s3"];
    let cells = scene.cells.iter().filter(|cell| !holes.contains(&cell.name.as_str()));
    let (left, right): (Vec<_>, Vec<_>) = cells.partition(|cell| cell.spot.0 < 30);
    let names = |cells: Vec<&turnpost::rules::scene::Cell>| cells.iter().map(|cell| cell.name.clone()).collect();
    (names(right), names(left))
}

fn refs(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

#[test]
fn a_player_without_a_move_is_passed_over() {
    let (white, black) = walls();
    let mut play = board(&refs(&white), &refs(&black), Seat::First);
    let played = play.play("c3").unwrap();
    assert!(played.effects.passed_over);
    assert_eq!((play.to_move(), play.outcome()), (Some(Seat::First), None));
    // The turn after a pass is a normal one: the player may repeat their last move, and capture.
    assert!(play.legal_moves().contains(&"k1".to_owned()));
}

#[test]
fn a_position_without_moves_for_both_is_a_draw() {
    // This full board cannot occur in a game, because each group there has a freedom, but it is the simplest position
    // without moves.
    let (mut white, black) = walls();
    white.extend(["k1", "c3", "k10", "s3"].map(str::to_owned));
    let play = board(&refs(&white), &refs(&black), Seat::First);
    let outcome = play.outcome().unwrap();
    assert_eq!((outcome.winner, outcome.reason.as_str(), play.legal_count()), (None, "no moves", 0));
}

#[test]
fn only_one_chain_through_all_its_bases_wins() {
    // The square h2 touches both f1, a cell of base A, and j2, a cell of base C.
    let mut play = Marque
        .start_at(
            Stones::from_names(&["d1", "e2", "f1", "j1", "j2"], &[]).unwrap(),
            Seat::First,
            &Options::from_canonical("-any_2"),
        )
        .unwrap();
    play.play("k2").unwrap();
    assert_eq!(play.outcome(), None, "two separate chains do not win");
    play.play("u1").unwrap();
    play.play("h2").unwrap();
    let outcome = play.outcome().unwrap();
    assert_eq!((outcome.winner, outcome.reason.as_str()), (Some(Seat::First), "formation"));
}

#[test]
fn two_formations_contradict_each_other() {
    let refusal = Marque.start(&Options::from_canonical("-any_2 -y")).err().unwrap();
    assert_eq!(refusal.kind, RefusalKind::Options);
}

#[test]
fn refusals_contain_the_reason() {
    let mut play = Marque.start(&Options::default()).unwrap();
    let mut said = |text: &str, kind: RefusalKind, part: &str| {
        let (found, message) = refused(play.as_mut(), text);
        assert_eq!(found, kind, "{text}: {message}");
        assert!(message.contains(part), "{text}: {message}");
    };
    said("b1", RefusalKind::Illegal, "first move");
    said("f3,f4", RefusalKind::Illegal, "first move");
    said("f9", RefusalKind::NotAMove, "row f has f1 to f4. Did you mean f4?");
    said("3f", RefusalKind::NotAMove, "Did you mean f3?");
    said("", RefusalKind::NotAMove, "no such cell");
    said("f1,f2,f3", RefusalKind::NotAMove, "one cell");
    said("é1", RefusalKind::NotAMove, "no such cell");
    assert_eq!(play.play("F3").unwrap().text, "f3");
    let mut said = |text: &str, part: &str| {
        let (found, message) = refused(play.as_mut(), text);
        assert_eq!(found, RefusalKind::Illegal, "{text}: {message}");
        assert!(message.contains(part), "{text}: {message}");
    };
    said("f3", "already taken by White");
    said("f4,f3", "already taken by White");
    said("f1,f1", "named twice");
    said("f1,e1", "is a square");
    said("f1,d2", "share no edge");
    assert_eq!(play.play("F2 , f1").unwrap().text, "f1,f2");
}
