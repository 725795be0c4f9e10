//! One number leads through the log from a mail's arrival to the letters that it caused.

use serde_json::{Value, json};

use crate::common::serving::{Peer, Serving, wait_until};
use crate::common::{Server, done};

/// Sends a mail by LMTP.
fn send(server: &mut Server, from: &str, text: &str) {
    let mail = server.compose(from, "A mail", text);
    let mut peer = Peer::greeted(&server.data().join("lmtp.sock"));
    peer.begin("turnpost@localhost");
    peer.send(mail.replace("\r\n", "\n").replace('\n', "\r\n").as_bytes());
    assert!(peer.say("\r\n.").starts_with("250 "));
}

/// The lines of the log with this message.
fn lines(serving: &Serving, message: &str) -> Vec<Value> {
    let log = serving.log();
    let lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines.filter(|line| line["message"] == message).collect()
}

#[test]
fn every_line_about_a_mail_has_its_number() {
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
        let sent = wait_until("letters", || Some(of_mail()).filter(|sent| sent.len() >= letters));
        assert_eq!(sent.len(), letters, "{sent:?}");
        let kept = lines(&serving, "mail kept").into_iter().last().unwrap();
        assert_eq!((&kept["first"], &kept["last"]), (&json!(number), &json!(number)));
        assert_eq!(lines(&serving, "mail read").last().unwrap()["mail"], number);
    }
    let refused = lines(&serving, "refused");
    assert!(!refused.is_empty() && refused.iter().all(|line| line["span"]["mail"] == 2), "{refused:?}");
    // What no mail caused names none.
    done(&server, "marque resign 1 bob builder");
    let ended =
        wait_until("the end", || lines(&serving, "letter sent").into_iter().find(|line| line["kind"] == "decline"));
    assert_eq!(ended.get("mail"), None);
}
