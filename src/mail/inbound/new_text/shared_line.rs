//! Attributions on the same line as the text above or below them, after a program lost the line break when it converted
//! HTML to text (`f4 On Tue, 3 Mar 2026 at 14:05, Bob wrote:` and `On 3 March 2026, Bob wrote:> old`).

use super::attribution;
use super::line::{is_quote, plain};

/// The longest attribution, in octets.
const WIDTH: usize = 600;
/// The most colons in an attribution: those of a time and of addresses.
const COLONS: usize = 10;
/// How many characters determine whether an attribution begins.
const OPENING: usize = 40;

/// Splits a line at an attribution: the text before it, the attribution, and the quote after it.
pub(crate) fn parts(line: &str) -> impl Iterator<Item = &str> {
    let (before, rest) = line.split_at(start(line).unwrap_or_default());
    let (attribution, behind) = rest.split_at(end(rest).unwrap_or(rest.len()));
    let before = before.trim_end_matches(['-', '_', '=', ' ']);
    // The mark after the attribution is not repeated on the following lines of the quote, so it is removed.
    let behind = behind.trim_start_matches(['>', ' ']);
    // A line without parts is returned even if it is blank.
    [Some(before).filter(|part| !part.is_empty()), Some(attribution), Some(behind).filter(|part| !part.is_empty())]
        .into_iter()
        .flatten()
}

/// Returns where an attribution begins after other text. The last one applies, because the quote follows it.
///
/// It begins with a capital letter, immediately followed by a date. In `Bob hat am 3.3.2026 geschrieben:`, and after an
/// address, the text before it names the author.
fn start(line: &str) -> Option<usize> {
    if line.len() > WIDTH || !line.trim_end().ends_with(':') || is_quote(line) || opens(line) {
        return None;
    }
    let capitals = line.char_indices().rev().filter(|(_, c)| c.is_uppercase()).map(|(at, _)| at);
    let mut words = capitals.filter(|&at| !line[..at].ends_with(char::is_alphanumeric));
    let at = words.find(|&at| opens(&line[at..]) && attribution::is_dated_and_ends_in_verb(&plain(&line[at..])))?;
    let before = &line[..at];
    (before.contains(char::is_alphanumeric) && !before.contains('@')).then_some(at)
}

/// Returns where the attribution at the start of a line ends, if the quote follows on the same line. After a space, the
/// text may be a person's (`On Tuesday at 14:05 Bob wrote: good game`), unless the attribution contains an address (`On
/// …, Bob<bob@example.org> wrote: old`, as written by programs on phones).
fn end(line: &str) -> Option<usize> {
    if is_quote(line) {
        return None;
    }
    let colons = line.match_indices([':', '：']).map(|(at, colon)| at + colon.len());
    let mut ends = colons.take_while(|&at| at <= WIDTH).take(COLONS);
    ends.find(|&at| {
        let (before, behind) = line.split_at(at);
        let follows = !behind.trim().is_empty() && !behind.starts_with(|c: char| c.is_ascii_digit());
        let at_once = !behind.starts_with(char::is_whitespace);
        // Few lines contain such a colon, so the search for a date, which is slower, comes second.
        follows
            && (attribution::has_address(before) && attribution::is_dated(&plain(before))
                || at_once && opens(line) && attribution::is_dated_and_ends_in_verb(&plain(before)))
    })
}

fn opens(line: &str) -> bool {
    let line: String = line.trim_start().chars().take(OPENING).collect();
    attribution::opens_with_date(&plain(&line))
}
