//! Checks that every parsed message is safe to show in a terminal, and that the same input always gives the same
//! message.

#![cfg_attr(fuzzing, no_main)]

use turnpost::mail::inbound::{find_commands, read};

fn check(raw: &[u8]) {
    let Ok(mail) = read(raw, "turnpost@example.org") else { return };
    assert_eq!(read(raw, "turnpost@example.org").as_ref(), Ok(&mail));
    let fools = |c: char| c.is_control() && c != '\n' || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    assert!(!mail.text.contains(fools));
    assert!(!mail.subjects.iter().any(|subject| subject.contains(|c: char| c.is_control())));
    let sent_back = mail.message_id.iter().chain(&mail.sender);
    assert!(sent_back.flat_map(|text| text.bytes()).all(|byte| byte.is_ascii_graphic()));
    for subject in mail.subjects.iter().map(Some).chain([None]) {
        find_commands(subject.map(String::as_str), &mail.text);
    }
}

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|raw: &[u8]| check(raw));

/// Checks standard input, for example an input that the fuzzer has found.
#[cfg(not(fuzzing))]
fn main() {
    check(&std::fs::read("/dev/stdin").unwrap());
}
