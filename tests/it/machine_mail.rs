//! Automatic mail is recognised and never answered.
//!
//! Some tests read collections of messages from other projects, in the folder named by `CORPORA`. Without it, they are
//! skipped.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use turnpost::mail::inbound::read;

use crate::common::{Server, to};

const OWN: &str = "turnpost@example.org";

fn corpora(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("CORPORA").map(|folder| Path::new(&folder).join(name));
    if folder.is_none() {
        eprintln!("skipped: CORPORA names no folder");
    }
    folder
}

fn is_machine(raw: &[u8]) -> bool {
    read(raw, OWN).is_ok_and(|incoming| incoming.machine.is_some())
}

#[test]
fn only_machine_mail_in_the_collections_is_recognised() {
    for folder in ["machine", "clients"] {
        let Some(folder) = corpora(folder) else { return };
        let entries = fs::read_to_string(folder.join("expected.jsonl")).expect("the file of expectations is readable");
        for entry in entries.lines().map(|line| serde_json::from_str::<Value>(line).expect("each line is JSON")) {
            let name = entry["file"].as_str().expect("an entry names a file");
            if entry["answer"].is_null() && entry["kind"] != "rfc5322" {
                continue; // For these files, both answers are correct, or the headers are missing.
            }
            let machine = is_machine(&fs::read(folder.join(name)).expect("the message is readable"));
            assert_eq!(machine, entry["answer"] == false, "{name}");
        }
    }
}

fn mail(headers: &str, body: &str) -> Vec<u8> {
    let from = if headers.contains("From:") { "" } else { "From: Alice <alice@example.net>\n" };
    format!("{from}To: {OWN}\n{headers}\n\n{body}\n").into_bytes()
}

#[test]
fn machine_mail_is_recognised_by_its_headers() {
    for headers in [
        "Auto-Submitted: auto-replied",
        "auto-submitted: Auto-Generated; owner-email=\"x\"",
        "Return-Path: <>",
        "Return-path: < >",
        "Precedence: bulk",
        "Precedence: auto_reply",
        "List-Id: <x.example.net>",
        "X-Autoreply: yes",
        "X-Autorespond: away",
        "X-Failed-Recipients: bob@example.net",
        "Content-Type: multipart/report; report-type=delivery-status; boundary=b",
        "Content-Type: message/delivery-status",
        "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: message/disposition-notification\n\nx\n--b--",
        "From: Mail Delivery System <Mailer-Daemon@mx.example.net>",
        "From: MAILER-DAEMON (Mail Delivery System)",
        "From: postmaster@example.net",
        "From: post_master@example.net",
        "From: Mail.Delivery <mailer.daemon@example.net>",
        "From: do_not.reply@example.net",
        "From: no-reply@example.net",
        "From: shop.noreply@example.net",
        "From: bounces+17@example.net",
        "From: news-bounces@example.net",
        "From: Turnpost <turnpost@example.org>",
        "From: Turnpost <turnpost+17.abc@example.org>",
        "Return-Path: <turnpost+bounce=17@example.org>",
        "Return-Path: <www-data@example.net>",
        "Message-ID: <17.0123456789@example.org>",
        "Message-ID: <17.0123456789.abc2def@example.org>",
        "Subject: Undelivered Mail Returned to Sender",
        "Subject: Out of Office: Re: Marque Board 7\nX-Auto-Response-Suppress: All",
    ] {
        assert!(is_machine(&mail(headers, "help")), "{headers}");
    }
}

#[test]
fn machine_mail_is_recognised_by_its_text() {
    for body in [
        "Hi. This is the qmail-send program at mx.example.net.\nI'm afraid I wasn't able to",
        "This message was created automatically by mail delivery software.\n",
        "This is the mail system at host mx.example.net.\n",
    ] {
        assert!(is_machine(&mail("Subject: x", body)), "{body}");
    }
    for (subject, body) in [
        ("Automatic reply: Marque Board 7", "I am out of the office until Monday."),
        ("Abwesenheitsnotiz: Marque Board 7", "Ich bin bis Montag nicht im Büro."),
        ("Réponse automatique : Marque Board 7", "Je suis absent jusqu'à lundi."),
    ] {
        assert!(is_machine(&mail(&format!("Subject: {subject}"), body)), "{subject}");
    }
}

