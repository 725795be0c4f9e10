//! LMTP: tests of the real program over raw sockets and with Python's smtplib, and property tests of the code for one
//! session.

mod session;

use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use crate::common::Server;
use crate::common::database::{Writer, accept_mails, inbox, refuse_mails};
use crate::common::serving::{Peer, Post, Serving, terminate, wait_until};
use serde_json::json;

const CONFIG: &str = "address = \"turnpost@games.example\"\n[receive]\nlmtp = \"unix:lmtp.sock\"\n";
const MAIL: &str = "From: nobody@example.org\r\nSubject: hello\r\n\r\nHow are you?\r\n.\r\n";

/// Waits until the server has received this many messages and queued them to be stored.
fn wait_until_queued(serving: &Serving, mails: usize) {
    wait_until("the messages to be queued", || {
        (serving.log().matches("a message waits to be stored").count() == mails).then_some(())
    });
}

fn start() -> (Server, Serving, PathBuf) {
    start_with("")
}

fn start_with(more: &str) -> (Server, Serving, PathBuf) {
    let server = Server::new();
    let serving = Serving::logging(&server, &format!("{CONFIG}{more}"), "turnpost=debug");
    let socket = server.data().join("lmtp.sock");
    (server, serving, socket)
}

/// The client's lines and the server's answers. Each line continues from the state of the previous ones.
const TRANSCRIPT: &[(&str, &str)] = &[
    ("MAIL FROM:<alice@example.org>", "503 5.5.1 Say LHLO first."),
    ("HELO test.example", "500 5.5.1 This is LMTP; use LHLO."),
    ("EHLO test.example", "500 5.5.1 This is LMTP; use LHLO."),
    ("LHLO", "501 5.5.4 LHLO requires the name of the client."),
    ("LHLO test.example", "250-games.example|250-PIPELINING|250-8BITMIME|250-ENHANCEDSTATUSCODES|250 SIZE 1000000"),
    ("NOOP", "250 2.0.0 OK."),
    ("noop with words", "250 2.0.0 OK."),
    ("VRFY alice", "252 2.5.0 Users are not verified; send the message."),
    ("EXPN players", "502 5.5.1 The command is not implemented."),
    ("STARTTLS", "502 5.5.1 The command is not implemented."),
    ("BDAT 5 LAST", "502 5.5.1 The command is not implemented."),
    ("HELP", "214 2.0.0 RFC 2033."),
    ("", "500 5.5.2 Unknown command."),
    ("marque move 1 alice wonderland f3", "500 5.5.2 Unknown command."),
    ("NOOP \u{1b}[2J", "500 5.5.2 A command must be printable ASCII."),
    ("MAIL FROM:<älice@example.org>", "500 5.5.2 A command must be printable ASCII."),
    ("RCPT TO:<turnpost@games.example>", "503 5.5.1 Say MAIL first."),
    ("DATA", "503 5.5.1 A valid recipient is required first."),
    ("MAIL alice@example.org", "501 5.1.7 Invalid sender address."),
    ("MAIL FROM:alice@example.org", "501 5.1.7 Invalid sender address."),
    ("MAIL FROM: <alice@example.org>", "501 5.1.7 Invalid sender address."),
    ("MAIL FROM:<alice>", "501 5.1.7 The sender address lacks a domain."),
    ("MAIL FROM:<alice@example.org> SIZE=1000001", "552 5.3.4 The message is too large."),
    ("MAIL FROM:<alice@example.org> SIZE=99999999999999999999", "552 5.3.4 The message is too large."),
    ("MAIL FROM:<alice@example.org> SIZE=big", "501 5.5.4 SIZE takes a number."),
    ("MAIL FROM:<alice@example.org> SIZE=1 SIZE=1", "501 5.5.4 A parameter is repeated."),
    ("MAIL FROM:<alice@example.org> BODY=BINARYMIME", "501 5.5.4 BODY is 7BIT or 8BITMIME."),
    ("MAIL FROM:<alice@example.org> SMTPUTF8", "555 5.6.7 SMTPUTF8 is not supported."),
    ("MAIL FROM:<alice@example.org> RET=FULL", "555 5.5.4 A parameter is not supported."),
    ("mail from:<alice@example.org> size=1000000 body=8bitmime", "250 2.1.0 Go on."),
    ("MAIL FROM:<>", "503 5.5.1 The sender is already set."),
    ("DATA", "503 5.5.1 A valid recipient is required first."),
    ("RCPT TO:<>", "501 5.1.3 The recipient must not be empty."),
    ("RCPT TO:<turnpost@games.example", "501 5.1.3 Invalid recipient address."),
    ("RCPT FOR:<turnpost@games.example>", "501 5.1.3 Invalid recipient address."),
    ("RCPT TO:<turnpost@games.example> NOTIFY=NEVER", "555 5.5.4 A parameter is not supported."),
    ("RCPT TO:<alice@example.org>", "550 5.1.1 No such mailbox."),
    ("RCPT TO:<turnpost@example.org>", "550 5.1.1 No such mailbox."),
    ("RCPT TO:<turnposting@games.example>", "550 5.1.1 No such mailbox."),
    ("RCPT TO:<turnpost-token@games.example>", "550 5.1.1 No such mailbox."),
    ("RCPT TO:<postmaster>", "550 5.1.1 No such mailbox."),
    ("RCPT TO:<turnpost@games.example>", "250 2.1.5 Go on."),
    ("RCPT TO:<TurnPost+Token-1.x=@GAMES.example>", "250 2.1.5 Go on."),
    ("RCPT TO:<turnpost+>", "250 2.1.5 Go on."),
    ("rcpt to:<@relay.example:\"turnpost\"@games.example>", "250 2.1.5 Go on."),
    ("DATA now", "501 5.5.4 The command takes no argument."),
    ("RSET", "250 2.0.0 Forgotten."),
    ("DATA", "503 5.5.1 A valid recipient is required first."),
    ("MAIL FROM:<>", "250 2.1.0 Go on."),
    ("RCPT TO:<turnpost@games.example>", "250 2.1.5 Go on."),
    ("RCPT TO:<bob@games.example>", "550 5.1.1 No such mailbox."),
    ("RCPT TO:<turnpost+1@games.example>", "250 2.1.5 Go on."),
    ("DATA", "354 Send the message; end it with a dot on a separate line."),
    ("From: alice@example.org\r\n\r\nmarque help\r\n.", "250 2.0.0 Stored.\n250 2.0.0 Stored."),
    ("DATA", "503 5.5.1 A valid recipient is required first."),
    ("RSET yes", "501 5.5.4 The command takes no argument."),
    ("QUIT", "221 2.0.0 Goodbye."),
];

