//! Replies to letters that are not about a board of their reader: letters to followers, answers and messages.

use serde_json::json;

use crate::common::{Letter, Server, done, joined, reply, to};

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";
const CAROL: &str = "carol@example.org";

/// Creates a board of alice and bob that carol follows. Returns carol's letter about alice's first move.
fn followed() -> (Server, Letter) {
    let mut server = Server::with_players();
    done(&server, "signup carol walruses carol@example.org");
    done(&server, "marque challenge alice bob");
    done(&server, "subscribe 1 carol walruses");
    done(&server, "marque move 1 alice wonderland f3");
    let letter = to(&server.letters(), CAROL).clone();
    (server, letter)
}

#[test]
fn a_follower_learns_each_time_why_a_reply_has_no_effect() {
    let (mut server, letter) = followed();
    for line in ["f2", "chat\nWhat a fine move!", "resign", "undo", "rematch", "f2"] {
        let told = reply(&mut server, CAROL, &letter, line);
        let told = joined(to(&told, CAROL).text());
        assert!(told.contains("Only alice and bob play on board 1."), "{line}: {told}");
        assert_eq!(told.contains("What a fine move!"), line.starts_with("chat"), "{line}: {told}");
    }
    for text in ["That was a very good move, I think.", "Thank you both for this game!"] {
        let told = reply(&mut server, CAROL, &letter, text);
        assert_eq!(told.len(), 1, "{text}: {told:?}");
        let told = joined(to(&told, CAROL).text());
        assert!(
            told.contains("You do not play on board 1, so your text was not sent to its players."),
            "{text}: {told}"
        );
    }
    // After the next move, the reason is still the same.
    done(&server, "marque move 1 bob builder f2");
    server.letters();
    let told = reply(&mut server, CAROL, &letter, "f4");
    let told = joined(to(&told, CAROL).text());
    assert!(told.contains("Only alice and bob play on board 1."), "{told}");
    assert_eq!(server.hashes(1).len(), 2);
}

#[test]
fn a_follower_of_several_boards_learns_that_they_play_on_none_of_them() {
    let (mut server, _) = followed();
    done(&server, "marque move 1 bob builder f2");
    done(&server, "marque challenge alice bob");
    done(&server, "subscribe 2 carol walruses");
    server.letters();
    let moves = "marque move 1 alice wonderland f4\nmarque move 2 alice wonderland f3\n";
    let letters = server.mail(ALICE, "", moves);
    let told = reply(&mut server, CAROL, to(&letters, CAROL), "Thank you both for this game!");
    let told = joined(to(&told, CAROL).text());
    let says = "You do not play on boards 1 and 2, so your text was not sent to their players.";
    assert!(told.contains(says), "{told}");
}

#[test]
fn a_follower_replies_with_lines_about_the_board_and_their_account() {
    let (mut server, letter) = followed();
    for (line, says) in [
        ("show", "alice played f3."),
        ("1 show", "alice played f3."),
        ("set mail=text", "The settings of carol have been changed"),
        ("message alice\nWell played!", "The message has been sent to alice."),
        ("block alice", "carol has blocked alice"),
        ("1 unsubscribe", "carol no longer follows board 1."),
    ] {
        // The token of the letter is not sufficient to change the account.
        let told = reply(&mut server, "eve@elsewhere.example", &letter, line);
        let shows = line.ends_with("show");
        assert_eq!(joined(to(&told, CAROL).text()).contains("requires the password"), !shows, "{line}: {told:?}");
        let told = reply(&mut server, CAROL, &letter, line);
        assert!(joined(to(&told, CAROL).text()).contains(says), "{line}: {told:?}");
    }
}

