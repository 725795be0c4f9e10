//! To move, a player only needs to reply to a letter. Uses the real binary.

use crate::common::serving::{Serving, wait_until};
use crate::common::{Letter, Server, reply, to};
use serde_json::{Value, json};

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";
const STRANGER: &str = "mallory@elsewhere.example";

/// Creates board 1 for alice and bob, and returns the letters about it.
fn board() -> (Server, Vec<Letter>) {
    let mut server = Server::with_players();
    let letters = server.mail(ALICE, "marque challenge -any_2 alice bob", "");
    (server, letters)
}

/// Returns the token of a letter, which is in its Reply-To and not in its ids.
fn token(letter: &Letter) -> String {
    let reply_to = letter.reply_to();
    let token = reply_to.strip_prefix("Turnpost <turnpost+").unwrap().strip_suffix("@localhost>").unwrap();
    assert!(token.len() + "turnpost+".len() <= 64);
    assert!(token.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()), "{token}");
    assert!(!letter.id.contains(token) && !letter.references.iter().any(|id| id.contains(token)), "{letter:?}");
    token.to_owned()
}

fn to_token(token: &str) -> Value {
    json!({ "To": format!("turnpost+{token}@localhost") })
}

fn plies(server: &Server) -> usize {
    server.hashes(1).len()
}

#[test]
fn the_first_line_of_a_reply_is_a_move() {
    let (mut server, letters) = board();
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), "f3\n\nGood luck!\n");
    assert_eq!(letters.len(), 2);
    assert!(to(&letters, BOB).text().contains("Good luck!"), "{letters:?}");
    assert!(to(&letters, ALICE).text().contains("You played f3"), "{letters:?}");
    assert!(
        to(&letters, ALICE).in_reply_to.as_ref().unwrap().starts_with("<mail-"),
        "the answer belongs to the thread of the sender's message"
    );
    // In this reply, the token is in capitals, and no header contains the letter's ID.
    let answered = to(&letters, BOB);
    let shouted = json!({ "To": format!("TURNPOST+{}@LOCALHOST", token(answered).to_uppercase()) });
    let letters = server.mail_with(BOB, "Re: whatever", "F4,F3", &shouted);
    assert!(to(&letters, BOB).text().contains("f3"), "the answer to an illegal move shows the board");
    assert_eq!(plies(&server), 1);
    let letters = server.mail_with(BOB, "", "F4", &shouted);
    assert_eq!((letters.len(), plies(&server)), (2, 2));
    let id = to(&letters, ALICE).id.to_owned();
    let letters = server.mail_with(ALICE, "AW: Marque", "k1#3\n", &json!({ "In-Reply-To": id }));
    assert_eq!((letters.len(), plies(&server)), (2, 3));
    let id = to(&letters, BOB).id.to_owned();
    let thread = format!("<board-1@localhost> <some@other.example> {id}");
    server.mail_with(BOB, "AW: Marque", "k2\n", &json!({ "References": thread, "In-Reply-To": "<not@ours.example>" }));
    assert_eq!(plies(&server), 4);
    assert!(server.shell("admin board 1").out.contains("The hash chain is intact"));
}

#[test]
fn a_greeting_above_the_move_is_part_of_the_comment() {
    let (mut server, letters) = board();
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), "Hi Bob,\n\nf3\n\nHow is the weather?\n");
    assert_eq!(plies(&server), 1);
    assert!(to(&letters, BOB).text().contains("Hi Bob,"), "{letters:?}");
    assert!(to(&letters, BOB).text().contains("How is the weather?"), "{letters:?}");
    // A greeting by itself is not a comment.
    let letters = reply(&mut server, BOB, to(&letters, BOB), "Hello!\nf2\n");
    assert_eq!(plies(&server), 2);
    assert!(!to(&letters, ALICE).text().contains("Hello!"), "{letters:?}");
}

#[test]
fn a_move_below_a_greeting_below_an_outlook_quote_is_played() {
    let (mut server, letters) = board();
    let letter = to(&letters, ALICE);
    let quoted: String = letter.text().lines().map(|line| format!("> {line}\n")).collect();
    let head = "-----Original Message-----\nFrom: Turnpost <turnpost@localhost>\nSent: Tuesday, March 3, 2026 2:05 PM\n\
                To: Alice\nSubject: Marque Board 1\n\n";
    let text = format!("{head}{quoted}\nGood morning,\n\nf3\n");
    reply(&mut server, ALICE, letter, &text);
    assert_eq!(plies(&server), 1);
    // Without quote marks, the text below the quote may belong to it, so the move there is not played.
    let (mut server, letters) = board();
    let letter = to(&letters, ALICE);
    reply(&mut server, ALICE, letter, &format!("{head}{}\n\nGood morning,\n\nf3\n", letter.text()));
    assert_eq!(plies(&server), 0);
}

