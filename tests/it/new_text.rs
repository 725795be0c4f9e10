//! Newly written text is extracted from complete replies. Quoted text must never run as a command.
//!
//! Some tests read collections of messages from other projects, in the folder named by `CORPORA`. Without it, they are
//! skipped. Our own fixtures (`tests/data/replies`) cover other languages and programs.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde_json::Value;
use turnpost::mail::inbound::{NewText, Unreadable, find_commands, new_text, read};

use crate::common::joined;

mod collections;

const OWN: &str = "turnpost@example.org";
/// A command that no message of the collections contains, and that must not run when planted in a quote.
const PLANTED: &str = "marque move 1 alice pw f3";

/// Returns a folder of the collections. If it is missing, prints a note and returns `None`.
fn corpora(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("CORPORA").map(|folder| Path::new(&folder).join(name));
    if folder.is_none() {
        eprintln!("skipped: CORPORA names no folder");
    }
    folder
}

fn expected(folder: &Path, file: &str) -> Vec<Value> {
    let text = fs::read_to_string(folder.join(file)).expect("the file of expectations is readable");
    text.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
}

fn file(folder: &Path, entry: &Value) -> (String, Vec<u8>) {
    let name = entry["file"].as_str().expect("an entry names a file").to_owned();
    let bytes = fs::read(folder.join(&name)).expect("the message is readable");
    (name, bytes)
}

/// Returns the text that the server extracts from a message.
fn text_of(raw: &[u8]) -> String {
    let incoming = read(raw, OWN).expect("the message is readable");
    assert_eq!(incoming.unreadable, None);
    incoming.text
}

/// Returns a message with only this body.
fn mail_of(body: &[u8], mimetype: &str) -> Vec<u8> {
    let mut mail = format!("From: a@example.org\nContent-Type: {mimetype}; charset=utf-8\n\n").into_bytes();
    mail.extend_from_slice(body);
    mail
}

