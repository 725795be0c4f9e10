//! Repeated requests: copies of messages under another Message-ID or with a footer, and replies to earlier letters.

use serde_json::json;

use crate::common::{Letter, Server, letter_to, reply, to};

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";

/// Alice and bob at a board of this game; alice's letter about it.
fn board(game: &str) -> (Server, Letter) {
    let mut server = Server::with_players();
    let letters = server.mail(ALICE, &format!("{game} challenge alice bob"), "");
    let letter = to(&letters, ALICE).clone();
    (server, letter)
}

/// The move that a letter proposes for example.
fn example(letter: &Letter) -> String {
    let text = letter.text().replace('\n', " ");
    let (before, _) = text.split_once(" (for example)").unwrap_or_else(|| panic!("{text}"));
    before.rsplit(' ').next().unwrap().to_owned()
}

#[test]
fn a_copy_of_a_move_gets_no_error() {
    for game in ["marque", "brique", "tessella", "lazo"] {
        let (mut server, letter) = board(game);
        let mv = example(&letter);
        let first = reply(&mut server, ALICE, &letter, &format!("{mv}\n\nGood luck!\n"));
        assert_eq!(first.len(), 2, "{game} {mv}: {first:?}");
        let footer = format!("{mv}\n\nGood luck!\n_____\nThis list is free.\n");
        for copy in [mv.clone(), mv.to_uppercase(), format!("{mv}\n\nGood luck!\n"), footer] {
            let letters = reply(&mut server, ALICE, &letter, &copy);
            let [told] = letters.as_slice() else { panic!("{game} {copy}: {letters:?}") };
            assert!(told.text().contains("was made already"), "{game} {copy}: {}", told.text());
            assert!(!told.subject.contains("not done") && !told.text().contains("sent to nobody"), "{told:?}");
        }
        assert_eq!(server.json(&format!("{game} history 1"))["board"]["moves"].as_array().unwrap().len(), 1);
    }
    let (mut server, letter) = board("marque");
    reply(&mut server, ALICE, &letter, "f3");
    let another = reply(&mut server, ALICE, &letter, "d4");
    assert!(to(&another, ALICE).text().contains("earlier letter"), "{another:?}");
}

#[test]
fn a_copy_that_arrives_after_the_opponents_move_gets_no_error() {
    let (mut server, letter) = board("marque");
    let letters = reply(&mut server, ALICE, &letter, "f3");
    reply(&mut server, BOB, to(&letters, BOB), "k4");
    let told = reply(&mut server, ALICE, &letter, "f3");
    assert!(to(&told, ALICE).text().contains("was made already"), "{told:?}");
    // With the password, too, before the opponent moves.
    server.mail(ALICE, "marque move 1 alice wonderland h5", "");
    let told = server.mail(ALICE, "marque move 1 alice wonderland h5", "");
    assert!(to(&told, ALICE).text().contains("was made already"), "{told:?}");
    assert_eq!(server.hashes(1).len(), 3);
}

#[test]
fn a_text_that_comes_with_a_copy_only_is_given_back() {
    let (mut server, letter) = board("marque");
    reply(&mut server, ALICE, &letter, "f3");
    let told = reply(&mut server, ALICE, &letter, "f3\n\nHow are you these days?\n");
    assert!(to(&told, ALICE).text().contains("  How are you these days?"), "{told:?}");
    assert!(letter_to(&told, BOB).is_none(), "{told:?}");
}

#[test]
fn a_copy_of_a_resignation_gets_no_error() {
    let (mut server, letter) = board("marque");
    let letters = reply(&mut server, ALICE, &letter, "f3");
    let letters = reply(&mut server, BOB, to(&letters, BOB), "k4");
    let letter = to(&letters, ALICE).clone();
    assert_eq!(reply(&mut server, ALICE, &letter, "resign").len(), 2);
    assert_eq!(reply(&mut server, ALICE, &letter, "resign"), []);
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
fn a_refused_mail_gives_its_text_back() {
    let (mut server, letter) = board("marque");
    let text = "I have thought about this for a long time.\n\nAnd then there was my holiday.\n";
    for line in ["z99", "f3#7", "reject", "f33"] {
        let letters = reply(&mut server, ALICE, &letter, &format!("{line}\n\n{text}"));
        let letter = to(&letters, ALICE);
        assert!(letter.text().contains("  And then there was my holiday."), "{line}: {}", letter.text());
    }
    let letters = server.mail(BOB, "marque move 1 bob builder f3", text);
    assert!(to(&letters, BOB).text().contains("  And then there was my holiday."), "{letters:?}");
    // A single word may be a password, and so may a word in a command.
    let letters = reply(&mut server, ALICE, &letter, "z99\nwonderland\nmarque move 1 alice wonderland\nHello to you\n");
    let text = to(&letters, ALICE).text();
    assert!(!text.contains("wonderland"), "{text}");
    // A sender who proves no identity does not get the text back.
    let forged = json!({});
    let letters = server.mail_with(ALICE, "marque move 1 alice guess f3", "Buy my things today.\n", &forged);
    assert!(!to(&letters, ALICE).text().contains("Buy"), "{letters:?}");
}
