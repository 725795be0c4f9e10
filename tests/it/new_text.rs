//! The newly written text of whole replies, and that nothing quoted is ever a command.
//!
//! The collections are other people's; they are read when `CORPORA` names their folder, and skipped otherwise. Our own
//! fixtures (`tests/data/replies`) are for the languages and programs that the collections lack.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde_json::Value;
use turnpost::mail::inbound::{Unreadable, find_commands, new_text, read};

const OWN: &str = "turnpost@example.org";
/// What no mail of the collections holds, and what must not run when it is planted in a quote.
const PLANTED: &str = "marque move 1 alice pw f3";

/// The collections' folder; says so when there is none.
fn corpora(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("CORPORA").map(|folder| Path::new(&folder).join(name));
    if folder.is_none() {
        eprintln!("skipped: CORPORA names no folder");
    }
    folder
}

fn expected(folder: &Path, file: &str) -> Vec<Value> {
    let text = fs::read_to_string(folder.join(file)).expect("the expectations");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn file(folder: &Path, entry: &Value) -> (String, Vec<u8>) {
    let name = entry["file"].as_str().expect("a file").to_owned();
    let bytes = fs::read(folder.join(&name)).expect("the mail");
    (name, bytes)
}

/// The text of a mail as the server reads it.
fn text_of(raw: &[u8]) -> String {
    let incoming = read(raw, OWN).expect("readable");
    assert_eq!(incoming.unreadable, None);
    incoming.text
}

/// A mail that holds only this body.
fn mail_of(body: &[u8], mimetype: &str) -> Vec<u8> {
    let mut mail = format!("From: a@example.org\nContent-Type: {mimetype}; charset=utf-8\n\n").into_bytes();
    mail.extend_from_slice(body);
    mail
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Lines as the collections compare them: without white space at their ends.
fn ends_trimmed(text: &str) -> String {
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim().to_owned()
}

#[test]
fn replies_of_the_crisp_collection() {
    let Some(folder) = corpora("replies") else { return };
    let mut exact = 0;
    let mut misses = Vec::new();
    for entry in expected(&folder, "expected-crisp.jsonl") {
        let (name, bytes) = file(&folder, &entry);
        let text = text_of(&mail_of(&bytes, "text/plain"));
        let new = new_text(&text);
        let first = ends_trimmed(&new.first().join("\n"));
        let mut right = true;
        if let Some(wanted) = entry["first_fragment"].as_str() {
            right &= ends_trimmed(wanted) == first;
        }
        if let Some(wanted) = entry["visible_text"].as_str() {
            right &= ends_trimmed(wanted) == ends_trimmed(&new.text());
        }
        for pattern in entry["first_fragment_matches"].as_array().into_iter().flatten() {
            let pattern = pattern.as_str().expect("a pattern").replace('\\', "");
            right &= match pattern.strip_prefix('^') {
                Some(start) => first.starts_with(start),
                None => first.contains(&pattern),
            };
        }
        if entry["fragments"] == 1 {
            right &= squeezed(&new.text_and_signatures()) == squeezed(&text);
        }
        // Four have no expectation but a number of fragments, which are not our pieces.
        let own = match name.rsplit('/').next() {
            Some("correct_sig.txt") => "this is an email with a correct -- signature.",
            Some("sig_no_empty_line.txt") => "this is an email with a signature with no empty line above.",
            Some("email_tricky_18_inline_reply.txt") => "I think option A is great.",
            _ => first.as_str(),
        };
        right &= first == own && (name != "crisp/email_reply_header.txt" || first.ends_with("\n\nStranger"));
        match right {
            true => exact += 1,
            false => misses.push(format!("{name}: {first:?}\n   wanted {entry}")),
        }
    }
    eprintln!("{exact} right\n{}", misses.join("\n"));
    assert!(exact >= 74, "{exact} right; misses:\n{}", misses.join("\n"));
}

#[test]
fn replies_of_the_mail_programs() {
    let Some(folder) = corpora("clients") else { return };
    let mut misses = Vec::new();
    for entry in expected(&folder, "expected.jsonl") {
        let (name, bytes) = file(&folder, &entry);
        let wanted = entry["reply"].as_str().expect("a reply");
        let is_html = entry["kind"] == "html";
        let text = text_of(&if is_html { mail_of(&bytes, "text/html") } else { bytes });
        let got = new_text(&text).text_and_signatures();
        let right = match is_html {
            true => squeezed(wanted) == squeezed(&got),
            false => ends_trimmed(wanted) == ends_trimmed(&got),
        };
        if !right {
            misses.push(format!("{name}: {got:?}, wanted {wanted:?}\n{text}"));
        }
    }
    assert!(misses.is_empty(), "{}", misses.join("\n"));
}

/// How the first piece of each mail of the other collection begins and ends, which has no expectations in its files.
const GITHUB: &[(&str, &str, &str)] = &[
    ("correct_sig", "this is an email", "signature."),
    ("email_1_1", "Hi folks", "-Abhishek Kona"),
    ("email_1_2", "Hi,", "Hi,"),
    ("email_1_3", "Oh thanks.", "-Abhishek Kona"),
    ("email_1_4", "Awesome!", "problem with it."),
    ("email_1_5", "One:", "for a while."),
    ("email_1_6", "I get", "as well."),
    ("email_1_7", ":+1:", ":+1:"),
    ("email_1_8", "I will reply under this one", "I will reply under this one"),
    ("email_2_1", "Outlook with a reply", "Outlook with a reply"),
    ("email_2_2", "Outlook with a reply directly above line", "above line"),
    ("email_2_3", "Outlook with a reply directly above line", "above line"),
    ("email_BlackBerry", "Here is another email", "another email"),
    ("email_bullets", "test 2", "- and another"),
    ("email_iPhone", "Here is another email", "another email"),
    ("email_long_quote", "Hi folks", "running a test?"),
    ("email_multi_word_sent_from_my_mobile_device", "Here is another email", "another email"),
    ("email_one_is_not_on", "Thank, this", "when I run..."),
    ("email_sent_from_my_not_signature", "Here is another email", "my mobile phone."),
    ("email_sig_delimiter_in_middle_of_line", "Hi there!", "kthxbai"),
    ("greedy_on", "On your remote host", "is not working."),
    ("pathological", "I think you're onto", "to a computer."),
];

#[test]
fn replies_of_the_github_collection() {
    let Some(folder) = corpora("replies/github") else { return };
    for (name, start, end) in GITHUB {
        let bytes = fs::read(folder.join(format!("{name}.txt"))).expect("the mail");
        let text = text_of(&mail_of(&bytes, "text/plain"));
        let new = new_text(&text);
        let first = ends_trimmed(&new.first().join("\n"));
        assert!(first.starts_with(start) && first.ends_with(end), "{name}: {new:?}");
    }
    let text = fs::read_to_string(folder.join("email_1_2.txt")).expect("the mail");
    let inline = new_text(&text).text();
    assert!(inline.starts_with("Hi,\n\nYou can list") && inline.ends_with("individually.\""), "{inline}");
    let text = fs::read_to_string(folder.join("email_1_8.txt")).expect("the mail");
    assert_eq!(new_text(&text).text(), "I will reply under this one\n\nand under this.");
}

/// Entries of a fixture, which empty lines part.
fn entries(name: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/replies").join(name);
    let text = fs::read_to_string(path).expect("a fixture");
    text.split("\n\n").map(|entry| entry.trim_matches('\n').to_owned()).collect()
}

fn has_no_command(text: &str, what: &str) {
    let text = text_of(&mail_of(text.as_bytes(), "text/plain"));
    let found = find_commands(None, &text);
    assert!(found.lines.is_empty(), "{what}: {:?} runs in\n{text}", found.lines);
}

#[test]
fn the_line_above_a_quote_is_known_in_every_language() {
    for above in entries("attributions.txt") {
        for (gap, mark) in [("\n\n", ""), ("\n", ""), ("\n", "> "), ("\n\n", "> "), ("\n", ">> ")] {
            if mark.is_empty() && (above.starts_with(['Q', 'Z']) || !above.trim_end().ends_with([':', '-', '：'])) {
                continue; // Only what stands below tells that these are one.
            }
            let quote = format!("{mark}{PLANTED}\n{mark}\n{mark}Old words.\n");
            let mail = format!("Well played.{gap}{above}{gap}{quote}");
            let text = text_of(&mail_of(mail.as_bytes(), "text/plain"));
            assert_eq!(new_text(&text).text_and_signatures(), "Well played.", "{above}");
            has_no_command(&format!("{above}{gap}{quote}"), &above);
            assert_eq!(find_commands(None, &format!("help{gap}{above}{gap}{quote}")).lines.len(), 1, "{above}");
        }
        let below = format!("{above}\n> {PLANTED}\n> Old words.\n\nhelp\nAs always.\n");
        let found = find_commands(None, &text_of(&mail_of(below.as_bytes(), "text/plain")));
        assert_eq!((found.lines.len(), found.comment.as_deref()), (1, Some("As always.")), "{above}");
    }
}

#[test]
fn headers_and_separators_of_a_quoted_mail_are_known_in_every_language() {
    for above in entries("headers.txt") {
        for gap in ["\n\n", "\n"] {
            let mail = format!("Well played.{gap}{above}{gap}{PLANTED}\nOld words.\n");
            let text = text_of(&mail_of(mail.as_bytes(), "text/plain"));
            assert_eq!(new_text(&text).text_and_signatures(), "Well played.", "{above}");
            has_no_command(&format!("{above}{gap}{PLANTED}\n"), &above);
            has_no_command(&format!("> {PLANTED}\n\n{above}{gap}{PLANTED}\n"), &above);
        }
    }
}

#[test]
fn footers_are_no_text() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/replies/footers.txt");
    for footer in fs::read_to_string(path).expect("a fixture").lines() {
        let text = format!("help\nWell played.\n\n{footer}\n{PLANTED}\n");
        let found = find_commands(None, &text);
        assert_eq!((found.lines.len(), found.comment.as_deref()), (1, Some("Well played.")), "{footer}");
        has_no_command(&format!("{footer}\n{PLANTED}\n"), footer);
    }
}

#[test]
fn words_that_look_like_a_footer_or_a_quote_stay() {
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
        assert_eq!(new_text(text).text_and_signatures(), text);
    }
}

