//! Converts the typographic characters that keyboards and mail programs insert to plain ones: curly quotes around `f4`,
//! a long dash for `-`, full-width letters. Words of commands are converted; passwords and comments are unchanged.

use crate::rules::Notation;

/// Long dashes, to which mail programs convert two hyphens.
const LONG_DASHES: [char; 2] = ['\u{2014}', '\u{2015}'];

/// Returns the ASCII character that a character represents, or the character itself.
fn plain_char(c: char) -> char {
    match c {
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' => '-',
        '\u{2018}'..='\u{201b}' | '\u{2032}' | '\u{2039}' | '\u{203a}' => '\'',
        '\u{201c}'..='\u{201f}' | '\u{2033}' | '\u{ab}' | '\u{bb}' | '\u{300c}'..='\u{300f}' => '"',
        '\u{d7}' => 'x',
        '\u{3001}' => ',',
        '\u{3002}' | '\u{2026}' => '.',
        // Full-width forms have the same order as the ASCII characters.
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        c => c,
    }
}

/// Returns whether a character is invisible, or only changes the appearance of the previous one.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}')
}

/// Converts a text to plain characters.
pub fn plain(text: &str) -> String {
    text.chars().filter(|c| !is_unseen(*c)).map(plain_char).collect()
}

/// Converts a word to plain characters, without surrounding quotes or the brackets of manuals: `<you>`.
pub(crate) fn plain_word(word: &str) -> String {
    let word = plain(word);
    let (body, comma) = word.split_at(word.trim_end_matches(',').len());
    let between = |begin, end| body.strip_prefix(begin).and_then(|rest| rest.strip_suffix(end));
    let bare = between('<', '>').or_else(|| between('\'', '\'')).unwrap_or(body).trim_matches('"');
    match bare {
        "" => word,
        bare => format!("{bare}{comma}"),
    }
}

/// Returns whether a word starts with a non-ASCII dash that may mean one or two hyphens.
pub(crate) fn has_typographic_dash(word: &str) -> bool {
    word.chars().next().is_some_and(|first| first != '-' && plain_char(first) == '-')
}

/// Converts an option with a typographic dash: `-` or `--` and its name in plain characters, with an unchanged value.
/// For a known name, `dashes` returns the hyphens. For other names, the length of the typographic dash decides.
pub(crate) fn option(word: &str, dashes: impl Fn(&str) -> Option<&'static str>) -> String {
    let (name, value) = match word.char_indices().find(|(_, c)| plain_char(*c) == '=') {
        Some((at, c)) => (&word[..at], Some(&word[at + c.len_utf8()..])),
        None => (word, None),
    };
    let long = name.starts_with(LONG_DASHES) || plain(name).starts_with("--");
    let name = plain(name).trim_start_matches('-').to_ascii_lowercase();
    let typed = if long { "--" } else { "-" };
    let option = format!("{}{name}", dashes(&name).unwrap_or(typed));
    match value {
        Some(value) => format!("{option}={value}"),
        None => option,
    }
}

/// Removes punctuation, emphasis and emoji around a move: `f4.`, `F4!`, `(f4,e6)`, `"f4"`, `*f4*`, `<f4>`, `f4👍`.
/// Question marks and strike-throughs remain, because the writer does not mean to play that move.
pub fn bare_move(word: &str) -> &str {
    const AROUND: [char; 11] = ['"', '\'', '`', '(', ')', '[', ']', '{', '}', '*', '_'];
    let around = |c: char| AROUND.contains(&c) || (is_symbol(c) && !is_doubt(c));
    let word = word.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).unwrap_or(word);
    let bare = word.trim_start_matches(around).trim_end_matches(|c| around(c) || matches!(c, '.' | '!' | ':' | ';'));
    if bare.is_empty() { word } else { bare }
}

/// Returns whether a word adds nothing to a move: an emoji, an emoticon, or punctuation such as `!!`.
pub fn is_ornament(word: &str) -> bool {
    let drawn = |c: char| is_symbol(c) || ".!:*_`'\"()[]{}^~".contains(c);
    let marks = word.chars().all(|c| !c.is_alphanumeric() && !is_doubt(c)) && word.chars().any(drawn);
    let face = word
        .strip_prefix([':', ';', '='])
        .is_some_and(|rest| (1..=2).contains(&rest.len()) && rest.chars().all(|c| c == '-' || c.is_ascii_alphabetic()));
    marks || face || matches!(word, "<3" | "xD" | "XD" | "xd")
}

/// Returns whether a character is an emoji or another symbol outside ASCII.
fn is_symbol(c: char) -> bool {
    !c.is_ascii() && !c.is_alphanumeric() && !c.is_whitespace()
}