#[test]
fn every_command_and_error_has_the_recorded_reply() {
    let (server, serving, socket) = start();
    assert_eq!(socket.metadata().unwrap().permissions().mode() & 0o7777, 0o660);
    let mut peer = Peer::connect(&socket);
    assert_eq!(peer.reply(), "220 games.example LMTP turnpost");
    for (line, answer) in TRANSCRIPT {
        let mut said = peer.say(line);
        for _ in 1..answer.lines().count() {
            said = format!("{said}\n{}", peer.reply());
        }
        assert_eq!(&said, answer, "{line}");
    }
    assert!(peer.is_over());
    // The replies are the same if all lines are sent together.
    let all: String = TRANSCRIPT.iter().map(|(line, _)| format!("{line}\r\n")).collect();
    let mut peer = Peer::connect(&socket);
    peer.send(all.as_bytes());
    peer.reply();
    for answer in TRANSCRIPT.iter().flat_map(|(_, answer)| answer.lines()) {
        assert_eq!(peer.reply(), answer);
    }
    assert!(peer.is_over());
    assert_eq!(inbox(&server), 2, "a message to two recipients is stored once");
    wait_until("a verdict about the empty sender", || {
        server.shell("admin inbox").out.contains("envelope sender is empty").then_some(())
    });
    let log = serving.stop();
    assert!(log.contains("<bob@games.example> is not this server's address"), "{log}");
    assert!(!log.contains("wonderland"), "{log}");
    assert!(!socket.exists());
}

