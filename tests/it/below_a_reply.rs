//! Lines below the command of a reply: a password sent by mistake, friendly words, and mistyped commands, which the
//! opponent must not see.

use crate::common::{Letter, Server, joined, reply, to};

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";

/// Creates board 1, on which alice is to make the third move, and returns the letters about it.
fn board() -> (Server, Vec<Letter>) {
    let mut server = Server::with_players();
    let letters = server.mail(ALICE, "marque challenge -any_2 alice bob", "");
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), "f3");
    let letters = reply(&mut server, BOB, to(&letters, BOB), "f4");
    assert_eq!(plies(&server), 2, "{letters:?}");
    (server, letters)
}

fn all_to(letters: &[Letter], address: &str) -> String {
    letters.iter().filter(|letter| letter.to() == address).map(Letter::text).collect()
}

fn plies(server: &Server) -> usize {
    server.hashes(1).len()
}

#[test]
fn a_password_below_a_reply_is_hidden() {
    for text in [
        "k1\nwonderland",
        "k1\nalice wonderland",
        "k1\npassword: wonderland",
        "k1\npw wonderland",
        "k1\npw:wonderland",
        "k1\n\"wonderland\"",
        "k1\nwonderland.",
        "k1\n\nHi bob\nwonderland",
        "k1\nThanks!\nGreat!\nwonderland",
        "chat hi\nwonderland",
        "resign\nwonderland",
    ] {
        let (mut server, letters) = board();
        let letters = reply(&mut server, ALICE, to(&letters, ALICE), text);
        let told = all_to(&letters, BOB);
        assert!(told.contains("***"), "{text}: {letters:?}");
        assert!(!letters.iter().any(|letter| letter.text().contains("wonderland")), "{text}: {letters:?}");
        for words in ["Hi bob", "Thanks!", "Great!", "hi"] {
            assert!(!text.contains(words) || told.contains(words), "{text}: {told}");
        }
    }
}

#[test]
fn a_password_in_an_answer_to_a_message_is_hidden() {
    let mut server = Server::with_players();
    let letters = server.mail(BOB, "message bob builder alice", "How are you?");
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), "I am well.\nalice wonderland\n");
    let told = all_to(&letters, BOB);
    assert!(told.contains("I am well.") && told.contains("***") && !told.contains("wonderland"), "{letters:?}");
}

#[test]
fn other_words_below_a_reply_are_sent() {
    for text in ["Hello", "Thanks!", "alice hopes", "Pass the salt, please", "\"Wonderful\"", "wonderlands"] {
        let (mut server, letters) = board();
        let letters = reply(&mut server, ALICE, to(&letters, ALICE), &format!("k1\n{text}\n"));
        assert!(all_to(&letters, BOB).contains(text), "{text}: {letters:?}");
    }
}

#[test]
fn a_friendly_line_about_the_game_is_sent() {
    for line in [
        "Good game", "Good game!", "Nice game", "Great games", "Close game", "Good rating", "Nice standings",
        "Hex rocks", "Marque next time?", "Pente anyone?", "Catchup soon",
    ] {
        let (mut server, letters) = board();
        let letters = reply(&mut server, ALICE, to(&letters, ALICE), &format!("k1\n{line}\n"));
        assert_eq!(plies(&server), 3, "{line}: {letters:?}");
        assert!(all_to(&letters, BOB).contains(line), "{line}: {letters:?}");
        assert!(!all_to(&letters, ALICE).contains("There is no game"), "{line}: {letters:?}");
    }
    // The opponent also receives friendly words below other commands, above another sentence, and in messages that are
    // not replies.
    for text in ["resign\nGood game\n", "chat hi\nGood game\n", "k1\nGood game\nSee you soon.\n"] {
        let (mut server, letters) = board();
        let letters = reply(&mut server, ALICE, to(&letters, ALICE), text);
        assert!(all_to(&letters, BOB).contains("Good game"), "{text}: {letters:?}");
    }
    for line in ["marque move 1 alice wonderland k1", "message alice wonderland bob"] {
        for comment in ["Good game", "Hex rocks"] {
            let (mut server, _) = board();
            let letters = server.mail(ALICE, line, &format!("{comment}\n"));
            assert!(all_to(&letters, BOB).contains(comment), "{line}: {letters:?}");
            let (mut server, _) = board();
            let letters = server.mail(ALICE, "", &format!("{line}\n{comment}\n"));
            assert!(all_to(&letters, BOB).contains(comment), "{line}: {letters:?}");
        }
    }
}

