//! Repeated requests: copies of a message that have another Message-ID or a footer, and replies to earlier letters.

use serde_json::json;

use crate::common::{Letter, Server, done, letter_to, reply, to};

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";

/// Creates a server with a board of this game for alice and bob. Also returns alice's letter about it.
fn board(game: &str) -> (Server, Letter) {
    let mut server = Server::with_players();
    let letters = server.mail(ALICE, &format!("{game} challenge alice bob"), "");
    let letter = to(&letters, ALICE).clone();
    (server, letter)
}

/// Returns the example move in a letter.
fn example(letter: &Letter) -> String {
    let text = letter.text().replace('\n', " ");
    let (_, after) = text.split_once("first line, for example ").unwrap_or_else(|| panic!("{text}"));
    after.split(' ').next().unwrap().trim_end_matches('.').to_owned()
}

#[test]
fn a_copy_of_a_move_causes_no_error() {
    for game in ["marque", "brique", "tessella", "lazo"] {
        let (mut server, letter) = board(game);
        let mv = example(&letter);
        let first = reply(&mut server, ALICE, &letter, &format!("{mv}\n\nGood luck!\n"));
        assert_eq!(first.len(), 2, "{game} {mv}: {first:?}");
        let footer = format!("{mv}\n\nGood luck!\n_____\nThis list is free.\n");
        for copy in [mv.clone(), mv.to_uppercase(), format!("{mv}\n\nGood luck!\n"), footer] {
            let letters = reply(&mut server, ALICE, &letter, &copy);
            let [told] = letters.as_slice() else { panic!("{game} {copy}: {letters:?}") };
            assert!(told.text().contains("already made this move"), "{game} {copy}: {}", told.text());
            assert!(!told.subject.contains("not done") && !told.text().contains("was not sent"), "{told:?}");
        }
        assert_eq!(server.json(&format!("{game} history 1"))["board"]["moves"].as_array().unwrap().len(), 1);
    }
    let (mut server, letter) = board("marque");
    reply(&mut server, ALICE, &letter, "f3");
    let another = reply(&mut server, ALICE, &letter, "d4");
    assert!(to(&another, ALICE).text().contains("earlier letter"), "{another:?}");
}

#[test]
fn a_copy_after_the_opponents_move_causes_no_error() {
    let (mut server, letter) = board("marque");
    let letters = reply(&mut server, ALICE, &letter, "f3");
    reply(&mut server, BOB, to(&letters, BOB), "k4");
    let told = reply(&mut server, ALICE, &letter, "f3");
    assert!(to(&told, ALICE).text().contains("already made this move"), "{told:?}");
    // A repeated command with a password is recognised as a copy, too, until the opponent moves.
    server.mail(ALICE, "marque move 1 alice wonderland h5", "");
    let told = server.mail(ALICE, "marque move 1 alice wonderland h5", "");
    assert!(to(&told, ALICE).text().contains("already made this move"), "{told:?}");
    assert_eq!(server.hashes(1).len(), 3);
}

#[test]
fn the_text_of_a_changed_copy_is_returned() {
    let (mut server, letter) = board("marque");
    reply(&mut server, ALICE, &letter, "f3");
    let told = reply(&mut server, ALICE, &letter, "f3\n\nHow are you these days?\n");
    assert!(to(&told, ALICE).text().contains("  How are you these days?"), "{told:?}");
    assert!(letter_to(&told, BOB).is_none(), "{told:?}");
}

#[test]
fn a_copy_of_a_resignation_causes_no_error() {
    let (mut server, letter) = board("marque");
    let letters = reply(&mut server, ALICE, &letter, "f3");
    let letters = reply(&mut server, BOB, to(&letters, BOB), "k4");
    let letter = to(&letters, ALICE).clone();
    assert_eq!(reply(&mut server, ALICE, &letter, "resign").len(), 2);
    assert_eq!(reply(&mut server, ALICE, &letter, "resign"), []);
    let told = reply(&mut server, ALICE, &letter, "resign\nThank you for the game.\n");
    let told = to(&told, ALICE).text();
    assert!(told.contains("already done this") && told.contains("  Thank you for the game."), "{told}");
}

/// Sends copies of a request by mail: one with another Message-ID, and one with a footer. Checks that no copy is
/// answered with an error, and that the other player receives no letter. Returns the answers.
fn copies(server: &mut Server, letter: &Letter, from: &str, text: &str) -> Vec<Letter> {
    let footer = format!("{text}\n_____\nThis list is free.\n");
    let mut answers = Vec::new();
    for copy in [text, &footer] {
        let letters = reply(server, from, letter, copy);
        assert!(letters.iter().all(|letter| letter.to() == from), "{copy}: {letters:#?}");
        for letter in &letters {
            assert!(letter.text().contains("already done this"), "{copy}: {}", letter.text());
            assert!(!letter.subject.contains("not done") && !letter.text().contains("was not sent"), "{letter:?}");
        }
        answers.extend(letters);
    }
    answers
}