/// Returns whether a character near a move shows that the writer doubts or rejects the move.
pub fn is_doubt(c: char) -> bool {
    "?\u{bf}\u{203d}\u{2047}\u{2048}\u{2049}❌❎✗✘🚫⛔👎❓❔🤔".contains(c)
}

/// Converts a move that was typed into a form field: `f3 f4`, `e1 - e2`, `(f4)`.
pub fn typed_move(text: &str) -> String {
    let words = joined_moves(text.split_whitespace().map(plain_word).collect());
    let mut typed = String::new();
    words.iter().for_each(|word| Notation::join(&mut typed, bare_move(word)));
    typed
}

/// Joins cells and separators with blanks between them: `e1 - e2`, `e1 x e2`, `e1 -e2`.
pub(crate) fn joined_moves(words: Vec<String>) -> Vec<String> {
    let links = |word: &str| word == "-" || word.eq_ignore_ascii_case("x");
    let mut joined: Vec<String> = Vec::new();
    for word in words {
        let begins = word.strip_prefix('-').is_some_and(|rest| Notation::is_cell(bare_move(rest)));
        match joined.last_mut() {
            Some(last) if Notation::is_cell(last) && (links(&word) || begins) => last.push_str(&word),
            Some(last) if is_begun(last) && Notation::is_cell(bare_move(&word)) => last.push_str(&word),
            _ => joined.push(word),
        }
    }
    joined
}

/// Returns whether a word is a cell with a separator, so that another cell should follow: `e1-`.
fn is_begun(word: &str) -> bool {
    word.strip_suffix(['-', 'x', 'X']).is_some_and(Notation::is_cell)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typographic_characters_become_plain() {
        for (typed, meant) in [
            ("\u{201c}f4\u{201d}", "f4"),
            ("\u{ab}f4\u{bb}", "f4"),
            ("f\u{200c}4", "f4"),
            ("f4\u{2026}", "f4."),
            ("\u{ff26}\u{ff14}", "F4"),
            ("e1\u{2013}e2", "e1-e2"),
            ("e1\u{2212}e2", "e1-e2"),
            ("f2\u{d7}c5", "f2xc5"),
            ("f3\u{ff0c}f4", "f3,f4"),
            ("\"", "\""),
            ("\u{2018}f4\u{2019}", "f4"),
            ("\u{201e}f4\u{201c}", "f4"),
            ("<alice>", "alice"),
            ("\u{201c}alice\u{201d},", "alice,"),
            ("<>", "<>"),
            ("'", "'"),
            ("caf\u{e9}", "caf\u{e9}"),
        ] {
            assert_eq!(plain_word(typed), meant);
        }
    }

    #[test]
    fn ornaments_are_ignored() {
        for word in ["👍", "❤", ":)", ";-)", ":D", ":-P", "^^", "<3", "!!", "*", "\u{1f469}\u{1f3fd}"] {
            assert!(is_ornament(word), "{word}");
        }
        for word in ["?", "👎", "-", ",", "x", "&", "/", "f4", "ok", ":f4", "#14", "\u{bf}"] {
            assert!(!is_ornament(word), "{word}");
        }
    }

    #[test]
    fn a_dash_before_a_name_is_one_or_two() {
        let dashes = |name: &str| match name {
            "nagtime" => Some("--"),
            "opposite" => Some("-"),
            _ => None,
        };
        for (typed, meant) in [
            ("\u{2013}opposite", "-opposite"),
            ("\u{2014}opposite", "-opposite"),
            ("\u{2013}nagtime=5", "--nagtime=5"),
            ("\u{2014}nagtime=5", "--nagtime=5"),
            ("\u{2013}\u{2013}nagtime=\u{2013}", "--nagtime=\u{2013}"),
            ("\u{2014}other", "--other"),
            ("\u{2013}other", "-other"),
        ] {
            assert_eq!(option(typed, dashes), meant);
        }
    }

    #[test]
    fn punctuation_around_a_move_is_removed() {
        for (typed, meant) in [
            ("f4.", "f4"),
            ("F4!", "F4"),
            ("(f4,e6)", "f4,e6"),
            ("(f4).", "f4"),
            ("*f4*", "f4"),
            ("`f4`", "f4"),
            ("_f4_:", "f4"),
            ("f4👍", "f4"),
            ("f4?", "f4?"),
            ("<f4>", "f4"),
            ("~~f4~~", "~~f4~~"),
            ("❌f4", "❌f4"),
            ("!", "!"),
        ] {
            assert_eq!(bare_move(typed), meant);
        }
        for (typed, meant) in [("e1 - e2", "e1-e2"), ("e1 -e2", "e1-e2"), ("e1- e2", "e1-e2"), ("e1 x e2", "e1xe2")] {
            let words = typed.split(' ').map(str::to_owned).collect();
            assert_eq!(joined_moves(words), [meant]);
            assert_eq!(typed_move(typed), meant);
        }
    }
}
