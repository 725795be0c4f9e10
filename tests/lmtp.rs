//! LMTP, spoken to the real program by raw sockets and by Python's smtplib, and to the session alone by properties.

mod common;

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use common::Server;
use common::serving::{Peer, Post, Serving, Writer, inbox, sql, wait_until};
use proptest::prelude::*;
use serde_json::json;
use turnpost::config::LmtpAddress;
use turnpost::mail::in_::lmtp::{self, House, Limits, Session, Step};
use turnpost::mail::in_::{Taken, receive_all};
use turnpost::store::SqliteStore;
use turnpost::world::World;

const CONFIG: &str = "address = \"turnpost@games.example\"\n[receive]\nlmtp = \"unix:lmtp.sock\"\n";
const MAIL: &str = "From: nobody@example.org\r\nSubject: hello\r\n\r\nHow are you?\r\n.\r\n";

fn start() -> (Server, Serving, PathBuf) {
    start_with("")
}

fn start_with(more: &str) -> (Server, Serving, PathBuf) {
    let server = Server::new();
    let serving = Serving::start(&server, &format!("{CONFIG}{more}"));
    let socket = server.data().join("lmtp.sock");
    (server, serving, socket)
}

/// What is said, and what is answered. The state is that which the lines before left.
const TRANSCRIPT: &[(&str, &str)] = &[
    ("MAIL FROM:<alice@example.org>", "503 5.5.1 Say LHLO first."),
    ("HELO test.example", "500 5.5.1 This is LMTP: say LHLO."),
    ("EHLO test.example", "500 5.5.1 This is LMTP: say LHLO."),
    ("LHLO", "501 5.5.4 LHLO takes the name of your machine."),
    ("LHLO test.example", "250-games.example|250-PIPELINING|250-8BITMIME|250-ENHANCEDSTATUSCODES|250 SIZE 1000000"),
    ("NOOP", "250 2.0.0 Nothing done."),
    ("noop with words", "250 2.0.0 Nothing done."),
    ("VRFY alice", "252 2.5.0 Nobody is told who is here; send the mail."),
    ("EXPN players", "502 5.5.1 There is no such service."),
    ("STARTTLS", "502 5.5.1 There is no such service."),
    ("BDAT 5 LAST", "502 5.5.1 There is no such service."),
    ("HELP", "214 2.0.0 RFC 2033."),
    ("", "500 5.5.2 That is no command."),
    ("marque move 1 alice wonderland f3", "500 5.5.2 That is no command."),
    ("NOOP \u{1b}[2J", "500 5.5.2 A command is printable ASCII."),
    ("MAIL FROM:<älice@example.org>", "500 5.5.2 A command is printable ASCII."),
    ("RCPT TO:<turnpost@games.example>", "503 5.5.1 Say MAIL first."),
    ("DATA", "503 5.5.1 There is no recipient."),
    ("MAIL alice@example.org", "501 5.1.7 That is no sender's address."),
    ("MAIL FROM:alice@example.org", "501 5.1.7 That is no sender's address."),
    ("MAIL FROM: <alice@example.org>", "501 5.1.7 That is no sender's address."),
    ("MAIL FROM:<alice>", "501 5.1.7 The sender's address has no domain."),
    ("MAIL FROM:<alice@example.org> SIZE=1000001", "552 5.3.4 The mail is too large."),
    ("MAIL FROM:<alice@example.org> SIZE=99999999999999999999", "552 5.3.4 The mail is too large."),
    ("MAIL FROM:<alice@example.org> SIZE=big", "501 5.5.4 SIZE takes a number."),
    ("MAIL FROM:<alice@example.org> SIZE=1 SIZE=1", "501 5.5.4 A parameter stands there twice."),
    ("MAIL FROM:<alice@example.org> BODY=BINARYMIME", "501 5.5.4 BODY is 7BIT or 8BITMIME."),
    ("MAIL FROM:<alice@example.org> SMTPUTF8", "555 5.6.7 SMTPUTF8 is not offered here."),
    ("MAIL FROM:<alice@example.org> RET=FULL", "555 5.5.4 A parameter is not offered here."),
    ("mail from:<alice@example.org> size=1000000 body=8bitmime", "250 2.1.0 Go on."),
    ("MAIL FROM:<>", "503 5.5.1 There is a sender already."),
    ("DATA", "503 5.5.1 There is no recipient."),
    ("RCPT TO:<>", "501 5.1.3 A recipient cannot be empty."),
    ("RCPT TO:<turnpost@games.example", "501 5.1.3 That is no recipient's address."),
    ("RCPT FOR:<turnpost@games.example>", "501 5.1.3 That is no recipient's address."),
    ("RCPT TO:<turnpost@games.example> NOTIFY=NEVER", "555 5.5.4 A parameter is not offered here."),
    ("RCPT TO:<alice@example.org>", "550 5.1.1 There is no such mailbox here."),
    ("RCPT TO:<turnpost@example.org>", "550 5.1.1 There is no such mailbox here."),
    ("RCPT TO:<turnposting@games.example>", "550 5.1.1 There is no such mailbox here."),
    ("RCPT TO:<turnpost-token@games.example>", "550 5.1.1 There is no such mailbox here."),
    ("RCPT TO:<postmaster>", "550 5.1.1 There is no such mailbox here."),
    ("RCPT TO:<turnpost@games.example>", "250 2.1.5 Go on."),
    ("RCPT TO:<TurnPost+Token-1.x=@GAMES.example>", "250 2.1.5 Go on."),
    ("RCPT TO:<turnpost+>", "250 2.1.5 Go on."),
    ("rcpt to:<@relay.example:\"turnpost\"@games.example>", "250 2.1.5 Go on."),
    ("DATA now", "501 5.5.4 It takes no argument."),
    ("RSET", "250 2.0.0 Forgotten."),
    ("DATA", "503 5.5.1 There is no recipient."),
    ("MAIL FROM:<>", "250 2.1.0 Go on."),
    ("RCPT TO:<turnpost@games.example>", "250 2.1.5 Go on."),
    ("RCPT TO:<bob@games.example>", "550 5.1.1 There is no such mailbox here."),
    ("RCPT TO:<turnpost+1@games.example>", "250 2.1.5 Go on."),
    ("DATA", "354 Send the mail; a dot by itself ends it."),
    ("From: alice@example.org\r\n\r\nmarque help\r\n.", "250 2.0.0 Kept.\n250 2.0.0 Kept."),
    ("DATA", "503 5.5.1 There is no recipient."),
    ("RSET yes", "501 5.5.4 It takes no argument."),
    ("QUIT", "221 2.0.0 Goodbye."),
];

