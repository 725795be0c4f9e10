//! The preview of a letter in a mail program: the display name in From, the subject, and the first lines of the text
//! and HTML parts.

use crate::common::{Letter, Server, to};
use serde_json::json;

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";

fn first_line(letter: &Letter) -> &str {
    letter.text().lines().next().unwrap()
}

/// Returns the hidden preview text at the start of the HTML part.
fn preheader(letter: &Letter) -> &str {
    let (_, body) = letter.html().split_once("<body>\n<div").unwrap();
    let (attributes, rest) = body.split_once('>').unwrap();
    assert!(attributes.contains("display: none"), "{attributes}");
    rest.split("</div>").next().unwrap().trim()
}

#[test]
fn letters_name_the_actor_and_the_player_to_move() {
    let mut server = Server::with_players_who_want_pictures();
    server.mail(ALICE, "marque challenge -any_2 alice bob", "");
    let letters = server.mail(ALICE, "marque move 1 alice wonderland f3", "");
    let (alice, bob) = (to(&letters, ALICE), to(&letters, BOB));
    assert_eq!((alice.name.as_str(), bob.name.as_str()), ("Turnpost", "alice via Turnpost"));
    assert_eq!((alice.subject.as_str(), bob.subject.as_str()), ("Marque Board 1 alice **", "Marque Board 1 bob **"));
    assert_eq!(first_line(alice), "You played f3. It is bob's turn.");
    assert_eq!(first_line(bob), "alice played f3. It is your turn.");
    assert_eq!(preheader(alice), "You played f3. It is bob's turn. Marque board 1: alice against bob.");
    assert!(
        preheader(bob).starts_with("alice played f3. It is your turn. Marque board 1: alice against bob, until "),
        "{}",
        preheader(bob)
    );
}

#[test]
fn a_userid_is_quoted_where_necessary() {
    let mut server = Server::with_players();
    assert_eq!(server.shell("signup al.ice-x wonderland al@example.org").status, 0);
    let letters = server.mail("al@example.org", "message al.ice-x wonderland bob", "Hello");
    assert_eq!(to(&letters, BOB).name, "al.ice-x via Turnpost");
}

#[test]
fn the_subject_shows_an_end_and_a_reply_to_it_is_a_command() {
    let mut server = Server::with_players();
    server.mail(ALICE, "marque challenge alice bob", "");
    server.mail(ALICE, "marque move 1 alice wonderland f3", "");
    server.mail(BOB, "marque move 1 bob builder f4", "");
    server.mail(ALICE, "marque move 1 alice wonderland k1", "");
    let letters = server.mail(BOB, "marque resign 1 bob builder", "");
    let alice = to(&letters, ALICE);
    assert_eq!((alice.subject.as_str(), alice.name.as_str()), ("Over: Marque Board 1 alice **", "bob via Turnpost"));
    assert_eq!(first_line(alice), "Board 1 has ended: you have won (resignation).");
    server.mail(ALICE, "marque challenge alice bob", "");
    let letters = server.mail(ALICE, "Re: Reminder: Marque Board 2 alice ** wonderland f3", "");
    assert_eq!(letters.len(), 2, "{letters:#?}");
}

#[test]
fn the_answer_to_a_partly_rejected_message_begins_with_its_successes() {
    let mut server = Server::with_players();
    for _ in 0..2 {
        server.mail(ALICE, "marque challenge alice bob", "");
    }
    let text = "marque move 1 alice wonderland f3\nmarque move 2 alice wonderland f33\n";
    let letters = server.mail(ALICE, "", text);
    let alice = to(&letters, ALICE);
    assert_eq!(alice.subject, "Turnpost: done in part; board 1");
    assert_eq!(first_line(alice), "Board 1: you played f3. 1 command was not carried out.");
    assert!(alice.text().find("You played f3") < alice.text().find("f33"), "{}", alice.text());
    // If the commands changed no board, the answer begins with the number of commands that succeeded.
    let mut answers = server.mail(ALICE, "", "marque note 1 alice wonderland\nmarque note 9 alice wonderland\n");
    let answer = answers.remove(0);
    assert_eq!(answer.subject, "Marque Board 1 alice **");
    assert_eq!(first_line(&answer), "1 command was carried out, 1 was not.");
    for letter in letters.iter().chain([&answer]) {
        assert!(!letter.text().to_lowercase().contains("nothing was changed"), "{}", letter.text());
        assert!(!letter.text().to_lowercase().contains("nothing is changed"), "{}", letter.text());
    }
    // If all commands failed, the preview says so.
    let letters = server.mail_with(ALICE, "marque move 2 alice wonderland f33", "", &json!({}));
    assert_eq!(letters[0].subject, "Marque Board 2 alice **");
    assert!(letters[0].text().contains("Nothing was changed."));
}

#[test]
fn a_title_of_several_words_begins_a_subject() {
    let mut server = Server::with_players();
    let letters = server.mail(BOB, "loa challenge alice bob", "");
    let asked = "\n    Lines of Action Board 1 alice ** PASSWORD MOVE\n";
    assert!(to(&letters, ALICE).text().contains(asked), "{letters:#?}");
    let letters = server.mail(ALICE, "Re: Lines of Action Board 1 alice ** wonderland c1-c3", "");
    assert!(to(&letters, BOB).text().contains("c1-c3"), "{letters:#?}");
}
