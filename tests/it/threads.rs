//! The letters about a board form one thread in a mail program: they share a subject, and their ids refer to each
//! other.

use serde_json::json;

use crate::common::{Letter, Server, database, done, reply, to};

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";

/// Creates a server with a board. Returns alice's letter about it.
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
        ("undo", "not made a move"),
        ("note: Watch base F.", "Your note on board 1"),
        ("What a nice board", "neither a move nor a command"),
    ] {
        let headers = json!({ "To": letter.reply_to(), "In-Reply-To": letter.id });
        let answers = server.mail_with(ALICE, &format!("Re: {}", letter.subject), text, &headers);
        let answer = to(&answers, ALICE);
        assert!(answer.text().contains(said), "{text}: {}", answer.text());
        assert_eq!(answer.subject, "Marque Board 1 alice **", "{text}");
        // In `References`, the first id is that of the board's thread, and the last is that of the message to which the
        // letter replies.
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

/// Unreadable messages, each with words that the answer must contain. The test adds the first headers.
const UNREADABLE: &[(&str, &str)] = &[
    ("\n-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----\n", "encrypted"),
    (
        "MIME-Version: 1.0\nContent-Type: application/x-pkcs7-mime; smime-type=signed-data; name=smime.p7m\n\
         Content-Transfer-Encoding: base64\n\nMIAGCSqGSIb3DQEHAqCA\n",
        "S/MIME signature",
    ),
    ("MIME-Version: 1.0\nContent-Type: application/ms-tnef; name=\"winmail.dat\"\n\neJ8+IgEA\n", "winmail.dat"),
    ("\nZjMKCkhpIEJvYiwgaG93IGFyZSB5b3U/\n", "base64"),
    ("MIME-Version: 1.0\nContent-Type: text/plain; charset=x-unheard-of\n\nf3 \u{e9}\n", "character set"),
    ("Subject: Another subject\n\nf3\n", "more than one subject"),
];

#[test]
fn the_answer_to_an_unreadable_message_is_in_the_thread_of_its_board() {
    let (mut server, letter) = challenged();
    let root = letter.references[0].clone();
    let by_token = format!("To: {}\nIn-Reply-To: {}\nReferences: {root} {}\n", letter.reply_to(), letter.id, letter.id);
    let by_id = format!("To: turnpost@localhost\nIn-Reply-To: {}\n", letter.id);
    let by_thread = format!("To: turnpost@localhost\nReferences: {root} <reply-1@example.org>\n");
    for (n, (content, reason)) in UNREADABLE.iter().enumerate() {
        for (m, ids) in [&by_token, &by_id, &by_thread].into_iter().enumerate() {
            database::sql(&server, "DELETE FROM rate_limits WHERE what = 'refusal'");
            let own_id = format!("<unreadable-{n}-{m}@example.org>");
            // Converts each character to one byte, because some of these messages are not valid UTF-8.
            let mail = format!("From: {ALICE}\n{ids}Message-ID: {own_id}\nSubject: Re: {}\n{content}", letter.subject);
            let mail: Vec<u8> = mail.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
            assert_eq!(server.raw_mail(&mail).status, 0);
            let letters = server.letters();
            let answer = to(&letters, ALICE);
            assert!(answer.text().replace('\n', " ").contains(reason), "{content}: {}", answer.text());
            assert_eq!(answer.subject, "Marque Board 1 alice **", "{content} {ids}");
            assert_eq!((answer.references.first(), answer.references.last()), (Some(&root), Some(&own_id)), "{ids}");
            assert_eq!(answer.in_reply_to.as_ref(), Some(&own_id), "{ids}");
        }
        if n == 2 {
            as_if_an_hour_ago(&server);
        }
    }
    // alice can play a move by a reply to the answer about the unreadable message.
    as_if_an_hour_ago(&server);
    let mail = format!("From: {ALICE}\n{by_id}Message-ID: <last@example.org>\nSubject: Re: x\n{}", UNREADABLE[0].0);
    assert_eq!(server.raw_mail(mail.as_bytes()).status, 0);
    let letters = server.letters();
    assert_eq!(reply(&mut server, ALICE, to(&letters, ALICE), "f3").len(), 2);
}

/// Dates all answers so far to more than an hour ago, so that the hourly limit does not count them.
fn as_if_an_hour_ago(server: &Server) {
    database::sql(server, "UPDATE outbox SET created_at = '2020-01-01T00:00:00Z' WHERE kind = 'answer'");
}

#[test]
fn refusals_of_replies_stay_in_the_thread_of_the_board() {
    let (mut server, letter) = challenged();
    let root = letter.references[0].clone();
    for text in
        ["chess challenge alice bob", "signup", "show carol", "marque show 99", "challnge alice bob", "help me please"]
    {
        database::sql(&server, "DELETE FROM rate_limits WHERE what = 'refusal'");
        let answers = reply(&mut server, ALICE, &letter, text);
        let answer = to(&answers, ALICE);
        assert_eq!((answer.subject.as_str(), &answer.references[0]), ("Marque Board 1 alice **", &root), "{text}");
    }
    // Replies like a mail program that keeps the id of the thread, but not the letter's id or reply address.
    let headers = json!({ "References": format!("{root} <other@example.org>") });
    for text in ["resgin 1 alice wonderland", "Thank you for the board."] {
        let answers = server.mail_with(ALICE, "Re: Marque", text, &headers);
        let answer = to(&answers, ALICE);
        assert_eq!((answer.subject.as_str(), &answer.references[0]), ("Marque Board 1 alice **", &root), "{text}");
    }
    // In mail from carol, the ids of another player's thread are ignored.
    assert_eq!(server.shell("signup carol lookingglass carol@example.org").status, 0);
    let answers = server.mail_with("carol@example.org", "chess challenge carol bob", "", &headers);
    assert_eq!(answers[0].subject, "Turnpost: not done");
}

#[test]
fn the_answer_to_a_partly_rejected_message_is_in_the_thread_of_its_board() {
    let (mut server, letter) = challenged();
    let answers = reply(&mut server, ALICE, &letter, "f3\nqueue f33\n");
    let answer = to(&answers, ALICE);
    assert!(answer.text().contains("1 command was not carried out"), "{}", answer.text());
    assert_eq!((answer.subject.as_str(), &answer.references[0]), ("Marque Board 1 alice **", &letter.references[0]));
}

#[test]
fn an_open_challenge_begins_the_thread_of_its_board() {
    let mut server = Server::with_players();
    let offered = server.mail(ALICE, "brique challenge alice anyone", "").remove(0);
    assert_eq!(offered.subject, "Brique Board 1 alice **");
    let letters = server.mail(BOB, "brique accept 1 bob builder", "");
    let begun = to(&letters, ALICE);
    assert_eq!((begun.subject.as_str(), &begun.references[0]), ("Brique Board 1 alice **", &offered.references[0]));
}

#[test]
fn a_code_for_a_new_password_is_sent_immediately_in_a_separate_letter() {
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