#[test]
fn a_transcript_of_every_command_and_error() {
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
    // Once more, all at once.
    let all: String = TRANSCRIPT.iter().map(|(line, _)| format!("{line}\r\n")).collect();
    let mut peer = Peer::connect(&socket);
    peer.send(all.as_bytes());
    peer.reply();
    for answer in TRANSCRIPT.iter().flat_map(|(_, answer)| answer.lines()) {
        assert_eq!(peer.reply(), answer);
    }
    assert!(peer.is_over());
    assert_eq!(inbox(&server), 2, "a mail to two recipients is one mail");
    wait_until("the reader sees the empty sender", || {
        server.shell("admin inbox").out.contains("envelope sender is empty").then_some(())
    });
    let log = serving.stop();
    assert!(log.contains("<bob@games.example> is not this server's address"), "{log}");
    assert!(!log.contains("wonderland"), "{log}");
    assert!(!socket.exists());
}

#[test]
fn each_limit_has_its_reply() {
    let (server, serving, socket) = start_with("sessions = 3\nidle = 2\n");
    let mut peer = Peer::greeted(&socket);
    assert_eq!(peer.say(&format!("NOOP {}", "x".repeat(994))), "500 5.5.2 The line is too long.");
    assert_eq!(peer.say(&format!("NOOP {}", "x".repeat(993))), "250 2.0.0 Nothing done.");
    let line = |length: usize| format!("{}\r\n", "x".repeat(length));
    for (text, answer) in [
        (line(998), "250 2.0.0 Kept."),
        (format!("..{}", line(997)), "250 2.0.0 Kept."),
        (line(999), "554 5.6.0 A line of the mail is longer than 1,000 octets."),
        (line(98).repeat(10_000), "250 2.0.0 Kept."),
        (line(98).repeat(10_001), "552 5.3.4 The mail is too large."),
        ("smuggled\n.\nQUIT\r\n".to_owned(), "554 5.6.0 The mail has a CR or LF by itself."),
        ("smuggled\n.\r\n".to_owned(), "554 5.6.0 The mail has a CR or LF by itself."),
        ("smuggled\r.\r\n".to_owned(), "554 5.6.0 The mail has a CR or LF by itself."),
        ("\r\r\n".to_owned(), "554 5.6.0 The mail has a CR or LF by itself."),
        (" folded: into our Return-Path\r\n".to_owned(), "554 5.6.0 The mail begins with a folded line."),
        (String::new(), "250 2.0.0 Kept."),
        ("Subject: \u{0}\u{80}\u{ff}ü\r\n".to_owned(), "250 2.0.0 Kept."),
    ] {
        peer.begin("turnpost@games.example");
        peer.send(text.as_bytes());
        peer.send(b".\r\n");
        assert_eq!(peer.reply(), answer, "{:?}", text.get(..40));
    }
    assert_eq!(inbox(&server), 5);
    // Thousands of recipients.
    peer.say("MAIL FROM:<>");
    for number in 0..3_000 {
        let reply = peer.say(&format!("RCPT TO:<turnpost+{number}@games.example>"));
        match number {
            0..100 => assert_eq!(reply, "250 2.1.5 Go on."),
            _ => assert_eq!(reply, "452 4.5.3 There are too many recipients."),
        }
        if number == 198 {
            break;
        }
    }
    assert_eq!(peer.reply(), "421 4.7.0 Too many errors.", "with the line that was too long");
    assert!(peer.is_over());
    // A bare LF is no end of a line, and whoever sends one would wait for ever.
    for line in ["NOOP\n", "NOOP\rNOOP\r\n", "MAIL FROM:<>\nRCPT TO:<turnpost>\r\n"] {
        let mut peer = Peer::greeted(&socket);
        peer.send(line.as_bytes());
        assert_eq!(peer.reply(), "500 5.5.2 A CR or LF by itself ends no line.");
        assert!(peer.is_over());
    }
    // Sessions and silence.
    wait_until("the others are over", || {
        let mut peers: Vec<Peer> = (0..4).map(|_| Peer::connect(&socket)).collect();
        let replies: Vec<String> = peers.iter_mut().map(Peer::reply).collect();
        (replies[..3].iter().all(|reply| reply.starts_with("220 "))).then(|| {
            assert_eq!(replies[3], "421 4.3.2 Too many sessions; try again later.");
            assert_eq!(peers[0].reply(), "421 4.4.2 Nothing was said for too long.");
            assert!(peers[0].is_over());
        })
    });
    serving.stop();
}

