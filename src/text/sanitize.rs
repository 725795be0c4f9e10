//! Makes external text safe to store and to show, finds the word that a misspelt one means, and replaces names in a
//! text.
//!
//! Some invisible characters change how the surrounding text looks, or control a terminal. Control characters (C0 and
//! C1) and all blanks become spaces. Line breaks become `\n`. The following characters are removed:
//!
//! - direction marks, embeddings, overrides and isolates, which make text look different from its content;
//! - invisible layout characters that could hide inside a word: the soft hyphen, the zero-width space, the word
//!   joiner, the byte order mark, interlinear annotations, tags;
//! - the placeholder that a mail program inserts for a picture.
//!
//! Prose keeps the zero-width joiner and non-joiner, which Persian, the scripts of India and composite emoji need.
//! [`marked`] replaces these characters too, because commands never need them.
//!
//! A typing error is an extra letter, a missing letter, a wrong letter, or two swapped letters (Damerau–Levenshtein).

/// Returns whether [`lines`] removes the character, and [`marked`] replaces it.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffc}' | '\u{e0000}'..='\u{e007f}')
}

/// Returns whether the character ends a line.
fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

/// Cleans text of several lines, with `\n` for each line break. CR and LF together are one line break. Keeps trailing
/// blanks, because `-- ` begins a signature.
pub fn lines(text: &str) -> String {
    let fit = |c: char| match c {
        c if is_line_break(c) => Some('\n'),
        c if c.is_whitespace() || c.is_control() => Some(' '),
        c if is_invisible(c) => None,
        c => Some(c),
    };
    text.replace("\r\n", "\n").chars().filter_map(fit).collect()
}

/// Cleans text into one line, without leading and trailing blanks.
pub fn line(text: &str) -> String {
    lines(text).replace('\n', " ").trim().to_owned()
}

/// Cleans text into one line without leading and trailing blanks, and replaces each run of blanks and line breaks by a
/// single space.
pub fn squeezed(text: &str) -> String {
    lines(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Cleans text into one line, with `?` for each invisible character, so that nothing is hidden and every other
/// character keeps its column.
pub fn marked(text: &str) -> String {
    let fit = |c: char| match c {
        '\u{2028}' | '\u{2029}' => '?',
        c if c.is_whitespace() => ' ',
        c if c.is_control() || is_invisible(c) || is_joiner(c) => '?',
        c => c,
    };
    text.chars().map(fit).collect()
}

/// Returns the valid word nearest to a misspelt one, ignoring case, if the words differ by at most one typing error,
/// or by one in every three letters. If several are equally near, returns the first.
pub fn nearest<'a>(word: &str, valid: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let letters = word.chars().count();
    // A word of one or two letters resembles too many others. A very long word is not a typing error, and is slow to
    // compare.
    if !(3..=40).contains(&letters) {
        return None;
    }
    let slips = |valid: &'a str| (strsim::damerau_levenshtein(&word, &valid.to_lowercase()), valid);
    let (slips, best) = valid.into_iter().map(slips).min_by_key(|(slips, _)| *slips)?;
    (slips <= (letters / 3).max(1)).then_some(best)
}

/// Returns whether the words differ by exactly one typing error. Case matters.
pub fn is_one_slip(word: &str, other: &str) -> bool {
    strsim::damerau_levenshtein(word, other) == 1
}

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
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn invisible_characters_are_dropped() {
        assert_eq!(lines("f3\u{202e}\u{200b}4\u{61c}\u{ad}\u{feff}\u{e0041}\u{1b}[31m\0"), "f34 [31m ");
        assert_eq!(line("\u{2067}caf\u{e9}\u{2069} "), "caf\u{e9}");
    }

    #[test]
    fn prose_preserves_joiners() {
        let prose = "\u{645}\u{6cc}\u{200c}\u{62e}\u{648}\u{627}\u{647}\u{645} \u{1f468}\u{200d}\u{1f469}";
        assert_eq!(lines(prose), prose);
        assert_eq!(marked("f3\u{200d}"), "f3?");
    }

    #[test]
    fn line_ends_and_spaces_are_normalized() {
        assert_eq!(lines("a\r\nb\rc\u{2028}d\u{85}e\n"), "a\nb\nc\nd\ne\n");
        assert_eq!(lines("a\tb\u{a0}c\u{3000}d \n-- \n"), "a b c d \n-- \n");
        assert_eq!(line(" a \r\n b\t"), "a   b");
        assert_eq!(squeezed(" a \r\n b\t"), "a b");
    }

    #[test]
    fn invisible_characters_are_marked_by_question_marks() {
        assert_eq!(marked("f3\u{202e}\t\u{1b}\n4\u{2028}"), "f3? ? 4?");
    }

    proptest! {
        #[test]
        fn no_invisible_character_remains(text in any::<String>()) {
            prop_assert!(!lines(&text).chars().any(|c| is_invisible(c) || (c != '\n' && c.is_control())));
            prop_assert!(!lines(&text).chars().any(|c| c.is_whitespace() && !matches!(c, ' ' | '\n')));
            prop_assert!(!line(&text).contains('\n') && !squeezed(&text).contains("  "));
            prop_assert!(!marked(&text).chars().any(|c| c.is_control() || is_invisible(c) || is_joiner(c)));
            prop_assert_eq!(marked(&text).chars().count(), text.chars().count());
        }

        #[test]
        fn sanitizing_is_idempotent(text in any::<String>()) {
            for sanitize in [lines, line, squeezed, marked] {
                let once = sanitize(&text);
                prop_assert_eq!(sanitize(&once), once);
            }
        }

        #[test]
        fn ordinary_text_is_unchanged(text in "[a-zA-Z0-9àéß東京😀,.;:!?'\"()-]{1,8}( [a-zäöü]{1,5}){0,4}") {
            for sanitize in [lines, line, squeezed, marked] {
                prop_assert_eq!(sanitize(&text), text.clone());
            }
        }
    }

    const VERBS: [&str; 4] = ["move", "preview", "Resign", "show"];

    #[test]
    fn a_mistyped_word_is_found() {
        for (typed, meant) in [("mvoe", "move"), ("MOV", "move"), ("perviewe", "preview"), ("rseign", "Resign")] {
            assert_eq!(nearest(typed, VERBS), Some(meant));
        }
    }

    #[test]
    fn a_distant_or_short_word_has_no_suggestion() {
        for typed in ["castle", "mo", "", "shout", &"move".repeat(11)] {
            assert_eq!(nearest(typed, VERBS), None, "{typed}");
        }
        assert_eq!(nearest("move", []), None);
    }

    #[test]
    fn swapped_letters_are_one_mistake() {
        assert!(is_one_slip("3f", "f3") && is_one_slip("swop", "swap") && is_one_slip("f", "f3"));
        assert!(!is_one_slip("f3", "f3") && !is_one_slip("e4", "f3"));
    }

    proptest! {
        #[test]
        fn a_valid_word_is_its_own_suggestion(word in "[a-z]{3,12}", other in "[a-z]{3,12}") {
            prop_assert_eq!(nearest(&word.to_uppercase(), [word.as_str()]), Some(word.as_str()));
            prop_assert_eq!(nearest(&word, [other.as_str(), word.as_str()]), Some(word.as_str()));
        }
    }

    #[test]
    fn only_whole_names_are_replaced() {
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
