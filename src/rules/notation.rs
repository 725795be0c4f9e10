//! How games write their cells, moves and effects.

use std::collections::{BTreeMap, VecDeque};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text;

/// How one game writes its moves: as the names of cells, or as words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Notation {
    /// The separators between cells whose order matters: `-` in `e1-e2`, `x` in `f2xc5`.
    pub ordered: &'static [char],
    /// The moves written as words: `swap`.
    pub words: &'static [&'static str],
}

impl Notation {
    /// The move that exchanges the sides, in games with the pie rule.
    pub const SWAP: &str = "swap";

    /// The separator between cells whose order does not matter: `,` in `f3,f4`. A player may write a space instead.
    pub const UNORDERED: char = ',';

    /// Returns the cells that a move text names, in order.
    pub fn cells<'a>(&self, text: &'a str) -> Vec<&'a str> {
        let separates = |c: char| c == Notation::UNORDERED || self.ordered.contains(&c);
        text.split(separates).filter(|cell| !cell.is_empty()).collect()
    }

    /// Returns whether a move text lists cells whose order does not matter.
    pub fn is_unordered(&self, text: &str) -> bool {
        text.contains(Notation::UNORDERED)
    }

    /// Returns whether a text is a move written as a word, ignoring case.
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

    /// Returns whether a text is a request to exchange the sides, which not all games allow.
    pub fn is_swap(text: &str) -> bool {
        text.eq_ignore_ascii_case(Notation::SWAP)
    }

    /// Rewrites a list of cells with other separators as one with commas: `f3,f4` for `f3 and f4` or `f3/f4`. `None` if
    /// the text contains other words, or only one cell.
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

/// Returns a shortest path from one of the starts to an end cell, including both, in reverse order. Empty if there is
/// none.
pub(crate) fn shortest<C: Copy + Ord>(
    starts: impl IntoIterator<Item = C>,
    is_end: impl Fn(C) -> bool,
    beside: impl Fn(C) -> Vec<C>,
) -> Vec<C> {
    let mut before: BTreeMap<C, Option<C>> = starts.into_iter().map(|start| (start, None)).collect();
    let mut waiting: VecDeque<C> = before.keys().copied().collect();
    while let Some(cell) = waiting.pop_front() {
        if is_end(cell) {
            return std::iter::successors(Some(cell), |cell| before[cell]).collect();
        }
        for next in beside(cell) {
            before.entry(next).or_insert_with(|| {
                waiting.push_back(next);
                Some(cell)
            });
        }
    }
    Vec::new()
}

/// Separates cells written together: `c1,c3` for `c1c3`. If `separator` is a letter, no cell begins with it, so `c1xc3`
/// is unchanged.
pub(crate) fn separated(word: &str, separator: char) -> String {
    let mut text = String::new();
    for c in word.chars() {
        if c.is_ascii_alphabetic() && c != separator && text.ends_with(|before: char| before.is_ascii_digit()) {
            text.push(Notation::UNORDERED);
        }
        text.push(c);
    }
    text
}

/// Splits a word that looks like a cell's name into letter and number, ignoring case. The cell need not exist.
pub(crate) fn split(word: &str) -> Option<(char, usize)> {
    let mut rest = word.chars();
    let letter = rest.next().filter(char::is_ascii_alphabetic)?;
    let digits = rest.as_str();
    let number = digits.bytes().all(|digit| digit.is_ascii_digit()) && !digits.starts_with('0');
    Some((letter.to_ascii_lowercase(), digits.parse().ok().filter(|_| number)?))
}

/// Returns the name that `typed` (in lower case) probably means. The two are at most one typing error apart, and the
/// name's letter begins or ends `typed`.
pub(crate) fn nearest<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let number = split(typed).map(|(_, number)| number);
    // Nearly every short word is one typing error away from some cell, so the cell's letter must begin or end the word.
    let near = |name: &str| typed.starts_with(&name[..1]) || typed.ends_with(&name[..1]);
    names.filter(|name| near(name) && text::is_one_slip(typed, name)).min_by_key(|name| {
        let other = split(name).map(|(_, number)| number);
        number.zip(other).map_or(0, |(a, b)| a.abs_diff(b))
    })
}

/// The effects of a ply. Fields for effects that did not happen, or do not exist in the game, are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Effects {
    /// Cells whose pieces were captured, in board order.
    pub captured: Vec<String>,
    /// Cells that the move filled in addition to the named one, in board order.
    pub filled: Vec<String>,
    /// The level of the piece, from 1, in games with stacks; otherwise `null`.
    pub level: Option<usize>,
    /// The new marks of the first and the second player if the move exchanged them; otherwise `null`.
    pub swapped: Option<[char; 2]>,
    /// Whether the next player had no legal move and was passed over.
    pub passed_over: bool,
    /// The winning cells, in board order. Empty if the win is not visible on the board.
    pub winning_cells: Vec<WinningCell>,
}

/// A cell of the winning formation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WinningCell {
    /// The name of the cell, or of the stack that contains the space.
    pub cell: String,
    /// The level of the space, from 1, in games with stacks; otherwise `null`.
    #[serde(default)]
    pub level: Option<usize>,
}

impl Effects {
    /// Returns whether the move did more than place or move one piece.
    pub(crate) fn go_further(&self) -> bool {
        !self.captured.is_empty() || !self.filled.is_empty() || self.swapped.is_some() || self.passed_over
    }
}

impl WinningCell {
    /// Creates a winning cell of a game without stacks.
    pub(crate) fn flat(cell: impl Into<String>) -> WinningCell {
        WinningCell { cell: cell.into(), level: None }
    }

    /// Returns the identifier of the cell in a scene.
    pub(crate) fn id(&self) -> String {
        match self.level {
            Some(level) => space_id(&self.cell, level),
            None => self.cell.clone(),
        }
    }
}

/// Returns the identifier of a space in a stack, by its level from 1: `c5.2`.
pub(crate) fn space_id(stack: &str, level: usize) -> String {
    format!("{stack}.{level}")
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