#[test]
fn a_hundred_mails_in_one_connection_of_pythons() {
    let (server, serving, socket) = start();
    let mut post = Post::start();
    let mails: Vec<String> =
        (0..100).map(|number| format!("Message-ID: <{number}@test>\r\n\r\n.\r\n..\r\nHello\r\n.")).collect();
    let mut request = json!({ "lmtp": socket, "from": "alice@example.org", "mails": mails });
    request["to"] = json!(["turnpost@games.example"]);
    let answer = post.ask(&request);
    assert!(answer["refused"].as_array().unwrap().iter().all(|refused| *refused == json!({})), "{answer}");
    assert_eq!(inbox(&server), 100);
    // Each recipient has an answer of his own.
    request["mails"] = json!([mails[0]]);
    request["to"] = json!(["turnpost+a@games.example", "carol@games.example", "turnpost@games.example"]);
    let answer = post.ask(&request);
    let refused = json!({ "carol@games.example": [550, "5.1.1 There is no such mailbox here."] });
    assert_eq!(answer["refused"], json!([refused]));
    request["to"] = json!(["carol@games.example"]);
    assert_eq!(post.ask(&request)["refused"], json!([refused]));
    assert_eq!(inbox(&server), 101);
    serving.stop();
}

#[test]
fn by_a_loopback_port() {
    let server = Server::new();
    let serving = Serving::start(&server, &CONFIG.replace("unix:lmtp.sock", "127.0.0.1:0"));
    let log = serving.log();
    let port = log.split("127.0.0.1:").nth(1).unwrap().split('"').next().unwrap().parse::<u16>().unwrap();
    let mail = json!({ "lmtp": ["127.0.0.1", port], "from": "", "to": ["turnpost@games.example"], "mails": ["a: b"] });
    assert_eq!(Post::start().ask(&mail)["refused"], json!([{}]));
    let mut idle = BufReader::new(TcpStream::connect(("127.0.0.1", port)).unwrap()).lines();
    assert_eq!(idle.next().unwrap().unwrap(), "220 games.example LMTP turnpost");
    serving.stop();
    assert_eq!(idle.next().unwrap().unwrap(), "421 4.3.2 The server is stopping; try again later.");
    assert!(idle.next().is_none());
    assert_eq!(inbox(&server), 1);
}

