//! Bounced letters, paused addresses and stopped clocks, and players who unsubscribe from letters.

use std::os::unix::fs::PermissionsExt;

use crate::common::Server;
use crate::common::database::sql;
use crate::common::inside::{Inside, WORLD};
use crate::common::mail;
use crate::common::serving::{Serving, http, wait_until};
use chrono::TimeDelta;
use turnpost::numbers::BoardNumber;
use turnpost::service::{Bounced, ClockResult, Failure};

/// Creates a server that sends letters with a fake `sendmail` program, which records its arguments and the letters.
pub(crate) fn server() -> Server {
    let server = Server::with_players();
    let program = server.data().join("sendmail");
    let log = server.data().join("sent");
    let script = format!("#!/bin/sh\n(echo \"called $*\"; cat) >> {}\n", log.display());
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let config = format!(
        "address = \"turnpost@games.example\"\n[transport]\nkind = \"sendmail\"\ncommand = {:?}\n\
         [receive]\nauthserv_id = \"mx.games.example\"\n",
        program.to_str().unwrap()
    );
    server.configure(config);
    server
}

/// Returns the letters sent since the last call: envelope sender, recipient, letter.
pub(crate) fn sent(server: &Server) -> Vec<(String, String, String)> {
    let log = server.data().join("sent");
    let text = std::fs::read_to_string(&log).unwrap_or_default();
    let _ = std::fs::remove_file(log);
    let letter = |text: &str| {
        let (call, letter) = text.split_once('\n').unwrap();
        let words: Vec<&str> = call.split_whitespace().collect();
        let sender = words.iter().position(|word| *word == "-f").map(|at| words[at + 1]).unwrap();
        (sender.to_owned(), words.last().unwrap().to_string(), letter.to_owned())
    };
    let letters: Vec<_> = text.split("called ").skip(1).map(letter).collect();
    letters.iter().for_each(|(.., letter)| assert_complete(letter));
    letters
}

/// Checks that a letter has all required headers.
fn assert_complete(letter: &str) {
    let read = mail::read(letter);
    // Players cannot unsubscribe from letters about their account.
    let is_service = read.subject.contains("were returned");
    assert!(!read.from.is_empty() && !read.to.is_empty() && !read.subject.is_empty(), "{letter}");
    assert!(read.auto_submitted.is_some(), "{letter}");
    assert!(letter.contains("\nList-Unsubscribe: ") || read.in_reply_to.is_some() || is_service, "{letter}");
}

/// Returns the envelope sender of the last letter to an address.
pub(crate) fn sender(server: &Server, to: &str) -> String {
    let sent = sent(server);
    let found = sent.iter().rev().find(|(_, address, _)| address == to);
    found.unwrap_or_else(|| panic!("no letter to {to} in {sent:?}")).0.clone()
}

/// Returns a bounce as Postfix writes it.
fn bounce(to: &str, id: u32, action: &str, status: &str, said: &str) -> String {
    format!(
        "Return-Path: <>\nFrom: MAILER-DAEMON@mx.example.org (Mail Delivery System)\nTo: {to}\n\
         Subject: Undelivered Mail Returned to Sender\nAuto-Submitted: auto-replied\nMIME-Version: 1.0\n\
         Message-Id: <{id}@mx.example.org>\nDate: Sat, 21 Nov 2026 10:00:00 +0000\n\
         Content-Type: multipart/report; report-type=delivery-status; boundary=\"b\"\n\n\
         --b\nContent-Type: text/plain\n\nThis is the mail system at host mx.example.org.\n\n\
         --b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx.example.org\n\n\
         Final-Recipient: rfc822; bob@example.org\nAction: {action}\nStatus: {status}\nDiagnostic-Code: smtp; {said}\n\n\
         --b\nContent-Type: message/rfc822-headers\n\nSubject: Marque Board 1 bob ** f3\n\n--b--\n"
    )
}

pub(crate) fn reason(server: &Server, mail: &str) -> String {
    assert_eq!(server.raw_mail(mail.as_bytes()).status, 0);
    let rows = server.json("admin inbox --json");
    rows[0]["reason"].as_str().unwrap().to_owned()
}

