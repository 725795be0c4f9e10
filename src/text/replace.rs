//! Replaces a name in a text.

/// Replaces every `old` in a text by `new`, ignoring case, if it is a separate word. `alice2` and `alice.b` do not
/// match `alice`, but `alice.` at the end of a sentence does.
pub fn replace_word(text: &str, old: &str, new: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let (mut replaced, mut from) = (String::new(), 0);
    for (at, _) in lower.match_indices(&old.to_ascii_lowercase()) {
        let end = at + old.len();
        if at >= from && !goes_on(text[..at].chars().rev()) && !goes_on(text[end..].chars()) {
            replaced.push_str(&text[from..at]);
            replaced.push_str(new);
            from = end;
        }
    }
    replaced + &text[from..]
}

/// Returns whether these characters continue a name.
fn goes_on(mut next: impl Iterator<Item = char>) -> bool {
    let letter = |c: char| c.is_alphanumeric() || c == '_';
    match next.next() {
        Some('.' | '-') => next.next().is_some_and(letter),
        Some(c) => letter(c),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_replaced_where_they_are_whole() {
        for (text, expected) in [
            ("alice", "bob"),
            ("marque move 1 Alice *** f3", "marque move 1 bob *** f3"),
            ("alice, alice.", "bob, bob."),
            ("alice2 alice.b alice-b malice m.alice", "alice2 alice.b alice-b malice m.alice"),
            ("äalice é alice é", "äalice é bob é"),
            ("", ""),
        ] {
            assert_eq!(replace_word(text, "alice", "bob"), expected, "{text}");
        }
        assert_eq!(replace_word("aaa aa", "aa", "b"), "aaa b");
    }
}
