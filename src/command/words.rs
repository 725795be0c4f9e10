//! Words of a line: splitting, quoting, and finding the valid word that is meant or near.

/// Splits a line at blanks; "double quotes" keep blanks together. The flag is false when a quote stays open.
/// Apostrophes are ordinary characters, because names and comments contain them.
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

/// Tells whether the character could change how the text around it looks: controls, and the invisible characters
/// that change the direction of writing or hide.
fn unfit(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

/// Returns the text with a space for every blank and `?` for every unfit character.
pub(super) fn clean(text: &str) -> String {
    let fit = |c: char| match c {
        c if c.is_whitespace() && !matches!(c, '\u{2028}' | '\u{2029}') => ' ',
        c if unfit(c) => '?',
        c => c,
    };
    text.chars().map(fit).collect()
}

/// Writes a word of a line: clean, and in quotes if it would otherwise be split. A quote inside, which only a shell's
/// argument can contain, becomes an apostrophe.
pub(super) fn quote(word: &str) -> String {
    let word = clean(word).replace('"', "'");
    if !word.is_empty() && !word.contains(' ') {
        return word;
    }
    match word.split_once('=') {
        Some((name, value)) if name.starts_with("--") && !name.contains(' ') => format!("{name}=\"{value}\""),
        _ => format!("\"{word}\""),
    }
}

/// Returns a word for use in a message: clean, and cut to a length that a reader can take in.
pub(super) fn excerpt(word: &str) -> String {
    let word = clean(word).replace('"', "'");
    match word.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &word[..end]),
        None => word,
    }
}

/// Tells whether the word is visible ASCII, and not empty.
pub(super) fn is_graphic(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_graphic())
}

/// Reads a number written in digits alone.
pub(super) fn number(word: &str) -> Option<u32> {
    word.parse().ok().filter(|_| word.bytes().all(|b| b.is_ascii_digit()))
}

/// Tells whether the word is an option: `-x` or `--x`. A lone `-` is not: it stands for a password.
pub(super) fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-')
}

/// Finds the valid word that is meant: itself in any case, or an unambiguous abbreviation of four letters or more.
pub(super) fn resolve<'a>(word: &str, valid: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
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

/// Finds the valid word nearest to a misspelt one, if it is near: one slip, or one in every three letters.
pub(super) fn nearest<'a>(word: &str, valid: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let letters = word.chars().count();
    // One or two letters are near to everything; a very long word is no slip, and slow to compare.
    if !(3..=40).contains(&letters) {
        return None;
    }
    let distance = |valid: &'a str| (strsim::damerau_levenshtein(&word, valid), valid);
    let best = valid.into_iter().map(distance).min_by_key(|(distance, _)| *distance)?;
    (best.0 <= (letters / 3).max(1)).then_some(best.1)
}