#[test]
fn a_dead_address_is_paused_until_its_owner_writes_from_it() {
    let server = server();
    assert_eq!(server.shell("marque challenge bob alice").status, 0);
    let to = sender(&server, "bob@example.org");
    assert!(to.starts_with("turnpost+b-") && to.ends_with("@games.example"), "{to}");

    // A bounce to a forged address, a report of a delay and an out-of-office reply do not pause the address.
    let mut other = to.clone();
    other.replace_range(15..16, if &to[15..16] == "a" { "b" } else { "a" });
    reason(&server, &bounce(&other, 1, "failed", "5.1.1", "550 5.1.1 no such user"));
    let later = reason(&server, &bounce(&to, 2, "delayed", "4.4.1", "connection timed out"));
    assert!(later.contains("does not report a failure"), "{later}");
    let away = format!(
        "Return-Path: <>\nFrom: bob@example.org\nTo: {to}\nSubject: Out of office\nAuto-Submitted: auto-replied\n\
         Message-ID: <3@x>\n\nI am away; 550 5.1.1 is my extension.\n"
    );
    reason(&server, &away);
    let players = || server.shell("admin players").out;
    assert!(!players().contains("paused"), "{}", players());

    let why = reason(&server, &bounce(&to.to_uppercase(), 4, "failed", "5.1.1", "550 5.1.1 <bob> no such user"));
    assert!(why.contains("bounced from bob@example.org") && why.contains("address is now paused"), "{why}");
    assert!(players().contains("bob@example.org (paused") && players().contains("no such user"), "{}", players());
    let again = reason(&server, &bounce(&to, 5, "failed", "5.1.1", "550 5.1.1 <bob> no such user"));
    assert!(again.contains("(ignored)"), "{again}");
    assert!(sent(&server).is_empty(), "a bounce is never answered");

    // Everyone can see that the clock is stopped. Further letters to bob are held.
    let shown = server.shell("show 1").out;
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("It is stopped because letters to bob are being returned."), "{shown}");
    assert_eq!(server.json("admin clocks --json")[0]["out of reach"], true);
    assert_eq!(server.shell("marque chat 1 alice wonderland --say=Hello").status, 0);
    assert!(sent(&server).iter().all(|(_, to, _)| to != "bob@example.org"));
    assert!(server.shell("admin outbox --undelivered").out.contains("held"));

    // A message from the paused address ends the pause only if its password is right.
    let mail = |id: u32, words: &str| {
        format!("From: bob@example.org\nTo: turnpost@games.example\nMessage-ID: <{id}@x>\nSubject: {words}\n\n")
    };
    reason(&server, &mail(6, "marque move 1 bob wrong f3"));
    assert!(players().contains("paused"));
    sent(&server);
    reason(&server, &mail(7, "marque move 1 bob builder f3"));
    assert!(!players().contains("paused"), "{}", players());
    let letters: Vec<String> =
        sent(&server).into_iter().filter(|(_, to, _)| to == "bob@example.org").map(|(.., letter)| letter).collect();
    assert_eq!(letters.len(), 1, "{letters:?}");
    for words in ["are being returned", "550 5.1.1 <bob> no such user", "Hello"] {
        assert!(letters[0].contains(words), "no {words:?} in\n{}", letters[0]);
    }
    assert_eq!(server.shell("admin outbox --undelivered").out, "Nothing.\n");
}

#[test]
fn a_bounced_letter_is_shown_as_bounced() {
    let server = server();
    assert_eq!(server.shell("marque challenge bob alice").status, 0);
    let to = sender(&server, "bob@example.org");
    assert!(!server.shell("admin outbox --to bob").out.contains("bounced"));
    assert_eq!(server.shell("admin bounces").out, "Nothing.\n");
    reason(&server, &bounce(&to, 1, "failed", "5.1.1", "550 5.1.1 <bob> no such user"));
    let outbox = server.shell("admin outbox --to bob").out;
    assert!(outbox.contains("bounced 20") && outbox.contains("no such user"), "{outbox}");
    let bounces = server.json("admin bounces");
    assert_eq!(
        (&bounces[0]["address"], &bounces[0]["how"]),
        (&"bob@example.org".into(), &"bounced".into()),
        "{bounces}"
    );
    let letter = server.shell(&format!("admin letter {}", bounces[0]["letter"])).out;
    assert!(letter.contains("550 5.1.1 <bob> no such user") && letter.contains("bob@example.org  bounced"), "{letter}");
    assert!(server.shell("admin outbox --to alice").out.contains("sent 20"), "the letter to alice is sent");
}

