//! Attributions: the line above a quote that says who wrote it and when, perhaps folded over several lines.

use super::line::{is_blank, is_quote, plain};
use super::words::{DAYS, LANGUAGES};

/// The most lines of an attribution.
const LINES: usize = 6;
/// The longest line of an attribution.
const WIDTH: usize = 600;

/// How many lines at the end of `piece` are an attribution; `after` is what follows.
pub(super) fn ends_with(piece: &[&str], after: &[&str]) -> Option<usize> {
    let last = *piece.last()?;
    if is_blank(last) || last.len() > WIDTH {
        return None;
    }
    let ending = plain(last);
    let quoted = || after.iter().find(|line| !is_blank(line)).is_some_and(|line| is_quote(line));
    if !may_end(&ending) {
        // `2013/10/2 Somebody <somebody@example.org>`, without a colon.
        return (begins(&ending) && ending.contains('@') && digits(&ending) >= 3 && quoted()).then_some(1);
    }
    let quoted = quoted();
    let mut joined = String::new();
    let mut shortest = None;
    for length in 1..=LINES.min(piece.len()) {
        let line = piece[piece.len() - length];
        if is_blank(line) || line.len() > WIDTH {
            break;
        }
        let line = plain(line);
        joined = if joined.is_empty() { line.clone() } else { format!("{line} {joined}") };
        let without_colon = quoted && ends_in_verb(&joined) && digits(&joined) >= 3;
        if (is_whole(&joined) || without_colon) && begins(&line) {
            return Some(length);
        }
        // A mail program broke the attribution and put its end on a line of its own.
        if is_end(&joined, quoted) && shortest.is_none() {
            shortest = Some(length);
        }
    }
    shortest
}

/// Whether a line is not an attribution by itself.
pub(super) fn is_none(line: &str) -> bool {
    !is_whole(&plain(line))
}

fn bare(line: &str) -> &str {
    line.trim_matches(|c: char| matches!(c, '-' | '_' | '=' | ' ' | '[' | ']'))
}

fn may_end(line: &str) -> bool {
    let line = bare(line);
    line.ends_with(':') || ends_in_verb(line)
}

fn without_colon(line: &str) -> &str {
    bare(line).trim_end_matches([':', ' '])
}

/// Whether a line ends in `wrote`, where a word begins.
fn ends_in_verb(line: &str) -> bool {
    let said = without_colon(line);
    LANGUAGES.iter().flat_map(|language| language.wrote).any(|verb| {
        said.strip_suffix(verb).is_some_and(|before| {
            // In Japanese, Chinese and Korean there is no space before it.
            !verb.is_ascii() && !verb.chars().any(is_alphabet) || !before.ends_with(is_alphabet)
        })
    })
}

/// Whether this is a letter of a script with spaces between words.
fn is_alphabet(c: char) -> bool {
    c.is_alphabetic() && (c as u32) < 0x1000
}

fn holds_verb(line: &str) -> bool {
    LANGUAGES.iter().flat_map(|language| language.wrote).any(|verb| {
        line.match_indices(verb)
            .any(|(at, _)| !line[..at].ends_with(is_alphabet) && !line[at + verb.len()..].starts_with(is_alphabet))
    })
}

fn digits(line: &str) -> usize {
    line.chars().filter(char::is_ascii_digit).count()
}

/// Whether this is a whole attribution, with author and date.
fn is_whole(joined: &str) -> bool {
    let colon = bare(joined).ends_with(':');
    let address = joined.contains('@') || joined.contains("mailto:");
    let when = digits(joined) >= 3;
    let opened = opens(joined);
    match () {
        () if ends_in_verb(joined) => (colon && (opened || when || address)) || (opened && address && when),
        () if colon && holds_verb(joined) => when || address,
        // Whatever the language: a day, an address and a colon.
        () => colon && when && address && (opened || dated(joined)),
    }
}

/// Whether this is the end of an attribution whose beginning has no known form.
fn is_end(joined: &str, quoted: bool) -> bool {
    let colon = bare(joined).ends_with(':');
    let address = joined.contains('@');
    let numbers = digits(joined);
    colon
        && (ends_in_verb(joined)
            || (address && numbers >= 3)
            || (holds_verb(joined) && numbers >= 4)
            || (quoted && (address || numbers >= 4)))
}

/// Whether a line may begin an attribution.
fn begins(line: &str) -> bool {
    opens(line) || dated(line)
}

fn opens(line: &str) -> bool {
    let line = bare(line);
    LANGUAGES.iter().flat_map(|language| language.opens).any(|word| {
        line.strip_prefix(word).is_some_and(|rest| !word.chars().any(is_alphabet) || rest.starts_with([' ', '.', ',']))
    })
}

/// Whether a line begins with a date: `2012-04-03 …`, `3. April …`, `ср, 30 апр. …`, `11:00 AM, …`.
fn dated(line: &str) -> bool {
    let line = bare(line).trim_start_matches(['"', '(', '„', '“']);
    let start = line.chars().take_while(char::is_ascii_digit).count();
    if (1..=4).contains(&start) {
        let rest = &line[start..];
        return rest.starts_with(['.', '-', '/', ':', ',', ' ', '年', '년', 'h', '(']) && digits(line) >= 3;
    }
    let mut words = line.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
    let (Some(first), Some(second)) = (words.next(), words.next()) else { return false };
    let number = |word: &str| word.trim_start_matches('(').starts_with(|c: char| c.is_ascii_digit());
    DAYS.iter().any(|day| first.starts_with(day)) && (number(second) || words.take(2).any(number))
}
