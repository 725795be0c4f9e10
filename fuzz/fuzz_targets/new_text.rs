//! The finder of newly written text: it returns only text from the input, in the original order.

#![no_main]

use libfuzzer_sys::fuzz_target;
use turnpost::mail::inbound::new_text;

fuzz_target!(|text: &str| {
    let new = new_text(text);
    let mut rest = text;
    for line in new.pieces.iter().flat_map(|piece| &piece.lines) {
        let at = rest.find(line).expect("each line is in the text, after the previous one");
        rest = &rest[at + line.len()..];
    }
});