#[test]
fn a_follower_of_an_accepted_open_challenge_learns_why_a_reply_has_no_effect() {
    let mut server = Server::with_players();
    done(&server, "signup carol walruses carol@example.org");
    done(&server, "marque challenge alice anyone");
    server.letters();
    let shown = to(&server.mail(CAROL, "show 1", ""), CAROL).clone();
    done(&server, "marque accept 1 bob builder");
    done(&server, "subscribe 1 carol walruses");
    server.letters();
    done(&server, "marque move 1 alice wonderland f3");
    let followed = to(&server.letters(), CAROL).clone();
    for letter in [&shown, &followed] {
        let told = reply(&mut server, CAROL, letter, "Thank you both for this game!");
        let told = joined(to(&told, CAROL).text());
        assert!(told.contains("You do not play on board 1, so your text was not sent to its players."), "{told}");
    }
}

#[test]
fn the_subject_of_our_letter_is_not_a_command() {
    let (mut server, letter) = followed();
    for subject in ["Turnpost: board 10", "Reminder: Turnpost: board 7", "Turnpost: answer; board 7"] {
        let headers = json!({ "To": letter.reply_to() });
        let told = server.mail_with(CAROL, &format!("Re: {subject}"), "Thank you for the game!", &headers);
        let told = joined(to(&told, CAROL).text());
        assert!(!told.contains("There is no game") && told.contains("You do not play on board 1"), "{subject}: {told}");
    }
}

#[test]
fn a_board_number_begins_a_move_in_reply_to_an_answer() {
    let mut server = Server::with_players();
    done(&server, "marque challenge alice bob");
    server.letters();
    let letters = server.mail(ALICE, "set alice wonderland mail=text", "");
    let letter = to(&letters, ALICE).clone();
    reply(&mut server, "alice@work.example", &letter, "1 f3");
    assert_eq!(server.hashes(1).len(), 0, "the address is not alice's");
    let told = reply(&mut server, ALICE, &letter, "Hello,\n\n1 f3\nGood luck!\n");
    assert_eq!(server.hashes(1).len(), 1, "{told:?}");
    assert!(to(&told, BOB).text().contains("Good luck!"), "{told:?}");
    // Another player's board cannot be named.
    done(&server, "signup carol walruses carol@example.org");
    let letters = server.mail(CAROL, "set carol walruses mail=text", "");
    reply(&mut server, CAROL, to(&letters, CAROL), "1 f2");
    assert_eq!(server.hashes(1).len(), 1);
}

#[test]
fn a_board_number_begins_a_move_in_reply_to_a_players_message() {
    let mut server = Server::with_players();
    done(&server, "marque challenge alice bob");
    done(&server, "marque move 1 alice wonderland f3");
    server.letters();
    done(&server, "message alice wonderland bob --say=Hello");
    let letter = to(&server.letters(), BOB).clone();
    // A longer line is a text for alice.
    let told = reply(&mut server, BOB, &letter, "1 f2 was a good move, Alice!");
    assert!(to(&told, ALICE).text().contains("1 f2 was a good move"), "{told:?}");
    assert_eq!(server.hashes(1).len(), 1);
    let told = reply(&mut server, BOB, &letter, "1 f2\nYour turn again\n");
    assert_eq!(server.hashes(1).len(), 2, "{told:?}");
    let text = to(&told, ALICE).text();
    assert!(text.contains("bob played f2") && text.contains("Your turn again"), "{text}");
}

