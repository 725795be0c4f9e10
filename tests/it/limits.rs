//! The limits on input, processing and answers: each at its exact value, and one above it.

use crate::common::{Server, done, to};
use turnpost::mail::inbound::{Unreadable, find_commands, read};

const OWN: &str = "turnpost@example.org";

#[test]
fn twenty_messages_an_hour_are_answered_and_the_next_is_run_silently() {
    let mut server = Server::with_players();
    for n in 0..20 {
        assert_eq!(server.mail("alice@example.org", "help", "").len(), 1, "mail {n}");
    }
    assert!(server.mail("alice@example.org", "marque seek alice wonderland 3", "").is_empty());
    assert!(server.shell("admin inbox").out.contains("too many answers within an hour"));
    assert_eq!(server.json("marque standings")["seekers"], serde_json::json!([["alice", 3]]));
    // Both players still receive notices about alice's actions, and bob's messages are answered.
    assert_eq!(server.mail("alice@example.org", "marque challenge alice bob", "").len(), 2);
    assert_eq!(server.mail("bob@example.org", "help", "").len(), 1);
}

#[test]
fn missing_commands_are_reported_once_a_day() {
    let mut server = Server::with_players();
    let letters = server.mail("alice@example.org", "hello", "How are you?\n");
    assert!(to(&letters, "alice@example.org").text().contains("Until 20"), "{letters:?}");
    assert!(server.mail("alice@example.org", "hello again", "Are you there?\n").is_empty());
    assert_eq!(server.mail("alice@example.org", "help", "").len(), 1);
}

/// Returns a message from alice with these headers and this text.
fn mail(headers: &str, text: &str) -> Vec<u8> {
    format!("From: alice@example.org\nMessage-ID: <1@a>\n{headers}\n{text}").into_bytes()
}

/// Returns why a message's text is unreadable, if it is.
fn unreadable(headers: &str, text: &str) -> Option<Unreadable> {
    read(&mail(headers, text), OWN).unwrap().unreadable
}

fn says(unreadable: Option<Unreadable>, words: &str) {
    assert!(
        unreadable.as_ref().is_some_and(|error| crate::common::words(&error.reason()).contains(words)),
        "{unreadable:?}"
    );
}

#[test]
fn a_message_may_have_a_megabyte() {
    let mut server = Server::with_players();
    let head = String::from_utf8(mail("Subject: help\n", "")).unwrap();
    let of = |length: usize| {
        let id = format!("Message-ID: <{length}@a>");
        let mut raw = head.replace("Message-ID: <1@a>", &id);
        raw += &"x".repeat(70).repeat(length / 70 + 1);
        raw.truncate(length);
        raw.into_bytes()
    };
    assert_eq!(server.raw_mail(&of(1_000_000)).status, 0);
    assert!(server.letters()[0].text().contains("the server"), "the request for help is answered");
    assert_eq!(server.raw_mail(&of(1_000_001)).status, 0);
    assert!(server.letters()[0].text().contains("longer than 1 MB"));
}

#[test]
fn headers_may_have_64_kilobytes() {
    let of = |length: usize| {
        let fixed = String::from_utf8(mail("X: \n", "")).unwrap().len();
        // The value is folded, so that no line is long. Each fold has three octets.
        let lines = (length - fixed) / 103;
        let mut value = format!("{}\n  ", "x".repeat(100)).repeat(lines);
        value += &"x".repeat(length - fixed - value.len());
        let raw = mail(&format!("X: {value}\n"), "");
        assert_eq!(raw.len(), length);
        raw
    };
    assert!(read(&of(64 * 1024), OWN).is_ok());
    let error = crate::common::words(&read(&of(64 * 1024 + 1), OWN).unwrap_err().message());
    assert!(error.contains("longer than 64 KB"), "{error}");
}

#[test]
fn a_header_may_have_four_kilobytes_and_sixty_encoded_words() {
    let subject = |length: usize| format!("Subject: {}\n", "x".repeat(length));
    assert_eq!(unreadable(&subject(4 * 1024), ""), None);
    says(unreadable(&subject(4 * 1024 + 1), ""), "too long");
    let words = |count: usize| format!("Subject:{}\n", " =?utf-8?q?x?=".repeat(count));
    assert_eq!(unreadable(&words(60), ""), None);
    says(unreadable(&words(61), ""), "too long");
}

#[test]
fn a_message_may_have_fifty_parts() {
    let of = |count: usize| {
        let parts = "--b\nContent-Type: text/plain\n\nx\n".repeat(count) + "--b--\n";
        unreadable("Content-Type: multipart/mixed; boundary=b\n", &parts)
    };
    assert_eq!(of(50), None);
    says(of(51), "more than 50 parts");
}

#[test]
fn parts_may_have_twenty_levels() {
    // Reads a message with this many nested multiparts.
    let of = |levels: usize| {
        let inner: String =
            (1..levels).map(|n| format!("--b{}\nContent-Type: multipart/mixed; boundary=b{n}\n\n", n - 1)).collect();
        unreadable("Content-Type: multipart/mixed; boundary=b0\n", &format!("{inner}--b{}\n\nx\n", levels - 1))
    };
    assert_eq!(of(20), None);
    says(of(21), "deeper than 20 levels");
}

