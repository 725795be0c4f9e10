//! Makes external text safe to store and to show.
//!
//! Some invisible characters change how the surrounding text looks, or control a terminal. All of them are removed.
//! Control characters (C0 and C1), which a terminal obeys, become spaces, as does every other blank. Line breaks
//! become `\n`. The following characters are dropped:
//!
//! - direction marks, embeddings, overrides and isolates, which make text look different from its content;
//! - invisible layout characters that could hide inside a word: the soft hyphen, the zero-width space, the word
//!   joiner, the byte order mark, interlinear annotations, tags;
//! - the placeholder that a mail program inserts for a picture.
//!
//! Prose keeps the zero-width joiner and non-joiner, which Persian, the scripts of India and composite emoji need.
//! [`marked`] makes them visible as well, because commands never need them.

/// Returns whether the character is invisible and dropped from any text.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffc}' | '\u{e0000}'..='\u{e007f}')
}

/// Returns whether the character ends a line. CR and LF together end one line.
fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

/// Cleans text of several lines and ends each with `\n`. Keeps trailing blanks, because `-- ` begins a signature.
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

/// Cleans text into one line, with a single space for each line break and run of blanks.
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn invisible_characters_are_dropped() {
        assert_eq!(lines("f3\u{202e}\u{200b}4\u{61c}\u{ad}\u{feff}\u{e0041}\u{1b}[31m\0"), "f34 [31m ");
        assert_eq!(line("\u{2067}caf\u{e9}\u{2069} "), "caf\u{e9}");
    }

    #[test]
    fn joiners_are_kept_in_prose() {
        let prose = "\u{645}\u{6cc}\u{200c}\u{62e}\u{648}\u{627}\u{647}\u{645} \u{1f468}\u{200d}\u{1f469}";
        assert_eq!(lines(prose), prose);
        assert_eq!(marked("f3\u{200d}"), "f3?");
    }

    #[test]
    fn lines_end_in_one_way_and_blanks_are_plain() {
        assert_eq!(lines("a\r\nb\rc\u{2028}d\u{85}e\n"), "a\nb\nc\nd\ne\n");
        assert_eq!(lines("a\tb\u{a0}c\u{3000}d \n-- \n"), "a b c d \n-- \n");
        assert_eq!(line(" a \r\n b\t"), "a   b");
        assert_eq!(squeezed(" a \r\n b\t"), "a b");
    }

    #[test]
    fn marks_keep_every_column() {
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
        fn ordinary_text_is_not_touched(text in "[a-zA-Z0-9àéß東京😀,.;:!?'\"()-]{1,8}( [a-zäöü]{1,5}){0,4}") {
            for sanitize in [lines, line, squeezed, marked] {
                prop_assert_eq!(sanitize(&text), text.clone());
            }
        }
    }
}
