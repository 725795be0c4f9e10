//! The texts that players write to each other.

/// The longest text, in characters.
const LONGEST: usize = 2_000;

/// A player's text without control and direction characters and without blank ends, cut to 2,000 characters.
pub(in crate::service) fn clean(text: &str) -> String {
    let direction = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let kept = |c: &char| (*c == '\n' || !c.is_control()) && !direction(*c);
    let text: String = text.replace('\t', " ").chars().filter(kept).take(LONGEST).collect();
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim().to_owned()
}
