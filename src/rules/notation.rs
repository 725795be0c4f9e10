//! How games write their moves.

/// How one game writes its moves: as the names of cells, or as words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Notation {
    /// The separators between cells in a fixed order: `-` in `e1-e2`, `x` in `f2xc5`.
    pub ordered: &'static [char],
    /// The moves that are words: `swap`.
    pub words: &'static [&'static str],
}

impl Notation {
    /// The separator between cells in any order: `,` in `f3,f4`. A player may write a space instead.
    pub const UNORDERED: char = ',';

    /// Returns the cells that a move text names, in order.
    pub fn cells<'a>(&self, text: &'a str) -> Vec<&'a str> {
        let separates = |c: char| c == Notation::UNORDERED || self.ordered.contains(&c);
        text.split(separates).filter(|cell| !cell.is_empty()).collect()
    }

    /// Returns whether a move text names cells in any order.
    pub fn is_unordered(&self, text: &str) -> bool {
        text.contains(Notation::UNORDERED)
    }

    /// Returns whether a text is one of the moves that are words, ignoring case.
    pub fn is_word(&self, text: &str) -> bool {
        self.words.iter().any(|word| word.eq_ignore_ascii_case(text))
    }

    /// Returns whether a text looks like the name of one cell on some board: one or two letters and a number.
    pub fn is_cell(text: &str) -> bool {
        let digits = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        (1..=2).contains(&(text.len() - digits.len()))
            && (1..=3).contains(&digits.len())
            && digits.bytes().all(|byte| byte.is_ascii_digit())
    }

    /// Returns whether a text looks like an incomplete list of cells, so that more may follow: `f3`, `f3,`, `,f4`.
    pub fn is_list(text: &str) -> bool {
        text.split(Notation::UNORDERED).all(|cell| cell.is_empty() || Notation::is_cell(cell))
    }

    /// Returns whether a text is a request to pass, which no game allows.
    pub fn is_pass(text: &str) -> bool {
        ["pass", "skip"].iter().any(|word| word.eq_ignore_ascii_case(text))
    }

    /// Returns the cells of a text that joins them with something other than commas: `f3 and f4`, `f3/f4`. `None` if
    /// the text contains anything else, or only one cell.
    pub fn listed(text: &str) -> Option<String> {
        const WORDS: [&str; 7] = ["and", "und", "et", "y", "e", "en", "i"];
        let words = text.split(|c: char| c.is_whitespace() || "/;-+&,".contains(c)).filter(|word| !word.is_empty());
        let cells: Vec<String> =
            words.map(str::to_ascii_lowercase).filter(|word| !WORDS.contains(&word.as_str())).collect();
        (cells.len() > 1 && cells.iter().all(|cell| Notation::is_cell(cell))).then(|| cells.join(","))
    }

    /// Appends the next word of a move, with one separator between cells.
    pub fn join(text: &mut String, word: &str) {
        if !text.is_empty() && !text.ends_with(Notation::UNORDERED) && !word.starts_with(Notation::UNORDERED) {
            text.push(Notation::UNORDERED);
        }
        text.push_str(word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEPS: Notation = Notation { ordered: &['-', 'x'], words: &["swap"] };

    #[test]
    fn a_move_text_is_split_into_cells() {
        for (text, cells) in [("f3", &["f3"][..]), ("f3,f4", &["f3", "f4"]), ("e1-e2", &["e1", "e2"])] {
            assert_eq!(STEPS.cells(text), cells);
        }
        assert_eq!(Notation::default().cells("f2xc5"), ["f2xc5"]);
        assert!(STEPS.is_word("SWAP") && !Notation::default().is_word("swap"));
    }

    #[test]
    fn cells_with_other_separators_are_listed() {
        for text in ["f3 and f4", "F3 & f4", "f3/f4", "f3-f4", "f3;f4", "f3 + f4"] {
            assert_eq!(Notation::listed(text).as_deref(), Some("f3,f4"), "{text}");
        }
        for text in ["f3", "f3 or f4", "f3 and you", ""] {
            assert_eq!(Notation::listed(text), None, "{text}");
        }
    }

    #[test]
    fn words_are_joined_by_one_separator() {
        for words in [["f3", "f4"], ["f3,", "f4"], ["f3", ",f4"]] {
            let mut text = String::new();
            words.iter().for_each(|word| Notation::join(&mut text, word));
            assert_eq!(text, "f3,f4");
        }
        assert!(Notation::is_list("f3,") && !Notation::is_list("good") && !Notation::is_list("f3 f4"));
    }
}