#[test]
fn each_limit_has_its_reply() {
    let (server, serving, socket) = start();
    let mut peer = Peer::greeted(&socket);
    assert_eq!(peer.say(&format!("NOOP {}", "x".repeat(994))), "500 5.5.2 The line is too long.");
    assert_eq!(peer.say(&format!("NOOP {}", "x".repeat(993))), "250 2.0.0 OK.");
    let line = |length: usize| format!("{}\r\n", "x".repeat(length));
    for (text, answer) in [
        (line(998), "250 2.0.0 Stored."),
        (format!("..{}", line(997)), "250 2.0.0 Stored."),
        (line(999), "554 5.6.0 A line of the message is longer than 1,000 octets."),
        (line(98).repeat(10_000), "250 2.0.0 Stored."),
        (line(98).repeat(10_001), "552 5.3.4 The message is too large."),
        ("smuggled\n.\nQUIT\r\n".to_owned(), "554 5.6.0 The message contains a bare CR or LF."),
        ("smuggled\n.\r\n".to_owned(), "554 5.6.0 The message contains a bare CR or LF."),
        ("smuggled\r.\r\n".to_owned(), "554 5.6.0 The message contains a bare CR or LF."),
        ("\r\r\n".to_owned(), "554 5.6.0 The message contains a bare CR or LF."),
        (" folded: into our Return-Path\r\n".to_owned(), "554 5.6.0 The message begins with a folded line."),
        (String::new(), "250 2.0.0 Stored."),
        ("Subject: \u{0}\u{80}\u{ff}ü\r\n".to_owned(), "250 2.0.0 Stored."),
    ] {
        peer.begin("turnpost@games.example");
        peer.send(text.as_bytes());
        peer.send(b".\r\n");
        assert_eq!(peer.reply(), answer, "{:?}", text.get(..40));
    }
    assert_eq!(inbox(&server), 5);
    // Recipients above the limit are refused.
    peer.say("MAIL FROM:<>");
    for number in 0..3_000 {
        let reply = peer.say(&format!("RCPT TO:<turnpost+{number}@games.example>"));
        match number {
            0..100 => assert_eq!(reply, "250 2.1.5 Go on."),
            _ => assert_eq!(reply, "452 4.5.3 Too many recipients."),
        }
        if number == 198 {
            break;
        }
    }
    assert_eq!(peer.reply(), "421 4.7.0 Too many errors.", "the line that is too long counts as an error");
    assert!(peer.is_over());
    // A bare LF does not end a line. The server reports the error immediately, so that the client does not wait forever
    // for a reply.
    for line in ["NOOP\n", "NOOP\rNOOP\r\n", "MAIL FROM:<>\nRCPT TO:<turnpost>\r\n"] {
        let mut peer = Peer::greeted(&socket);
        peer.send(line.as_bytes());
        assert_eq!(peer.reply(), "500 5.5.2 Lines must end with CR LF.");
        assert!(peer.is_over());
    }
    serving.stop();
}

#[test]
fn sessions_have_a_limit_and_a_timeout() {
    let (_server, serving, socket) = start_with("sessions = 3\nidle = 2\n");
    // On a busy machine, the first session may time out before the fourth one connects.
    wait_until("the fourth session to be refused", || {
        let mut peers: Vec<Peer> = (0..4).map(|_| Peer::connect(&socket)).collect();
        let replies: Vec<String> = peers.iter_mut().map(Peer::reply).collect();
        (replies[3] == "421 4.3.2 Too many sessions; try again later.").then(|| {
            assert!(replies[..3].iter().all(|reply| reply.starts_with("220 ")), "{replies:?}");
            assert_eq!(peers[0].reply(), "421 4.4.2 The session was idle for too long.");
            assert!(peers[0].is_over());
        })
    });
    serving.stop();
}

