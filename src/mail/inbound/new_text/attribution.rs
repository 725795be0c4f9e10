//! Finds attributions: the lines above a quote that name its author and date. An attribution may be folded over several
//! lines. It may also be on the same line as the text above or below it, because a program lost the line break when it
//! converted HTML to text (`f4 On Tue, 3 Mar 2026 at 14:05, Bob wrote:` and `On 3 March 2026, Bob wrote:> old`).

use super::lines::{WORDS, is_blank, is_quote, plain};
use crate::command;

/// The maximum number of lines of an attribution.
const LINES: usize = 6;
/// The longest line of an attribution, in octets.
const WIDTH: usize = 600;
/// If a line and the first word of the next line are together shorter than this, a program folded the line only after a
/// date or at an address.
const FOLDED_AT: usize = 50;
/// The longest attribution, in octets.
const LONGEST: usize = 1_000;
/// The maximum number of colons in an attribution: those of a time and of addresses.
const COLONS: usize = 10;
/// How many characters of a line to read to decide whether an attribution begins there.
const OPENING: usize = 40;
/// How many capitalized words of a line to try as the first word of an attribution, starting with the last.
const CAPITALIZED: usize = 30;

/// Returns the number of lines at the end of `piece` that form an attribution; `after` is the text below.
///
/// Without a quote below it, an attribution must contain a date or an address. Lines that begin like a command are not
/// an attribution.
pub(crate) fn ends_with(piece: &[&str], after: &[&str]) -> Option<usize> {
    let last = *piece.last()?;
    if is_blank(last) || last.len() > WIDTH {
        return None;
    }
    let ending = plain(last);
    if let Some(length) = flattened(piece, after, &ending) {
        return Some(length);
    }
    let quoted = || after.iter().find(|line| !is_blank(line)).is_some_and(|line| is_quote(line));
    let length =
        if may_end(&ending) { length(piece, quoted()) } else { without_colon(piece, &ending).filter(|_| quoted()) };
    length.filter(|length| !command::begins_command(piece[piece.len() - length].trim()))
}

/// Like [`ends_with`], but for attributions without a colon: `2013/10/2 Somebody <somebody@example.org>`, possibly
/// folded before the address, and `"A" <a@example.org> wrote in message news:17@example.net`.
fn without_colon(piece: &[&str], ending: &str) -> Option<usize> {
    let is_one = |line: &str| begins(line) && is_dated(line) || line.contains("wrote in message");
    if !ending.contains('@') {
        return None;
    }
    let above = piece.len().checked_sub(2).map(|at| plain(piece[at]));
    match above {
        _ if is_one(ending) => Some(1),
        Some(above) if ending.starts_with('<') && is_one(&above) => Some(2),
        _ => None,
    }
}

/// Like [`ends_with`], but for attributions damaged by converting HTML to text: without an address (`2016-03-03 17:21
/// GMT+01:00 Somebody` between blank lines), or with a broken link (`On 3 March 2016 at 17:21 Somebody` / `<` /
/// `mailto:…`).
fn flattened(piece: &[&str], after: &[&str], ending: &str) -> Option<usize> {
    let above = &piece[..piece.len() - 1];
    let is_alone = [above.last(), after.first()].into_iter().flatten().all(|line| is_blank(line));
    if is_alone && [" gmt+", " gmt-"].iter().any(|zone| ending.contains(zone)) && begins_with_date(ending) {
        return Some(1);
    }
    if ending != "<" || !after.first().is_some_and(|line| line.trim().starts_with("mailto:")) {
        return None;
    }
    let blank = above.iter().rev().take_while(|line| is_blank(line)).count();
    let line = plain(above.iter().rev().nth(blank)?);
    (begins(&line) && is_dated(&line)).then_some(blank + 2)
}

/// Returns the number of lines of the attribution at the end of `piece`. The caller has checked that an attribution may
/// end with its last line.
fn length(piece: &[&str], quoted: bool) -> Option<usize> {
    let mut joined = String::new();
    let mut has_verb = false;
    let mut found = None;
    for length in 1..=LINES.min(piece.len()) {
        let line = piece[piece.len() - length];
        let below = piece.get(piece.len() - length + 1);
        if is_blank(line) || line.len() > WIDTH || below.is_some_and(|below| !is_folded(line, below)) {
            break;
        }
        let line = plain(line);
        // The search for a verb is slow, so each line is searched once, together with the beginning of the line below.
        let below: String = joined.chars().take(OPENING).collect();
        has_verb = has_verb || holds_verb(&format!("{line} {below}"));
        joined = if joined.is_empty() { line.clone() } else { format!("{line} {joined}") };
        if joined.len() > LONGEST {
            break;
        }
        let without_colon = quoted && ends_in_verb(&joined) && is_dated(&joined);
        if (is_whole(&joined, has_verb, quoted) || without_colon) && begins(&line) {
            return Some(if opens(&line) { length } else { with_author(piece, length) });
        }
        if found.is_none() && is_end(&joined, has_verb, quoted) {
            // A mail program broke the attribution and put its end on a separate line.
            found = Some(length);
        }
    }
    found.map(|length| with_author(piece, length))
}

