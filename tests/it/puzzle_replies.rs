//! Replies to letters that show a puzzle.

use crate::common::database::sql;
use crate::common::{Letter, Server, done, joined, reply, to};
use crate::puzzles::{play, with_finished_board};

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
fn a_reply_answers_the_only_puzzle_of_a_letter_with_other_contents() {
    for other in ["brique standings", "show 1", "brique games alice"] {
        for (said, says) in [("b2", "b2 is right"), ("Solution\n", "wins with b2.")] {
            let mut server = with_finished_board();
            server.letters();
            let letters = server.mail(ALICE, "", &format!("{other}\npuzzle brique\n"));
            let letters = reply(&mut server, ALICE, to(&letters, ALICE), said);
            let answer = joined(to(&letters, ALICE).text());
            assert!(answer.contains(says), "{other}, {said}: {answer}");
        }
    }
}

/// Creates board 2, on which bob is to move, and board 3, on which alice is to move. Returns a letter that shows alice
/// board 2 and the puzzle.
fn with_boards() -> (Server, Letter) {
    let mut server = with_finished_board();
    done(&server, "marque challenge bob alice");
    done(&server, "marque challenge alice bob");
    server.letters();
    let letters = server.mail(ALICE, "", "marque show 2\npuzzle brique\n");
    (server, to(&letters, ALICE).clone())
}

#[test]
fn a_move_with_a_board_number_does_not_answer_the_puzzle_of_the_letter() {
    for (said, number) in [("3: f3", 3), ("3) f3", 3), ("2: f3", 2)] {
        let (mut server, letter) = with_boards();
        let letters = reply(&mut server, ALICE, &letter, said);
        let answer = joined(to(&letters, ALICE).text());
        assert!(!answer.contains("puzzle"), "{said}: {answer}");
        assert_eq!(server.hashes(number).len(), usize::from(number == 3), "{said}: {answer}");
    }
}

#[test]
fn a_repeated_move_does_not_answer_the_puzzle_of_the_letter() {
    let (mut server, _) = with_boards();
    done(&server, "marque move 2 bob builder f3");
    server.letters();
    let letters = server.mail(ALICE, "", "marque show 2\npuzzle brique\n");
    let letter = to(&letters, ALICE).clone();
    for said in ["f2", "f2", "f4"] {
        for letter in reply(&mut server, ALICE, &letter, said) {
            assert!(!letter.text().contains("puzzle"), "{said}: {letter:?}");
        }
        assert_eq!(server.hashes(2).len(), 2, "{said}");
    }
}

#[test]
fn lines_below_the_answer_to_a_puzzle_are_read() {
    let (mut server, letter) = with_boards();
    let letters = reply(&mut server, ALICE, &letter, "b2\nset zone=Europe/Berlin\nWhat do you think of it?\n");
    assert!(letters.iter().all(|letter| letter.to() == ALICE), "{letters:?}");
    let answer = joined(to(&letters, ALICE).text());
    for says in ["b2 is right", "zone=Europe/Berlin", "Your text was not sent", "What do you think of it?"] {
        assert!(answer.contains(says), "{says}: {answer}");
    }
}

#[test]
fn a_reply_to_a_letter_with_several_puzzles_must_name_one_of_them() {
    let mut server = with_finished_board();
    done(&server, "brique challenge -size=5 alice bob");
    play(&server, "brique", 2, "b4 swap e1 d1 d2 c1 c2 b1 b2 a2 a1 e2 e3");
    server.letters();
    let letters = server.mail(ALICE, "", "puzzle brique 1\npuzzle brique 2\n");
    let letter = to(&letters, ALICE).clone();
    for (said, word) in [("b2", "b2"), ("solution", "solution"), ("Nice puzzles", "MOVE")] {
        let letters = reply(&mut server, ALICE, &letter, said);
        let answer = joined(to(&letters, ALICE).text());
        let examples = format!("\"puzzle brique 1 {word}\" or \"puzzle brique 2 {word}\".");
        assert!(answer.contains(&examples), "{said}: {answer}");
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