/// Returns boards 1 and 2 as JSON.
fn state(server: &Server) -> Vec<serde_json::Value> {
    (1..3)
        .map(|number| serde_json::from_str(&server.shell(&format!("--json show {number}")).out).unwrap_or_default())
        .collect()
}

#[test]
fn copies_of_proposals_and_of_their_acceptance_get_no_error() {
    for (proposal, accepted) in [("propose", true), ("undo", true), ("propose", false), ("undo", false)] {
        let (mut server, letter) = board("marque");
        let letters = reply(&mut server, ALICE, &letter, "f3");
        let mine = to(&letters, ALICE).clone();
        let text = format!("{proposal}\nWhat do you think?\n");
        let letters = reply(&mut server, ALICE, &mine, &text);
        let asked = to(&letters, BOB).clone();
        let before = state(&server);
        assert!(!copies(&mut server, &mine, ALICE, &text).is_empty());
        // A repeated command with a password gets the same answer.
        let told = server.mail(ALICE, &format!("marque {proposal} 1 alice wonderland"), "");
        assert!(told.iter().all(|letter| letter.text().contains("already done this")), "{told:#?}");
        assert_eq!(state(&server), before, "{proposal}");
        if !accepted {
            // The opponent plays a move instead of answering, so the proposal is no longer open.
            reply(&mut server, BOB, &asked, "k4");
            copies(&mut server, &mine, ALICE, &text);
            continue;
        }
        let yes = "accept\nIf you like.\n";
        let letters = reply(&mut server, BOB, &asked, yes);
        assert_eq!(letters.len(), 2, "{letters:?}");
        let before = state(&server);
        copies(&mut server, &asked, BOB, yes);
        copies(&mut server, &mine, ALICE, &text);
        let told = server.mail(BOB, "marque accept 1 bob builder", "");
        assert_eq!((told.as_slice(), state(&server)), (&[][..], before), "{proposal}");
    }
}

#[test]
fn copies_of_an_accepted_challenge_get_no_error() {
    for moved in [false, true] {
        let mut server = Server::with_players();
        server.mail(ALICE, "brique challenge alice anyone", "");
        let shown = server.mail(BOB, "show 1", "");
        let letters = reply(&mut server, BOB, to(&shown, BOB), "accept\nHave fun!\n");
        assert_eq!(letters.len(), 2, "{letters:?}");
        if moved {
            reply(&mut server, ALICE, to(&letters, ALICE), "c3");
        }
        let before = state(&server);
        assert!(!copies(&mut server, to(&shown, BOB), BOB, "accept\nHave fun!\n").is_empty());
        let told = server.mail(BOB, "brique accept 1 bob builder", "Have fun!\n");
        assert!(to(&told, BOB).text().contains("already done this"), "{told:#?}");
        assert_eq!(state(&server), before);
    }
    // Bob accepts a challenge, and later tries to accept a draw offer that alice has withdrawn. The second message is
    // not a copy of the first.
    let mut server = Server::with_players();
    server.mail(ALICE, "lazo challenge -size=26 alice anyone", "");
    server.mail(BOB, "lazo accept 1 bob builder", "");
    server.mail(ALICE, "lazo propose 1 alice wonderland", "");
    server.mail(ALICE, "lazo reject 1 alice wonderland", "");
    let told = server.mail(BOB, "lazo accept 1 bob builder", "");
    assert!(to(&told, BOB).text().contains("No proposal is open"), "{told:#?}");
}

#[test]
fn copies_of_a_declined_board_and_of_a_withdrawn_challenge_get_no_error() {
    for word in ["decline", "resign"] {
        let mut server = Server::with_players();
        let letters = server.mail(ALICE, "marque challenge alice bob", "");
        let asked = to(&letters, BOB).clone();
        let text = format!("{word}\nNot today, sorry.\n");
        assert_eq!(reply(&mut server, BOB, &asked, &text).len(), 2);
        copies(&mut server, &asked, BOB, &text);
        assert_eq!(server.mail(BOB, "marque decline 1 bob builder", ""), []);
        // Alice has not declined the board before, so alice's request is not a copy, and is refused.
        let told = server.mail(ALICE, "marque decline 1 alice wonderland", "");
        assert!(to(&told, ALICE).text().contains("out of play"), "{told:#?}");
    }
    // Nobody challenged the players of a board that the administrator created. Only the one who declined it repeats.
    let mut server = Server::with_players();
    done(&server, "marque challenge alice bob");
    let letters = server.letters();
    assert_eq!(reply(&mut server, BOB, to(&letters, BOB), "decline\n").len(), 2);
    assert_eq!(reply(&mut server, BOB, to(&letters, BOB), "decline\n"), []);
    for (from, text) in
        [(BOB, "decline\nBut perhaps next week.\n"), (ALICE, "decline\n"), (ALICE, "resign\nSee you later.\n")]
    {
        let told = reply(&mut server, from, to(&letters, from), text);
        let told = to(&told, from).text();
        assert!(told.contains("out of play"), "{text}: {told}");
        let words = text.lines().nth(1).unwrap_or_default();
        assert!(told.contains(words), "{text}: {told}");
    }
    let mut server = Server::with_players();
    let offered = server.mail(ALICE, "marque challenge alice anyone", "").remove(0);
    for _ in 0..2 {
        let told = reply(&mut server, ALICE, &offered, "decline");
        assert!(to(&told, ALICE).text().contains("has been withdrawn"), "{told:#?}");
    }
    let told = server.mail(ALICE, "marque decline 1 alice wonderland", "");
    assert!(to(&told, ALICE).text().contains("has been withdrawn"), "{told:#?}");
}

