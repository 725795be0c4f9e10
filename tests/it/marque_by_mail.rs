//! A complete game of Marque by mail, won by connecting, with captures, refused moves and a repeated message; and the
//! same game on the command line, with the same final board and hashes.

use crate::common::{Server, reply, to};
use serde_json::json;

const GAME: &str = include_str!("../data/marque-connected.moves");

/// Returns the moves of the game, each with the refused moves before it.
fn moves() -> Vec<(Vec<&'static str>, &'static str)> {
    let mut moves = Vec::new();
    let mut refused = Vec::new();
    for word in GAME.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace) {
        match word.strip_prefix('!') {
            Some(text) => refused.push(text),
            None => moves.push((std::mem::take(&mut refused), word)),
        }
    }
    moves
}

const PLAYERS: [(&str, &str); 2] = [("alice", "wonderland"), ("bob", "builder")];

fn play_by_mail() -> Server {
    let mut server = Server::with_players();
    let letters = server.mail("alice@example.org", "marque challenge alice bob", "Hello, a game?\n");
    assert_eq!(letters.iter().map(|letter| letter.to()).collect::<Vec<_>>(), ["alice@example.org", "bob@example.org"]);
    assert_eq!(letters[1].subject, "Marque Board 1 bob **");
    assert!(letters[1].text().contains("alice says:\n  Hello, a game?"), "{}", letters[1].text());
    let thread = letters[0].references[0].clone();

    let moves = moves();
    let mut captures = 0;
    for (i, (repeats, text)) in moves.iter().enumerate() {
        let ((userid, password), (other, _)) = (PLAYERS[i % 2], PLAYERS[1 - i % 2]);
        let address = format!("{userid}@example.org");
        if i == 3 {
            let taken = format!("marque move 1 {userid} {password} {}", moves[0].1);
            refused(&mut server, &address, &taken, "already taken");
            let out_of_turn = format!("marque move 1 {other} {} k1", PLAYERS[1 - i % 2].1);
            refused(&mut server, &format!("{other}@example.org"), &out_of_turn, "turn");
        }
        for text in repeats {
            let line = format!("marque move 1 {userid} {password} {text}");
            refused(&mut server, &address, &line, "may not repeat it");
        }
        // Sends half of the moves in the subject of a reply, and half in the text of a new message.
        let letters = if i % 4 < 2 {
            server.mail(&address, &format!("Re: Marque Board 1 {userid} ** {password} {text}"), "Your turn.\n")
        } else {
            server.mail(&address, "my move", &format!("\nmarque move 1 {userid} {password} {text}\nYour turn.\n"))
        };
        assert_eq!(letters.len(), 2, "both players are notified of {text}: {letters:#?}");
        for letter in &letters {
            assert!(letter.text().contains(text), "{}", letter.text());
            assert!(letter.text().contains(&format!("{userid} says:\n  Your turn.")), "{}", letter.text());
            assert!(!letter.text().contains(password), "{}", letter.text());
            assert_eq!(letter.references[0], thread, "each board has one thread");
            captures += usize::from(letter.text().lines().take(3).any(|line| line.contains("capturing")));
        }
        let own = letters.iter().find(|letter| letter.to() == address).unwrap();
        assert_eq!(own.auto_submitted.as_deref(), Some("auto-replied"));
        let last = i + 1 == moves.len();
        for letter in &letters {
            assert_eq!(letter.text().contains("has won (formation)") || letter.text().contains("you have won"), last);
        }
    }
    assert!(captures > 0, "the game has captures");
    assert!(moves.iter().any(|(repeats, _)| !repeats.is_empty()), "the game has repetitions");
    server
}

/// Sends a message that the server must refuse with these words. Only the sender receives an answer.
fn refused(server: &mut Server, from: &str, line: &str, says: &str) {
    let before = server.json("marque show 1");
    let letters = server.mail(from, line, "");
    assert_eq!(letters.len(), 1, "{letters:#?}");
    assert_eq!(letters[0].to(), from);
    assert!(letters[0].text().contains(says), "{}", letters[0].text());
    assert!(letters[0].text().contains("Nothing was changed."), "{}", letters[0].text());
    assert_eq!(server.json("marque show 1"), before);
}

