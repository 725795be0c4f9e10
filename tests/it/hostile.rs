//! Hostile input: control characters, look-alikes, smuggled lines, templates, markup, paths, forged tokens and cookies.
//! It must not become a header, a command, a template, markup or a file name.

use std::io::Write;
use std::os::unix::net::UnixStream;

use serde_json::json;

use crate::common::database::inbox;
use crate::common::serving::{Serving, http, wait_until};
use crate::common::visitor::Visitor;
use crate::common::{Letter, Server, done, to};

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";

/// Characters that end lines, control terminals, or are invisible: CR, LF, NUL, ESC, backspace, a C1 control,
/// direction marks and overrides, a line separator, a zero-width space, a byte order mark.
const UNSEEN: &str = "\r\n\0\u{1b}\u{8}\u{9b}\u{200e}\u{202e}\u{2066}\u{2028}\u{200b}\u{feff}";

/// Creates a server with a board of Marque for alice and bob. Also returns bob's letter about it.
fn board() -> (Server, Letter) {
    let mut server = Server::with_players();
    done(&server, "marque challenge alice bob");
    server.letters();
    let letters = server.mail(ALICE, "marque move 1 alice wonderland f3", "");
    let letter = letters.into_iter().find(|letter| letter.to() == BOB).unwrap();
    (server, letter)
}

/// Returns the letters in raw form, with their headers.
fn raw_letters(server: &Server) -> Vec<String> {
    let sent = std::fs::read_dir(server.data().join("outgoing/new")).unwrap();
    sent.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap()).collect()
}

/// Returns whether a text contains no characters that control a terminal or are invisible.
fn is_clean(text: &str) -> bool {
    text.chars().all(|c| c == '\n' || !(c.is_control() || UNSEEN.contains(c)))
}

#[test]
fn a_userid_is_plain_ascii_through_every_channel() {
    let mut server = Server::with_players();
    for name in ["аlice", "al\u{200b}ice", "alice\u{202e}", "a\u{1b}[31m", "alice\u{301}", "../alice", "a<b>", "{{a}}"]
    {
        assert_ne!(
            server.program().args(["signup", name, "s3cretword"]).output().unwrap().status.code(),
            Some(0),
            "{name:?}"
        );
        server.mail("stranger@example.net", &format!("signup {name} s3cretword"), "");
    }
    let players = server.shell("admin players").out;
    let userids: Vec<&str> = players.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(userids, ["alice", "bob"], "{players}");
}

#[test]
fn invisible_characters_never_reach_letters_terminals_or_pages() {
    let (mut server, letter) = board();
    let comment = format!("Good{UNSEEN}luck");
    let to_bob = server.mail_with(BOB, "Re:", &format!("f4\n\n{comment}\n"), &json!({ "To": letter.reply_to() }));
    assert!(to(&to_bob, ALICE).text().contains("Good"), "{to_bob:?}");
    for raw in raw_letters(&server) {
        assert!(is_clean(&raw), "{raw:?}");
    }
    for line in ["show 1", "marque history 1", "admin board 1", "admin inbox", "admin outbox"] {
        let ran = server.shell(line);
        assert!(ran.status == 0 && is_clean(&ran.out), "{line}: {:?}", ran.out);
    }
    let serving = Serving::start(&server, "[web]\nlisten = \"127.0.0.1:0\"\n");
    let page = Visitor::new(&serving.web()).get("/boards/1");
    assert!(page.text().contains("Good") && is_clean(page.text()), "{}", page.text());
}

#[test]
fn subjects_and_names_cannot_inject_headers() {
    let (mut server, _) = board();
    for (from, subject) in [
        (BOB.to_owned(), "=?utf-8?q?help=0D=0ABcc:_victim@example.com=0D=0A?=".to_owned()),
        (format!("=?utf-8?q?Bob=0D=0ABcc:_victim@example.com?= <{BOB}>"), "help".to_owned()),
        (BOB.to_owned(), "marque move 1 bob builder f4\r\n X: =?utf-8?q?=0ABcc:_victim@example.com?=".to_owned()),
        (BOB.to_owned(), "=?utf-8?b?aGVscApCY2M6IHZpY3RpbUBleGFtcGxlLmNvbQ==?=".to_owned()),
    ] {
        let mail = format!("From: {from}\nMessage-ID: <{}@x>\nSubject: {subject}\n\n", subject.len() + from.len());
        assert_eq!(server.raw_mail(mail.as_bytes()).status, 0);
    }
    for letter in server.letters() {
        assert!([ALICE, BOB].contains(&letter.to()), "{letter:?}");
    }
    for raw in raw_letters(&server) {
        let head = raw.split("\n\n").next().unwrap();
        assert!(!head.contains("victim") && !head.to_lowercase().contains("\nbcc:"), "{head}");
    }
}

