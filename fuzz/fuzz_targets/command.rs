//! Checks that parsed commands survive a round trip, and that the position in an error lies within the line.

#![cfg_attr(fuzzing, no_main)]

use turnpost::command::parse;

fn check(text: &str) {
    for line in text.lines() {
        match parse(line) {
            Ok(understood) => {
                let shown = understood.shown.replace("***", "-");
                let again = parse(&shown).unwrap_or_else(|error| panic!("{line:?}, shown as {shown:?}: {error:?}"));
                assert_eq!(again.shown.replace("***", "-"), shown, "{line:?}");
            }
            Err(error) => {
                if let Some((at, length)) = error.at {
                    let rest = error.line.get(at..).expect("the position is a character boundary");
                    assert!(rest.chars().count() >= length, "{line:?}: {error:?}");
                }
            }
        }
    }
}

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|text: &str| check(text));

/// Checks standard input, for example an input that the fuzzer has found.
#[cfg(not(fuzzing))]
fn main() {
    check(&std::io::read_to_string(std::io::stdin()).unwrap());
}
