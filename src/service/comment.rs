//! The texts that players write to each other.

use crate::text;

/// The longest text, in characters.
const LONGEST: usize = 2_000;

/// A player's text as it is kept: without control characters and without blanks at the ends of its lines, cut to 2,000
/// characters.
pub(in crate::service) fn clean(text: &str) -> String {
    let text: String = text::lines(text).chars().take(LONGEST).collect();
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim().to_owned()
}
