//! When turnpost requests access tokens, and how it handles a provider that fails or does not answer.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::net::{Shutdown, TcpListener};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use turnpost::config::Config;
use turnpost::mail::oauth::AccessTokens;

use super::{Mailbox, alarms, tells_no_secret};
use crate::common::serving::{Serving, terminate, wait_until};
use crate::common::{Ran, done};

#[test]
fn a_token_that_expires_is_replaced() {
    let mailbox = Mailbox::authorized();
    mailbox.provider.state().expires_in = 0;
    mailbox.letter();
    mailbox.letter();
    assert_eq!(mailbox.submission.shown(), ["access-secret-2", "access-secret-3"]);
    // The mail server refuses a token before its announced end. turnpost immediately gets another one and sends the
    // letter.
    mailbox.provider.state().first_valid = 5;
    mailbox.provider.state().expires_in = 3600;
    let ran = mailbox.letter();
    assert_eq!(ran.err, "");
    assert_eq!(mailbox.submission.shown()[2..], ["access-secret-4", "access-secret-5"]);
    assert_eq!(mailbox.submission.taken().len(), 3);
    assert_eq!(done(&mailbox.server, "admin outbox --undelivered"), "Nothing.\n");
    // Each of the four tokens took one request, because a token whose announced lifetime is over is not reused.
    assert_eq!(mailbox.provider.asked("refresh_token"), 4);
}

#[test]
fn no_letter_is_lost_when_the_server_refuses_every_token() {
    let mailbox = Mailbox::authorized();
    mailbox.provider.state().first_valid = u32::MAX;
    let ran = mailbox.letter();
    assert_eq!(alarms(&ran.err).len(), 1, "{}", ran.err);
    assert!(ran.err.contains("no such token: ***") && ran.err.contains(r#"scope"#), "{}", ran.err);
    assert_eq!(mailbox.submission.shown().len(), 2, "the server makes exactly two attempts");
    assert!(done(&mailbox.server, "admin outbox --undelivered").contains("due again"));
    assert_eq!(done(&mailbox.server, "admin players --paused"), "Nothing.\n");
}

#[test]
fn a_token_is_cached_while_it_is_valid() {
    let mailbox = Mailbox::authorized();
    let serving = Serving::start(&mailbox.server, &mailbox.config());
    for count in 1..=3 {
        mailbox.letter();
        wait_until(&format!("letter {count}"), || (mailbox.submission.taken().len() == count).then_some(()));
    }
    tells_no_secret(&serving.stop());
    assert_eq!(mailbox.provider.asked("refresh_token"), 1);
}

#[test]
fn concurrent_programs_never_reuse_a_refresh_token() {
    let mailbox = Mailbox::authorized();
    mailbox.provider.state().rotates = true;
    let programs: Vec<Child> = (0..8)
        .map(|_| {
            let mut program = mailbox.server.program();
            let line = ["--json", "check-config"];
            program.args(line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for program in programs {
        let ran = Ran::from(program.wait_with_output().unwrap());
        assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{ran:?}");
    }
    // Each request used the token from the previous answer.
    let grant = mailbox.provider.state().grant;
    assert_eq!(grant, Some(9));
    let file = fs::read_to_string(mailbox.server.data().join("oauth.json")).unwrap();
    assert!(file.contains("refresh-secret-9"), "{file}");
    mailbox.letter();
    assert_eq!(mailbox.submission.taken(), ["bob@example.org"]);
}

#[test]
fn simultaneous_senders_share_one_token() {
    let mailbox = Mailbox::authorized();
    let tokens = AccessTokens::of(&Config::read(mailbox.server.data()).unwrap()).unwrap();
    let all = |ask: &(dyn Fn() -> String + Sync)| -> Vec<String> {
        let shown = thread::scope(|scope| {
            let senders: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
            senders.into_iter().map(|sender| sender.join().unwrap()).collect::<Vec<_>>()
        });
        shown.into_iter().collect::<BTreeSet<_>>().into_iter().collect()
    };
    assert_eq!(all(&|| tokens.get().unwrap().reveal().to_owned()), ["access-secret-2"]);
    // All threads report that the same token was refused. They get the same new token.
    let refused = tokens.get().unwrap();
    assert_eq!(all(&|| tokens.renew(&refused).unwrap().reveal().to_owned()), ["access-secret-3"]);
    assert_eq!(mailbox.provider.asked("refresh_token"), 2);
    assert_eq!(format!("{refused:?}"), "***");
}

#[test]
fn a_refresh_token_that_cannot_be_stored_is_stored_later() {
    let mailbox = Mailbox::authorized();
    (mailbox.provider.state().rotates, mailbox.provider.state().expires_in) = (true, 0);
    let tokens = AccessTokens::of(&Config::read(mailbox.server.data()).unwrap()).unwrap();
    let stored = || fs::read_to_string(mailbox.server.data().join("oauth.json")).unwrap();
    // A directory with the name of the temporary file prevents turnpost from saving the new token.
    let in_the_way = mailbox.server.data().join("oauth.unfinished");
    fs::create_dir(&in_the_way).unwrap();
    for number in 2..4 {
        assert_eq!(tokens.get().unwrap().reveal(), format!("access-secret-{number}"));
        assert!(stored().contains("refresh-secret-1"), "{}", stored());
    }
    fs::remove_dir(&in_the_way).unwrap();
    assert_eq!(tokens.get().unwrap().reveal(), "access-secret-4");
    assert!(stored().contains("refresh-secret-4"), "{}", stored());
}

#[test]
fn a_misbehaving_provider_cannot_exceed_limits() {
    let mailbox = Mailbox::authorized();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let config = mailbox.config().replace(&format!(":{}/token", mailbox.provider.port), &format!(":{port}/token"));
    mailbox.server.configure(&config);
    let elsewhere = format!("302 Found\r\nLocation: http://127.0.0.1:{}/token", mailbox.provider.port);
    let tokens = "{\"access_token\":\"access-secret\",\"token_type\":\"mac\"}";
    for (status, body, says) in [
        (elsewhere.as_str(), "{}".to_owned(), "status 302"),
        ("200 OK", "x".repeat(1_000_000), "the provider of access tokens: "),
        ("200 OK", "<html>access-secret-1</html>".to_owned(), "its response is not valid"),
        ("200 OK", tokens.to_owned(), "its tokens have the type \"mac\""),
    ] {
        let program = mailbox.server.program().arg("check-config").stdout(Stdio::piped()).spawn().unwrap();
        let (mut stream, _) = listener.accept().unwrap();
        let length = body.len();
        // Writing may fail, because the client may disconnect before it has read everything.
        let _ = write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}");
        let _ = stream.shutdown(Shutdown::Write);
        let ran = Ran::from(program.wait_with_output().unwrap());
        assert!(ran.status == 78 && ran.out.contains(says), "{says:?} is not in {ran:?}");
        tells_no_secret(&ran.out);
    }
    assert_eq!(mailbox.provider.asked("refresh_token"), 0, "the provider receives no refresh token");
    // The server stops even if the provider never answers.
    let mut serving = Serving::start(&mailbox.server, &config);
    mailbox.letter();
    let hanging = listener.accept().unwrap();
    let began = Instant::now();
    terminate(&serving.child);
    assert!(serving.child.wait().unwrap().success(), "{}", serving.log());
    assert!(began.elapsed() < Duration::from_secs(9), "{:?}", began.elapsed());
    drop(hanging);
}
