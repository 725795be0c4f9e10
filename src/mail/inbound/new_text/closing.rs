//! Closings: `Best regards,` with what stands below it.

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

/// What a closing ends, and in which line it begins.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Closing {
    /// A letter: the writer's name is all that follows.
    OfLetter(usize),
    /// It is the beginning of a signature, which says more than the name.
    OfSignature(usize),
}

/// The closing of these lines, which end where a signature of another kind begins.
///
/// Regards alone are a letter of one word, and above a move or a long text they close nothing.
pub(super) fn closing(lines: &[&str]) -> Option<Closing> {
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

/// Whether a line is no more than a name: few words, and no number, address or title behind a comma.
fn is_name(line: &str) -> bool {
    let said = line.trim_matches(|c: char| !c.is_alphanumeric());
    let other = |c: char| c.is_numeric() || matches!(c, '@' | ',' | ';' | ':' | '/' | '|' | '!' | '?' | '<' | '(');
    !said.is_empty() && !said.contains(other) && said.split_whitespace().count() <= NAME_WORDS
}
