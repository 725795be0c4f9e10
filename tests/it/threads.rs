//! The letters about a board form one thread in a mail program: they share a subject, and their ids refer to each
//! other.

use serde_json::json;

use crate::common::{Letter, Server, done, reply, to};

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";

/// A server with a board, and alice's letter about it.
fn challenged() -> (Server, Letter) {
    let mut server = Server::with_players();
    let letters = server.mail(ALICE, "marque challenge alice bob", "");
    let letter = to(&letters, ALICE).clone();
    (server, letter)
}

#[test]
fn an_answer_about_a_board_stays_in_its_thread() {
    let (mut server, letter) = challenged();
    for (text, said) in [
        ("f33", "f33"),
        ("undo", "no move"),
        ("note: Watch base F.", "Your note on board 1"),
        ("What a nice board", "No move and no command"),
    ] {
        let headers = json!({ "To": letter.reply_to(), "In-Reply-To": letter.id });
        let answers = server.mail_with(ALICE, &format!("Re: {}", letter.subject), text, &headers);
        let answer = to(&answers, ALICE);
        assert!(answer.text().contains(said), "{text}: {}", answer.text());
        assert_eq!(answer.subject, "Marque Board 1 alice **", "{text}");
        // The thread of the board comes first, and the mail that is answered last.
        assert_eq!(answer.references.first(), letter.references.first(), "{text}");
        assert_eq!(answer.references.last(), answer.in_reply_to.as_ref(), "{text}");
        if text != "note: Watch base F." {
            assert!(
                answer.references.len() > 2 && answer.references[1].contains("@localhost"),
                "{:?}",
                answer.references
            );
        }
        assert!(answer.in_reply_to.is_some(), "{text}");
    }
    let answers = server.mail(ALICE, "show 1", "");
    assert_eq!(answers[0].subject, "Marque Board 1 alice **");
    let answers = server.mail(ALICE, "marque standings", "");
    assert_eq!((answers[0].subject.as_str(), answers[0].references.len()), ("Turnpost: answer", 1));
}

#[test]
fn a_mail_done_in_part_at_one_board_is_answered_in_its_thread() {
    let (mut server, letter) = challenged();
    let answers = reply(&mut server, ALICE, &letter, "f3\nqueue f33\n");
    let answer = to(&answers, ALICE);
    assert!(answer.text().contains("1 command was not carried out"), "{}", answer.text());
    assert_eq!((answer.subject.as_str(), &answer.references[0]), ("Marque Board 1 alice **", &letter.references[0]));
}

#[test]
fn an_open_challenge_has_the_thread_of_its_board_already() {
    let mut server = Server::with_players();
    let offered = server.mail(ALICE, "brique challenge alice anyone", "").remove(0);
    assert_eq!(offered.subject, "Brique Board 1 alice **");
    let letters = server.mail(BOB, "brique accept 1 bob builder", "");
    let begun = to(&letters, ALICE);
    assert_eq!((begun.subject.as_str(), &begun.references[0]), ("Brique Board 1 alice **", &offered.references[0]));
}

#[test]
fn a_code_for_a_new_password_is_a_letter_of_its_own_sent_at_once() {
    let mut server = Server::with_players();
    assert_eq!(server.shell("set alice wonderland rhythm=daily@12").status, 0);
    done(&server, "admin hold");
    server.mail(BOB, "marque challenge bob alice", "");
    server.mail(ALICE, "password alice", "");
    server.mail(BOB, "marque move 1 bob builder f3", "");
    done(&server, "admin release");
    done(&server, "tick");
    let letters = server.letters();
    let codes: Vec<&Letter> = letters.iter().filter(|letter| letter.subject.contains("new password")).collect();
    let [code] = codes.as_slice() else { panic!("{letters:#?}") };
    assert!(code.to() == ALICE && code.text().lines().count() < 15, "{}", code.text());
    assert!(!code.text().contains("board"), "{}", code.text());
}