#[test]
fn letters_refer_only_to_valid_message_ids() {
    let (server, _) = board();
    let long = "x".repeat(2_000);
    for id in [
        "<a@b>\u{1b}[2J",
        "<a\u{202e}@b>",
        "<a@b> <c@d>",
        "no brackets",
        &format!("<{long}@x>"),
        "<a@b\r\n Bcc: v@example.com>",
    ] {
        let mail = format!("From: {ALICE}\nMessage-ID: {id}\nSubject: help\n\n{id}\n");
        assert_eq!(server.raw_mail(mail.as_bytes()).status, 0, "{id:?}");
    }
    for raw in raw_letters(&server) {
        let head = raw.split("\n\n").next().unwrap();
        let repeated = ["In-Reply-To: ", "References: "];
        let lines = head.lines().filter(|line| repeated.iter().any(|name| line.starts_with(name)));
        assert!(is_clean(head) && !head.contains("Bcc") && !head.contains(&long), "{head}");
        for line in lines {
            assert!(line.len() < 600 && line.ends_with('>'), "{line}");
        }
    }
}

#[test]
fn line_ends_do_not_split_a_message_by_lmtp() {
    let server = Server::with_players();
    let serving = Serving::start(&server, "[receive]\nlmtp = \"unix:lmtp.sock\"\n");
    let hidden = "MAIL FROM:<x@y>\r\nRCPT TO:<turnpost@localhost>\r\nDATA\r\nFrom: bob@example.org\r\nSubject: marque \
                  challenge bob alice\r\n\r\nx";
    for (n, end) in ["\n.\n", "\n.\r\n", "\r\n.\n", "\r.\r", "\r\n.\r", "\n.\r", "\0\r\n.\n"].into_iter().enumerate() {
        let mut stream = UnixStream::connect(server.data().join("lmtp.sock")).unwrap();
        let mail = format!(
            "LHLO x\r\nMAIL FROM:<a@example.org>\r\nRCPT TO:<turnpost@localhost>\r\nDATA\r\nFrom: {ALICE}\r\n\
             Message-ID: <{n}@x>\r\nSubject: hello\r\n\r\nHello.{end}{hidden}\r\n.\r\nQUIT\r\n"
        );
        stream.write_all(mail.as_bytes()).unwrap();
        let mut said = String::new();
        std::io::Read::read_to_string(&mut stream, &mut said).unwrap();
        // The server accepts the data as one message, or refuses everything.
        assert!(said.matches("\r\n250 2.6.0").count() <= 1 && said.matches("\r\n354").count() <= 1, "{end:?}: {said}");
    }
    wait_until("all messages to be processed", || {
        let waiting = "SELECT count(*) FROM inbox WHERE verdict IS NULL";
        (crate::common::database::sql(&server, waiting) == "0").then_some(())
    });
    assert!(inbox(&server) <= 7);
    drop(serving);
    assert_eq!(server.json("marque games")["boards"], json!([]), "no hidden message is read");
}

#[test]
fn players_texts_are_never_templates_or_markup() {
    let mut server = Server::with_players_who_want_pictures();
    done(&server, "marque challenge alice bob");
    server.letters();
    let comment =
        "{{ 111 * 1001 }} {% include \"mail/move.txt\" %} <script>alert(1)</script> \"><img src=x onerror=y> &lt;";
    let letters = server.mail(ALICE, "marque move 1 alice wonderland f3", &format!("{comment}\n"));
    let letter = to(&letters, BOB);
    let text = letter.text().replace("\n  ", " ");
    assert!(text.contains("{{ 111 * 1001 }} {% include") && !text.contains("111111"), "{text}");
    let html = letter.html();
    assert!(html.contains("{{ 111 * 1001 }}") && html.contains("&lt;script&gt;"), "{html}");
    assert!(!html.contains("<script>") && !html.contains("<img src=x"), "{html}");
    let serving = Serving::start(&server, "[web]\nlisten = \"127.0.0.1:0\"\n");
    let page = Visitor::new(&serving.web()).get("/boards/1");
    assert!(
        page.text().contains("&lt;script&gt;alert(1)") && !page.text().contains("<script>alert"),
        "{}",
        page.text()
    );
    assert!(!page.text().contains("<img src=x"), "{}", page.text());
}

#[test]
fn a_line_of_one_dot_does_not_end_a_letter() {
    let (mut server, letter) = board();
    let text = "f4\n\nOne.\n.\nMAIL FROM:<x@y>\n..\nTwo.\n";
    let letters = server.mail_with(BOB, "Re:", text, &json!({ "To": letter.reply_to() }));
    let told = to(&letters, ALICE).text();
    assert!(told.contains("One.") && told.contains("MAIL FROM:<x@y>") && told.contains("Two."), "{told}");
}

