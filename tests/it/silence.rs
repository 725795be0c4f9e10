//! The limits on answers to refused mail depend on how certain the sender's identity is.

use serde_json::json;

use crate::common::database::sql;
use crate::common::{Letter, Server, letter_to, reply, to};

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";
const UNKNOWN: &str = "alice@work.example";

/// Creates a Marque board for alice and bob. Returns alice's letter about it.
fn board() -> (Server, Letter) {
    let mut server = Server::with_players();
    let letters = server.mail(ALICE, "marque challenge alice bob", "");
    let letter = to(&letters, ALICE).clone();
    (server, letter)
}

/// Returns the sentence of a letter that says until when messages get no answer.
fn silence(letter: &Letter) -> Option<String> {
    let text = letter.text().replace('\n', " ");
    let at = text.find("Until 20")?;
    Some(text[at..at + "Until 2026-11-27 12:00 UTC".len()].to_owned())
}

#[test]
fn forged_mail_with_wrong_passwords_does_not_stop_answers_to_players() {
    let (mut server, letter) = board();
    for n in 0..3 {
        let letters = server.mail(ALICE, &format!("marque move 1 alice guess{n} f3"), "");
        assert_eq!(silence(to(&letters, ALICE)).is_some(), n == 2, "{letters:?}");
    }
    assert_eq!(server.mail(ALICE, "marque move 1 alice guess4 f3", ""), []);
    // Replies, and commands with the right password, are still answered.
    let letters = reply(&mut server, ALICE, &letter, "z99");
    assert!(to(&letters, ALICE).text().contains("z99"), "{letters:?}");
    let letters = server.mail(ALICE, "marque move 1 alice wonderland z99", "");
    assert!(to(&letters, ALICE).text().contains("z99"), "{letters:?}");
    assert_eq!(server.mail(ALICE, "marque move 1 alice guess5 f3", ""), []);
}

#[test]
fn three_answers_without_moves_do_not_stop_answers_to_players() {
    for text in ["\u{1f44d}", "Thanks, thinking about it.", "Alice reacted to your message:", "Hm.\nf3\nf4", "z99"] {
        let (mut server, letter) = board();
        for _ in 0..4 {
            reply(&mut server, ALICE, &letter, text);
        }
        let letters = reply(&mut server, ALICE, &letter, "z98");
        assert!(to(&letters, ALICE).text().contains("z98"), "{text}: {letters:?}");
    }
}

#[test]
fn slips_with_the_right_password_are_answered_up_to_the_limit() {
    // The slips in a player's mail: a taken cell, a cell that does not exist, a move out of turn, and an illegal pair.
    let mut server = Server::with_players();
    server.mail(ALICE, "marque challenge -any_2 alice bob", "");
    server.mail(ALICE, "marque move 1 alice wonderland f3", "");
    let slips = ["bob builder f3", "bob builder z99", "alice wonderland f4", "bob builder f4,a1"];
    for n in 0..19 {
        let letters = server.mail(BOB, &format!("marque move 1 {}", slips[n % slips.len()]), "");
        assert_eq!((letters.len(), silence(to(&letters, BOB)).is_some()), (1, false), "{n}: {letters:?}");
    }
    let letters = server.mail(BOB, "marque move 1 bob builder f3", "");
    assert!(silence(to(&letters, BOB)).is_some(), "{letters:?}");
    assert_eq!(server.mail(BOB, "marque move 1 bob builder f3", ""), []);
    assert_eq!(server.hashes(1).len(), 1);
}

#[test]
fn authenticated_senders_receive_every_error() {
    let (mut server, letter) = board();
    for (n, slip) in ["hello there", "z99", "Nice weather", "z98", "undo", "f3#9"].into_iter().enumerate() {
        let letters = reply(&mut server, ALICE, &letter, slip);
        assert_eq!(letters.len(), 1, "reply {n}");
    }
    for slip in ["move 1 bob builder f3", "move 1 bob builder f4", "move 9 bob builder f4", "chat 1 bob builder"] {
        assert_eq!(server.mail(BOB, &format!("marque {slip}"), "").len(), 1, "{slip}");
    }
    // If a slip is in mail from an unknown address, the server sends the answer to the player's own address.
    for n in 0..4 {
        let letters = server.mail("bob@work.example", "marque move 1 bob builder f3", "");
        assert!(to(&letters, BOB).text().contains("It is alice's turn"), "{n}: {letters:?}");
    }
}

#[test]
fn the_twentieth_answer_within_an_hour_announces_the_limit() {
    let (mut server, letter) = board();
    for n in 0..20 {
        let letters = reply(&mut server, ALICE, &letter, "z99");
        assert_eq!(silence(to(&letters, ALICE)).is_some(), n == 19, "{n}: {letters:?}");
    }
    assert_eq!(reply(&mut server, ALICE, &letter, "z99"), []);
    let limits = server.json("admin limits alice");
    assert_eq!(
        (&limits[0]["limited"], &limits[0]["of"], &limits[0]["count"]),
        (&json!("answers"), &json!(ALICE), &json!(20))
    );
    assert!(limits[0]["until"].is_string(), "{limits}");
    // Beyond the limit, commands are still carried out, but not answered.
    reply(&mut server, ALICE, &letter, "f3");
    assert_eq!(server.hashes(1).len(), 1);
    sql(&server, "UPDATE outbox SET created_at = '2020-01-01T00:00:00Z' WHERE kind = 'answer'");
    assert_eq!(server.json("admin limits"), json!([]));
}