#[test]
fn automatic_answers_to_a_letter_are_machine_mail() {
    let answers = "In-Reply-To: <17.x@example.net>\nReferences: <17.x@example.net>";
    for subject in [
        "Automatic reply: Marque Board 7 bob **",
        "Auto reply: Marque Board 7 bob **",
        "Auto-Reply: Re: Marque Board 7",
        "AutoReply : Marque Board 7",
        "[Auto-Reply] Marque Board 7",
        "Out of Office: Re: Marque Board 7",
        "Automatische Antwort: Marque Board 7",
        "Réponse automatique : Marque Board 7",
        "Respuesta automática: Marque Board 7",
        "Автоматический ответ: Marque Board 7",
        "自动答复: Marque Board 7",
        "자동 회신: Marque Board 7",
        "=?utf-8?Q?Odpowied=C5=BA_automatyczna:_Marque?=",
    ] {
        for body in ["I am away", "f4\n\nI am away.", "accept", ""] {
            assert!(is_machine(&mail(&format!("Subject: {subject}\n{answers}"), body)), "{subject}: {body}");
        }
    }
    for subject in ["Fwd: Returned mail: see transcript for details", "Message non remis", "AW: Unzustellbar: Marque 7"]
    {
        assert!(is_machine(&mail(&format!("Subject: {subject}"), "See below.")), "{subject}");
    }
}

#[test]
fn marks_added_by_relays_are_ignored_in_mail_with_a_command() {
    for headers in [
        "List-Unsubscribe: <mailto:x@example.net>",
        "X-Loop: somebody@example.net",
        "Return-Path: <games-bounces@example.net>",
        "Return-Path: <noreply@example.net>",
        "Subject: vacation",
        "Subject: Holiday, and I will be away",
        "Subject: Fwd: Returned mail: see transcript for details",
    ] {
        assert!(is_machine(&mail(headers, "I will be away. These are our news of the week.")), "{headers}");
        for body in ["marque move 1 alice pw f3\n\nI will be away.", "help", "f3", "Hi,\n\nf3,f4\n\n> old", "accept"] {
            assert!(!is_machine(&mail(headers, body)), "{headers}: {body}");
        }
    }
    let vacation = "Subject: vacation alice PW until 2027-05-10";
    assert!(!is_machine(&mail(vacation, "I will be away.")));
}