/// Removes white space at the ends of lines and of the text, for comparisons with the collections.
fn ends_trimmed(text: &str) -> String {
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// Returns all new text with signatures: everything neither quoted nor forwarded.
fn text_and_signatures(new: &NewText<'_>) -> String {
    let parts = new.pieces.iter().flat_map(|piece| [&piece.lines, &piece.closing, &piece.signature]);
    let parts = parts.filter(|lines| !lines.is_empty());
    let parts = parts.map(|lines| lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n"));
    parts.collect::<Vec<_>>().join("\n\n")
}

/// Returns the entries of a fixture, which are separated by empty lines.
fn entries(name: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/replies").join(name);
    let text = fs::read_to_string(path).expect("the fixture is readable");
    text.split("\n\n").map(|entry| entry.trim_matches('\n').to_owned()).collect()
}

fn has_no_command(text: &str, what: &str) {
    let text = text_of(&mail_of(text.as_bytes(), "text/plain"));
    let found = find_commands(None, &text);
    assert!(found.lines.is_empty(), "{what}: {:?} runs in\n{text}", found.lines);
}

#[test]
fn the_line_above_a_quote_is_recognised_in_every_language() {
    for above in entries("attributions.txt") {
        for (gap, mark) in [("\n\n", ""), ("\n", ""), ("\n", "> "), ("\n\n", "> "), ("\n", ">> ")] {
            if mark.is_empty() && (above.starts_with(['Q', 'Z']) || !above.trim_end().ends_with([':', '-', '：'])) {
                continue; // Only the quote marks below these lines identify them.
            }
            let quote = format!("{mark}{PLANTED}\n{mark}\n{mark}Old words.\n");
            let mail = format!("Well played.{gap}{above}{gap}{quote}");
            let text = text_of(&mail_of(mail.as_bytes(), "text/plain"));
            assert_eq!(text_and_signatures(&new_text(&text)), "Well played.", "{above}");
            has_no_command(&format!("{above}{gap}{quote}"), &above);
            assert_eq!(find_commands(None, &format!("help{gap}{above}{gap}{quote}")).lines.len(), 1, "{above}");
        }
        let below = format!("{above}\n> {PLANTED}\n> Old words.\n\nhelp\nAs always.\n");
        let found = find_commands(None, &text_of(&mail_of(below.as_bytes(), "text/plain")));
        assert_eq!((found.lines.len(), found.comment.as_deref()), (1, Some("As always.")), "{above}");
    }
}

#[test]
fn headers_and_separators_of_a_quoted_message_are_recognised_in_every_language() {
    for above in entries("headers.txt") {
        for gap in ["\n\n", "\n"] {
            let mail = format!("Well played.{gap}{above}{gap}{PLANTED}\nOld words.\n");
            let text = text_of(&mail_of(mail.as_bytes(), "text/plain"));
            assert_eq!(text_and_signatures(&new_text(&text)), "Well played.", "{above}");
            has_no_command(&format!("{above}{gap}{PLANTED}\n"), &above);
            has_no_command(&format!("> {PLANTED}\n\n{above}{gap}{PLANTED}\n"), &above);
        }
    }
}

#[test]
fn footers_are_neither_commands_nor_comments() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/replies/footers.txt");
    for footer in fs::read_to_string(path).expect("the fixture is readable").lines() {
        let text = format!("help\nWell played.\n\n{footer}\n{PLANTED}\n");
        let found = find_commands(None, &text);
        assert_eq!((found.lines.len(), found.comment.as_deref()), (1, Some("Well played.")), "{footer}");
        has_no_command(&format!("{footer}\n{PLANTED}\n"), footer);
    }
}

#[test]
fn words_that_look_like_a_footer_or_a_quote_remain() {
    for text in [
        "On the other hand, f3 is strong.\n\nOn Thursday:\nI am away.",
        "Sent from my service, which is much easier.",
        "I had written that already: see above.",
        "-- first point\n-- second point",
        "a -- b",
        "From here on it is easy.\nTo me at least.",
        "Kind regards from Rome!\nIt is warm here.",
        "The score:\n----\n3 to 4",
    ] {
        assert_eq!(text_and_signatures(&new_text(text)), text);
    }
}

#[test]
fn text_between_and_below_quotes_is_only_a_comment() {
    let found = find_commands(None, "help\n\n> a\n\nlist\n\n> b\n\nShort.\n");
    assert_eq!((found.lines.len(), found.comment.as_deref()), (1, Some("list\n\nShort.")));
    let found = find_commands(None, "> a\n\nhelp\nThanks.\n\n> b\n\nend\nlist\n");
    assert_eq!((found.lines.len(), found.comment.as_deref()), (1, Some("Thanks.")));
    // Only a signature is above the quote, so the sender has written no text.
    assert!(find_commands(None, "Sent from my iPhone\n\n> a\n\nhelp\n").lines.is_empty());
}

#[test]
fn the_rest_of_a_wrapped_quoted_line_belongs_to_the_quote() {
    let long = "> Response with the next line, and do not forget the password in front of";
    assert!(find_commands(None, &format!("{long}\n{PLANTED}\n> it, please.\n")).lines.is_empty());
    assert!(find_commands(None, &format!("{long}\n{PLANTED}\n")).lines.is_empty());
    assert_eq!(find_commands(None, &format!("{long}\n\nhelp\n")).lines.len(), 1);
    assert_eq!(find_commands(None, "> short\nhelp\n").lines.len(), 1);
}

#[test]
fn flowed_text_is_unfolded() {
    let flowed = |body: &str, more: &str| {
        let raw =
            format!("From: a@example.org\nContent-Type: text/plain; charset=utf-8; format=flowed{more}\n\n{body}");
        text_of(raw.as_bytes())
    };
    assert_eq!(flowed("help \nme\n  x\n >no\n", ""), "help me\n x\n>no\n");
    assert_eq!(flowed("wo \nrd\n", "; delsp=yes"), "word\n");
    assert_eq!(flowed("> a \n> b\n>> c \n> d\nhelp\n-- \nA\n", ""), "> a b\n>> c \n> d\n\nhelp\n-- \nA\n");
    // A quoted line that the mail program has wrapped is read as one line, so its second part is not run as a command.
    let text = flowed(&format!("> Response with this line, which is longer than it looks: \n> {PLANTED}\nhelp\n"), "");
    assert_eq!(find_commands(None, &text).lines.len(), 1);
}

#[test]
fn html_is_read_as_a_reader_sees_it() {
    let html = |body: &str| text_of(&mail_of(body.as_bytes(), "text/html"));
    assert_eq!(html("<p>a <b>b</b>\nc</p><p>d&amp;e<br>f"), "a b c\n\nd&e\nf\n");
    assert_eq!(html("<pre>a\n  b</pre><div>c</div>d"), "a\n  b\nc\nd\n");
    for hidden in [
        "<style>X</style>",
        "<script>X</script>",
        "<head><title>X</title></head>",
        "<!-- X -->",
        "<div style='display: none'>X</div>",
        "<span hidden>X</span>",
        "<p style='font-size:0px'>X</p>",
        "<div style=\"mso-hide:all;\">X</div>",
        "<div class=gmail_signature>X</div>",
    ] {
        assert_eq!(html(&format!("{hidden}<div>help</div>{hidden}")).trim(), "help", "{hidden}");
    }
    assert_eq!(html("<div style='font-size:0.9em'>help</div>").trim(), "help");
}

#[test]
fn quoted_commands_in_html_do_not_run() {
    for (before, after) in [
        ("<blockquote>", "</blockquote>"),
        ("<blockquote type=cite><div></div></div>", "</blockquote>"),
        ("<blockquote><div>", "</div></div></blockquote>"),
        ("<div class=\"x_yahoo_quoted\">", "</div>"),
        ("<div class='gmail_quote'>a note of no language<br>", "</div>"),
        ("<div class=\"gmail_quote gmail_quote_container\">On x<blockquote>", "</blockquote></div>"),
        ("<div id=\"divRplyFwdMsg\" dir=\"ltr\">", "</div>"),
        ("<div id=divRplyFwdMsg></div>", ""),
        ("<div id=appendonsend></div><hr>", ""),
        ("<span id=OLK_SRC_BODY_SECTION>", "</span>"),
        ("<div style='border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0in 0in 0in'></div>", ""),
        ("<div><hr id=\"stopSpelling\"></div>", ""),
        ("<div class=protonmail_quote>", "</div>"),
        ("<table><tr><td><b>From:</b> Turnpost<br><b>Sent:</b> today<br><b>To:</b> me</td></tr></table>", ""),
        ("<p>Am 3.3.2026 um 14:05 schrieb Turnpost:</p>", ""),
        ("<div>&gt; ", "</div>"),
    ] {
        let quote = format!("{before}{PLANTED}<div>{PLANTED}</div>{after}");
        let quote = if before.ends_with("; ") { format!("{before}{PLANTED}{after}") } else { quote };
        let text = text_of(&mail_of(quote.as_bytes(), "text/html"));
        assert!(find_commands(None, &text).lines.is_empty(), "{before}: {text}");
        let text = text_of(&mail_of(format!("<div>help</div>{quote}").as_bytes(), "text/html"));
        assert_eq!(find_commands(None, &text).lines.len(), 1, "{before}: {text}");
    }
}

#[test]
fn an_answer_below_an_html_quote_is_read() {
    for body in [
        "<blockquote>old</blockquote><div>help</div>",
        "<div class=moz-cite-prefix>On 3.3.2026, x wrote:<br></div><blockquote type=cite>old</blockquote>help<br>",
        "<div class=gmail_quote>On 3.3.2026, x wrote:<blockquote>old</blockquote></div><div>help</div>",
        "<div class=gmail_quote>On 3.3.2026, x wrote:<blockquote>old</blockquote><div>help</div></div>",
    ] {
        let text = text_of(&mail_of(body.as_bytes(), "text/html"));
        assert_eq!(find_commands(None, &text).lines.len(), 1, "{body}: {text}");
    }
}

#[test]
fn the_plain_part_is_preferred_unless_it_is_empty() {
    let mail = |plain: &str| {
        let text = format!(
            "From: a@example.org\nContent-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain\n\n\
             {plain}\n--b\nContent-Type: text/html\n\n<p>list</p>\n--b--\n"
        );
        text_of(text.as_bytes())
    };
    assert_eq!(mail("help").trim(), "help");
    assert_eq!(mail("\n \n").trim(), "list");
}

#[test]
fn an_attached_file_is_not_read_as_text() {
    for file in
        ["; name=notes.txt", "\nContent-Disposition: inline; filename=notes.txt", "\nContent-Disposition: attachment"]
    {
        let text = format!(
            "From: a@example.org\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\n\n--b\n\
             Content-Type: text/plain{file}\n\n{PLANTED}\n--b\nContent-Type: message/rfc822\n\nSubject: x\n\n{PLANTED}\n--b--\n"
        );
        assert_eq!(text_of(text.as_bytes()), "", "{file}");
    }
}

#[test]
fn the_subject_of_a_forwarded_message_is_not_a_command() {
    for prefix in ["Re: ", "RE[2]: ", "AW: Re: ", "Re : ", "R: ", "回复：", "Odp: "] {
        assert!(find_commands(Some(&format!("{prefix}{PLANTED}")), "").has_command(), "{prefix}");
    }
    for prefix in ["Fwd: ", "WG: ", "Re: Fw: ", "I: ", "转发: ", "VS: ", "Xyz: "] {
        assert!(!find_commands(Some(&format!("{prefix}{PLANTED}")), "").has_command(), "{prefix}");
    }
}

#[test]
fn every_known_character_set_is_read() {
    let mail = |charset: &str, body: &[u8]| {
        let mut raw = format!("From: a@example.org\nContent-Type: text/plain; charset={charset}\n\n").into_bytes();
        raw.extend_from_slice(body);
        read(&raw, OWN).expect("the headers are readable")
    };
    for (charset, body) in [
        ("koi8-r", b"\xd0\xd2\xc9\xd7\xc5\xd4".as_slice()),
        ("windows-1251", b"\xef\xf0\xe8\xe2\xe5\xf2"),
        ("utf-8", "привет".as_bytes()),
        ("us-ascii", "привет".as_bytes()),
        ("x-nobody-knows", "привет".as_bytes()),
    ] {
        assert_eq!(mail(charset, body).text, "привет", "{charset}");
    }
    assert_eq!(mail("iso-2022-jp", b"\x1b$B;HMQ\x1b(B").text, "使用");
    let unknown = mail("x-nobody-knows", b"\xd0\xd2\xc9");
    assert!(
        unknown.unreadable == Some(Unreadable::UnknownCharset("x-nobody-knows".to_owned())) && unknown.text.is_empty()
    );
}

fn read_all(raw: &[u8]) {
    if let Ok(incoming) = read(raw, OWN) {
        let _ = find_commands(incoming.subjects.first().map(String::as_str), &incoming.text);
    }
}

#[test]
fn mail_bombs_cause_an_error() {
    let head = "From: a@example.org\nSubject: x\n";
    let nested: String =
        (0..100_000).map(|n| format!("--b{n}\nContent-Type: multipart/mixed; boundary=b{}\n\n", n + 1)).collect();
    let words = "=?utf-8?q?x?= ".repeat(100_000);
    let headers: String = (0..100_000).map(|n| format!("X-{n}: y\n")).collect();
    for raw in [
        format!("{head}Content-Type: multipart/mixed; boundary=b0\n\n{nested}"),
        format!("{head}Content-Type: multipart/mixed; boundary=b\n\n{}", "--b\n\nx\n".repeat(100_000)),
        format!("Subject: {words}\n{head}\nx\n"),
        format!("{head}{headers}\nx\n"),
        format!("Subject: {}\n\nx\n", "x".repeat(25_000_000)),
    ] {
        assert!(
            read(raw.as_bytes(), OWN).is_err_and(|error| !crate::common::words(&error.message()).is_empty())
                || read(raw.as_bytes(), OWN).is_ok_and(|incoming| incoming.unreadable.is_some())
        );
    }
    // Each of these messages is long or deeply nested, but valid.
    for body in [
        "<div>".repeat(180_000),
        "<blockquote>".repeat(80_000),
        "wrote:\n".repeat(140_000),
        "To: x\n".repeat(160_000),
        "> \n\n".repeat(200_000),
        "<a b=\"".repeat(100_000),
        "x".repeat(1_000_000),
        "--\n".repeat(300_000),
    ] {
        read_all(&mail_of(body.as_bytes(), "text/html"));
        read_all(&mail_of(body.as_bytes(), "text/plain"));
    }
}

#[test]
fn text_below_hundreds_of_attribution_endings_is_not_read() {
    let endings = "A 12345 x:\n".repeat(499);
    let long = format!("f3\n{endings}g4\n");
    let read = new_text(&long);
    assert!(read.text().starts_with("f3\n") && read.text().ends_with("\ng4"), "a long text is read");
    let longer = format!("f3\n{endings}{endings}g4\n");
    let read = new_text(&longer);
    assert_eq!((read.first()[0], read.text().contains("g4")), ("f3", false));
}

proptest! {
    #[test]
    fn no_bytes_make_the_extraction_panic(bytes in proptest::collection::vec(any::<u8>(), 0..1500)) {
        for mimetype in ["text/plain", "text/html", "text/plain; format=flowed; delsp=yes"] {
            read_all(&mail_of(&bytes, mimetype));
        }
    }

    #[test]
    fn commands_behind_a_quote_mark_do_not_run(lines in proptest::collection::vec(
        prop::sample::select(vec!["", "> ", ">", ">> ", "On 3.3.2026, a@b.org wrote:", "From: a@b.org", "----", "-- ",
            "Sent from my iPhone", "Hello.", "<a@b.org> wrote:", ">:", "Regards,", "&gt; "]), 0..30)) {
        let text: String = lines.iter().map(|line| match line.starts_with(['>', '&']) && *line != ">:" {
            true => format!("{line}{PLANTED}\n"),
            false => format!("{line}\n"),
        }).collect();
        prop_assert!(find_commands(None, &text).lines.is_empty(), "{}", text);
    }
}
