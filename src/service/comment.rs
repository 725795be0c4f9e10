//! The texts that players write to each other.

use crate::text;

/// The maximum length of a text, in characters.
pub const LONGEST_TEXT: usize = 2_000;

/// Cleans a player's text for storage: removes control characters and trailing blanks, and truncates it to 2,000
/// characters.
pub fn clean(text: &str) -> String {
    let text: String = text::lines(text).chars().take(LONGEST_TEXT).collect();
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// Replaces each of these words in a text by `***`, if it is not followed by a letter or digit.
pub fn without_words(text: &str, words: &[&str]) -> String {
    let mut text = text.to_owned();
    for word in words.iter().filter(|word| word.chars().count() > 3) {
        let mut clean = String::with_capacity(text.len());
        let mut rest = text.as_str();
        let continues = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        while let Some(at) = rest.find(word) {
            let (before, after) = (&rest[..at], &rest[at + word.len()..]);
            let part = continues(before.chars().next_back()) || continues(after.chars().next());
            clean.push_str(before);
            clean.push_str(if part { word } else { "***" });
            rest = after;
        }
        clean.push_str(rest);
        text = clean;
    }
    text
}