/// Returns the total size of the texts of letters.
fn octets(letters: &[Letter]) -> usize {
    letters.iter().map(|letter| letter.text().len()).sum()
}

#[test]
fn a_stranger_can_read_the_rules_and_sign_up() {
    let mut server = Server::with_players();
    let from = "dora@example.net";
    let mut sent = 0;
    for (n, page) in ["", " marque", " mail", " lazo"].into_iter().enumerate() {
        let letters = server.mail(from, &format!("help{page}"), "");
        let letter = to(&letters, from);
        let whole = server.shell(&format!("help{page}")).out;
        assert!(letter.text().contains(whole.trim()), "{page}: {}", letter.text());
        assert_eq!(silence(letter).is_some(), n == 3, "{page}: {}", letter.text());
        sent += octets(&letters);
    }
    assert!(sent < 40 * 1024, "{sent}");
    assert_eq!(server.mail(from, "help", ""), []);
    let letters = server.mail(from, "signup dora s3cretword", "");
    assert!(to(&letters, from).text().contains("confirm dora"), "{letters:?}");
    assert_eq!(server.mail(from, "signup dora2 s3cretword", ""), []);
}

#[test]
fn a_stranger_gets_forty_kilobytes_a_day() {
    let mut server = Server::with_players();
    let pages = "help marque brique tessella lazo commands mail\n";
    let mut sent = 0;
    for _ in 0..6 {
        sent += octets(&server.mail("dora@example.net", "", &pages.repeat(20)));
    }
    assert!((20 * 1024..40 * 1024).contains(&sent), "{sent}");
}

#[test]
fn a_strangers_other_requests_cause_one_short_letter() {
    let mut server = Server::with_players();
    let from = "dora@example.net";
    let letters = server.mail(from, "list", "");
    assert!(silence(to(&letters, from)).is_some(), "{letters:?}");
    assert_eq!(server.mail(from, "show 1 2", "").len(), 1, "boards 1 and 2 do not exist");
    assert_eq!(server.mail(from, "list", ""), []);
    assert_eq!(server.mail(from, "help", "").len(), 1);
}

#[test]
fn a_faulty_signup_is_answered() {
    let mut server = Server::with_players();
    server.configure("[policy]\nshortest_password = 8\n");
    let slips = [
        "signup",
        "signup dora",
        "signup dora short",
        "signup dora: s3cretword dora@example.net",
        "signup dora s3cretword, dora@example.net",
        "signup dora s3cretword dora@example.net,",
        "signup dora s3cretword dora",
        "signup dora@example.net s3cretword",
        "signup d s3cretword",
        "signup alice s3cretword",
        "signup dora s3cretword <dora@example.net>",
        "register dora s3cretword",
        "sign up dora s3cretword",
        "signup dora s3cretword please",
    ];
    for (n, slip) in slips.into_iter().enumerate() {
        let from = format!("dora{n}@example.net");
        let letters = server.mail(&from, slip, "");
        assert!(letter_to(&letters, &from).is_some(), "{slip}: {}", server.shell("admin inbox").out);
    }
}

#[test]
fn a_slip_from_an_unknown_address_is_answered() {
    let (mut server, _) = board();
    for (n, slip) in [
        "marque mvoe 1 alice wonderland f3",
        "marque move alice wonderland f3",
        "marque move 1 alice f3",
        "brique move 1 alice wonderland f3",
        "move 1 alice wonderland",
        "marque move 1 alic wonderland f3",
        "marque move 1 alice wonderlnd f3",
        "marque move 1 alice wonderland z99",
        "vacation alice wonderland untill 2027",
        "set alice wonderland rythm=once",
        "marque resign one alice wonderland",
        "change passwrd alice wonderland other22",
    ]
    .into_iter()
    .enumerate()
    {
        let from = format!("n{n}.{UNKNOWN}");
        let letters = server.mail(&from, slip, "");
        assert_eq!(letters.len(), 1, "{slip}: {}", server.shell("admin inbox").out);
        assert!(!letters[0].text().contains("wonderl"), "{slip}: {}", letters[0].text());
    }
}

#[test]
fn the_administrator_sees_the_commands_of_an_ignored_message() {
    let (mut server, _) = board();
    for (subject, text, shown) in [
        ("marqe challenge alice bob", "", "marqe"),
        ("", "chess move 1 alice wonderland f3\n", "*** move 1 alice *** f3"),
    ] {
        assert_eq!(server.mail("carol@example.net", subject, text), []);
        let inbox = server.json("admin inbox --rows 1");
        assert_eq!(inbox[0]["verdict"], "ignored", "{inbox}");
        assert!(inbox[0]["commands"].as_str().unwrap().contains(shown), "{inbox}");
    }
    let headers = json!({ "Auto-Submitted": "auto-generated" });
    server.mail_with(ALICE, "marque move 1 alice wonderland f3", "", &headers);
    let inbox = server.json("admin inbox --rows 1");
    assert!(inbox[0]["commands"].as_str().unwrap().contains("marque move 1 alice *** f3"), "{inbox}");
}
