//! Letters leave by SMTP and by sendmail as well as into a Maildir.

mod common;

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::thread;

use common::Server;

fn configure(server: &Server, transport: &str) {
    let text = format!("address = \"turnpost@games.example\"\n[transport]\n{transport}\n");
    std::fs::write(server.data().join("turnpost.toml"), text).unwrap();
}

#[test]
fn by_sendmail() {
    let server = Server::with_players();
    let (program, sent) = (server.data().join("sendmail"), server.data().join("sent"));
    std::fs::write(&program, format!("#!/bin/sh\ncat >> {}\n", sent.display())).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    configure(&server, &format!("kind = \"sendmail\"\ncommand = {:?}", program.to_str().unwrap()));
    assert_eq!(server.shell("marque challenge alice bob").status, 0);
    let sent = std::fs::read_to_string(sent).unwrap();
    for words in ["From: Turnpost <turnpost@games.example>", "Subject: Marque Board 1 alice **", "To: bob@example.org"]
    {
        assert!(sent.contains(words), "no {words:?} in\n{sent}");
    }
}

/// Plays the server's part of RFC 5321 for one letter a connection; refuses bob for good.
fn smtp_server(listener: &TcpListener) -> Vec<String> {
    let mut letters = Vec::new();
    for _ in 0..2 {
        let (stream, _) = listener.accept().unwrap();
        let mut write = stream.try_clone().unwrap();
        let mut lines = BufReader::new(stream).lines();
        let mut say = |text: &str| write!(write, "{text}\r\n").unwrap();
        say("220 test");
        while let Some(Ok(line)) = lines.next() {
            match line.split([' ', ':']).next().unwrap().to_ascii_uppercase().as_str() {
                "QUIT" => {
                    say("221 bye");
                    break;
                }
                "RCPT" if line.contains("bob@") => say("550 5.1.1 no such mailbox"),
                "DATA" => {
                    say("354 go on");
                    let letter: Vec<String> =
                        lines.by_ref().map(Result::unwrap).take_while(|line| line != ".").collect();
                    letters.push(letter.join("\n"));
                    say("250 taken");
                }
                _ => say("250 fine"),
            }
        }
    }
    letters
}

#[test]
fn by_smtp_and_what_is_refused_for_good_is_given_up() {
    let server = Server::with_players();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    configure(&server, &format!("kind = \"smtp\"\nhost = \"127.0.0.1\"\nport = {port}\ntls = \"none\""));
    let peer = thread::spawn(move || smtp_server(&listener));
    assert_eq!(server.shell("marque challenge alice bob").status, 0);
    let letters = peer.join().unwrap();
    assert_eq!(letters.len(), 1);
    assert!(letters[0].contains("Subject: Marque Board 1 alice **"), "{}", letters[0]);
    let undelivered = server.shell("admin outbox --undelivered").out;
    assert!(
        undelivered.contains("bob") && undelivered.contains("given up") && undelivered.contains("550"),
        "{undelivered}"
    );
    assert!(!undelivered.contains("alice"), "{undelivered}");
}