#[test]
fn a_reply_to_a_players_message_does_not_send_them_a_line_for_a_board() {
    let mut server = Server::with_players();
    done(&server, "marque challenge alice bob");
    done(&server, "marque move 1 alice wonderland f3");
    server.letters();
    done(&server, "message bob builder alice --say=Hello");
    let letter = to(&server.letters(), ALICE).clone();
    for text in [
        "if k4 then h2; else stop",
        "Hi Bob,\n\nqueue f4",
        "preview f4",
        "History",
        "f4",
        "resign",
        "9 queue f4",
        "Good luck!\n1 note base F is weak",
        "Good luck!\n1 resign",
    ] {
        let told = reply(&mut server, ALICE, &letter, text);
        assert!(told.iter().all(|letter| letter.to() == ALICE), "{text}: {told:?}");
        assert!(joined(to(&told, ALICE).text()).contains("was not sent to bob"), "{text}: {told:?}");
    }
    for (text, says) in [
        ("1 if k4 then h2; else stop", "alice has prepared this on board 1"),
        ("1 note base F is weak", "Your note on board 1, which only you can see: base F is weak"),
        ("1 preview f4", "f4"),
    ] {
        let told = reply(&mut server, ALICE, &letter, text);
        assert!(told.iter().all(|letter| letter.to() == ALICE), "{text}: {told:?}");
        let told = joined(to(&told, ALICE).text());
        assert!(told.contains(says) && !told.contains("was not sent"), "{text}: {told}");
    }
    for text in ["1 chat\nHello again", "message bob\nAnd if k4, then f4?", "Thanks, I like f4, too."] {
        let told = reply(&mut server, ALICE, &letter, text);
        assert!(to(&told, BOB).text().contains(text.lines().last().unwrap()), "{text}: {told:?}");
    }
}

/// Creates the board of [`followed`], and returns carol's message to bob.
fn message_of_a_follower() -> (Server, Letter) {
    let (mut server, _) = followed();
    done(&server, "message carol walruses bob --say=Hello");
    let letter = to(&server.letters(), BOB).clone();
    (server, letter)
}

#[test]
fn text_for_a_messages_writer_is_not_sent_to_another_player() {
    let (mut server, letter) = message_of_a_follower();
    let text = "Thanks Carol, please do not tell Alice!";
    let told = reply(&mut server, BOB, &letter, &format!("1 f2\n{text}\n"));
    assert_eq!(server.hashes(1).len(), 2, "{told:?}");
    assert!(!to(&told, ALICE).text().contains(text), "{told:?}");
    let answer = to(&told, BOB);
    let words = joined(answer.text());
    assert!(words.contains("you answered a message from carol, who does not play on board 1;"), "{words}");
    assert!(words.contains(text), "{words}");
    for (line, address) in [("message carol", CAROL), ("1 chat", ALICE)] {
        assert!(words.contains(&format!("\"{line}\"")), "{words}");
        let told = reply(&mut server, BOB, answer, &format!("{line}\n{text}\n"));
        assert!(to(&told, address).text().contains(text), "{told:?}");
    }
    // A chat names its readers.
    let (mut server, letter) = message_of_a_follower();
    let told = reply(&mut server, BOB, &letter, "1 f2\nchat\nSorry for the delay, Alice.\n");
    assert!(to(&told, ALICE).text().contains("Sorry for the delay, Alice."), "{told:?}");
}

#[test]
fn a_line_about_a_player_must_name_them_in_reply_to_a_message_from_another_player() {
    let (mut server, letter) = message_of_a_follower();
    let told = reply(&mut server, BOB, &letter, "1 f2\nblock\n");
    let told = joined(to(&told, BOB).text());
    assert!(!told.contains("bob has blocked"), "{told}");
    assert_eq!(server.hashes(1).len(), 2, "{told}");
}

#[test]
fn each_line_about_the_account_is_read_in_reply_to_an_answer() {
    let mut server = Server::with_players();
    done(&server, "event new spring hex bob builder");
    server.letters();
    let letters = server.mail(ALICE, "set alice wonderland mail=text", "");
    let told = reply(&mut server, ALICE, to(&letters, ALICE), "set zone=Europe/Berlin\njoin spring\n");
    let told = joined(to(&told, ALICE).text());
    assert!(told.contains("zone=Europe/Berlin") && told.contains("alice takes part in spring"), "{told}");
}

#[test]
fn a_chat_program_replies_to_the_last_letter() {
    let chat = |letter: &Letter| json!({ "Chat-Version": "1.0", "In-Reply-To": letter.id, "References": letter.id });
    let mut server = Server::with_players();
    done(&server, "marque challenge alice bob");
    server.letters();
    let letters = server.mail(ALICE, "set alice wonderland mail=text", "");
    let told = server.mail_with(ALICE, "Re: Turnpost: answer", "f3", &chat(to(&letters, ALICE)));
    assert_eq!(server.hashes(1).len(), 1, "{told:?}");
    let (mut server, letter) = followed();
    let told = server.mail_with(CAROL, "Re: Turnpost", "Thank you both for this game!", &chat(&letter));
    let told = joined(to(&told, CAROL).text());
    assert!(told.contains("You do not play on board 1"), "{told}");
}

