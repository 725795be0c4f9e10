//! Unit tests of mail parsing and letter formatting.

use chrono::{DateTime, TimeDelta, Utc};
use proptest::prelude::*;
use turnpost::compose::Letter;
use turnpost::mail::inbound::{FoundCommands, FoundLine, find_commands, read};
use turnpost::mail::outbound::{SendError, encode, retry_at};
use turnpost::store::{OutboxId, OutboxNotice};
use turnpost::world::World;

const OWN: &str = "turnpost@example.org";

fn mail(headers: &str, text: &str) -> Vec<u8> {
    format!("From: Alice <Alice@Example.org>\nMessage-ID: <1@a>\nSubject: hi\n{headers}\n{text}").into_bytes()
}

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_700_000_000 + seconds, 0).expect("the time is valid")
}

#[test]
fn a_plain_message_is_read() {
    let incoming = read(&mail("", "caf\u{e9} \u{202e}x\r\ny\n"), OWN).expect("the message is readable");
    assert_eq!(incoming.sender.as_deref(), Some("alice@example.org"));
    assert_eq!(incoming.message_id.as_deref(), Some("<1@a>"));
    assert_eq!(incoming.subjects, ["hi"]);
    assert_eq!(incoming.text, "caf\u{e9} x\ny\n");
    assert_eq!((incoming.machine, incoming.unreadable), (None, None));
}

#[test]
fn a_message_has_the_same_identity_through_every_channel() {
    let first = read(&mail("", "x\n"), OWN).expect("the message is readable").identity;
    let mut other = b"From alice Mon Jan  1 00:00:00 2026\nReceived: from there\n".to_vec();
    other.extend(mail("Delivered-To: me\n", "x\n"));
    assert_eq!(read(&other, OWN).expect("the message is readable").identity, first);
    assert_ne!(read(&mail("", "y\n"), OWN).expect("the message is readable").identity, first);
}

#[test]
fn machine_mail_is_recognised() {
    for header in [
        "Auto-Submitted: auto-replied",
        "Return-Path: <>",
        "Precedence: Bulk",
        "List-Id: <x.example>",
        "Content-Type: multipart/report; boundary=x",
    ] {
        assert!(
            read(&mail(&format!("{header}\n"), "x\n"), OWN).expect("the message is readable").machine.is_some(),
            "{header}"
        );
    }
    assert!(read(&mail("Auto-Submitted: no\n", "x\n"), OWN).expect("the message is readable").machine.is_none());
    assert!(read(&mail("", "x\n"), "alice@example.org").expect("the message is readable").machine.is_some());
}

#[test]
fn a_sender_is_the_only_address_of_the_only_from() {
    for from in ["From: a@b.org, c@d.org", "From: a@b.org\nFrom: c@d.org", "From: g: a@b.org;", "From: nobody"] {
        let raw = format!("{from}\nSubject: x\n\ny\n");
        assert_eq!(read(raw.as_bytes(), OWN).expect("the message is readable").sender, None, "{from}");
    }
}

#[test]
fn size_limits_are_enforced() {
    let long = format!("X: {}\n\n", "y".repeat(70_000));
    assert!(read(long.as_bytes(), OWN).is_err());
    let parts = "--b\n\nx\n".repeat(60);
    let many = mail("Content-Type: multipart/mixed; boundary=b\n", &parts);
    assert!(read(&many, OWN).expect("the headers are readable").unreadable.is_some());
}

#[test]
fn the_text_is_the_first_plain_part() {
    let parts = "--b\nContent-Type: text/html\n\n<p>no\n--b\nContent-Type: text/plain; charset=iso-8859-1\n\
                 Content-Transfer-Encoding: quoted-printable\n\nyes =E9\n--b--\n";
    let raw = mail("Content-Type: multipart/alternative; boundary=b\n", parts);
    assert_eq!(read(&raw, OWN).expect("the message is readable").text, "yes \u{e9}");
}

fn shown(found: &FoundCommands) -> Vec<String> {
    let show = |line: &FoundLine| match line {
        FoundLine::Command(line) => line.shown.clone(),
        FoundLine::NotUnderstood(error) => format!("?{}", error.line),
    };
    found.lines.iter().map(show).collect()
}

#[test]
fn a_subject_is_a_command_and_the_text_its_comment() {
    let found = find_commands(
        Some("Re: AW: Marque Board 123 bob ** secret f3"),
        "Well played.\n\nOn Monday, x wrote:\n> old\n",
    );
    assert_eq!(shown(&found).len(), 1);
    assert!(found.has_command() && !shown(&found)[0].contains("secret"));
    assert_eq!(found.comment.as_deref(), Some("Well played."));
}

#[test]
fn an_unchanged_reply_and_a_forward_contain_no_commands() {
    for subject in [
        "Re: Marque Board 123 bob **",
        "Re: Turnpost: board 10",
        "AW: Over: Turnpost: board 10",
        "Re: june; board 10",
        "Re: Reminder: hex (boards 10 and 9)",
        "Fwd: marque move 1 alice secret f3",
        "hello",
    ] {
        assert!(find_commands(Some(subject), "> marque move 1 alice x f3\n").lines.is_empty(), "{subject}");
    }
}

