//! The grammar.

use super::{Line, ParseError};

/// Reads one line, split at blanks; "double quotes" keep blanks together.
///
/// # Errors
/// A [`ParseError`] that says which word is wrong and what would be right.
pub fn parse(line: &str) -> Result<Line, ParseError> {
    let _ = line;
    todo!()
}

/// Reads a line that is already split into words (a shell's arguments).
///
/// # Errors
/// As [`parse`].
pub fn parse_words(words: &[String]) -> Result<Line, ParseError> {
    let _ = words;
    todo!()
}