#[test]
fn the_third_temporary_bounce_pauses_an_address() {
    let server = server();
    for round in 1..=3 {
        assert_eq!(server.shell("message alice wonderland bob --say=hello").status, 0);
        let to = sender(&server, "bob@example.org");
        let why = reason(&server, &bounce(&to, round, "failed", "5.2.2", "552 5.2.2 mailbox full"));
        let paused = why.contains("address is now paused");
        assert_eq!(paused, round == 3, "{why}");
        assert_eq!(why.contains(&format!("bounce {round} within 30 days")), round < 3, "{why}");
    }
    // Adding the address again ends its pause.
    assert_eq!(server.shell("change address bob builder bob@example.org").status, 0);
    assert!(!server.shell("admin players").out.contains("paused"));
}

#[test]
fn unreachable_players_lose_no_time() {
    let mut inside = Inside::with_players(&["alice", "bob"]);
    inside.say("alice", "marque challenge alice bob");
    inside.say("alice", "marque move 1 alice - f3");
    inside.send_due();
    let letter = inside.read(|tx| tx.outbox(100).unwrap())[0].clone();
    let letter = letter.letter.unwrap();
    let sent = inside.read(|tx| tx.deliveries(letter).unwrap())[0].clone();
    assert_eq!(sent.address, "bob@example.org");
    inside.pass(TimeDelta::days(5));

    let service = inside.config.service(WORLD);
    let mut tx = inside.store.write().unwrap();
    let failure = Failure::new("550 5.1.1 no such user");
    assert_eq!(service.bounced(&mut tx, letter, &sent, &failure, (WORLD.now)()).unwrap(), Bounced::Paused);
    tx.commit().unwrap();
    for _ in 0..100 {
        inside.pass(TimeDelta::days(1));
        assert!(inside.tick().is_empty());
    }
    // The pause has not used up bob's vacation days.
    let vacation = format!("{:?}", inside.say("bob", "vacation bob - until 2027-05-10"));
    assert!(vacation.contains("budget_days: 30") && !vacation.contains("used_days: 0.0"), "{vacation}");
    inside.say("bob", "vacation bob - off");

    inside.say("bob", "change address bob secret bob@example.org");
    // bob's clock ran for five days before the pause, so the reminder is due after two more days.
    inside.pass(TimeDelta::days(2) - TimeDelta::hours(1));
    assert!(inside.tick().is_empty());
    inside.pass(TimeDelta::hours(2));
    assert_eq!(inside.tick(), [(BoardNumber(1), ClockResult::Reminded)]);
}