/// The letters of every game show moves without a verb, and a reply can contain such a move.
#[test]
fn every_game_is_played_by_replies() {
    for (challenge, moves) in [
        ("brique challenge -size=5 alice bob", ["b2", "swap", "c3"]),
        ("tessella challenge alice bob", ["e1-e2", "e9-e8", "d2-d3"]),
        ("lazo challenge -size=26 alice bob", ["a1", "A2", "b1"]),
    ] {
        let mut server = Server::with_players();
        let mut letters = server.mail(ALICE, challenge, "");
        for (ply, text) in moves.into_iter().enumerate() {
            // Players alternate even after a swap, because it exchanges only the colours.
            let from = [ALICE, BOB][ply % 2];
            letters = reply(&mut server, from, to(&letters, from), &format!("{text}\n"));
            assert_eq!(server.json("show 1")["boards"][0]["plies"], ply + 1, "{challenge}: {text}: {letters:?}");
        }
        assert!(server.shell("admin check").out.contains("no difference"));
    }
}

#[test]
fn only_new_text_is_read() {
    let (mut server, letters) = board();
    let letter = to(&letters, ALICE);
    let quoted: String = letter.text().lines().map(|line| format!("> {line}\n")).collect();
    assert!(quoted.contains("marque move 1 alice PASSWORD"));
    let text = format!("f3\nHello bob\n\nOn Sat, 21 Nov 2026, Turnpost wrote:\n{quoted}");
    let letters = reply(&mut server, ALICE, letter, &text);
    assert_eq!((letters.len(), plies(&server)), (2, 1));
    let told = to(&letters, BOB).text();
    assert!(told.contains("Hello bob") && !told.contains("wrote:") && !told.contains("PASSWORD f3"), "{told}");
}

#[test]
fn a_token_is_valid_until_the_record_changes() {
    let (mut server, first) = board();
    let first = to(&first, ALICE);
    let moved = reply(&mut server, ALICE, first, "f3");
    // alice sends the reply again, with another Message-ID. The answer says that the move was played, and contains the
    // board and a new token.
    let before = server.hashes(1);
    let letters = reply(&mut server, ALICE, first, "f3");
    assert_eq!(letters.len(), 1);
    let told = to(&letters, ALICE);
    assert!(told.text().contains("already made this move") && told.text().contains("Nothing was changed."));
    assert!(told.text().contains("_-+--"), "{}", told.text());
    assert_ne!(token(told), token(first));
    for line in ["resign", "propose", "marque move 1 alice - k4"] {
        server.mail(ALICE, "help", "");
        let letters = reply(&mut server, ALICE, first, line);
        assert_eq!(letters.len(), 1, "{line}");
        assert!(letters[0].text().contains("has changed since"), "{line}: {}", letters[0].text());
    }
    assert_eq!(server.hashes(1), before);
    // The new token is valid, even for a proposal, which adds no entry to the record.
    let proposed = reply(&mut server, ALICE, told, "undo\nSorry!");
    assert!(to(&proposed, BOB).text().contains("Sorry!"));
    let bobs = to(&moved, BOB);
    let undone = reply(&mut server, BOB, to(&proposed, BOB), "Accept");
    assert_eq!(undone.len(), 2, "{undone:?}");
    // The move was undone, so bob's letter about it is outdated.
    let letters = reply(&mut server, BOB, bobs, "f4");
    assert!(letters[0].text().contains("has changed since"), "{}", letters[0].text());
    let letters = reply(&mut server, ALICE, first, "k1");
    assert!(letters[0].text().contains("has changed since"), "{}", letters[0].text());
    let letters = reply(&mut server, ALICE, to(&undone, ALICE), "f4");
    assert_eq!(letters.len(), 2, "{letters:?}");
}

