//! The rules of Y.

use turnpost::rules::y::Y;
use turnpost::rules::{Game, Options, Play, RefusalKind, Seat};

use crate::common::words;

fn after(options: &str, line: &str) -> Box<dyn Play> {
    let mut play = Y.start(&Options::from_canonical(options)).unwrap();
    line.split_whitespace().for_each(|text| drop(play.play(text).unwrap()));
    play
}

#[test]
fn a_chain_that_touches_three_sides_wins_and_its_shortest_part_is_marked() {
    let mut play = after("-size=5", "c2 d2 d3 e3 e4 b1 c1 b2 a1 e1");
    assert_eq!(play.outcome(), None, "a chain that touches two sides does not win");
    let won = play.play("c3").unwrap().effects.winning_cells;
    let cells: Vec<&str> = won.iter().map(|cell| cell.cell.as_str()).collect();
    assert_eq!(cells, ["c1", "c2", "c3", "d3", "e4"], "a1 is not part of the shortest chain");
    assert_eq!(play.outcome().map(|end| (end.winner, end.reason.as_str())), Some((Some(Seat::First), "chain")));
    assert_eq!(words(&play.achievement().unwrap()), "joined all three sides");
}

#[test]
fn a_corner_belongs_to_two_sides() {
    // This chain along the left side touches all three sides, because its ends are corners.
    let play = after("-size=5", "a1 c3 b1 d3 c1 e3 d1 d4 e1");
    assert_eq!(play.outcome().unwrap().winner, Some(Seat::First));
}

#[test]
fn refusals_contain_the_reason() {
    let mut play = after("-size=5", "c2");
    let mut said = |text: &str, part: &str| {
        let refusal = play.play(text).unwrap_err();
        assert!(words(&refusal.whole_message()).contains(part), "{text}: {}", words(&refusal.whole_message()));
        refusal.kind
    };
    assert_eq!(said("c2", "Cell c2 is already taken by Black."), RefusalKind::Illegal);
    assert_eq!(said("a2", "Row a has only the cell a1. Did you mean a1?"), RefusalKind::NotAMove);
    assert_eq!(said("b3", "Row b has the cells 1 to 2. Did you mean b2?"), RefusalKind::NotAMove);
    assert_eq!(said("f1", "the rows are a to e from the top."), RefusalKind::NotAMove);
    assert_eq!(said("hello", "A move is one cell, a1 to e5, or swap on White's first turn."), RefusalKind::NotAMove);
}