#[test]
fn a_game_works_equally_by_mail_and_from_the_shell() {
    let by_mail = play_by_mail();

    let by_shell = Server::with_players();
    assert_eq!(by_shell.shell("marque challenge alice bob").status, 0);
    for (i, (_, text)) in moves().iter().enumerate() {
        let (userid, password) = PLAYERS[i % 2];
        let ran = by_shell.shell(&format!("marque move 1 {userid} {password} {text}"));
        assert_eq!(ran.status, 0, "{ran:?}");
    }
    let (mailed, typed) = (by_mail.json("marque show 1"), by_shell.json("marque show 1"));
    for what in ["drawing", "pieces", "result", "hash"] {
        assert_eq!(mailed["boards"][0][what], typed["boards"][0][what], "{what}");
    }
    assert_eq!(mailed["boards"][0]["result"]["reason"], "formation");
    assert_eq!(by_mail.hashes(1), by_shell.hashes(1));
    assert_eq!(by_mail.hashes(1).len(), moves().len());
    assert!(by_mail.shell("admin board 1").out.contains("The hash chain is intact"));
}

#[test]
fn a_copy_of_a_message_changes_nothing() {
    let mut server = Server::with_players();
    let challenge = server.compose("alice@example.org", "marque challenge alice bob", "");
    for copy in ["", "Received: from elsewhere\r\n"] {
        assert_eq!(server.raw_mail(format!("{copy}{challenge}").as_bytes()).status, 0);
    }
    assert_eq!(server.letters().len(), 2, "each player receives one letter");
    assert_eq!(server.json("marque games")["boards"].as_array().unwrap().len(), 1);
    assert!(server.shell("admin inbox").out.contains("repeated"));
}

#[test]
fn a_copy_that_a_mailbox_redirects_under_another_id_changes_nothing() {
    let mut server = Server::with_players();
    let letters = server.mail("alice@example.org", "marque challenge -any_2 alice bob", "");
    let to_letter = json!({ "To": to(&letters, "alice@example.org").reply_to() });
    let mail = server.compose_with("alice@example.org", "Re: Marque", "f3\n\nHi", &to_letter);
    assert_eq!(server.raw_mail(mail.as_bytes()).status, 0);
    assert_eq!(server.letters().len(), 2);
    let id = mail.lines().find_map(|line| line.strip_prefix("Message-ID: ")).unwrap();
    let other = "Message-ID: <8ecf9cff@exchange.mail.host>\r\nX-MS-Exchange-Parent-Message-Id: ";
    let copy = mail.replace("Message-ID: ", other);
    assert!(copy.contains(&format!("Parent-Message-Id: {id}")), "{copy}");
    assert_eq!(server.raw_mail(copy.as_bytes()).status, 0);
    assert!(server.letters().is_empty());
}

#[test]
fn a_player_signs_up_by_mail_and_confirms_by_answering() {
    let mut server = Server::with_players();
    let letters = server.mail("Carol <carol@example.org>", "signup carol sesame", "");
    let asked = to(&letters, "carol@example.org").clone();
    // Commands from an unconfirmed address are refused.
    let letters = server.mail("carol@example.org", "marque challenge carol bob", "");
    assert!(letters[0].text().contains("confirmed address"), "{}", letters[0].text());
    let letters = reply(&mut server, "carol@example.org", &asked, "");
    assert!(letters[0].text().contains("are now sent to carol@example.org"), "{}", letters[0].text());
    assert_eq!(server.mail("carol@example.org", "marque challenge carol bob", "").len(), 2);
}

#[test]
fn a_challenged_player_declines_and_a_player_resigns() {
    let mut server = Server::with_players();
    server.mail("alice@example.org", "marque challenge alice bob", "");
    let letters = server.mail("bob@example.org", "marque decline 1 bob builder", "No time, sorry.\n");
    assert_eq!(letters.len(), 2);
    assert!(letters[0].text().contains("bob declined board 1"), "{}", letters[0].text());
    assert!(letters[0].text().contains("No time, sorry."), "{}", letters[0].text());
    server.mail("alice@example.org", "marque challenge -any_2 alice bob", "");
    server.mail("alice@example.org", "marque move 2 alice wonderland f3", "");
    server.mail("bob@example.org", "marque move 2 bob builder f4", "");
    let letters = server.mail("alice@example.org", "marque move 2 alice wonderland resign", "");
    assert!(letters[1].text().contains("you have won (resignation)"), "{}", letters[1].text());
    let ran = server.shell("marque move 2 bob builder k1");
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.err.contains("The game on board 2 has ended."), "{ran:?}");
}