#[test]
fn paths_do_not_expose_files() {
    let (server, _) = board();
    for topic in ["../../../etc/passwd", "../mail/confirm", "marque/../mail", "/etc/passwd", "..%2f..%2fetc%2fpasswd"] {
        let ran = server.shell(&format!("help {topic}"));
        assert!(ran.status != 0 && !ran.out.contains("root:"), "{topic}: {ran:?}");
    }
    let serving = Serving::start(&server, "[web]\nlisten = \"127.0.0.1:0\"\n");
    let mut visitor = Visitor::new(&serving.web());
    for path in [
        "/../turnpost.db",
        "/static/../turnpost.db",
        "/static/..%2f..%2fturnpost.db",
        "/%2e%2e/turnpost.toml",
        "/boards/1/../../turnpost.db",
        "/help/..%2f..%2f..%2fetc%2fpasswd",
        "/boards/1%00.png",
        "/players/..%2f..",
    ] {
        let page = visitor.get(path);
        let body = String::from_utf8_lossy(&page.body);
        assert!(page.status >= 400 && page.status < 500, "{path}: {}", page.status);
        assert!(!body.contains("root:") && !body.contains("SQLite format") && !body.contains("listen ="), "{path}");
    }
}

#[test]
fn a_forged_or_used_token_is_refused() {
    let (mut server, letter) = board();
    let address = letter.reply_to().to_owned();
    let (local, domain) = address.split_once('@').unwrap();
    let (own, token) = local.split_once('+').unwrap();
    let mut forged: Vec<String> = (0..token.len())
        .map(|at| {
            let other = if token.as_bytes()[at] == b'a' { "b" } else { "a" };
            format!("{own}+{}{other}{}@{domain}", &token[..at], &token[at + 1..])
        })
        .collect();
    forged.extend(
        ["", "a", &token[1..], &token[..token.len() - 1], &format!("{token}a")].map(|t| format!("{own}+{t}@{domain}")),
    );
    let plies = |server: &Server| server.json("show 1")["boards"][0]["plies"].as_u64().unwrap();
    for address in &forged {
        server.mail_with(BOB, "Re:", "f4\n", &json!({ "To": address }));
        assert_eq!(plies(&server), 1, "{address}");
    }
    // The valid token works once, from any sender.
    server.mail_with("mallory@example.com", "Re:", "f4\n", &json!({ "To": address }));
    assert_eq!(plies(&server), 2);
    server.mail_with(BOB, "Re:", "j1\n", &json!({ "To": address }));
    server.mail_with(ALICE, "Re:", "j1\n", &json!({ "To": address }));
    assert_eq!(plies(&server), 2, "a used token is refused");
}

#[test]
fn a_forged_cookie_is_invalid() {
    let (server, _) = board();
    let serving = Serving::start(&server, "[web]\nlisten = \"127.0.0.1:0\"\n");
    let mut bob = Visitor::logged_in(&serving.web(), "bob", "builder");
    assert_eq!(bob.get("/me").status, 200);
    let cookie = bob.cookie.clone().unwrap();
    let (name, value) = cookie.split_once('=').unwrap();
    let flipped = |at: usize| {
        let other = if value.as_bytes()[at] == b'A' { "B" } else { "A" };
        format!("{name}={}{other}{}", &value[..at], &value[at + 1..])
    };
    let forged =
        [flipped(0), flipped(value.len() / 2), format!("{name}="), format!("{name}=bob"), format!("{cookie}x")];
    for cookie in forged {
        let mut mallory = Visitor { cookie: Some(cookie.clone()), ..Visitor::new(&serving.web()) };
        assert_ne!(mallory.get("/me").status, 200, "{cookie}");
    }
    // A session that has ended is invalid.
    let csrf = bob.get("/me").hidden("csrf").unwrap().to_owned();
    bob.send("/logout", &[("csrf", &csrf)]);
    let mut replayed = Visitor { cookie: Some(cookie), ..Visitor::new(&serving.web()) };
    assert_ne!(replayed.get("/me").status, 200);
}

#[test]
fn a_request_has_one_host_header() {
    let server = Server::with_players();
    let serving = Serving::start(&server, "[web]\nlisten = \"127.0.0.1:0\"\n[metrics]\nlisten = \"127.0.0.1:0\"\n");
    for (address, path) in [(serving.web(), "/"), (serving.web(), "/api/v1/games"), (serving.metrics(), "/health")] {
        for (version, hosts, status) in [
            ("1.1", "Host: a\r\n", 200),
            ("1.1", "", 400),
            ("1.1", "Host: a\r\nHost: a\r\n", 400),
            ("1.0", "", 200),
            ("1.0", "Host: a\r\n", 200),
            ("1.0", "Host: a\r\nHost: b\r\n", 400),
        ] {
            let request = format!("GET {path} HTTP/{version}\r\n{hosts}Connection: close\r\n\r\n");
            let (answered, _, body) = http(&address, &request);
            assert_eq!(answered, status, "{request}: {}", String::from_utf8_lossy(&body));
        }
    }
}