#[test]
fn foreign_tokens_have_no_effect() {
    let (mut server, letters) = board();
    let token = token(to(&letters, ALICE));
    let last = if token.ends_with('a') { 'b' } else { 'a' };
    let forged = format!("{}{last}", &token[..token.len() - 1]);
    let swapped = {
        let mut letters: Vec<char> = token.chars().collect();
        letters[4] = if letters[4] == 'a' { 'b' } else { 'a' };
        letters.into_iter().collect::<String>()
    };
    let mut elsewhere = Server::with_players();
    let theirs = elsewhere.mail(ALICE, "marque challenge alice bob", "");
    let theirs = self::token(to(&theirs, ALICE));
    for wrong in [&forged, &swapped, &token[..token.len() - 2], &theirs, "games"] {
        server.mail(ALICE, "help", "");
        let letters = server.mail_with(ALICE, "Re: Marque", "f3", &to_token(wrong));
        assert_eq!(letters.len(), 1, "{wrong}");
        assert!(
            letters[0].text().contains("was not sent to an address from one of our letters"),
            "{}",
            letters[0].text()
        );
        assert!(server.mail_with(STRANGER, "Re: Marque", "f3", &to_token(wrong)).is_empty(), "{wrong}");
    }
    // The token is not valid at another domain, in the subject or in the text.
    for headers in [json!({ "To": format!("turnpost+{token}@evil.example") }), json!({ "X-Token": token })] {
        assert!(server.mail_with(STRANGER, &token, &format!("f3\n{token}"), &headers).is_empty());
    }
    // A message with the tokens of two letters is ignored.
    let bobs = self::token(to(&letters, BOB));
    let both = json!({ "To": format!("turnpost+{token}@localhost, turnpost+{bobs}@localhost") });
    assert!(server.mail_with(STRANGER, "", "f3", &both).is_empty());
    assert_eq!(plies(&server), 0);
    // A message with the password is accepted even if its token is invalid.
    assert_eq!(server.mail_with(ALICE, "", "marque move 1 alice wonderland f3", &to_token(&forged)).len(), 2);
    assert_eq!(plies(&server), 1);
}

#[test]
fn a_token_authenticates_its_player_at_its_board() {
    let (mut server, letters) = board();
    server.mail(BOB, "marque challenge -any_2 bob alice", "");
    let alices = to(&letters, ALICE);
    let bobs = to(&letters, BOB);
    let letters = reply(&mut server, BOB, bobs, "f3");
    assert!(letters[0].text().contains("It is alice's turn."), "{}", letters[0].text());
    for line in [
        "marque move 1 alice - f3",
        "marque move 2 bob - f3",
        "marque seek bob - 3",
        "set bob - dmarc=required",
        "signoff bob -",
        "change password bob - other",
        "change address bob - mallory@elsewhere.example",
        "vacation bob - off",
    ] {
        server.mail(BOB, "help", "");
        let letters = reply(&mut server, BOB, bobs, line);
        assert_eq!(letters.len(), 1, "{line}");
        assert_eq!(letters[0].to(), BOB);
        let text = letters[0].text().replace('\n', " ");
        assert!(text.contains("\"-\" is valid for bob at board 1 only"), "{line}: {text}");
    }
    assert_eq!(reply(&mut server, ALICE, alices, "marque move 1 alice - f3\nHello").len(), 2);
    assert_eq!(plies(&server), 1);
    assert_eq!(server.hashes(2).len(), 0);
}

#[test]
fn requests_from_unknown_addresses_are_answered_to_the_confirmed_one() {
    let (mut server, letters) = board();
    let letters = reply(&mut server, "alice@work.example", to(&letters, ALICE), "f3");
    assert_eq!(letters.iter().map(Letter::to).collect::<Vec<_>>(), [ALICE, BOB]);
    assert_eq!(plies(&server), 1);
    let bobs = to(&letters, BOB);
    for text in ["f9999", "help", "marque show 1", "queue off\n", "What is this?"] {
        let letters = reply(&mut server, STRANGER, bobs, text);
        assert_eq!(letters.iter().map(Letter::to).collect::<Vec<_>>(), [BOB], "{text}");
    }
    // If mail with a token is sent from another player's address, the server ignores the token and answers that player.
    server.mail(ALICE, "signup carol sesame", "");
    assert_eq!(server.shell("signup dave sesame dave@example.org").status, 0);
    server.mail(ALICE, "marque challenge --private --unrated alice dave", "");
    let letters = reply(&mut server, "dave@example.org", bobs, "marque show 2");
    assert_eq!(letters.iter().map(Letter::to).collect::<Vec<_>>(), ["dave@example.org"]);
    assert!(letters[0].text().contains("(x): dave"), "{}", letters[0].text());
    let letters = reply(&mut server, STRANGER, bobs, "marque show 2");
    assert_eq!(letters.iter().map(Letter::to).collect::<Vec<_>>(), [BOB]);
    assert!(letters[0].text().contains("Board 2 is private."), "{}", letters[0].text());
}