#[test]
fn a_mistyped_command_below_a_reply_is_reported() {
    for line in ["marque chalenge alice bob", "marque signup dora s3cret", "hexx games"] {
        let (mut server, letters) = board();
        let letters = reply(&mut server, ALICE, to(&letters, ALICE), &format!("k1\n{line}\n"));
        assert!(!all_to(&letters, BOB).contains(line), "{line}: {letters:?}");
        assert!(
            all_to(&letters, ALICE).contains("Usage") || all_to(&letters, ALICE).contains("Did you mean"),
            "{line}"
        );
    }
}

#[test]
fn a_sentence_that_begins_like_a_command_is_explained() {
    const WHY: &str = "The line begins like a command, so it was not sent to your opponent.";
    for line in [
        "password forgotten again, haha",
        "vacation starts tomorrow",
        "calendar says Monday",
        "confirm alice, bob",
        "Loa rematch later?",
        "Marque challenge next?",
        "vacation alice wonderlnad",
    ] {
        let (mut server, letters) = board();
        let letters = reply(&mut server, ALICE, to(&letters, ALICE), &format!("k1\n{line}\nSee you soon, bob.\n"));
        assert_eq!(plies(&server), 3, "{line}: {letters:?}");
        assert!(!all_to(&letters, BOB).contains(line), "{line}: {letters:?}");
        let told = joined(&all_to(&letters, ALICE));
        assert!(told.contains(WHY) && told.contains("See you soon, bob."), "{line}: {letters:?}");
        assert!(!letters.iter().any(|letter| letter.text().contains("wonderlnad")), "{line}: {letters:?}");
    }
    // The letter proposes a way to send it.
    let (mut server, letters) = board();
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), "chat: Loa rematch later?\n");
    assert!(all_to(&letters, BOB).contains("Loa rematch later?"), "{letters:?}");
    // A line with the right password is a command.
    let (mut server, letters) = board();
    let text = "k1\nmarque move 1 alice wonderland k2\n";
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), text);
    assert!(!joined(&all_to(&letters, ALICE)).contains(WHY), "{letters:?}");
}

#[test]
fn a_private_line_is_not_sent() {
    for (line, private) in [
        ("quque k4", "quque"),
        ("blcok bob", "blcok"),
        ("iff k2 then k4", "then"),
        ("1. if k2 then k4\n2. if k3 then k4", "then"),
        ("a) if k2 then k4", "then"),
        ("and if k2 then k4", "then"),
        ("If not, stop", "If not"),
        ("If you had played k2, fine, but if k3 then k4", "then"),
        ("repo bob he is bad", "bad"),
        ("message carol he is bad", "bad"),
        ("messag carol he is bad", "bad"),
    ] {
        let (mut server, letters) = board();
        let letters = reply(&mut server, ALICE, to(&letters, ALICE), &format!("k1\n{line}\n"));
        assert_eq!(plies(&server), 3, "{line}: {letters:?}");
        let told = all_to(&letters, BOB);
        assert!(told.contains("k1") && !told.contains(line) && !told.contains(private), "{line}: {told}");
        assert!(joined(&all_to(&letters, ALICE)).contains("was not sent"), "{line}: {letters:?}");
    }
    for line in ["Black wins", "Message me later, bob", "Blocks everywhere!"] {
        let (mut server, letters) = board();
        let letters = reply(&mut server, ALICE, to(&letters, ALICE), &format!("k1\n{line}\n"));
        assert!(all_to(&letters, BOB).contains(line), "{line}: {letters:?}");
    }
}

#[test]
fn a_sentence_about_a_move_that_was_not_made_is_sent() {
    for line in [
        "If you had played k4, then h2 would have been strong.",
        "If you had played k4, I would then have lost.",
        "If only you hadn\u{2019}t played f4, then k4 and h2 would have won.",
    ] {
        let (mut server, letters) = board();
        let letters = reply(&mut server, ALICE, to(&letters, ALICE), &format!("k1\n{line}\n"));
        assert_eq!(plies(&server), 3, "{line}: {letters:?}");
        let line = line.replace('\u{2019}', "'");
        assert!(joined(&all_to(&letters, BOB)).replace('\u{2019}', "'").contains(&line), "{line}: {letters:?}");
    }
    let mut server = Server::with_players();
    let letters = server.mail(BOB, "message bob builder alice", "How are you?");
    let line = "If you had played k4, then I'd be lost.";
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), &format!("{line}\n"));
    assert!(joined(&all_to(&letters, BOB)).contains(line), "{letters:?}");
}