#[test]
fn copies_of_a_rematch_get_no_error() {
    let (mut server, letter) = board("marque");
    let letters = reply(&mut server, ALICE, &letter, "f3");
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), "resign");
    let (mine, bobs) = (to(&letters, ALICE).clone(), to(&letters, BOB).clone());
    let text = "rematch\nI want another game.\n";
    assert_eq!(reply(&mut server, ALICE, &mine, text).len(), 2);
    let before = state(&server);
    assert!(!copies(&mut server, &mine, ALICE, text).is_empty());
    let told = server.mail(ALICE, "marque rematch 1 alice wonderland", "");
    assert!(to(&told, ALICE).text().contains("already done this"), "{told:#?}");
    // Bob requests a rematch, too. The answer names the board of the existing one.
    let told = reply(&mut server, BOB, &bobs, "rematch");
    assert!(to(&told, BOB).text().contains("it is board 2"), "{told:#?}");
    assert_eq!(state(&server), before);
}

#[test]
fn copies_of_a_resignation_cause_no_error_and_an_undo_happens_once() {
    let (mut server, letter) = board("marque");
    let letters = reply(&mut server, ALICE, &letter, "f3");
    let mine = to(&letters, ALICE).clone();
    let text = "resign\nYou are too strong.\n";
    assert_eq!(reply(&mut server, ALICE, &mine, text).len(), 2);
    let before = state(&server);
    assert_eq!(copies(&mut server, &mine, ALICE, text), []);
    assert_eq!(server.mail(ALICE, "marque resign 1 alice wonderland", ""), []);
    assert_eq!(state(&server), before);
    let mut server = Server::with_players();
    let letters = server.mail(ALICE, "marque challenge alice alice", "");
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), "f3");
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), "k4");
    reply(&mut server, ALICE, to(&letters, ALICE), "undo");
    assert!(!copies(&mut server, to(&letters, ALICE), ALICE, "undo").is_empty());
    assert_eq!(server.hashes(1).len(), 1);
}

#[test]
fn text_in_a_reply_to_an_earlier_letter_is_sent() {
    let (mut server, letter) = board("marque");
    reply(&mut server, ALICE, &letter, "f3");
    let letters = reply(&mut server, ALICE, &letter, "chat\nHow are you these days?\n");
    assert!(to(&letters, BOB).text().contains("How are you these days?"), "{letters:?}");
    for note in ["note: Watch the corner.", "note\nWatch the corner.\n"] {
        let letters = reply(&mut server, ALICE, &letter, note);
        assert!(to(&letters, ALICE).text().contains("  Watch the corner."), "{letters:?}");
    }
}

#[test]
fn the_answer_to_a_refused_message_contains_its_text() {
    let (mut server, letter) = board("marque");
    let text = "I have thought about this for a long time.\n\nAnd then there was my holiday.\n";
    for line in ["z99", "f3#7", "reject", "f33"] {
        let letters = reply(&mut server, ALICE, &letter, &format!("{line}\n\n{text}"));
        let letter = to(&letters, ALICE);
        assert!(letter.text().contains("  And then there was my holiday."), "{line}: {}", letter.text());
    }
    let letters = server.mail(BOB, "marque move 1 bob builder f3", text);
    assert!(to(&letters, BOB).text().contains("  And then there was my holiday."), "{letters:?}");
    // The answer omits lines that may contain a password: single words and commands.
    let letters = reply(&mut server, ALICE, &letter, "z99\nwonderland\nmarque move 1 alice wonderland\nHello to you\n");
    let text = to(&letters, ALICE).text();
    assert!(!text.contains("wonderland"), "{text}");
    // The answer to an unauthenticated sender does not quote the text.
    let forged = json!({});
    let letters = server.mail_with(ALICE, "marque move 1 alice guess f3", "Buy my things today.\n", &forged);
    assert!(!to(&letters, ALICE).text().contains("Buy"), "{letters:?}");
}
