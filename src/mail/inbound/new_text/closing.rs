//! Closings: `Best regards,` and the lines below it.

use super::line::{is_blank, plain};
use super::words::WORDS;
use crate::command::bare_move;
use crate::rules::Notation;

/// The most lines of a signature below a closing.
const SIGNATURE_LINES: usize = 8;
/// The longest line of a signature below a closing.
const SIGNATURE_WIDTH: usize = 100;
/// The most words of a name.
const NAME_WORDS: usize = 4;

/// The part that a closing ends, and the line in which it begins.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Closing {
    /// The end of a letter: only the writer's name follows.
    OfLetter(usize),
    /// The beginning of a signature with more than the name.
    OfSignature(usize),
}

/// Returns the closing of these lines, which end where a signature of another kind begins.
///
/// Regards without text above them are a letter of one word, and regards above a move or a long text close nothing.
pub(crate) fn closing(lines: &[&str]) -> Option<Closing> {
    (1..lines.len()).filter(|&at| is_closing(lines[at])).find_map(|at| {
        let rest = &lines[at + 1..];
        if rest.iter().find(|line| !is_blank(line)).is_some_and(|line| Notation::is_list(bare_move(line.trim()))) {
            return None;
        }
        let mut below = rest.iter().filter(|line| !is_blank(line)).take(SIGNATURE_LINES + 1);
        let (first, more) = (below.next(), below.count());
        if more == 0 && first.is_none_or(|line| is_name(line)) {
            return Some(Closing::OfLetter(at));
        }
        let narrow = rest.iter().take(4 * SIGNATURE_LINES).all(|line| line.chars().count() <= SIGNATURE_WIDTH);
        (more < SIGNATURE_LINES && narrow).then_some(Closing::OfSignature(at))
    })
}

fn is_closing(line: &str) -> bool {
    let plain = plain(line);
    let said = plain.trim_end_matches(|c: char| c.is_ascii_punctuation() || c.is_whitespace());
    WORDS.closings.contains(&said)
}

/// Returns whether a line contains only a name: few words, and no number, address or title after a comma.
fn is_name(line: &str) -> bool {
    let said = line.trim_matches(|c: char| !c.is_alphanumeric());
    let other = |c: char| c.is_numeric() || matches!(c, '@' | ',' | ';' | ':' | '/' | '|' | '!' | '?' | '<' | '(');
    !said.is_empty() && !said.contains(other) && said.split_whitespace().count() <= NAME_WORDS
}