#[test]
fn replies_accept_every_verb_of_a_board() {
    let (mut server, letters) = board();
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), "f3");
    let (alices, bobs) = (to(&letters, ALICE), to(&letters, BOB));
    let letters = reply(&mut server, ALICE, alices, "queue k4");
    assert!(letters[0].text().contains("k4"), "{}", letters[0].text());
    let letters = reply(&mut server, ALICE, alices, "if k4 then h2; else stop");
    assert!(letters[0].text().contains("h2"), "{}", letters[0].text());
    assert!(reply(&mut server, ALICE, alices, "if off")[0].text().contains("lice"));
    let letters = reply(&mut server, ALICE, alices, "note watch\nbase F");
    assert!(letters[0].text().contains("watch") && letters[0].text().contains("base F"), "{}", letters[0].text());
    let letters = reply(&mut server, BOB, bobs, "chat: hello\n\nHow are you?");
    let told = to(&letters, ALICE).text();
    assert!(told.contains("hello") && told.contains("How are you?"), "{told}");
    let letters = reply(&mut server, BOB, bobs, "submit f4");
    // A reply to the server's answer applies to the same board.
    let letters = reply(&mut server, BOB, to(&letters, BOB), "confirm\nThere!");
    assert!(to(&letters, ALICE).text().contains("There!"), "{letters:?}");
    assert_eq!(plies(&server), 2);
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), "propose");
    let letters = reply(&mut server, BOB, to(&letters, BOB), "reject");
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), "resign\nWell played.");
    assert!(to(&letters, BOB).text().contains("you have won (resignation)"), "{letters:?}");
    assert!(letters.iter().all(|letter| letter.reply_to.is_some()), "even the last letter has a reply address");
    // The opponent must not receive conditional replies below a move, or tokens that the text contains.
    let letters = server.mail(ALICE, "marque challenge -any_2 alice bob", "");
    let letter = to(&letters, ALICE);
    let text =
        format!("f3\nif f4 then k1; else stop\nmarque chat 2 alice -\n\nI write to {} now.\n", letter.reply_to());
    let letters = reply(&mut server, ALICE, letter, &text);
    let told: String = letters.iter().filter(|letter| letter.to() == BOB).map(Letter::text).collect();
    assert!(
        told.contains("turnpost+***@localhost") && !told.contains("then k1") && !told.contains(&token(letter)),
        "{told}"
    );
    let moved = letters.iter().find(|letter| letter.to() == BOB && letter.text().contains("f3")).unwrap();
    reply(&mut server, BOB, moved, "f4");
    assert_eq!(server.hashes(2).len(), 3, "the prepared reply is played");
    // A command below the first line is also run.
    let letters = server.mail(ALICE, "marque challenge alice bob", "");
    let letters = reply(&mut server, BOB, to(&letters, BOB), "decline\nmarque show 1\n");
    assert_eq!(letters.iter().filter(|letter| letter.to() == BOB).count(), 1, "{letters:?}");
    assert!(to(&letters, ALICE).text().contains("declined") && !to(&letters, ALICE).text().contains("show 1"));
}

#[test]
fn a_reply_without_a_valid_move_is_answered_and_plays_nothing() {
    let (mut server, letters) = board();
    let letter = to(&letters, ALICE);
    assert_eq!(reply(&mut server, ALICE, letter, "Thanks, thinking about it.").len(), 1);
    assert_eq!(
        reply(&mut server, ALICE, letter, "Still thinking about it.").len(),
        1,
        "each of these replies is answered"
    );
    for line in ["f33", "3f", "f3#x", "f3 and good luck"] {
        // This successful command separates the refusals: after three in a row, only one a day is answered.
        server.mail(ALICE, "help", "");
        let letters = reply(&mut server, ALICE, letter, line);
        assert_eq!(letters.len(), 1, "{line}");
        assert!(letters[0].text().contains("_-+--"), "{line}: {}", letters[0].text());
    }
    // Automatic replies are ignored.
    let away = json!({ "To": letter.reply_to(), "Auto-Submitted": "auto-replied" });
    assert!(server.mail_with(ALICE, "Re: away", "f3", &away).is_empty());
    assert_eq!(plies(&server), 0);
}