#[test]
fn the_unsubscribe_headers_stop_letters() {
    let server = server();
    assert_eq!(server.shell("signup carol secret carol@example.org").status, 0);
    assert_eq!(server.shell("marque challenge alice bob").status, 0);
    assert_eq!(server.shell("marque subscribe 1 carol secret").status, 0);
    sent(&server);
    assert_eq!(server.shell("marque move 1 alice wonderland f3").status, 0);
    let stop = |letters: &[(String, String, String)], to: &str| {
        let (.., letter) = letters.iter().find(|(_, address, _)| address == to).unwrap();
        let header = letter.lines().find_map(|line| line.strip_prefix("List-Unsubscribe: <mailto:")).unwrap();
        header.strip_suffix("?subject=unsubscribe>").unwrap().to_owned()
    };
    let letters = sent(&server);
    let (carols, bobs) = (stop(&letters, "carol@example.org"), stop(&letters, "bob@example.org"));
    let unsubscribe = |to: &str, id: u32| {
        format!("From: x@example.net\nTo: {to}\nMessage-ID: <u{id}@x>\nSubject: unsubscribe\n\nAutomatic\n")
    };

    // A forged token is ignored.
    let mut forged = carols.clone();
    forged.replace_range(13..14, if &carols[13..14] == "a" { "b" } else { "a" });
    reason(&server, &unsubscribe(&forged, 1));
    assert!(sent(&server).is_empty());

    // Carol, who follows the board, unsubscribes. The answer is sent to carol, regardless of the request's sender.
    reason(&server, &unsubscribe(&carols, 2));
    let answer = sent(&server);
    assert!(answer.len() == 1 && answer[0].1 == "carol@example.org", "{answer:?}");
    assert!(answer[0].2.contains("carol no longer receives letters about marque board 1"), "{answer:?}");
    assert!(answer[0].2.contains("marque subscribe 1 carol PASSWORD") && !answer[0].2.contains("List-Unsubscribe"));
    // Bob, who plays on the board, unsubscribes, too, and receives no further letters about it.
    reason(&server, &unsubscribe(&bobs, 3));
    let answer = sent(&server);
    assert!(
        answer.len() == 1 && answer[0].2.contains("bob no longer receives letters about marque board 1"),
        "{answer:?}"
    );
    assert_eq!(server.shell("marque move 1 bob builder f2").status, 0);
    let to: Vec<String> = sent(&server).into_iter().map(|(_, to, _)| to).collect();
    assert_eq!(to, ["alice@example.org"]);
    // Bob subscribes again. The server answers the command, and sends bob letters about the board again.
    let mail = "From: bob@example.org\nTo: turnpost@games.example\nMessage-ID: <u4@x>\nSubject: marque subscribe 1 bob builder\n\n";
    reason(&server, mail);
    let to: Vec<String> = sent(&server).into_iter().map(|(_, to, _)| to).collect();
    assert!(to.iter().all(|to| to == "bob@example.org") && to.len() == 1, "{to:?}");
    assert_eq!(server.shell("marque move 1 alice wonderland f4").status, 0);
    assert!(sent(&server).iter().any(|(_, to, _)| to == "bob@example.org"));
}

#[test]
fn letters_are_stopped_by_one_click() {
    let server = server();
    let path = server.data().join("turnpost.toml");
    let config = std::fs::read_to_string(&path).unwrap();
    let config = format!("{config}[web]\nlisten = \"127.0.0.1:0\"\nurl = \"https://games.example/\"\n");
    let serving = Serving::start(&server, &config);
    assert_eq!(server.shell("marque challenge alice bob").status, 0);
    let letters = wait_until("two letters with unsubscribe headers", || {
        let text = std::fs::read_to_string(server.data().join("sent")).unwrap_or_default();
        (text.matches("List-Unsubscribe-Post: List-Unsubscribe=One-Click").count() == 2).then(|| sent(&server))
    });
    let (.., bobs) = letters.iter().find(|(_, to, _)| to == "bob@example.org").unwrap();
    let link = bobs.lines().find_map(|line| line.strip_prefix("List-Unsubscribe: <https://games.example")).unwrap();
    let link = link.split('>').next().unwrap().to_owned();
    let address = serving.web();
    let ask = |method: &str, path: &str| {
        let body = if method == "POST" { "List-Unsubscribe=One-Click" } else { "" };
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: games.example\r\nConnection: close\r\n\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let (_, head, body) = http(&address, &request);
        format!("{head}\r\n\r\n{}", String::from_utf8(body).unwrap())
    };
    let letters = || server.shell("set bob builder").out;
    // Sends a chat message about the board, and returns whether bob receives it.
    let told = |text: &str| {
        let ran = server.shell(&format!("marque chat 1 alice wonderland --say={text}"));
        assert_eq!(ran.status, 0, "{ran:?}");
        !ran.out.contains("no one")
    };

    // The link leads to a page that asks for confirmation, so a virus scanner that follows it changes nothing.
    let page = ask("GET", &link);
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("<form method=\"post\">"), "{page}");
    assert!(page.to_lowercase().contains("content-security-policy: default-src 'none'"), "{page}");
    assert!(letters().contains("letters=all"));
    let mut forged = link.clone();
    forged.replace_range(13..14, if &link[13..14] == "a" { "b" } else { "a" });
    for (method, path) in
        [("GET", forged.as_str()), ("POST", &forged), ("GET", "/nowhere"), ("POST", "/unsubscribe/%3Cb%3E")]
    {
        let page = ask(method, path);
        assert!(page.starts_with("HTTP/1.1 404") && !page.contains("<b>"), "{method} {path}: {page}");
    }
    assert!(letters().contains("letters=all"));

    assert!(told("before"));
    let page = ask("POST", &link);
    assert!(
        page.starts_with("HTTP/1.1 200") && page.contains("bob no longer gets letters about marque board 1"),
        "{page}"
    );
    assert!(page.contains("clock there keeps running") && page.contains("/login?next=/boards/1"), "{page}");
    assert!(letters().contains("letters=all"), "letters about other boards are not stopped");
    assert!(!told("after"));
    serving.stop();
}

