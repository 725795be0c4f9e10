//! Messages with unusual MIME parts, as real mail programs and gateways send them.

use turnpost::mail::inbound::{Incoming, find_commands, read};

fn incoming(headers: &str, body: &str) -> Incoming {
    let raw = format!("From: a@example.org\n{headers}\n\n{body}\n");
    read(raw.as_bytes(), "turnpost@example.org").expect("the message is readable")
}

fn runs(incoming: &Incoming) -> bool {
    let subject = incoming.subjects.first().map(String::as_str);
    incoming.unreadable.is_none() && find_commands(subject, &incoming.text).has_command()
}

#[test]
fn types_of_text_are_recognised() {
    for kind in [
        "text",
        "Text",
        "TEXT/PLAIN",
        "text/plain>",
        "text/markdown; charset=utf-8",
        "text/x-markdown",
        "text/html",
        "text/enriched",
        "text/richtext",
    ] {
        for headers in [format!("Content-Type: {kind}"), format!("Content-type: {kind}\nMIME-Version: 1.0")] {
            let incoming = incoming(&headers, "help");
            assert!(runs(&incoming), "{kind}: {incoming:?}");
        }
        let parts = format!("--b\nContent-Type: {kind}\n\nhelp\n--b--");
        assert!(runs(&incoming("Content-Type: multipart/mixed; boundary=b", &parts)), "{kind}");
        assert!(runs(&incoming("Content-Type: multipart/alternative; boundary=b", &parts)), "{kind}");
    }
    let declared =
        incoming("Content-Type: text/plain", "<html><body><p>help</p><blockquote>list</blockquote></body></html>");
    assert!(runs(&declared), "{declared:?}");
    for kind in ["text/calendar", "text/csv", "text/x-vcard", "application/pgp-signature", "image/png"] {
        assert_eq!(incoming(&format!("Content-Type: {kind}"), "help").text, "", "{kind}");
    }
    let enriched = "<bold>help</bold>\n\nWell\nplayed.\n\n<excerpt>list\n</excerpt>";
    let found = find_commands(None, &incoming("Content-Type: text/enriched", enriched).text);
    assert_eq!((found.lines.len(), found.comment.as_deref()), (1, Some("Well played.")));
}

#[test]
fn damaged_base64_is_decoded() {
    let headers = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64";
    for body in [
        "aGVscA==",
        "aGVscA",
        "aGVscAo=\n_______________________________________________\nlist mailing list\nlist@example.org",
        "aGVscAo=\n\n-- \nAdded by a gateway",
        "aGVscAo\n\nfooter",
        "aGVscApUaGlzIGlzIGEgbG9uZ2VyIGNvbW1lbnQsIHNvIHRoYXQgdGhlcmUgYXJlIHR3byBsaW5l\ncyBvZiBpdC4\nfooter",
        "help",
        "help me\nplease, this is no base64",
    ] {
        let incoming = incoming(headers, body);
        assert_eq!(incoming.unreadable, None, "{body}");
        let is_text = body.starts_with("help");
        assert!(is_text || runs(&incoming), "{body}: {incoming:?}");
        assert!(!incoming.text.contains("footer") && !incoming.text.contains("gateway"), "{incoming:?}");
    }
    assert!(incoming(headers, "help me\nplease, this is no base64").text.starts_with("help me"));
    let two =
        incoming(headers, "VGhpcyBpcyBhIGxvbmdlciBjb21tZW50LCBzbyB0aGF0IHRoZXJlIGFyZSB0d28gbGluZXMgb2Yg\naXQ\nx y");
    assert_eq!(two.text.trim(), "This is a longer comment, so that there are two lines of it");
}

#[test]
fn misspelt_names_of_encodings_are_recognised() {
    for (name, body) in [
        ("base64 ", "aGVscA=="),
        ("BASE64", "aGVscA=="),
        ("\"base64\"", "aGVscA=="),
        ("base64;", "aGVscA=="),
        ("Quoted-Printable", "hel=70"),
        ("quoted-printable (text)", "hel=\np"),
        ("8bit", "help"),
        ("8-bit", "help"),
        ("utf-8", "help"),
        ("", "help"),
    ] {
        let incoming = incoming(&format!("Content-Transfer-Encoding: {name}"), body);
        assert!(runs(&incoming), "{name}: {incoming:?}");
    }
}

#[test]
fn encoded_subjects_are_decoded() {
    for subject in [
        "=?utf-8?B?aGVscA==?=",
        "=?utf-8?B?aGVscA?=",
        "=?utf-8*en?Q?help?=",
        "=?US-ASCII*EN-us?q?help?=",
        "=?utf-8?q?he?= =?utf-8?q?lp?=",
        "=?utf-8?q?he?=\n =?iso-8859-1?q?lp?=",
        "Re: =?utf-8?Q?help?=",
    ] {
        assert!(runs(&incoming(&format!("Subject: {subject}"), "Thanks.")), "{subject}");
    }
    let split = incoming("Subject: =?utf-8?B?cGFydGllIGNhZsM=?=\n =?utf-8?B?qQ==?= 7", "x");
    assert_eq!(split.subjects, ["partie caf\u{e9} 7"]);
    let split = incoming("Subject: =?UTF-8?Q?caf=C3?= =?utf-8*fr?Q?=A9?=", "x");
    assert_eq!(split.subjects, ["caf\u{e9}"]);
}

#[test]
fn an_empty_first_text_is_passed_over() {
    for kind in ["multipart/alternative", "multipart/mixed", "multipart/related", "multipart/signed", "multipart"] {
        for empty in ["", "\n\n", "\u{a0}", "\u{200b}", "\u{34f}\u{200c} \u{34f}", "&nbsp;"] {
            let text = if empty == "&nbsp;" { "text/html" } else { "text/plain" };
            let parts = format!(
                "--b\nContent-Type: {text}; charset=utf-8\n\n{empty}\n--b\nContent-Type: text/html; charset=utf-8\n\n\
                 <p>help</p>\n--b--"
            );
            let incoming = incoming(&format!("Content-Type: {kind}; boundary=b"), &parts);
            assert!(runs(&incoming), "{kind} {empty:?}: {incoming:?}");
        }
    }
}