#[test]
fn a_reply_to_several_boards_must_name_one() {
    let mut server = Server::with_players();
    for line in
        ["set alice wonderland rhythm=once", "marque challenge -any_2 bob alice", "marque challenge -any_2 bob alice"]
    {
        let ran = server.shell(line);
        assert_eq!(ran.status, 0, "{ran:?}");
    }
    // Both boards await a move of alice, and one letter reports both.
    for line in
        ["marque move 1 bob builder f3", "marque move 2 bob builder f3", "marque chat 2 bob builder --say=Hello"]
    {
        assert_eq!(server.shell(line).status, 0, "{line}");
    }
    server.letters();
    let letters = server.mail(ALICE, "marque chat 1 alice wonderland", "Hello");
    let letter = to(&letters, ALICE);
    assert!(letter.text().contains("Marque board 2"), "{}", letter.text());
    let asked = reply(&mut server, ALICE, letter, "f4");
    assert_eq!(asked.len(), 1);
    assert!(asked[0].text().contains("Which board?"), "{}", asked[0].text());
    assert!(asked[0].reply_to.is_some(), "the question can be answered: {asked:?}");
    assert_eq!((server.hashes(1).len(), server.hashes(2).len()), (1, 1));
    // Once only the board in the letter's subject awaits a move, the reply applies to it.
    let first: usize = if letter.subject.contains("Board 2") { 2 } else { 1 };
    let other = 3 - first;
    assert_eq!(server.shell(&format!("marque move {other} alice wonderland f4")).status, 0);
    server.letters();
    assert_eq!(reply(&mut server, ALICE, letter, "f4").len(), 2);
    assert_eq!((server.hashes(1).len(), server.hashes(2).len()), (2, 2));
}

#[test]
fn only_its_reader_sees_a_token() {
    let mut server = Server::with_players();
    assert_eq!(server.shell("signup carol sesame carol@example.org").status, 0);
    assert_eq!(server.shell("marque subscribe all carol sesame").status, 0);
    let letters = server.mail(ALICE, "marque challenge alice bob", "");
    let mut tokens: Vec<String> = letters.iter().map(token).collect();
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), "f3");
    tokens.extend([ALICE, BOB, "carol@example.org"].map(|address| token(to(&letters, address))));
    // The server refuses this reply, so that the inbox also contains a refused message.
    reply(&mut server, BOB, to(&letters, BOB), "f3#9");
    for command in ["admin inbox", "admin outbox", "admin board 1", "admin export --without-key", "marque show 1"] {
        let ran = server.shell(command);
        for token in &tokens {
            assert!(!ran.out.contains(token.as_str()) && !ran.err.contains(token.as_str()), "{command}: {}", ran.out);
        }
    }
    let names = std::fs::read_dir(server.data().join("outgoing/new")).unwrap();
    for name in names.map(|entry| entry.unwrap().file_name().into_string().unwrap()) {
        assert!(!tokens.iter().any(|token| name.contains(token.as_str())), "{name}");
    }
}

#[test]
fn a_resent_letter_is_identical() {
    let (mut server, letters) = board();
    let outgoing = server.data().join("outgoing/new");
    let read = || {
        let files = std::fs::read_dir(&outgoing).unwrap().map(|file| file.unwrap().path());
        files.map(|path| (path.clone(), std::fs::read(path).unwrap())).collect::<std::collections::BTreeMap<_, _>>()
    };
    let before = read();
    // This move adds an entry to the record. The earlier letters must still be resent unchanged.
    assert_eq!(reply(&mut server, ALICE, to(&letters, ALICE), "f3").len(), 2);
    for id in 1..=2 {
        assert_eq!(server.shell(&format!("admin resend {id}")).status, 0);
    }
    let after = read();
    assert!(before.iter().all(|(path, bytes)| after.get(path) == Some(bytes)));
    assert_eq!((before.len(), after.len()), (2, 4));
}

#[test]
fn the_log_contains_no_token() {
    let (mut server, letters) = board();
    let mail = server.compose_with(ALICE, "Re: Marque", "f3", &json!({ "To": to(&letters, ALICE).reply_to() }));
    let serving = Serving::start(&server, "");
    assert_eq!(server.raw_mail(mail.as_bytes()).status, 0);
    let mut told = Vec::new();
    wait_until("letters to both players", || {
        told.extend(server.letters());
        (told.len() == 2).then_some(())
    });
    let log = serving.stop();
    assert!(log.contains("letter sent"), "{log}");
    for letter in letters.iter().chain(&told) {
        assert!(!log.contains(&token(letter)), "{log}");
    }
}
