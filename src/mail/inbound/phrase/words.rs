//! The words around a move or a verb in a letter: `words.txt`.

use std::sync::LazyLock;

use crate::mail::inbound::word_lists;

/// The words, read from the text that is embedded in the binary.
pub(super) static WORDS: LazyLock<Words> = LazyLock::new(|| word_lists::read(include_str!("words.txt"), Words::list));

/// The words and phrases of all languages.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// Words that announce a move or a verb.
    pub(super) announcing: Vec<&'static str>,
    /// Courtesy before or after it. Such a line is repeated in the comment, so that nothing is lost.
    pub(super) courtesy: Vec<&'static str>,
    /// Words that make a nearby move or verb doubtful, such as "not" or "if".
    pub(super) doubting: Vec<&'static str>,
    /// Words that end a line after a move.
    pub(super) ending: Vec<&'static str>,
    /// Words of agreement; before a move they have no meaning unless a proposal is open.
    pub(super) agreeing: Vec<&'static str>,
    /// Whole lines that accept a proposal.
    pub(super) accepting: Vec<&'static str>,
    /// Whole lines that reject a proposal.
    pub(super) rejecting: Vec<&'static str>,
    /// Whole lines that propose a draw.
    pub(super) offering: Vec<&'static str>,
    /// Whole lines that mention a draw without offering or accepting it.
    pub(super) draw: Vec<&'static str>,
}

impl Words {
    fn list(&mut self, name: &str) -> Option<&mut Vec<&'static str>> {
        Some(match name {
            "announcing" => &mut self.announcing,
            "courtesy" => &mut self.courtesy,
            "doubting" => &mut self.doubting,
            "ending" => &mut self.ending,
            "agreeing" => &mut self.agreeing,
            "accepting" => &mut self.accepting,
            "rejecting" => &mut self.rejecting,
            "offering" => &mut self.offering,
            "draw" => &mut self.draw,
            _ => return None,
        })
    }
}
