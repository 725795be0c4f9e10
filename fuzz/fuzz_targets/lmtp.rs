//! Checks that the output of an LMTP session does not depend on how the input is split, and consists of complete lines.

#![cfg_attr(fuzzing, no_main)]

use turnpost::mail::inbound::lmtp::{Session, SessionLimits, Step};

fn converse<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Vec<Step> {
    let mut session = Session::new("turnpost@example.org", SessionLimits { mail: 2_000, ..SessionLimits::default() });
    let mut steps = Vec::new();
    let mut drain = |session: &mut Session| {
        while let Some(step) = session.step() {
            if matches!(step, Step::Store(_)) {
                session.stored(steps.len() % 2 == 0);
            }
            steps.push(step);
        }
    };
    drain(&mut session);
    for piece in pieces {
        session.push(piece);
        drain(&mut session);
    }
    steps
}

fn check(talk: &[u8]) {
    let whole = converse(std::iter::once(talk));
    assert_eq!(converse(talk.chunks(1)), whole);
    assert_eq!(converse(talk.chunks(7)), whole);
    for step in whole {
        match step {
            Step::Reply(reply) => {
                assert!(reply.ends_with("\r\n") && reply.is_ascii());
                assert!(reply.lines().all(|line| line.len() > 3 && line[..3].bytes().all(|b| b.is_ascii_digit())));
            }
            Step::Store(mail) => assert!(mail.raw.starts_with(b"Return-Path: <")),
            Step::Note(_) | Step::Close => {}
        }
    }
}

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|talk: &[u8]| check(talk));

/// Checks standard input, for example an input that the fuzzer has found.
#[cfg(not(fuzzing))]
fn main() {
    check(&std::fs::read("/dev/stdin").unwrap());
}