#[test]
fn a_message_to_another_player_is_sent_in_reply_to_a_players_message() {
    let mut server = Server::with_players();
    done(&server, "signup carol walruses carol@example.org");
    done(&server, "message alice wonderland bob --say=Hello");
    let letter = to(&server.letters(), BOB).clone();
    let told = reply(&mut server, BOB, &letter, "message carol\nDo you know Alice?");
    assert!(to(&told, CAROL).text().contains("Do you know Alice?"), "{told:?}");
    let told = reply(&mut server, "bob@work.example", &letter, "message carol\nAnd Dora?");
    assert!(told.iter().all(|letter| letter.to() == BOB), "{told:?}");
    // The token is sufficient for a message to the writer.
    let told = reply(&mut server, "bob@work.example", &letter, "message alice\nHello, Alice!");
    assert!(to(&told, ALICE).text().contains("Hello, Alice!"), "{told:?}");
}

#[test]
fn a_reply_from_an_unconfirmed_address_explains_what_requires_a_confirmed_one() {
    let mut server = Server::with_players();
    let letters = server.mail(ALICE, "marque challenge alice bob", "");
    let letter = to(&letters, ALICE).clone();
    for line in ["unsubscribe", "set mail=text", "block bob", "message bob\nHello"] {
        let told = reply(&mut server, "alice@work.example", &letter, line);
        assert!(told.iter().all(|letter| letter.to() == ALICE), "{line}: {told:?}");
        let told = joined(to(&told, ALICE).text());
        let why = "not confirmed or not verified as an address of alice, so without the password, it can only play on board 1.";
        assert!(told.contains(why), "{line}: {told}");
        assert!(told.contains("or a reply from a confirmed address") && !told.contains("\"-\""), "{line}: {told}");
    }
}

#[test]
fn a_letter_with_boards_and_a_message_explains_how_to_answer_the_message() {
    let mut server = Server::with_players();
    done(&server, "marque challenge alice bob");
    done(&server, "hex challenge alice bob");
    server.letters();
    let lines =
        "marque move 1 alice wonderland f3\nhex move 2 alice wonderland c3\nmessage alice wonderland bob\nHello!\n";
    let letters = server.mail(ALICE, "", lines);
    let letter = to(&letters, BOB).clone();
    let text = joined(letter.text());
    assert!(text.contains("answer this letter with this line, and your text below it: message alice"), "{text}");
    let told = reply(&mut server, BOB, &letter, "Hello Alice, nice to meet you");
    let told = joined(to(&told, BOB).text());
    assert!(told.contains("To answer a message, begin with \"message alice\"."), "{told}");
    let told = reply(&mut server, BOB, &letter, "message alice\nHello Alice, nice to meet you");
    assert!(to(&told, ALICE).text().contains("nice to meet you"), "{told:?}");
}

#[test]
fn the_example_in_an_answer_about_several_boards_can_be_sent_as_shown() {
    let mut server = Server::with_players();
    let letters = server.mail(ALICE, "", "marque challenge alice bob\nhex challenge alice bob\n");
    let letter = to(&letters, ALICE).clone();
    let told = reply(&mut server, ALICE, &letter, "Hello Bob, I wish you good luck");
    let told = joined(to(&told, ALICE).text());
    let (before, _) = told.split_once(" (for example)").unwrap_or_else(|| panic!("{told}"));
    let line = before.rsplit(": ").next().unwrap();
    let told = reply(&mut server, ALICE, &letter, line);
    assert_eq!(server.hashes(1).len(), 1, "{line}: {told:?}");
}
