//! Splits and quotes words of a line, finds the intended valid word, and knows the words of other game servers.

use super::typography::has_typographic_dash;
use crate::text;

/// Splits a line at blanks. A text in "double quotes" is one word. The flag is false if a quote is not closed.
/// Apostrophes are ordinary characters, because names and comments contain them. So are typographic quotes, because
/// passwords may contain them, except around the value of an option: `--say=“Good luck”`.
pub(crate) fn split(line: &str) -> (Vec<String>, bool) {
    const TYPOGRAPHIC: [char; 6] = ['\u{201c}', '\u{201d}', '\u{201e}', '\u{201f}', '\u{ab}', '\u{bb}'];
    let (mut words, mut word) = (Vec::new(), None::<String>);
    let (mut quoted, mut typographic) = (false, false);
    for c in line.chars() {
        let begins_value = |word: &String| word.ends_with('=') && (is_option(word) || has_typographic_dash(word));
        if TYPOGRAPHIC.contains(&c) && (typographic || (!quoted && word.as_ref().is_some_and(begins_value))) {
            typographic = !typographic;
            quoted = typographic;
        } else if c == '"' && !typographic {
            quoted = !quoted;
            word.get_or_insert_default();
        } else if c.is_whitespace() && !quoted {
            words.extend(word.take());
        } else {
            word.get_or_insert_default().push(c);
        }
    }
    words.extend(word);
    (words, !quoted)
}

/// Writes a word of a line with visible characters, in quotes if it is empty or would otherwise be split. A quote
/// inside becomes an apostrophe.
pub(crate) fn quote(word: &str) -> String {
    let word = text::marked(word).replace('"', "'");
    if !word.is_empty() && !word.contains(' ') {
        return word;
    }
    match word.split_once('=') {
        Some((name, value)) if name.starts_with("--") && !name.contains(' ') => format!("{name}=\"{value}\""),
        _ => format!("\"{word}\""),
    }
}

/// Returns a word for use in a message, with visible characters and shortened if it is long.
pub(crate) fn excerpt(word: &str) -> String {
    let word = text::marked(word).replace('"', "'");
    match word.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &word[..end]),
        None => word,
    }
}

/// Returns whether a word consists of visible ASCII characters, and is not empty.
pub(crate) fn is_graphic(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_graphic())
}

/// Reads a number that consists only of digits.
pub(crate) fn number(word: &str) -> Option<u32> {
    word.parse().ok().filter(|_| word.bytes().all(|b| b.is_ascii_digit()))
}

/// Returns whether a word is an option: `-x` or `--x`. A single `-` is not one, because it represents a password.
pub(crate) fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-')
}

/// Finds the intended valid word: an exact match ignoring case, or an unambiguous abbreviation of four letters or
/// more.
pub(crate) fn resolve<'a>(word: &str, valid: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_ascii_lowercase();
    let mut found = None;
    let mut several = false;
    for candidate in valid {
        if candidate == word {
            return Some(candidate);
        }
        if word.len() >= 4 && candidate.starts_with(&word) {
            several |= found.is_some();
            found = Some(candidate);
        }
    }
    found.filter(|_| !several)
}

/// Words that other servers use for verbs of games, with our verbs.
const OF_GAMES: &[(&str, &str)] = &[
    ("abort", "abandon"),
    ("cancel", "decline"),
    ("delete", "decline"),
    ("draw", "propose"),
    ("forfeit", "resign"),
    ("invite", "challenge"),
    ("moves", "history"),
    ("play", "move"),
    ("quit", "resign"),
    ("remove", "decline"),
    ("showas", "show"),
    ("takeback", "undo"),
];
/// Words that other servers use for commands of the server, with our commands.
const OF_SERVER: &[(&str, &str)] = &[
    ("add", "change address"),
    ("delete", "signoff"),
    ("quit", "signoff"),
    ("register", "signup"),
    ("rules", "help"),
    ("showas", "show"),
    ("unregister", "signoff"),
];
/// Pairs of words that other servers use for a command of the server, with our command.
const OF_TWO: &[(&str, &str, &str)] = &[("sign", "up", "signup"), ("sign", "off", "signoff")];
/// Words that other servers accept after a game, and the commands that precede the game here.
const AFTER_GAME: &[(&str, &str)] = &[("rules", "help")];
/// Words that other servers use for lists of boards, with our filters.
const LISTS: &[(&str, &str)] = &[("inactive", "all")];

/// Returns our verb of games for a word that other game servers use.
pub(crate) fn of_games(word: &str) -> Option<&'static str> {
    meant(word, OF_GAMES)
}

/// Returns our server command for a word that other game servers use.
pub(crate) fn of_server(word: &str) -> Option<&'static str> {
    meant(word, OF_SERVER)
}

/// Returns our server command for two words that other game servers use: `signup` for `sign up`.
pub(crate) fn of_two(first: &str, second: &str) -> Option<&'static str> {
    let is = |typed: &str, word: &str| typed.eq_ignore_ascii_case(word);
    OF_TWO.iter().find(|(one, two, _)| is(first, one) && is(second, two)).map(|(_, _, meant)| *meant)
}

/// Returns our server command for a word that other game servers accept after a game: `help` for `rules`.
pub(crate) fn after_game(word: &str) -> Option<&'static str> {
    meant(word, AFTER_GAME)
}

/// Returns our filter for a word that other game servers use for a list of boards.
pub(crate) fn list(word: &str) -> Option<&'static str> {
    meant(word, LISTS)
}

fn meant(word: &str, words: &[(&str, &'static str)]) -> Option<&'static str> {
    words.iter().find(|(other, _)| other.eq_ignore_ascii_case(word)).map(|(_, meant)| *meant)
}
