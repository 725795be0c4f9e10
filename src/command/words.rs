//! Words of a line: splitting, showing, and which valid word is meant.

use crate::text;

/// Splits a line at blanks; "double quotes" keep blanks together. The flag is false when a quote stays open.
/// Apostrophes are letters: names and comments hold them.
pub(super) fn split(line: &str) -> (Vec<String>, bool) {
    let (mut words, mut word) = (Vec::new(), None::<String>);
    let mut quoted = false;
    for c in line.chars() {
        if c == '"' {
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

/// A word as it is written in a line: nothing hidden, and in quotes where it would fall apart. A quote inside, which only a
/// shell's argument can hold, becomes an apostrophe.
pub(super) fn written(word: &str) -> String {
    let word = text::marked(word).replace('"', "'");
    if !word.is_empty() && !word.contains(' ') {
        return word;
    }
    match word.split_once('=') {
        Some((name, value)) if name.starts_with("--") && !name.contains(' ') => format!("{name}=\"{value}\""),
        _ => format!("\"{word}\""),
    }
}

/// A word inside a message: nothing hidden, in quotes, and no longer than a reader cares for.
pub(super) fn said(word: &str) -> String {
    let word = text::marked(word).replace('"', "'");
    match word.char_indices().nth(40) {
        Some((end, _)) => format!("\"{}…\"", &word[..end]),
        None => format!("\"{word}\""),
    }
}

/// Whether the word is an option: `-x` or `--x`. A lone `-` is not: it stands for a password.
pub(super) fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-')
}

/// The valid word that is meant: in any case, or an unambiguous abbreviation of four letters or more.
pub(super) fn meant<'a>(word: &str, valid: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
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