/// Extends an attribution by the lines above it that name its author. In `Name <address> schrieb am Di., 3. März` /
/// `2026 um 14:05:`, only the second line is recognised without this function.
fn with_author(piece: &[&str], length: usize) -> usize {
    let (above, own) = piece.split_at(piece.len() - length);
    let above: Vec<&str> = above.iter().rev().take_while(|line| !is_blank(line)).take(LINES).copied().collect();
    let named = own.iter().any(|line| line.contains('@'));
    let more = match above.iter().position(|line| is_author(line)) {
        Some(at) if !named => at + 1,
        _ => usize::from(above.first().is_some_and(|line| is_folded(line, own[0]) && holds_verb(&plain(line)))),
    };
    // The name may be on a line above the address.
    let first = if more == 0 { own[0] } else { above[more - 1] };
    let is_name = |line: &&&str| line.split_whitespace().count() <= 6 && !line.contains(['.', ',', '!', '?', ':', '@']);
    let name = first.trim_start().starts_with('<') && above.get(more).filter(is_name).is_some();
    length + more + usize::from(name)
}

/// Returns whether an attribution may begin with this line, which names its author: `Name <address> hat am`.
fn is_author(line: &str) -> bool {
    line.split_once('<').is_some_and(|(name, rest)| {
        rest.contains('@') && name.split_whitespace().count() <= 6 && !line.contains(['!', '?'])
    })
}

/// Returns whether a line by itself is not an attribution.
pub(crate) fn is_none(line: &str) -> bool {
    let line = plain(line);
    !is_whole(&line, bare(&line).ends_with(':') && holds_verb(&line), true)
}

/// Returns whether the second line may continue the first one, which is long or ends where programs fold: after a date
/// or an address.
fn is_folded(line: &str, below: &str) -> bool {
    let word = below.split_whitespace().next().unwrap_or_default();
    line.chars().count() + 1 + word.chars().count() >= FOLDED_AT
        || line.contains('@')
        || word.starts_with('<')
        || digits(line) >= if line.trim_end().ends_with(',') { 2 } else { 5 }
}

fn bare(line: &str) -> &str {
    line.trim_matches(|c: char| matches!(c, '-' | '_' | '=' | ' ' | '[' | ']'))
}

/// Returns whether an attribution may end with this line.
pub(crate) fn may_end_with(line: &str) -> bool {
    may_end(&plain(line))
}

fn may_end(line: &str) -> bool {
    let line = bare(line);
    line.ends_with(':') || ends_in_verb(line)
}

fn before_colon(line: &str) -> &str {
    bare(line).trim_end_matches([':', ' '])
}

/// Returns whether a line ends with `wrote` in any language, as a separate word.
fn ends_in_verb(line: &str) -> bool {
    let said = before_colon(line);
    WORDS.wrote.iter().any(|verb| {
        said.strip_suffix(verb).is_some_and(|before| {
            // Japanese, Chinese and Korean have no space before the verb.
            !verb.is_ascii() && !verb.chars().any(is_alphabet) || !before.ends_with(is_alphabet)
        })
    })
}

/// Returns whether a character is a letter of a script with spaces between words.
fn is_alphabet(c: char) -> bool {
    c.is_alphabetic() && (c as u32) < 0x1000
}

fn holds_verb(line: &str) -> bool {
    WORDS.wrote.iter().any(|verb| {
        line.match_indices(verb)
            .any(|(at, _)| !line[..at].ends_with(is_alphabet) && !line[at + verb.len()..].starts_with(is_alphabet))
    })
}

fn digits(line: &str) -> usize {
    line.chars().filter(char::is_ascii_digit).count()
}

/// Returns whether a line contains a date or a time: `3.3.26`, `14:05`, `3 March 2026`, `Tue 3`. A year is not
/// enough.
pub(crate) fn is_dated(line: &str) -> bool {
    let numbers = digits(line);
    let joined = |part: &[char]| part[0].is_ascii_digit() && ".:/-".contains(part[1]) && part[2].is_ascii_digit();
    let chars: Vec<char> = line.chars().collect();
    numbers >= 5
        || chars.windows(3).any(joined)
        || (numbers > 0 && (line.contains(['月', '월']) || line.split([' ', ',']).any(is_day)))
}

/// Returns whether a line contains an address as programs write it: `<bob@example.org>`.
pub(crate) fn has_address(line: &str) -> bool {
    let mut inner = line.split('<').skip(1).filter_map(|rest| Some(rest.split_once('>')?.0));
    inner.any(|inner| inner.contains('@') && !inner.trim().contains(' '))
}

/// Returns whether a word is a day of the week or a month, shortened or not.
fn is_day(word: &str) -> bool {
    let word = word.trim_matches(['.', '(', ')']);
    word.chars().count() >= 2 && WORDS.days.iter().any(|day| day.starts_with(word))
}