#[test]
fn four_letters_of_a_command_are_enough_below_a_reply() {
    for line in ["queu k4", "qmov k4", "bloc bob", "unbl bob"] {
        let (mut server, letters) = board();
        let letters = reply(&mut server, ALICE, to(&letters, ALICE), &format!("k1\n{line}\nSee you soon.\n"));
        assert_eq!(plies(&server), 3, "{line}: {letters:?}");
        assert!(
            letters.iter().all(|letter| letter.to() != BOB || !letter.text().contains(line)),
            "{line}: {letters:?}"
        );
    }
    // The queued move is played after bob's move.
    let (mut server, letters) = board();
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), "k1\nqueu k4\n");
    let letters = reply(&mut server, BOB, to(&letters, BOB), "k2\n");
    assert_eq!(plies(&server), 5, "{letters:?}");
}

#[test]
fn a_refusal_does_not_return_a_text_of_hidden_words() {
    let (mut server, letters) = board();
    let told = reply(&mut server, BOB, to(&letters, BOB), "k1\nThanks\n");
    let text = to(&told, BOB).text();
    assert!(!text.contains("send it again") && !text.contains("***"), "{text}");
    let told = reply(&mut server, BOB, to(&letters, BOB), "k1\nSee you soon, alice.\n");
    let text = to(&told, BOB).text();
    assert!(text.contains("send it again") && text.contains("See you soon, alice."), "{text}");
    // A password is still hidden.
    let told = reply(&mut server, BOB, to(&letters, BOB), "k1\nThanks!\nbuilder\nSee you soon, alice.\n");
    let text = to(&told, BOB).text();
    assert!(text.contains("Thanks!") && text.contains("***") && !text.contains("builder"), "{text}");
}

#[test]
fn text_below_a_line_about_the_account_is_sent_or_returned() {
    const TEXT: &str = "A fine game, dear friend.";
    // Like text below `games`, it is the comment of the move above.
    for line in [
        "games",
        "set mail=text",
        "vacation",
        "calendar new",
        "events",
        "help hex",
        "list",
        "show alice",
        "marque history 1",
        "brique standings",
        "unsubscribe 1 alice wonderland",
    ] {
        let (mut server, letters) = board();
        let letters = reply(&mut server, ALICE, to(&letters, ALICE), &format!("k1\n{line}\n{TEXT}\n"));
        assert_eq!(plies(&server), 3, "{line}: {letters:?}");
        assert!(all_to(&letters, BOB).contains(TEXT), "{line}: {letters:?}");
    }
    // It may be about the blocked player.
    for lines in ["block bob", "block bob\nset mail=text", "show\nblock alice wonderland bob"] {
        let (mut server, letters) = board();
        let letters = reply(&mut server, ALICE, to(&letters, ALICE), &format!("k1\n{lines}\n{TEXT}\n"));
        assert!(!all_to(&letters, BOB).contains(TEXT), "{letters:?}");
        assert!(all_to(&letters, ALICE).contains(TEXT), "{letters:?}");
    }
    // Without a move, no line sends the text.
    let (mut server, letters) = board();
    let told = reply(&mut server, ALICE, to(&letters, ALICE), &format!("set mail=text\n{TEXT}\n"));
    let own = all_to(&told, ALICE);
    assert!(joined(&own).contains("Your text was not sent") && own.contains(TEXT), "{told:?}");
    assert!(own.contains("mail=text") && all_to(&told, BOB).is_empty(), "{told:?}");
    let told = reply(&mut server, ALICE, to(&letters, ALICE), "set mail=html\nThanks\n");
    assert!(!joined(&all_to(&told, ALICE)).contains("was not sent"), "{told:?}");
    for line in ["show", "events"] {
        let told = reply(&mut server, ALICE, to(&letters, ALICE), &format!("{line}\n{TEXT}\n"));
        let own = all_to(&told, ALICE);
        assert!(joined(&own).contains("Your text was not sent") && own.contains(TEXT), "{told:?}");
    }
}