#[test]
fn a_message_may_have_twenty_commands_with_five_not_understood() {
    for (lines, count, stopped) in [
        ("help\n".repeat(20), 20, false),
        ("help\n".repeat(21), 20, true),
        ("marque mvoe 1\n".repeat(5), 5, false),
        ("marque mvoe 1\n".repeat(6), 5, true),
        // Unrecognized lines are counted, even if they are not consecutive.
        ("help\nmarque mvoe 1\n".repeat(5), 10, false),
        ("help\nmarque mvoe 1\n".repeat(5) + "help\n", 10, true),
    ] {
        let found = find_commands(None, &lines);
        assert_eq!((found.lines.len(), found.stopped.is_some()), (count, stopped), "{lines}");
    }
}

#[test]
fn ten_wrong_passwords_an_hour_are_allowed() {
    let server = Server::with_players();
    for n in 0..10 {
        let refused = server.shell("set alice wrong");
        assert!(refused.status == 1 && refused.err.contains("No player has this"), "{n}: {}", refused.err);
    }
    let refused = server.shell("set alice wonderland");
    assert!(refused.status == 1 && refused.err.contains("Too many wrong passwords"), "{}", refused.err);
    assert_eq!(server.shell("set bob builder").status, 0);
}

#[test]
fn an_hour_later_addresses_are_answered_and_passwords_are_accepted_again() {
    use crate::common::inside::Inside;
    use chrono::TimeDelta;

    let mut inside = Inside::with_players(&["alice", "bob"]);
    for _ in 0..10 {
        assert!(inside.refused("bob", "set alice wrong").contains("No player has this"));
    }
    assert!(inside.refused("bob", "set alice secret").contains("Too many"));
    inside.pass(TimeDelta::minutes(61));
    assert!(inside.refused("bob", "set alice wrong").contains("No player has this"));
}

#[test]
fn a_small_message_causes_no_huge_letter() {
    let mut server = Server::with_players();
    for _ in 0..3 {
        done(&server, "brique challenge alice bob");
    }
    server.letters();
    let line = "show 1 2 3 1 2 3 1 2 3 1 2 3\n";
    let mail = line.repeat(20);
    let letters = server.mail("alice@example.org", "", &mail);
    let letter = to(&letters, "alice@example.org");
    assert!(letter.text().contains("The answer to a message shows at most 20 boards."), "{}", letter.text());
    assert_eq!(letter.text().matches("Brique board").count(), 12, "the boards of one command fit: {}", letter.text());
    assert!(letter.text().len() < 100_000, "{} octets from {}", letter.text().len(), mail.len());
}

/// Returns the total size of all sent letters in octets.
fn sent(server: &Server) -> u64 {
    let letters = std::fs::read_dir(server.data().join("outgoing/new")).into_iter().flatten();
    letters.map(|letter| letter.unwrap().metadata().unwrap().len()).sum()
}

#[test]
fn a_stranger_receives_one_short_answer_a_day_apart_from_help_and_refusals() {
    let mut server = Server::with_players();
    done(&server, "brique challenge alice bob");
    server.letters();
    for (n, text) in ["show 1 1 1\nhelp\n", "list\n", "help marque\nhelp brique\nlist\n"].into_iter().enumerate() {
        let from = format!("stranger{n}@example.com");
        let before = sent(&server);
        let letters = server.mail(&from, "", text);
        let letter = to(&letters, &from);
        assert!((400..=2048).contains(&(sent(&server) - before)), "{text}: {} octets", sent(&server) - before);
        assert_eq!(letter.text().contains("Only players receive the rest"), n != 1, "{text}: {}", letter.text());
        assert!(server.mail(&from, "list", "").is_empty(), "{text}");
        let before = sent(&server);
        assert_eq!(server.mail(&from, "show 9", "").len(), 1);
        assert!(sent(&server) - before <= 2048, "{} octets", sent(&server) - before);
    }
    assert!(server.shell("admin inbox").out.contains("too many letters"), "{}", server.shell("admin inbox").out);
    // Each signup sends one confirmation letter to the address.
    for n in 0..3 {
        let from = format!("forged{n}@example.com");
        let letters = server.mail(&from, &format!("signup carol{n} s3cret"), "");
        assert_eq!(letters.iter().map(crate::common::Letter::to).collect::<Vec<_>>(), [&from], "{letters:?}");
        assert!(letters[0].text().contains(&format!("confirm carol{n}")), "{letters:?}");
    }
}

#[test]
fn answers_to_requests_with_a_password_are_sent_to_its_player() {
    let mut server = Server::with_players();
    for _ in 0..3 {
        let letters = server.mail("work@example.com", "set alice wonderland", "");
        assert_eq!(letters.iter().map(crate::common::Letter::to).collect::<Vec<_>>(), ["alice@example.org"]);
        assert!(letters[0].text().contains("rhythm="), "{letters:?}");
    }
}

#[test]
fn any_mailbox_accepts_the_size_of_an_answer() {
    let mut server = Server::with_players();
    done(&server, "set alice wonderland mail=html");
    done(&server, "brique challenge -size=19 alice bob");
    server.letters();
    let boards = "show 1 1 1 1 1 1 1 1 1 1\n".repeat(2);
    let before = sent(&server);
    let letters = server.mail("alice@example.org", "", &boards);
    let letter = to(&letters, "alice@example.org");
    assert!((50_000..300_000).contains(&(sent(&server) - before)), "{}", sent(&server) - before);
    assert_eq!(letter.text().matches("Brique board").count(), 20);
}
