//! The command parser: parsed commands survive a round trip, and passwords are never shown.

#![no_main]

use libfuzzer_sys::fuzz_target;
use turnpost::command::parse;

fuzz_target!(|text: &str| {
    for line in text.lines() {
        match parse(line) {
            Ok(understood) => {
                let shown = understood.shown.replace("***", "-");
                let again = parse(&shown).unwrap_or_else(|error| panic!("{line:?}, shown as {shown:?}: {error:?}"));
                assert_eq!(again.shown.replace("***", "-"), shown, "{line:?}");
            }
            Err(error) => {
                if let Some((at, length)) = error.at {
                    let rest = error.line.get(at..).expect("it points at a character");
                    assert!(rest.chars().count() >= length, "{line:?}: {error:?}");
                }
            }
        }
    }
});