#[test]
fn the_subject_of_a_confirmation_request_is_not_a_command() {
    assert!(find_commands(Some("Re: Confirm your address for alice"), "").lines.is_empty());
    assert!(find_commands(Some("Re: Turnpost confirm alice abcdef"), "").lines.is_empty());
    assert!(find_commands(Some("Re: confirm alice abcdef"), "").has_command());
}

#[test]
fn commands_of_a_text_run_until_the_first_other_line() {
    let found = find_commands(Some("hi"), "\nhelp\n\nlist\nThanks!\nhelp\n-- \nA.\n");
    assert_eq!(found.lines.len(), 2);
    assert_eq!(found.comment.as_deref(), Some("Thanks!\nhelp"));
    let found = find_commands(None, "help\nend\nlist\n");
    assert_eq!((found.lines.len(), found.comment), (1, None));
    let found = find_commands(None, &"help\n".repeat(30));
    assert_eq!((found.lines.len(), found.stopped.is_some(), found.comment), (20, true, None));
}

fn letter() -> Letter {
    Letter {
        to: vec!["bob@example.org".to_owned()],
        from: Some("\"x\",\r\nBcc: a\u{202e}\u{7} via Turnpost".to_owned()),
        subject: "Marque Board 1 bob **\r\nBcc: all@example.org".to_owned(),
        text: "caf\u{e9}\n".to_owned(),
        html: None,
        unsubscribe: None,
        reply_to: None,
        message_id: "<1.abc@example.org>".to_owned(),
        in_reply_to: Some("<x\r\nBcc: y@z>".to_owned()),
        references: (0..9).map(|n| format!("<{n}.{}@example.org>", "r".repeat(90))).collect(),
        date: at(0),
    }
}

#[test]
fn a_letter_has_no_mime_defects() {
    let plain = Letter { text: "plain\n".repeat(300), in_reply_to: Some("<a@b>".to_owned()), ..letter() };
    for (letter, encoding) in [(letter(), "quoted-printable"), (plain, "7bit")] {
        let mail = encode(&letter, OWN, None).expect("the letter can be encoded").formatted();
        let mail = String::from_utf8(mail).unwrap();
        let read = crate::common::mail::read(&mail.replace("\r\n", "\n"));
        assert_eq!((read.id.as_str(), read.references.len()), ("<1.abc@example.org>", 9));
        assert_eq!(read.text, letter.text);
        assert_eq!(read.name, "\"x\", Bcc: a via Turnpost");
        assert!(mail.contains(&format!("\r\nContent-Transfer-Encoding: {encoding}\r\n")), "{mail}");
        assert!(!mail.contains("\r\nBcc:"), "{mail}");
        assert!(!mail.contains("=0"), "line ends are not encoded");
    }
    let nowhere = Letter { to: vec!["no address".to_owned()], ..letter() };
    assert!(matches!(encode(&nowhere, OWN, None), Err(SendError::Permanent(_))));
}

#[test]
fn the_delays_of_retries_double_and_end() {
    let world = World { now: || at(0), random: |bytes| bytes.fill(128) };
    let mut notice = OutboxNotice {
        id: OutboxId(1),
        player: None,
        address: None,
        kind: "answer".to_owned(),
        board: None,
        entry: None,
        letter: None,
        facts: String::new(),
        in_reply_to: None,
        message_id: "<1@a>".to_owned(),
        created_at: at(0),
        bound_at: None,
        attempts: 0,
        due_at: None,
        sent_at: None,
        error: None,
    };
    assert_eq!(retry_at(&notice, at(0), &world), Some(at(300)));
    notice.attempts = 1;
    assert_eq!(retry_at(&notice, at(0), &world), Some(at(600)));
    notice.attempts = 40;
    assert_eq!(retry_at(&notice, at(0), &world), Some(at(4 * 3600)));
    assert_eq!(retry_at(&notice, at(0) + TimeDelta::days(5), &world), None);
    // Found by the simulation: after a long outage, the server gave up on a letter after only a few attempts.
    notice.attempts = 6;
    assert!(retry_at(&notice, at(0) + TimeDelta::days(5), &world).is_some());
    notice.attempts = 7;
    assert_eq!(retry_at(&notice, at(0) + TimeDelta::days(5), &world), None);
    // Found by the simulation: the server held a letter for days, and then gave up on it after the first failed
    // attempt.
    notice.bound_at = Some(at(0) + TimeDelta::days(4));
    assert!(retry_at(&notice, at(0) + TimeDelta::days(5), &world).is_some());
    assert_eq!(retry_at(&notice, at(0) + TimeDelta::days(9), &world), None);
    // The server also gives up if its clock was far ahead when it assigned the notice to a letter.
    assert_eq!(retry_at(&notice, at(0) - TimeDelta::days(9_000), &world), None);
}

proptest! {
    #[test]
    fn no_bytes_make_reading_panic(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        let _ = read(&bytes, OWN);
    }

    #[test]
    fn random_words_do_not_make_parsing_panic(words in proptest::collection::vec(
        prop::sample::select(vec!["From: ", "a@b", "Subject: ", "\n", " ", "Content-Type: multipart/mixed; boundary=",
            "--", "b", "=?utf-8?q?", "?=", "\r\n", "Re: ", ">", "marque", "move", "\u{e9}", "end", "**", ":", "wrote:"]),
        0..120)) {
        let text = words.concat();
        let _ = read(text.as_bytes(), OWN);
        let _ = find_commands(Some(&text), &text);
    }
}