#[test]
fn reactions_receipts_and_calendar_answers_are_machine_mail() {
    let parts = |part: &str| {
        let text = "--b\nContent-Type: text/plain; charset=utf-8\n\n\u{1f44d}\n\n";
        mail("MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b", &format!("{text}--b\n{part}\n--b--"))
    };
    for part in [
        "Content-Type: text/vnd.google.email-reaction+json\n\n{\"emoji\":\"x\",\"version\":1}",
        "Content-Type: text/plain\nContent-Disposition: Reaction\n\nx",
        "Content-Type: text/calendar; method=REPLY\n\nBEGIN:VCALENDAR",
        "Content-Type: text/calendar; method=COUNTER; charset=utf-8\n\nBEGIN:VCALENDAR",
        "Content-Type: application/ics; name=invite.ics\n\nBEGIN:VCALENDAR\nMETHOD:REPLY\nEND:VCALENDAR",
    ] {
        assert!(is_machine(&parts(part)), "{part}");
    }
    for part in ["Content-Type: text/calendar; method=REQUEST\n\nBEGIN:VCALENDAR", "Content-Type: text/plain\n\nx"] {
        assert!(!is_machine(&parts(part)), "{part}");
    }
    for text in [
        "Alice reacted to your message:\n\n____\nFrom: Turnpost",
        "\u{1f44e}\n\nCarol reacted via Gmail\n<https://www.google.com/gmail/about/>",
        "\u{1f44d}\n\nCarol via <https://www.google.com/gmail/about/?utm_campaign=emojireactionemail#app>",
        "Alice hat auf Ihre Nachricht reagiert:",
        "Alice a réagi à votre message :",
        "Алиса отреагировала на ваше сообщение:",
        "アリスさんがあなたのメッセージにリアクションしました",
    ] {
        assert!(is_machine(&mail("Subject: Re: Marque Board 1 alice **", text)), "{text}");
    }
    for subject in [
        "Read: Marque Board 1 alice **",
        "Gelesen: Marque Board 1 alice **",
        "Lu : Marque Board 1 alice **",
        "Прочитано: Marque Board 1 alice **",
        "已读: Marque Board 1 alice **",
        "Accepted: Marque Board 1 alice **",
        "Abgelehnt: Marque Board 1 alice **",
        "承諾: Marque Board 1 alice **",
    ] {
        for text in ["", "Your message\n\n  To: Alice\n\nwas read on Thursday."] {
            assert!(is_machine(&mail(&format!("Subject: {subject}"), text)), "{subject}: {text}");
        }
        // A message with a move is not treated as automatic, whatever its subject.
        assert!(!is_machine(&mail(&format!("Subject: {subject}"), "f3")), "{subject}");
    }
    for headers in ["X-MLServer: fml 4.0", "Content-class: urn:content-classes:calendarmessage"] {
        assert!(is_machine(&mail(headers, "f3")), "{headers}");
    }
    for text in ["I reacted to your move too late.", "f3\n\nBob reacted to your message", "Read this: f3"] {
        assert!(!is_machine(&mail("Subject: Re: Marque Board 1 alice **", text)), "{text}");
    }
}

/// Automatic messages from mail programs are ignored, even with a valid token. Runs the real binary.
#[test]
fn automatic_mail_is_not_answered_and_letters_suppress_reactions() {
    let mut server = Server::with_players();
    let letters = server.mail("alice@example.org", "marque challenge alice bob", "");
    let letter = to(&letters, "alice@example.org").clone();
    for (subject, text) in [
        ("Re: Marque Board 1 alice **", "Alice reacted to your message:"),
        ("Read: Marque Board 1 alice **", ""),
        ("Accepted: Marque Board 1 alice **", ""),
    ] {
        let headers = json!({ "To": letter.reply_to(), "In-Reply-To": letter.id });
        assert!(server.mail_with("alice@example.org", subject, text, &headers).is_empty(), "{subject}");
        assert_eq!(server.json("admin inbox --rows 1")[0]["verdict"], "ignored", "{subject}");
    }
    let folder = server.data().join("outgoing/new");
    for file in fs::read_dir(folder).unwrap() {
        let raw = fs::read_to_string(file.unwrap().path()).unwrap();
        assert!(
            raw.contains("\r\nX-MS-Reactions: disallow\r\n") || raw.contains("\nX-MS-Reactions: disallow\n"),
            "{raw}"
        );
    }
}

#[test]
fn mail_of_a_person_is_not_machine_mail() {
    for headers in [
        "Auto-Submitted: no",
        "Precedence: first-class",
        "Return-Path: <alice@example.net>",
        "Return-Path: <bounces+17-ab12-alice=example.net@em17.relay.example>",
        "Return-Path: <bounce+ab12.7-alice=example.net@mg.relay.example>",
        "Return-Path: <bounces-17-alice=example.net@relay.example>",
        "Return-Path: <root@example.net>\nFrom: root@example.net",
        "X-Auto-Response-Suppress: All",
        "Feedback-ID: i17:Provider",
        "Subject: Vacation",
        "Subject: Re: Undelivered Mail Returned to Sender",
        "From: Turnpost fan <turnpostfan@example.org>",
        "From: bob.reply@example.net",
        "Message-ID: <17.0123456789@example.net>",
        "Message-ID: <alice.17@example.org>",
    ] {
        assert!(!is_machine(&mail(headers, "marque move 1 alice pw f3")), "{headers}");
    }
}
