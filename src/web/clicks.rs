//! Moves by clicks: the clickable cells and their effects, derived from the texts of the legal moves.
//!
//! A move text names a cell for each click: `f3`, `f3,f4`, `e1-e2`, `f2xc5`. Cells separated by commas can be clicked
//! in any order, other cells only in the given order. A text without a cell (`swap`) is a button. In some games, every
//! set of certain cells is a move; a click then adds a cell to the pick or removes it.

use std::collections::{BTreeMap, BTreeSet};

use crate::rules::{MoveList, Notation, Sets};

/// The possible clicks after the cells picked so far.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Clicks {
    /// For each clickable cell, the pick after a click on it: cells, or a complete move; empty if the click cancels
    /// the pick.
    pub(crate) cells: BTreeMap<String, String>,
    /// The cells on which a click continues the pick.
    pub(crate) targets: Vec<String>,
    /// The cells of all legal moves.
    pub(crate) named: BTreeSet<String>,
    /// The legal moves in the format that the page's script reads; see [`written`]. If every set of certain cells is a
    /// move, only the names of these cells.
    pub(crate) moves: String,
    /// The maximum number of cells of a move, if every set of certain cells is a move.
    pub(crate) most: Option<usize>,
    /// The legal moves without cells.
    pub(crate) words: Vec<String>,
    /// Whether a click can continue the pick.
    pub(crate) goes_on: bool,
}

impl Clicks {
    /// Computes the clicks for these legal moves and this pick.
    pub(crate) fn of(notation: Notation, legal: &MoveList, pick: &str) -> Clicks {
        match legal {
            MoveList::Texts(texts) => Clicks::of_texts(notation, texts, pick),
            MoveList::Sets(sets) => Clicks::of_sets(sets, &notation.cells(pick)),
        }
    }

    fn of_sets(sets: &Sets, picked: &[&str]) -> Clicks {
        let goes_on = picked.len() < sets.most && picked.len() < sets.cells.len();
        let lead = |cell: &str| match picked.contains(&cell) {
            true => sets.in_order(&picked.iter().copied().filter(|other| *other != cell).collect::<Vec<_>>()),
            false if goes_on => sets.in_order(&[picked, &[cell]].concat()),
            false => cell.to_owned(),
        };
        let is_target = |cell: &&String| !picked.is_empty() && goes_on && !picked.contains(&cell.as_str());
        Clicks {
            cells: sets.cells.iter().map(|cell| (cell.clone(), lead(cell))).collect(),
            targets: sets.cells.iter().filter(is_target).cloned().collect(),
            named: sets.cells.iter().cloned().collect(),
            moves: sets.cells.join(" "),
            most: Some(sets.most),
            words: Vec::new(),
            goes_on: goes_on && !picked.is_empty(),
        }
    }

    fn of_texts(notation: Notation, legal: &[String], pick: &str) -> Clicks {
        let picked = notation.cells(pick);
        let mut clicks = Clicks { moves: written(notation, legal), ..Clicks::default() };
        for text in legal {
            if notation.is_word(text) {
                clicks.words.push(text.clone());
                continue;
            }
            let of_move = notation.cells(text);
            clicks.named.extend(of_move.iter().map(|cell| (*cell).to_owned()));
            // The player can start again with the first cell of another move.
            clicks.begin(of_move[0]);
            if notation.is_unordered(text) {
                of_move.iter().for_each(|cell| clicks.begin(cell));
            }
        }
        if !picked.is_empty() {
            for cell in &picked {
                clicks.cells.insert((*cell).to_owned(), String::new());
            }
            // A picked cell can be clicked again: an arrow may be shot at the square that its piece has left.
            for text in legal.iter().filter(|text| !notation.is_word(text)) {
                clicks.go_on(notation, text, &picked);
            }
        }
        clicks
    }

    /// Returns whether a move starts at a piece and goes from cell to cell.
    pub(crate) fn moves_pieces(&self, notation: Notation) -> bool {
        self.moves.contains(notation.ordered)
    }

    fn begin(&mut self, cell: &str) {
        if !self.cells.contains_key(cell) {
            self.cells.insert(cell.to_owned(), cell.to_owned());
        }
    }

    /// Adds the clicks that continue the pick to this move, if the picked cells are a part of the move.
    fn go_on(&mut self, notation: Notation, text: &str, picked: &[&str]) {
        let of_move = notation.cells(text);
        if of_move.len() <= picked.len() {
            return;
        }
        let last = of_move.len() == picked.len() + 1;
        let next: Vec<&str> = match notation.is_unordered(text) {
            true if picked.iter().all(|cell| of_move.contains(cell)) => {
                of_move.iter().copied().filter(|cell| !picked.contains(cell)).collect()
            }
            false if of_move.starts_with(picked) => vec![of_move[picked.len()]],
            _ => return,
        };
        self.goes_on = true;
        for cell in next {
            let pick = if last { text.to_owned() } else { format!("{},{cell}", picked.join(",")) };
            if !self.targets.iter().any(|known| known == cell) {
                self.targets.push(cell.to_owned());
            }
            self.cells.insert(cell.to_owned(), pick);
        }
    }
}

/// Formats the legal moves for the page's script, sorted by their first cells: `e1-d2 -e2 f2xc5`. A text that starts
/// with a separator has the same first cell as the previous text. The result is empty if every move is a single cell,
/// because such cells are links.
fn written(notation: Notation, legal: &[String]) -> String {
    let mut rests: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for text in legal.iter().filter(|text| !notation.is_word(text)) {
        let first = notation.cells(text)[0];
        rests.entry(first).or_default().push(&text[first.len()..]);
    }
    if rests.values().flatten().all(|rest| rest.is_empty()) {
        return String::new();
    }
    let texts = rests.into_iter().map(|(first, mut rests)| {
        // If the first cell alone is a move, the rest of that text is empty and is sorted first.
        rests.sort_unstable();
        format!("{first}{}", rests.join(" "))
    });
    texts.collect::<Vec<_>>().join(" ")
}