#[test]
fn what_has_no_end_is_ended() {
    let start: &[u8] = b"LHLO a\r\nMAIL FROM:<>\r\nRCPT TO:<turnpost>\r\nDATA\r\n";
    let line = vec![b'x'; 1 << 20];
    let lines = b"x\r\n".repeat(1 << 18);
    for endless in [&line, &lines] {
        let steps = converse(std::iter::once(start).chain(std::iter::repeat_n(endless.as_slice(), 100)));
        let end = [Step::Reply("421 4.3.4 There is no end to it.\r\n".to_owned()), Step::Close];
        assert_eq!(steps[steps.len() - 2..], end);
    }
}

#[test]
fn two_clients_at_once_and_mails_that_arrive_together_share_a_commit() {
    let (server, serving, socket) = start();
    let writer = Writer::at_work(&server);
    let mut peers: Vec<Peer> = (0..6).map(|_| Peer::greeted(&socket)).collect();
    for (number, peer) in peers.iter_mut().enumerate() {
        peer.begin("turnpost@games.example");
        peer.send(MAIL.as_bytes());
        if number == 0 {
            // It is alone when the committer looks.
            std::thread::sleep(Duration::from_millis(500));
        }
    }
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(serving.kept(), [0; 0], "nothing is kept while somebody else writes");
    drop(writer);
    for peer in &mut peers {
        assert_eq!(peer.reply(), "250 2.0.0 Kept.");
    }
    assert_eq!(serving.kept(), [1, 5]);
    serving.stop();
    assert_eq!(inbox(&server), 6);
}

#[test]
fn no_250_without_the_row_and_no_row_lost_after_250() {
    let (server, serving, socket) = start();
    let mut peer = Peer::greeted(&socket);
    peer.begin("turnpost@games.example");
    peer.send(MAIL.as_bytes());
    assert_eq!(peer.reply(), "250 2.0.0 Kept.");
    serving.kill();
    assert_eq!(inbox(&server), 1);
    // Its socket is still there, and in nobody's way.
    assert!(socket.exists());
    let serving = Serving::start(&server, CONFIG);
    let writer = Writer::at_work(&server);
    let mut peer = Peer::greeted(&socket);
    peer.begin("turnpost@games.example");
    peer.send(MAIL.as_bytes());
    std::thread::sleep(Duration::from_millis(500));
    serving.kill();
    assert_eq!(peer.reply(), "", "killed between DATA and 250");
    drop(writer);
    assert_eq!(inbox(&server), 1);
}

#[test]
fn when_the_store_fails_the_peer_is_asked_to_try_again() {
    let (server, serving, socket) = start();
    sql(&server, "CREATE TRIGGER full BEFORE INSERT ON inbox BEGIN SELECT RAISE(ABORT, 'the disk is full'); END");
    let mut peer = Peer::greeted(&socket);
    peer.begin("turnpost@games.example");
    peer.send(MAIL.as_bytes());
    assert_eq!(peer.reply(), "451 4.3.0 It could not be kept; try again later.");
    sql(&server, "DROP TRIGGER full");
    peer.begin("turnpost@games.example");
    peer.send(MAIL.as_bytes());
    assert_eq!(peer.reply(), "250 2.0.0 Kept.");
    assert_eq!(inbox(&server), 1);
    assert!(serving.stop().contains("the disk is full"), "the log has what the peer is not told");
}