#[test]
fn between_and_below_quotes_is_comment_only() {
    let found = find_commands(None, "help\n\n> a\n\nlist\n\n> b\n\nShort.\n");
    assert_eq!((found.lines.len(), found.comment.as_deref()), (1, Some("list\n\nShort.")));
    let found = find_commands(None, "> a\n\nhelp\nThanks.\n\n> b\n\nend\nlist\n");
    assert_eq!((found.lines.len(), found.comment.as_deref()), (1, Some("Thanks.")));
    // Only a signature above the quote: the sender wrote nothing.
    assert!(find_commands(None, "Sent from my iPhone\n\n> a\n\nhelp\n").lines.is_empty());
}

#[test]
fn half_a_broken_quoted_line_is_quoted() {
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
    // What was a long line of a quote stays one, and nothing of it runs.
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
fn nothing_runs_that_html_quotes() {
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
fn a_file_is_no_text() {
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
fn the_subject_of_a_forwarded_mail_is_nobodys_command() {
    for prefix in ["Re: ", "RE[2]: ", "AW: Re: ", "Re : ", "R: ", "回复：", "Odp: "] {
        assert!(find_commands(Some(&format!("{prefix}{PLANTED}")), "").has_command(), "{prefix}");
    }
    for prefix in ["Fwd: ", "WG: ", "Re: Fw: ", "I: ", "转发: ", "VS: ", "Xyz: "] {
        assert!(!find_commands(Some(&format!("{prefix}{PLANTED}")), "").has_command(), "{prefix}");
    }
}

#[test]
fn every_character_set_that_is_known_is_read() {
    let mail = |charset: &str, body: &[u8]| {
        let mut raw = format!("From: a@example.org\nContent-Type: text/plain; charset={charset}\n\n").into_bytes();
        raw.extend_from_slice(body);
        read(&raw, OWN).expect("headers")
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

/// The lines of a collection's reply that are quoted, as far as the expectations tell: those behind `>`, or, where there
/// is none, everything below the first line under the new text, up to the first empty one.
fn planted(text: &str, new_lines: usize) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let marked = lines.iter().skip(new_lines).any(|line| line.trim_start().starts_with('>'));
    let mut below = lines.iter().enumerate().skip(new_lines).skip_while(|(_, line)| line.trim().is_empty());
    let header = below.find(|(_, line)| line.trim().is_empty() || line.starts_with('>'));
    let quote = header.map_or(lines.len(), |(at, _)| at);
    let plant = |(at, line): (usize, &&str)| {
        let mark: String = line.chars().take_while(|c| matches!(c, '>' | ' ')).collect();
        let quoted = if marked { mark.contains('>') } else { at >= quote && !line.trim().is_empty() };
        if at < new_lines {
            String::new()
        } else if quoted {
            format!("{mark}{PLANTED}")
        } else {
            (*line).to_owned()
        }
    };
    lines.iter().enumerate().map(plant).collect()
}

#[test]
fn the_html_half_of_the_mail_programs_says_the_same() {
    let Some(folder) = corpora("clients") else { return };
    let mut halves = 0;
    for entry in expected(&folder, "expected.jsonl").iter().filter(|entry| entry["kind"] != "html") {
        let (name, bytes) = file(&folder, entry);
        let mail = mailparse::parse_mail(&bytes).expect("a mail");
        for part in mail.parts().filter(|part| part.ctype.mimetype == "text/html") {
            let html = part.get_body().expect("decoded");
            let text = text_of(&mail_of(html.as_bytes(), "text/html"));
            // One program's halves differ.
            let wanted = if name == "outlook.eml" { "Allo! Follow up MIME!" } else { "Hello" };
            assert_eq!(new_text(&text).text(), wanted, "{name}: {text}");
            halves += 1;
        }
    }
    assert!(halves >= 6, "{halves}");
}

#[test]
fn nothing_quoted_in_the_collections_runs() {
    let Some(folder) = corpora("replies") else { return };
    let mut planted_in = 0;
    for entry in expected(&folder, "expected-crisp.jsonl") {
        let (name, bytes) = file(&folder, &entry);
        let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
        let new_lines = entry["first_fragment"].as_str().map_or(0, |new| new.lines().count());
        if entry["fragments"] == 1 || (new_lines == 0 && !text.contains('>')) {
            continue;
        }
        let lines = planted(&text, new_lines);
        planted_in += usize::from(lines.iter().any(|line| line.contains(PLANTED)));
        has_no_command(&lines.join("\n"), &name);
        let with_answer = text_of(&mail_of(format!("help\n{}", lines.join("\n")).as_bytes(), "text/plain"));
        assert_eq!(find_commands(None, &with_answer).lines.len(), 1, "{name}:\n{with_answer}");
    }
    assert!(planted_in >= 45, "{planted_in} mails were planted in");
    for entry in fs::read_dir(folder.join("github")).expect("the folder") {
        let path = entry.expect("an entry").path();
        let text = String::from_utf8_lossy(&fs::read(&path).expect("the mail")).replace("\r\n", "\n");
        has_no_command(&planted(&text, 0).join("\n"), &path.display().to_string());
    }
}

#[test]
fn nothing_quoted_by_the_mail_programs_runs() {
    let Some(folder) = corpora("clients") else { return };
    let mut planted_in = 0;
    for entry in expected(&folder, "expected.jsonl") {
        let (name, bytes) = file(&folder, &entry);
        if entry["kind"] != "html" {
            // The encoded ones are planted in as text; what they quote is one line, or stands below headers.
            let text = text_of(&bytes);
            let planted = text.replace("Hello", "").replace("> Hi", &format!("> {PLANTED}")).replace("\nHi", PLANTED);
            has_no_command(&planted, &name);
            continue;
        }
        let html = String::from_utf8(bytes).expect("UTF-8");
        let quote = format!("<br>{PLANTED}<br>{PLANTED}<p>{PLANTED}</p>");
        let empty = html.replace("Hi. I am fine.", "").replace("Thanks,", "").replace("Alex<", "<");
        let planted = empty.replace("Hello! How are you?", &quote);
        planted_in += usize::from(planted.contains(PLANTED));
        let text = text_of(&mail_of(planted.as_bytes(), "text/html"));
        assert!(find_commands(None, &text).lines.is_empty(), "{name}: {text}");
    }
    assert_eq!(planted_in, 9);
}

/// Every mail of the collections.
fn every_mail() -> Vec<Vec<u8>> {
    let Some(folder) = corpora("") else { return Vec::new() };
    let folders = ["clients", "mime", "machine/flanker", "machine/spamassassin", "machine/enmime-dsn"];
    let files = folders.iter().flat_map(|name| fs::read_dir(folder.join(name)).expect("a folder"));
    files.map(|entry| fs::read(entry.expect("an entry").path()).expect("a file")).collect()
}

fn read_all(raw: &[u8]) {
    if let Ok(incoming) = read(raw, OWN) {
        let _ = find_commands(incoming.subjects.first().map(String::as_str), &incoming.text);
    }
}

#[test]
fn every_mail_of_the_collections_ends() {
    every_mail().iter().for_each(|raw| read_all(raw));
}

#[test]
fn mail_bombs_end_as_an_error() {
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
    // Long and deep, and still a mail.
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

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..1500)) {
        for mimetype in ["text/plain", "text/html", "text/plain; format=flowed; delsp=yes"] {
            read_all(&mail_of(&bytes, mimetype));
        }
    }

    #[test]
    fn nothing_behind_a_mark_runs(lines in proptest::collection::vec(
        prop::sample::select(vec!["", "> ", ">", ">> ", "On 3.3.2026, a@b.org wrote:", "From: a@b.org", "----", "-- ",
            "Sent from my iPhone", "Hello.", "<a@b.org> wrote:", ">:", "Regards,", "&gt; "]), 0..30)) {
        let text: String = lines.iter().map(|line| match line.starts_with(['>', '&']) && *line != ">:" {
            true => format!("{line}{PLANTED}\n"),
            false => format!("{line}\n"),
        }).collect();
        prop_assert!(find_commands(None, &text).lines.is_empty(), "{}", text);
    }
}

#[test]
fn no_change_to_a_mail_of_the_collections_makes_it_panic() {
    let mails = every_mail();
    let mut state = 0x2545_f491_u32;
    let mut random = move |below: usize| {
        // xorshift: the same changes each time.
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as usize % below.max(1)
    };
    for raw in mails.iter().filter(|raw| raw.len() < 20_000) {
        for _ in 0..4 {
            let mut raw = raw.clone();
            for _ in 0..10 {
                let (from, to) = (random(raw.len()), random(raw.len()));
                match random(3) {
                    0 => raw[to] = random(256) as u8,
                    1 => raw.truncate(from.max(1)),
                    _ => raw.swap(from, to),
                }
            }
            read_all(&raw);
        }
    }
}
