//! What a reply token permits, and which senders can use it. Uses the real binary.

use crate::common::{Letter, Server, joined, reply, to};
use serde_json::json;

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";

fn token(letter: &Letter) -> String {
    let reply_to = letter.reply_to();
    reply_to.strip_prefix("Turnpost <turnpost+").unwrap().strip_suffix("@localhost>").unwrap().to_owned()
}

/// Creates board 1 for alice and bob, and returns the letters about it.
fn board() -> (Server, Vec<Letter>) {
    let mut server = Server::with_players();
    let letters = server.mail(ALICE, "marque challenge alice bob", "");
    (server, letters)
}

/// Returns the letters and digits of all stored data, so that a search finds tokens across line breaks.
fn database(server: &Server) -> String {
    let bytes = std::fs::read_dir(server.data()).unwrap().flat_map(|file| {
        let path = file.unwrap().path();
        if path.is_file() { std::fs::read(path).unwrap() } else { Vec::new() }
    });
    let text = bytes.filter(u8::is_ascii_alphanumeric).map(|byte| char::from(byte.to_ascii_lowercase()));
    text.collect()
}

#[test]
fn a_token_in_a_comment_does_not_reach_the_opponent() {
    let (mut server, letters) = board();
    let letters = reply(&mut server, ALICE, to(&letters, ALICE), "f3");
    let mine = token(to(&letters, ALICE));
    let id = to(&letters, ALICE).id.clone();
    let (head, tail) = mine.split_at(20);
    let percent: String = mine.bytes().map(|byte| format!("%{byte:02X}")).collect();
    for wrapped in [
        format!("turnpost+{mine}@localhost"),
        format!("mailto:turnpost%2B{mine}@localhost?subject=Re&body=f4"),
        format!("mailto:turnpost%2B{}@localhost", mine.to_uppercase()),
        format!("I answer {id}"),
        format!("turnpost+{head}=\n{tail}@localhost"),
        format!("turnpost+{head} \n  {tail}@localhost"),
        percent,
    ] {
        // Sends the comment by mail, and then from a shell.
        let text = format!("chat\nLook: {wrapped}\n");
        let letters =
            server.mail_with(ALICE, "Re: Marque", &text, &json!({ "To": format!("turnpost+{mine}@localhost") }));
        let told = to(&letters, BOB).text();
        assert!(told.contains("Look:") && told.contains("***"), "{told}");
        let said = format!("--say=See {wrapped}");
        let ran = server.program().args(["marque", "chat", "1", "alice", "wonderland", &said]).output().unwrap();
        assert!(ran.status.success(), "{ran:?}");
        let letters = server.letters();
        for text in [told, to(&letters, BOB).text()] {
            let bare: String = text.to_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
            assert!(!bare.contains(&mine), "{wrapped}: {text}");
        }
    }
    assert!(!database(&server).contains(&mine));
}

#[test]
fn another_player_cannot_use_a_token() {
    let (mut server, letters) = board();
    let alices = to(&letters, ALICE);
    for line in ["resign", "f3", "marque move 1 alice - f3", "chat I am alice"] {
        // This successful command separates the refusals: after three in a row, only one a day is answered.
        server.mail(BOB, "help", "");
        let letters = reply(&mut server, BOB, alices, line);
        let [told] = letters.as_slice() else { panic!("{line}: {letters:?}") };
        assert_eq!(told.to(), BOB, "{line}");
        let words = told.text();
        assert!(words.contains("another player") || words.contains("already identified"), "{line}: {words}");
    }
    assert!(server.hashes(1).is_empty());
    // A token is valid from an unknown address, and a password from any address.
    let letters = reply(&mut server, "alice@work.example", alices, "f3");
    assert_eq!(letters.len(), 2, "{letters:?}");
    let letters = reply(&mut server, BOB, to(&letters, ALICE), "marque move 1 bob builder f4");
    assert_eq!(letters.len(), 2, "{letters:?}");
    assert_eq!(server.hashes(1).len(), 2);
}

/// Earlier versions wrote the token into the Message-ID, `<12.server.TOKEN@domain>`.
#[test]
fn the_ids_of_letters_of_earlier_versions_identify_their_boards() {
    for by_recipient in [true, false] {
        let (mut server, letters) = board();
        let letter = to(&letters, ALICE).clone();
        let token = token(&letter);
        let (local, domain) = letter.id.trim_matches(['<', '>']).split_once('@').unwrap();
        let (name, _secret) = local.rsplit_once('.').unwrap();
        let earlier = format!("<{name}.{token}@{domain}>");
        let headers = |references: &str| {
            let mut headers = json!({ "In-Reply-To": earlier, "References": references });
            if by_recipient {
                headers["To"] = json!(letter.reply_to());
            }
            headers
        };
        let references = format!("{} {earlier}", letter.references[0]);
        let answers = server.mail_with(ALICE, "Re: Marque", "f33\n", &headers(&references));
        let answer = to(&answers, ALICE);
        assert_eq!(
            (answer.subject.as_str(), &answer.references[0]),
            ("Marque Board 1 alice **", &letter.references[0])
        );
        let mut all = answers.clone();
        all.extend(server.mail_with(ALICE, "Re: Marque", "f3\n\nHi Bob\n", &headers(&references)));
        assert_eq!(server.hashes(1).len(), 1, "{all:#?}");
        // By this id, the server also finds the letter's text, so that it can remove it from the comment.
        all.extend(server.mail_with(ALICE, "Re: Marque", &format!("chat: Hello\n{}\n", letter.text()), &headers("")));
        all.extend(reply(&mut server, BOB, to(&all, BOB), "f4"));
        let aim = "Reply to this letter with your move on the first line";
        for letter in &all {
            let comment = letter.text().split(" says:").nth(1).unwrap_or_default();
            assert!(!comment.split("\n\n").next().unwrap().contains(aim), "{}", letter.text());
            // No id of a letter contains a token.
            let tokens: Vec<String> = all.iter().filter(|other| other.reply_to.is_some()).map(self::token).collect();
            for id in letter.references.iter().chain([&letter.id]).chain(&letter.in_reply_to) {
                assert!(!tokens.iter().any(|token| id.contains(token.as_str())), "{id}: {letter:#?}");
            }
        }
    }
}

