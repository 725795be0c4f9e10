//! All log entries about a message, from its arrival to the letters that it causes, contain its number.

use serde_json::{Value, json};

use crate::common::database::sql;
use crate::common::serving::{Peer, Serving, wait_until};
use crate::common::{Ran, Server, done};

/// Sends a message by LMTP.
fn send(server: &mut Server, from: &str, text: &str) {
    let mail = server.compose(from, "A mail", text);
    let mut peer = Peer::greeted(&server.data().join("lmtp.sock"));
    peer.begin("turnpost@localhost");
    peer.send(mail.replace("\r\n", "\n").replace('\n', "\r\n").as_bytes());
    assert!(peer.say("\r\n.").starts_with("250 "));
}

/// Returns the log entries with this text.
fn lines(serving: &Serving, message: &str) -> Vec<Value> {
    let log = serving.log();
    let lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines.filter(|line| line["message"] == message).collect()
}

#[test]
fn every_log_line_about_a_message_has_its_number() {
    let mut server = Server::with_players();
    done(&server, "marque challenge alice bob");
    let serving = Serving::start(&server, "[receive]\nlmtp = \"unix:lmtp.sock\"\n");
    for (number, from, text, letters) in [
        (1, "alice@example.org", "marque move 1 alice wonderland f3\n", 2),
        (2, "bob@example.org", "marque move 1 bob wrong k4\n", 1),
    ] {
        send(&mut server, from, text);
        let of_mail = || {
            let sent = lines(&serving, "letter sent");
            sent.into_iter().filter(|line| line["mail"] == number).collect::<Vec<_>>()
        };
        let sent = wait_until("the letters to be logged", || Some(of_mail()).filter(|sent| sent.len() >= letters));
        assert_eq!(sent.len(), letters, "{sent:?}");
        let kept = lines(&serving, "mail stored").into_iter().last().unwrap();
        assert_eq!((&kept["first"], &kept["last"]), (&json!(number), &json!(number)));
        assert_eq!(lines(&serving, "mail read").last().unwrap()["mail"], number);
    }
    let refused = lines(&serving, "refused");
    assert!(!refused.is_empty() && refused.iter().all(|line| line["span"]["mail"] == 2), "{refused:?}");
    // The log entries about an action that no message caused contain no message number.
    done(&server, "marque resign 1 bob builder");
    let ended = wait_until("a log line about the decline", || {
        lines(&serving, "letter sent").into_iter().find(|line| line["kind"] == "decline")
    });
    assert_eq!(ended.get("mail"), None);
}

/// Shows or changes the log level.
fn level(server: &Server, words: &str) -> Ran {
    server.shell(&format!("admin log-level --json {words}"))
}

#[test]
fn the_level_of_the_log_changes_while_the_server_runs() {
    let mut server = Server::with_players();
    done(&server, "marque challenge alice bob");
    assert_eq!(level(&server, "debug").status, 1, "the command fails without a running server");
    let serving = Serving::start(&server, "");
    assert_eq!(level(&server, "").out, "{\"log level\":\"info\"}\n");
    assert_eq!(level(&server, "warn").out, "{\"log level\":\"warn\"}\n");
    // The thread that processes mail also changes the level, so it has logged this message before the next change.
    let mail = server.compose("alice@example.org", "marque move 1 alice wonderland f3", "");
    server.raw_mail(mail.as_bytes());
    wait_until("the first message to be processed", || {
        (sql(&server, "SELECT count(*) FROM inbox WHERE verdict IS NOT NULL") == "1").then_some(())
    });
    for (wrong, why) in [("debgu", "`debgu` is not a level"), ("turnpost=loud", "`turnpost=loud`")] {
        let refused = level(&server, wrong);
        assert!(refused.status == 2 && refused.out.contains(why), "{refused:?}");
    }
    assert_eq!(level(&server, "").out, "{\"log level\":\"warn\"}\n");
    assert_eq!(level(&server, "info,turnpost::web=debug").status, 0);
    let mail = server.compose("bob@example.org", "marque move 1 bob builder k4", "");
    server.raw_mail(mail.as_bytes());
    let read = wait_until("a log line about the second message", || lines(&serving, "mail read").into_iter().next());
    assert_eq!(read["mail"], 2, "{}", serving.log());
    assert_eq!(lines(&serving, "the level of the log was changed").len(), 2);
    let left = std::fs::read_dir(server.data()).unwrap().map(|file| file.unwrap().file_name());
    assert!(left.into_iter().all(|name| !name.to_string_lossy().starts_with("ask-")));
}