/// Returns the separators between the cells of a move, for the page's script.
pub(crate) fn separators(notation: Notation) -> String {
    notation.ordered.iter().chain([&Notation::UNORDERED]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clicks(legal: &str, pick: &str) -> Clicks {
        let notation = Notation { ordered: &['-', 'x'], words: &["swap"] };
        Clicks::of(notation, &MoveList::Texts(legal.split(' ').map(str::to_owned).collect()), pick)
    }

    fn leads(clicks: &Clicks) -> Vec<(&str, &str)> {
        clicks.cells.iter().map(|(cell, pick)| (cell.as_str(), pick.as_str())).collect()
    }

    #[test]
    fn one_or_two_cells_are_clicked_in_any_order() {
        let legal = "f3 f4 k1 f3,f4";
        let first = clicks(legal, "");
        assert_eq!(leads(&first), [("f3", "f3"), ("f4", "f4"), ("k1", "k1")]);
        assert!(!first.goes_on);
        for (picked, other) in [("f3", "f4"), ("f4", "f3")] {
            let second = clicks(legal, picked);
            assert!(second.goes_on);
            assert_eq!(second.cells[other], "f3,f4");
            assert_eq!((second.cells["k1"].as_str(), second.cells[picked].as_str()), ("k1", ""));
        }
        // The two cells are one move, and neither of them is a move alone.
        assert_eq!(leads(&clicks("f3,f4", "")), [("f3", "f3"), ("f4", "f4")]);
    }

    #[test]
    fn a_piece_is_clicked_before_its_target() {
        let legal = "e1-e2 e1-d2 f2xc5 f2-f3";
        assert_eq!(leads(&clicks(legal, "")), [("e1", "e1"), ("f2", "f2")]);
        assert!(clicks(legal, "").targets.is_empty());
        let second = clicks(legal, "f2");
        assert_eq!(second.targets, ["c5", "f3"]);
        assert_eq!(leads(&second), [("c5", "f2xc5"), ("e1", "e1"), ("f2", ""), ("f3", "f2-f3")]);
    }

    #[test]
    fn a_piece_its_target_and_its_arrow_are_clicked_in_order() {
        let notation = Notation { ordered: &['-', '/'], words: &[] };
        let legal = MoveList::Texts(["d1-d2/d1", "d1-d2/d3", "d1-e1/d1", "g1-g2/g3"].map(str::to_owned).into());
        let second = Clicks::of(notation, &legal, "d1");
        assert_eq!((second.targets.join(" "), second.cells["d2"].as_str()), ("d2 e1".to_owned(), "d1,d2"));
        let third = Clicks::of(notation, &legal, "d1,d2");
        assert_eq!(third.targets, ["d1", "d3"]);
        assert_eq!(leads(&third), [("d1", "d1-d2/d1"), ("d2", ""), ("d3", "d1-d2/d3"), ("g1", "g1")]);
    }

    #[test]
    fn a_click_adds_a_cell_to_a_set_or_removes_it() {
        let sets = Sets { cells: ["a1", "a2", "b1", "b2"].map(str::to_owned).into(), most: 3 };
        let clicks = |pick| Clicks::of(Notation::default(), &MoveList::Sets(sets.clone()), pick);
        assert_eq!(leads(&clicks("")), [("a1", "a1"), ("a2", "a2"), ("b1", "b1"), ("b2", "b2")]);
        assert!(!clicks("").goes_on && clicks("").targets.is_empty());
        let second = clicks("b1");
        assert_eq!(leads(&second), [("a1", "a1,b1"), ("a2", "a2,b1"), ("b1", ""), ("b2", "b1,b2")]);
        assert!(second.goes_on && second.targets == ["a1", "a2", "b2"]);
        let last = clicks("a1,b1,b2");
        assert_eq!(leads(&last), [("a1", "b1,b2"), ("a2", "a2"), ("b1", "a1,b2"), ("b2", "a1,b1")]);
        assert!(!last.goes_on && last.targets.is_empty());
        assert_eq!((last.moves.as_str(), last.most), ("a1 a2 b1 b2", Some(3)));
    }

    #[test]
    fn a_page_contains_the_moves_of_two_cells() {
        assert_eq!(clicks("k1 f3 f4 f3,g4 f3,f4", "").moves, "f3 ,f4 ,g4 f4 k1");
        assert_eq!(clicks("f2xc5 e1-e2 swap e1-d2 f2-f3", "").moves, "e1-d2 -e2 f2-f3 xc5");
        assert_eq!(clicks("a1 b1 swap", "").moves, "");
        let notation = Notation { ordered: &['-', 'x'], words: &[] };
        assert!(clicks("e1-e2", "").moves_pieces(notation) && !clicks("f3 f3,f4", "").moves_pieces(notation));
        let named = clicks("e1-e2 f2xc5", "").named;
        assert_eq!(named.iter().map(String::as_str).collect::<Vec<_>>(), ["c5", "e1", "e2", "f2"]);
    }

    #[test]
    fn a_word_is_a_button() {
        let clicks = clicks("a1 b1 swap", "");
        assert_eq!((clicks.words.as_slice(), clicks.cells.len()), (&["swap".to_owned()][..], 2));
    }
}
