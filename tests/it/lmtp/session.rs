//! Property tests of an LMTP session, without sockets.

use proptest::prelude::*;
use turnpost::mail::inbound::lmtp::{Session, SessionLimits, Step};

const SMALL: SessionLimits = SessionLimits { mail: 3_000, recipients: 3, errors: 8 };

/// Runs a session with these pieces of input, and returns its steps. Only every second message is accepted.
fn converse<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<Step> {
    let mut session = Session::new("turnpost@games.example", SMALL);
    let mut steps = Vec::new();
    let mut mails = 0;
    for piece in pieces {
        session.push(piece);
        while let Some(step) = session.step() {
            if matches!(step, Step::Store(_)) {
                mails += 1;
                session.stored(mails % 2 == 1);
            }
            steps.push(step);
        }
    }
    steps
}

#[test]
fn endless_input_ends_the_session() {
    let start: &[u8] = b"LHLO a\r\nMAIL FROM:<>\r\nRCPT TO:<turnpost>\r\nDATA\r\n";
    let line = vec![b'x'; 1 << 20];
    let lines = b"x\r\n".repeat(1 << 18);
    for endless in [&line, &lines] {
        let steps = converse(std::iter::once(start).chain(std::iter::repeat_n(endless.as_slice(), 100)));
        let end = [Step::Reply("421 4.3.4 The command or message is far too long.\r\n".to_owned()), Step::Close];
        assert_eq!(steps[steps.len() - 2..], end);
    }
}

/// Generates a client's input, valid or invalid.
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
    fn the_replies_do_not_depend_on_how_the_octets_are_split(
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
    fn stored_mail_equals_sent_mail(
        headers in prop::collection::vec("(Subject|return-path |RETURN-PATH|X-Return-Path):[ -~]{0,20}(\r\n [ -~]{0,9})?", 0..6),
        body in prop::collection::vec("[^\r\n]{0,80}", 0..20),
        sender in prop::sample::select(vec!["", "alice@example.org", "\"a b>\"@example.org"]),
    ) {
        let mut sent = String::new();
        let mut wanted = format!("Return-Path: <{sender}>\r\nDelivered-To: turnpost\r\n");
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
            Step::Store(mail) => Some(String::from_utf8(mail.raw.clone()).unwrap()),
            _ => None,
        }).collect();
        if sent.len() <= SMALL.mail {
            prop_assert_eq!(kept, [wanted]);
        }
        prop_assert_eq!(steps.last(), Some(&Step::Close));
    }
}