#[test]
fn the_clock_does_not_wait_for_players_without_letters() {
    let mut inside = Inside::with_players(&["alice", "bob"]);
    inside.say("alice", "marque challenge alice bob");
    inside.say("alice", "marque move 1 alice - f3");
    inside.say("bob", "marque move 1 bob - f2");
    inside.say("alice", "marque move 1 alice - e1");
    inside.say("bob", "set bob - letters=none");
    inside.send_due();
    let mut ticked = Vec::new();
    for _ in 0..30 {
        inside.pass(TimeDelta::days(1));
        ticked.extend(inside.tick());
        inside.send_due();
    }
    assert_eq!(ticked.last(), Some(&(BoardNumber(1), ClockResult::Forfeited)), "{ticked:?}");
}

#[test]
fn a_player_can_require_verified_mail() {
    let server = server();
    assert_eq!(server.shell("marque challenge alice bob").status, 0);
    assert_eq!(server.shell("set alice wonderland dmarc=required").status, 0);
    let mail = |id: u32, results: &str| {
        format!(
            "{results}From: alice@example.org\nTo: turnpost@games.example\nMessage-ID: <d{id}@x>\n\
             Subject: marque move 1 alice wonderland f3\n\n"
        )
    };
    for (id, results) in [
        "",
        "Authentication-Results: mx.games.example; dmarc=fail header.from=example.org\n",
        "Authentication-Results: mx.evil.example; dmarc=pass header.from=example.org\n",
        "Authentication-Results: mx.games.example; dmarc=pass header.from=evil.example\n",
    ]
    .into_iter()
    .enumerate()
    {
        sent(&server);
        // After three refused messages in a row, the server answers only one refused message a day.
        sql(&server, "DELETE FROM rate_limits WHERE what = 'refusal'");
        reason(&server, &mail(id as u32, results));
        let answer = sent(&server);
        assert!(answer.len() == 1 && answer[0].2.contains("DMARC"), "{results}: {answer:?}");
        assert_eq!(server.json("--json show 1")["boards"][0]["plies"], 0);
    }
    reason(&server, &mail(9, "Authentication-Results: mx.games.example;\n dmarc=pass header.from=example.org\n"));
    assert_eq!(server.json("--json show 1")["boards"][0]["plies"], 1);
    // On a server that does not verify senders, the setting would lock bob out, so it is refused.
    server.configure("");
    let refused = server.shell("set bob builder dmarc=required");
    assert!(refused.status == 1 && refused.err.contains("cannot verify the senders"), "{}", refused.err);
}

#[test]
fn required_verification_applies_to_challenges() {
    let server = server();
    assert_eq!(server.shell("set alice wonderland dmarc=required").status, 0);
    let challenge = |id: u32, results: &str, players: &str| {
        format!(
            "{results}From: alice@example.org\nTo: turnpost@games.example\nMessage-ID: <c{id}@x>\n\
             Subject: marque challenge {players}\n\n"
        )
    };
    let failed = "Authentication-Results: mx.games.example; dmarc=fail header.from=example.org\n";
    for (id, results, players) in [(1, "", "alice bob"), (2, failed, "anyone alice")] {
        reason(&server, &challenge(id, results, players));
        let answer = sent(&server);
        assert!(answer.len() == 1 && answer[0].2.contains("DMARC"), "{results}: {answer:?}");
    }
    let offered = "SELECT (SELECT count(*) FROM boards) + (SELECT count(*) FROM challenges)";
    assert_eq!(sql(&server, offered), "0");
    let passed = "Authentication-Results: mx.games.example;\n dmarc=pass header.from=example.org\n";
    reason(&server, &challenge(3, passed, "alice bob"));
    assert_eq!(sql(&server, offered), "1");
}
