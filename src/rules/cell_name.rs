//! Names of cells. In every game here, a name is a letter and a number (`f3`).

use crate::text;

/// Splits a word that looks like a cell's name into letter and number, ignoring case. The cell need not exist.
pub(crate) fn split(word: &str) -> Option<(char, usize)> {
    let mut rest = word.chars();
    let letter = rest.next().filter(char::is_ascii_alphabetic)?;
    let digits = rest.as_str();
    let number = digits.bytes().all(|digit| digit.is_ascii_digit()) && !digits.starts_with('0');
    Some((letter.to_ascii_lowercase(), digits.parse().ok().filter(|_| number)?))
}

/// Returns the name that `typed` (in lower case) probably means: at most one typing error away, with the same letter.
pub(crate) fn nearest<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let number = split(typed).map(|(_, number)| number);
    // Nearly every short word is one typing error away from some cell, so the letter must occur in it.
    let near = |name: &str| typed.starts_with(&name[..1]) || typed.ends_with(&name[..1]);
    names.filter(|name| near(name) && text::is_one_slip(typed, name)).min_by_key(|name| {
        let other = split(name).map(|(_, number)| number);
        number.zip(other).map_or(0, |(a, b)| a.abs_diff(b))
    })
}