/// Returns whether a text is a whole attribution, and not only its end. `has_verb` is the result of [`holds_verb`].
fn is_whole(joined: &str, has_verb: bool, quoted: bool) -> bool {
    let colon = bare(joined).ends_with(':');
    let address = joined.contains('@') || joined.contains("mailto:");
    let when = is_dated(joined);
    let opened = opens(joined);
    match () {
        () if ends_in_verb(joined) => (colon && (when || address || (opened && quoted))) || (opened && address && when),
        () if colon && has_verb => when || (address && quoted),
        // A date, an address and a colon are enough in any language.
        () => colon && when && address && (opened || begins_with_date(joined)),
    }
}

/// Returns whether a text is the end of an attribution that begins in an unknown form.
fn is_end(joined: &str, has_verb: bool, quoted: bool) -> bool {
    let colon = bare(joined).ends_with(':');
    let address = joined.contains('@');
    let when = is_dated(joined);
    let numbers = digits(joined);
    colon
        && ((ends_in_verb(joined) && (quoted || address || when))
            || (address && numbers >= 3)
            || (has_verb && when && numbers >= 4)
            || (quoted && (address || numbers >= 4)))
}

/// Returns whether a line may begin an attribution.
fn begins(line: &str) -> bool {
    opens(line) || begins_with_date(line)
}

/// Returns whether a line begins like an attribution with a date: `On Tue, 3 March`, `Am 3.3.`.
fn opens_with_date(line: &str) -> bool {
    let mut openings = WORDS.opens.iter();
    openings.any(|word| {
        line.strip_prefix(word).and_then(|rest| rest.strip_prefix(' ')).is_some_and(|rest| {
            let mut words = rest.split([' ', ',']).filter(|word| !word.is_empty()).take(2);
            words.any(|word| word.starts_with(|c: char| c.is_ascii_digit()) || is_day(word))
        })
    })
}

/// Returns whether a line that begins like an attribution also ends like one: with a date before `wrote:`.
fn is_dated_and_ends_in_verb(line: &str) -> bool {
    bare(line).ends_with(':') && ends_in_verb(line) && is_dated(line)
}

fn opens(line: &str) -> bool {
    let line = bare(line);
    WORDS.opens.iter().any(|word| {
        line.strip_prefix(word).is_some_and(|rest| !word.chars().any(is_alphabet) || rest.starts_with([' ', '.', ',']))
    })
}

/// Returns whether a line begins with a date: `2012-04-03 …`, `3. April …`, `ср, 30 апр. …`, `11:00 AM, …`.
fn begins_with_date(line: &str) -> bool {
    let line = bare(line).trim_start_matches(['"', '(', '„', '“', '*', ' ']);
    let start = line.chars().take_while(char::is_ascii_digit).count();
    if (1..=4).contains(&start) {
        let rest = &line[start..];
        return rest.starts_with(['.', '-', '/', ':', ',', ' ', '年', '년', 'h', '(']) && digits(line) >= 3;
    }
    let mut words = line.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
    let (Some(first), Some(second)) = (words.next(), words.next()) else { return false };
    let number = |word: &str| word.trim_start_matches('(').starts_with(|c: char| c.is_ascii_digit());
    is_day(first) && (number(second) || words.take(2).any(number))
}

/// Splits a line at an attribution: the text before it, the attribution, and the quote after it.
pub(crate) fn parts_of_line(line: &str) -> impl Iterator<Item = &str> {
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

/// Returns where an attribution begins on a line, after other text. If there are several, returns the position of the
/// last one, because the quote follows it.
///
/// The attribution begins with a capitalized word, immediately followed by a date. `Bob hat am 3.3.2026 geschrieben:`
/// is not split, because `Bob` belongs to the attribution. A line with an address before the capitalized word is not
/// split, because the address may be the author's.
fn start(line: &str) -> Option<usize> {
    if line.len() > WIDTH || !line.trim_end().ends_with(':') || is_quote(line) || opens_with_attribution(line) {
        return None;
    }
    // Few lines end like an attribution, and trying each word is slow.
    if digits(line) == 0 || !ends_in_verb(&plain(line)) {
        return None;
    }
    let capitals = line.char_indices().rev().filter(|(_, c)| c.is_uppercase()).map(|(at, _)| at);
    let mut words = capitals.filter(|&at| !line[..at].ends_with(char::is_alphanumeric)).take(CAPITALIZED);
    let at = words.find(|&at| opens_with_attribution(&line[at..]) && is_dated_and_ends_in_verb(&plain(&line[at..])))?;
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
        // Search for a date only if text follows the colon, because the search is slow.
        follows
            && (has_address(before) && is_dated(&plain(before))
                || at_once && opens_with_attribution(line) && is_dated_and_ends_in_verb(&plain(before)))
    })
}

fn opens_with_attribution(line: &str) -> bool {
    let line: String = line.trim_start().chars().take(OPENING).collect();
    opens_with_date(&plain(&line))
}