#[test]
fn sigterm_loses_nothing() {
    let (server, mut serving, socket) = start();
    let writer = Writer::at_work(&server);
    let [mut idle, mut in_data, mut promised] = std::array::from_fn(|_| Peer::greeted(&socket));
    in_data.begin("turnpost@games.example");
    in_data.send(b"Subject: half of\r\n");
    promised.begin("turnpost@games.example");
    promised.send(MAIL.as_bytes());
    std::thread::sleep(Duration::from_millis(500));
    serving.signal("-TERM");
    for peer in [&mut idle, &mut in_data] {
        assert_eq!(peer.reply(), "421 4.3.2 The server is stopping; try again later.");
        assert!(peer.is_over());
    }
    assert!(serving.child.try_wait().unwrap().is_none(), "it waits for the mail that is being kept");
    drop(writer);
    assert_eq!(promised.reply(), "250 2.0.0 Kept.");
    assert_eq!(promised.reply(), "421 4.3.2 The server is stopping; try again later.");
    assert!(serving.child.wait().unwrap().success());
    assert_eq!(inbox(&server), 1);
}

#[test]
fn what_stands_in_the_sockets_place_is_not_removed() {
    let server = Server::new();
    std::fs::write(server.data().join("lmtp.sock"), "somebody's letter").unwrap();
    std::fs::write(server.data().join("turnpost.toml"), CONFIG).unwrap();
    let ran = server.shell("serve");
    assert_ne!(ran.status, 0);
    assert!(ran.err.contains("cannot make the socket") && ran.err.contains("something else"), "{ran:?}");
    assert!(server.data().join("lmtp.sock").exists());
}

const SMALL: Limits = Limits { mail: 3_000, recipients: 3, errors: 8 };

/// All that a session has to say to these pieces; every other mail is kept.
fn converse<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<Step> {
    let mut session = Session::new("turnpost@games.example", SMALL);
    let mut steps = Vec::new();
    let mut mails = 0;
    for piece in pieces {
        session.push(piece);
        while let Some(step) = session.step() {
            if matches!(step, Step::Keep(_)) {
                mails += 1;
                session.kept(mails % 2 == 1);
            }
            steps.push(step);
        }
    }
    steps
}

/// What a client may say, well or badly.
fn talk() -> impl Strategy<Value = Vec<u8>> {
    let words = prop::sample::select(vec![
        "LHLO a\r\n",
        "MAIL FROM:<>\r\n",
        "MAIL FROM:<a@b> SIZE=9\r\n",
        "RCPT TO:<turnpost@games.example>\r\n",
        "RCPT TO:<turnpost+x@games.example>\r\n",
        "RCPT TO:<x@y>\r\n",
        "DATA\r\n",
        ".\r\n",
        "..\r\n",
        "\r\n",
        "\n",
        "\r",
        ".",
        "QUIT\r\n",
        "RSET\r\n",
        "Return-Path: <x>\r\n",
        " folded\r\n",
        "Subject: x\r\n",
    ]);
    let word = prop_oneof![
        8 => words.prop_map(|word| word.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..30),
        1 => Just(vec![b'x'; 1_100]),
    ];
    prop::collection::vec(word, 0..60).prop_map(|words| {
        let start = b"LHLO a\r\nMAIL FROM:<a@b>\r\nRCPT TO:<turnpost@games.example>\r\nDATA\r\n".to_vec();
        std::iter::once(start).chain(words).flatten().collect()
    })
}

