//! Checks that the extracted new text is part of the input, in the original order.

#![cfg_attr(fuzzing, no_main)]

use turnpost::mail::inbound::new_text;

fn check(text: &str) {
    let new = new_text(text);
    let mut rest = text;
    for line in new.pieces.iter().flat_map(|piece| &piece.lines) {
        let at = rest.find(line).expect("the lines occur in the text in this order");
        rest = &rest[at + line.len()..];
    }
}

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|text: &str| check(text));

/// Checks standard input, for example an input that the fuzzer has found.
#[cfg(not(fuzzing))]
fn main() {
    check(&std::io::read_to_string(std::io::stdin()).unwrap());
}