#[test]
fn a_command_that_arrives_octet_by_octet_times_out() {
    let (_server, serving, socket) = start_with("idle = 1\n");
    let mut peer = UnixStream::connect(&socket).unwrap();
    peer.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    let (mut heard, mut buffer) = (Vec::new(), [0; 200]);
    loop {
        let _ = peer.write_all(b"N");
        match peer.read(&mut buffer) {
            Ok(0) => break,
            Ok(octets) => heard.extend_from_slice(&buffer[..octets]),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(_) => break,
        }
    }
    let heard = String::from_utf8(heard).unwrap();
    // On a busy machine, the client may pause for a second, and the server then reports an idle session.
    let ends =
        ["421 4.4.2 The command or message took too long.\r\n", "421 4.4.2 The session was idle for too long.\r\n"];
    assert!(ends.iter().any(|end| heard.ends_with(end)), "{heard}");
    serving.stop();
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Python: ./test runs it")]
fn a_python_client_sends_a_hundred_messages_in_one_connection() {
    let (server, serving, socket) = start();
    let mut post = Post::start();
    let mails: Vec<String> =
        (0..100).map(|number| format!("Message-ID: <{number}@test>\r\n\r\n.\r\n..\r\nHello\r\n.")).collect();
    let mut request = json!({ "lmtp": socket, "from": "alice@example.org", "mails": mails });
    request["to"] = json!(["turnpost@games.example"]);
    let answer = post.ask(&request);
    assert!(answer["refused"].as_array().unwrap().iter().all(|refused| *refused == json!({})), "{answer}");
    assert_eq!(inbox(&server), 100);
    // Each recipient gets a separate reply.
    request["mails"] = json!([mails[0]]);
    request["to"] = json!(["turnpost+a@games.example", "carol@games.example", "turnpost@games.example"]);
    let answer = post.ask(&request);
    let refused = json!({ "carol@games.example": [550, "5.1.1 No such mailbox."] });
    assert_eq!(answer["refused"], json!([refused]));
    request["to"] = json!(["carol@games.example"]);
    assert_eq!(post.ask(&request)["refused"], json!([refused]));
    assert_eq!(inbox(&server), 101);
    serving.stop();
}

#[test]
fn mail_arrives_on_a_loopback_port() {
    let server = Server::new();
    let serving = Serving::start(&server, &CONFIG.replace("unix:lmtp.sock", "127.0.0.1:0"));
    let log = serving.log();
    let port = log.split("127.0.0.1:").nth(1).unwrap().split('"').next().unwrap().parse::<u16>().unwrap();
    let mut peer = Peer::connect_port(port);
    assert_eq!(peer.reply(), "220 games.example LMTP turnpost");
    assert!(peer.say("LHLO test.example").starts_with("250-"));
    peer.begin("turnpost@games.example");
    peer.send(MAIL.as_bytes());
    assert_eq!(peer.reply(), "250 2.0.0 Stored.");
    assert_eq!(peer.say("QUIT"), "221 2.0.0 Goodbye.");
    let mut idle = Peer::connect_port(port);
    assert_eq!(idle.reply(), "220 games.example LMTP turnpost");
    serving.stop();
    assert_eq!(idle.reply(), "421 4.3.2 The server is stopping; try again later.");
    assert!(idle.is_over());
    assert_eq!(inbox(&server), 1);
}

#[test]
fn simultaneous_clients_and_messages_share_a_commit() {
    let (server, serving, socket) = start();
    let writer = Writer::at_work(&server);
    let mut peers: Vec<Peer> = (0..6).map(|_| Peer::greeted(&socket)).collect();
    for (number, peer) in peers.iter_mut().enumerate() {
        peer.begin("turnpost@games.example");
        peer.send(MAIL.as_bytes());
        if number == 0 {
            // Only the first message is waiting when the committer begins its transaction.
            wait_until_queued(&serving, 1);
        }
    }
    wait_until_queued(&serving, 6);
    assert_eq!(serving.kept(), [0; 0], "no message is stored while another process writes");
    drop(writer);
    for peer in &mut peers {
        assert_eq!(peer.reply(), "250 2.0.0 Stored.");
    }
    let kept = serving.kept();
    assert!(
        kept.iter().sum::<u64>() == 6 && kept.len() <= 3,
        "at most three transactions store all messages: {kept:?}"
    );
    serving.stop();
    assert_eq!(inbox(&server), 6);
}

#[test]
fn a_message_is_acknowledged_only_after_it_is_stored_and_then_never_lost() {
    let (server, serving, socket) = start();
    let mut peer = Peer::greeted(&socket);
    peer.begin("turnpost@games.example");
    peer.send(MAIL.as_bytes());
    assert_eq!(peer.reply(), "250 2.0.0 Stored.");
    serving.kill();
    assert_eq!(inbox(&server), 1);
    // The killed server has left its socket file behind, which must not prevent a new start.
    assert!(socket.exists());
    let serving = Serving::logging(&server, CONFIG, "turnpost=debug");
    let writer = Writer::at_work(&server);
    let mut peer = Peer::greeted(&socket);
    peer.begin("turnpost@games.example");
    peer.send(MAIL.as_bytes());
    wait_until_queued(&serving, 1);
    serving.kill();
    assert_eq!(peer.reply(), "", "a server killed between DATA and 250 sends no reply");
    drop(writer);
    assert_eq!(inbox(&server), 1);
}

#[test]
fn a_failed_store_asks_the_peer_to_try_again() {
    let (server, serving, socket) = start();
    refuse_mails(&server, "INSERT", "the disk is full");
    let mut peer = Peer::greeted(&socket);
    peer.begin("turnpost@games.example");
    peer.send(MAIL.as_bytes());
    assert_eq!(peer.reply(), "451 4.3.0 The message could not be stored; try again later.");
    accept_mails(&server);
    peer.begin("turnpost@games.example");
    peer.send(MAIL.as_bytes());
    assert_eq!(peer.reply(), "250 2.0.0 Stored.");
    assert_eq!(inbox(&server), 1);
    assert!(serving.stop().contains("the disk is full"), "the log contains the error that the peer does not see");
}

#[test]
fn sigterm_loses_no_work() {
    let (server, mut serving, socket) = start();
    let writer = Writer::at_work(&server);
    let [mut idle, mut in_data, mut promised] = std::array::from_fn(|_| Peer::greeted(&socket));
    in_data.begin("turnpost@games.example");
    in_data.send(b"Subject: half of\r\n");
    promised.begin("turnpost@games.example");
    promised.send(MAIL.as_bytes());
    wait_until_queued(&serving, 1);
    terminate(&serving.child);
    for peer in [&mut idle, &mut in_data] {
        assert_eq!(peer.reply(), "421 4.3.2 The server is stopping; try again later.");
        assert!(peer.is_over());
    }
    assert!(serving.child.try_wait().unwrap().is_none(), "the server waits for the message that is being stored");
    drop(writer);
    assert_eq!(promised.reply(), "250 2.0.0 Stored.");
    assert_eq!(promised.reply(), "421 4.3.2 The server is stopping; try again later.");
    assert!(serving.child.wait().unwrap().success());
    assert_eq!(inbox(&server), 1);
}

#[test]
fn a_file_at_the_path_of_the_socket_is_not_removed() {
    let server = Server::new();
    std::fs::write(server.data().join("lmtp.sock"), "somebody's letter").unwrap();
    server.configure(CONFIG);
    let ran = server.shell("serve");
    assert_ne!(ran.status, 0);
    assert!(ran.err.contains("cannot create the socket") && ran.err.contains("another file"), "{ran:?}");
    assert!(server.data().join("lmtp.sock").exists());
}