#[test]
fn accept_and_reject_answer_the_proposal_in_the_letter() {
    for answer in ["accept", "reject", "Accept\n\nFine with me."] {
        let (mut server, letters) = board();
        let moved = reply(&mut server, ALICE, to(&letters, ALICE), "f3");
        let before = to(&moved, BOB);
        let offered = reply(&mut server, ALICE, to(&moved, ALICE), "undo");
        let undo = to(&offered, BOB);
        let rejected = reply(&mut server, BOB, undo, "reject");
        let proposed = reply(&mut server, ALICE, to(&rejected, ALICE), "propose");
        let draw = to(&proposed, BOB);
        for earlier in [before, undo] {
            let letters = reply(&mut server, BOB, earlier, answer);
            let [told] = letters.as_slice() else { panic!("{letters:?}") };
            assert!(joined(told.text()).contains("did not show: a draw"), "{}", told.text());
            let board = &server.json("show 1")["boards"][0];
            assert_eq!((&board["proposal"]["kind"], &board["winner"]), (&json!("draw"), &json!(null)), "{answer}");
            // The new letter shows the proposed draw and has a new token, so that a reply to it can accept or reject
            // the draw.
            assert_ne!(token(told), token(earlier));
        }
        // A reply to the letter that shows the draw answers the proposal.
        let letters = reply(&mut server, BOB, draw, answer);
        assert!(letters.len() == 2, "{letters:?}");
        assert_eq!(server.json("show 1")["boards"][0]["proposal"], json!(null));
    }
}

#[test]
fn a_move_is_valid_despite_a_proposal() {
    let (mut server, letters) = board();
    let moved = reply(&mut server, ALICE, to(&letters, ALICE), "f3");
    reply(&mut server, ALICE, to(&moved, ALICE), "propose");
    let letters = reply(&mut server, BOB, to(&moved, BOB), "f4");
    assert_eq!((letters.len(), server.hashes(1).len()), (2, 2), "{letters:?}");
}

#[test]
fn another_board_cannot_be_named_from_an_unknown_address() {
    let (mut server, letters) = board();
    let of_board = to(&letters, ALICE).clone();
    server.mail(ALICE, "marque challenge alice bob", "");
    let letters = server.mail(ALICE, "set alice wonderland mail=text", "");
    let answer = to(&letters, ALICE).clone();
    let letters = server.mail(BOB, "message bob builder alice", "Hello");
    let message = to(&letters, ALICE).clone();
    for line in ["2 f3", "Hello,\n\n2 resign", "2 note base F is weak"] {
        for letter in [&of_board, &answer, &message] {
            let told = reply(&mut server, "alice@work.example", letter, line);
            assert!(told.iter().all(|letter| letter.to() == ALICE), "{line}: {told:?}");
            let told = joined(to(&told, ALICE).text());
            assert!(told.contains("so it cannot name board 2,") && !told.contains("Did you mean"), "{line}: {told}");
        }
    }
    // "2." may be the number of a move, and bob and alice have no board 7.
    for line in ["2. f3", "7 f3"] {
        let told = reply(&mut server, "alice@work.example", &of_board, line);
        assert!(!joined(to(&told, ALICE).text()).contains("cannot name"), "{line}: {told:?}");
    }
    assert_eq!(server.hashes(2).len(), 0);
}

#[test]
fn an_unverified_sender_cannot_use_the_account_and_other_boards() {
    let (mut server, letters) = board();
    let of_board = to(&letters, ALICE).clone();
    server.mail(ALICE, "marque challenge alice bob", "");
    let letters = server.mail(ALICE, "set alice wonderland mail=text", "");
    let answer = to(&letters, ALICE).clone();
    server.configure("[receive]\nauthserv_id = \"mx.example.org\"\n");
    for (results, is_verified) in
        [("mx.example.org; dmarc=fail", false), ("mx.example.org; dmarc=pass header.from=example.org", true)]
    {
        for letter in [&of_board, &answer] {
            let subject = format!("Re: {}", letter.subject);
            let headers = json!({ "To": letter.reply_to(), "Authentication-Results": results });
            let told = server.mail_with(ALICE, &subject, "set mail=text", &headers);
            let told = joined(to(&told, ALICE).text());
            assert_eq!(told.contains("requires the password"), !is_verified, "{told}");
            let told = server.mail_with(ALICE, &subject, "2 f3", &headers);
            assert_eq!(server.hashes(2).len(), usize::from(is_verified), "{results}: {told:?}");
            let is_explained = told.iter().any(|told| joined(told.text()).contains("so it cannot name board 2,"));
            assert_eq!(is_explained, !is_verified, "{results}: {told:?}");
        }
    }
}
