//! Replies to letters that show a puzzle.

use crate::common::database::sql;
use crate::common::{done, joined, reply, to};
use crate::puzzles::with_finished_board;

const ALICE: &str = "alice@example.org";

/// Replies to a letter that shows alice the puzzle, whose solution is b2. Returns the answer as one line.
fn answer(text: &str) -> String {
    let mut server = with_finished_board();
    server.letters();
    let letters = server.mail(ALICE, "puzzle brique", "");
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), text);
    joined(to(&letters, ALICE).text())
}

#[test]
fn a_move_among_other_words_answers_a_puzzle() {
    for said in ["I play b2", "Hi,\n\nb2\n\nThanks, Alice\n", "The answer is b2.", "1. b2", "A nice one!\nb2\n"] {
        let answer = answer(said);
        assert!(answer.contains("b2 is right"), "{said}: {answer}");
    }
    let told = answer("Too hard for me!\nSolution\n");
    assert!(told.contains("wins with b2."), "{told}");
}

#[test]
fn a_reply_without_an_answer_to_a_puzzle_explains_how_to_answer() {
    for said in ["I wonder whether b2", "Is it b2 or c5?", "chat hello", "What a nice puzzle!"] {
        let answer = answer(said);
        assert!(answer.contains("This reply contains no answer to brique puzzle 1."), "{said}: {answer}");
        assert!(answer.contains("puzzle brique 1 MOVE") && !answer.contains("further messages"), "{said}: {answer}");
        assert_eq!(answer.contains("Did you mean \"b2\"?"), said.ends_with(" b2"), "{said}: {answer}");
    }
}

#[test]
fn the_reply_unsubscribe_stops_the_puzzles() {
    for said in ["unsubscribe", "Hello,\n\nUnsubscribe.\n", "unsubscribe puzzles"] {
        let mut server = with_finished_board();
        server.letters();
        done(&server, "brique subscribe puzzles alice wonderland");
        sql(&server, "UPDATE puzzles SET daily = '2026-01-01'");
        done(&server, "tick");
        let letters = server.letters();
        let letters = reply(&mut server, ALICE, to(&letters, ALICE), said);
        let answer = joined(to(&letters, ALICE).text());
        assert!(answer.contains("alice no longer receives the puzzle of the day."), "{said}: {answer}");
        sql(&server, "UPDATE puzzles SET daily = '2026-01-01'");
        done(&server, "tick");
        assert!(server.letters().is_empty(), "{said}");
    }
}