proptest! {
    #[test]
    fn however_the_octets_are_split_the_session_says_the_same(
        talk in talk(),
        lengths in prop::collection::vec(1_usize..200, 1..50),
    ) {
        let whole = converse([talk.as_slice()]);
        prop_assert_eq!(&converse(talk.chunks(1)), &whole);
        let (mut rest, mut pieces) = (talk.as_slice(), Vec::new());
        for length in lengths.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (piece, more) = rest.split_at(rest.len().min(*length));
            pieces.push(piece);
            rest = more;
        }
        prop_assert_eq!(&converse(pieces), &whole);
    }

    #[test]
    fn any_octets_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..5_000)) {
        converse(bytes.chunks(700));
    }

    #[test]
    fn what_is_kept_is_what_was_sent(
        headers in prop::collection::vec("(Subject|return-path |RETURN-PATH|X-Return-Path):[ -~]{0,20}(\r\n [ -~]{0,9})?", 0..6),
        body in prop::collection::vec("[^\r\n]{0,80}", 0..20),
        sender in prop::sample::select(vec!["", "alice@example.org", "\"a b>\"@example.org"]),
    ) {
        let mut sent = String::new();
        let mut wanted = format!("Return-Path: <{sender}>\r\n");
        let mut add = |line: &str, kept: bool| {
            sent.push_str(if line.starts_with('.') { "." } else { "" });
            sent.push_str(&format!("{line}\r\n"));
            if kept {
                wanted.push_str(&format!("{line}\r\n"));
            }
        };
        for header in &headers {
            add(header, !header.to_ascii_lowercase().starts_with("return-path"));
        }
        add("", true);
        for line in &body {
            add(line, true);
        }
        let talk = format!(
            "LHLO a\r\nMAIL FROM:<{sender}> BODY=8BITMIME\r\nRCPT TO:<turnpost>\r\nDATA\r\n{sent}.\r\nQUIT\r\n"
        );
        let steps = converse([talk.as_bytes()]);
        let kept: Vec<_> = steps.iter().filter_map(|step| match step {
            Step::Keep(mail) => Some(String::from_utf8(mail.raw.clone()).unwrap()),
            _ => None,
        }).collect();
        if sent.len() <= SMALL.mail {
            prop_assert_eq!(kept, [wanted]);
        }
        prop_assert_eq!(steps.last(), Some(&Step::Close));
    }
}

/// How many mails a second are kept, from this many clients at once that each wait for their 250s.
fn mails_a_second(clients: usize) -> f64 {
    const MAILS: usize = 960;
    let server = Server::new();
    let store = SqliteStore::open(&server.data().join("turnpost.db")).unwrap();
    let house = House {
        address: "turnpost@games.example".to_owned(),
        sessions: clients,
        idle: Duration::from_secs(60),
        world: World::REAL,
        wake: Box::new(|| ()),
    };
    let socket = server.data().join("lmtp.sock");
    let lmtp = lmtp::Server::start(&LmtpAddress::Unix(socket.clone()), house, Box::new(store)).unwrap();
    let text = format!("Subject: Re: Marque Board 1 alice ** f3\r\n\r\n{}.\r\n", "> a board\r\n".repeat(300));
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..clients {
            scope.spawn(|| {
                let mut peer = Peer::greeted(&socket);
                for _ in 0..MAILS / clients {
                    peer.begin("turnpost@games.example");
                    peer.send(text.as_bytes());
                    assert_eq!(peer.reply(), "250 2.0.0 Kept.");
                }
            });
        }
    });
    let seconds = start.elapsed().as_secs_f64();
    lmtp.stop();
    assert_eq!(inbox(&server), MAILS as u64);
    MAILS as f64 / seconds
}

/// How many mails a second are kept in transactions of this many, without LMTP around it.
fn kept_a_second(together: usize) -> f64 {
    const MAILS: usize = 512;
    let dir = tempfile::tempdir().unwrap();
    let mut store = SqliteStore::open(&dir.path().join("turnpost.db")).unwrap();
    let mails = vec![Taken::whole(b"> a board\r\n".repeat(300)); together];
    let start = Instant::now();
    for _ in 0..MAILS / together {
        receive_all(&mut store, &mails, "lmtp", (World::REAL.now)()).unwrap();
    }
    MAILS as f64 / start.elapsed().as_secs_f64()
}

/// The middle one of seven ratios, each of two measurements in a row, since others use the machine too.
fn ratio(together: impl Fn() -> f64, alone: impl Fn() -> f64) -> f64 {
    let mut ratios: Vec<f64> = (0..7).map(|_| together() / alone()).collect();
    ratios.sort_by(f64::total_cmp);
    ratios[3]
}

#[test]
#[ignore = "a measurement: cargo test --test lmtp -- --ignored --nocapture"]
fn how_much_a_shared_commit_saves() {
    for clients in [4, 16, 32] {
        let saved = ratio(|| mails_a_second(clients), || mails_a_second(1));
        println!("{clients} clients at once: {saved:.1} times the mails of one");
    }
    for together in [4, 32, 256] {
        let saved = ratio(|| kept_a_second(together), || kept_a_second(1));
        println!("{together} mails a commit: {saved:.1} times the mails of one a commit");
    }
}
