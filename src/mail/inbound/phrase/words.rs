//! The words around a move or a verb in a letter: `words.txt`.

use std::sync::LazyLock;

use crate::mail::inbound::word_lists;

/// The words, read from the text that is embedded in the binary.
pub(crate) static WORDS: LazyLock<Words> = LazyLock::new(|| word_lists::read(include_str!("words.txt"), Words::list));

/// The words and phrases of all languages.
#[derive(Debug, Default)]
pub(crate) struct Words {
    /// Words that announce a move or a verb.
    pub(crate) announcing: Vec<&'static str>,
    /// Courtesy before or after it. Such a line is repeated in the comment, so that nothing is lost.
    pub(crate) courtesy: Vec<&'static str>,
    /// Words that make a nearby move or verb doubtful, such as "not" or "if".
    pub(crate) doubting: Vec<&'static str>,
    /// Words that end a line after a move.
    pub(crate) ending: Vec<&'static str>,
    /// Words of agreement; before a move they have no meaning unless a proposal is open.
    pub(crate) agreeing: Vec<&'static str>,
    /// Whole lines that accept a proposal.
    pub(crate) accepting: Vec<&'static str>,
    /// Whole lines that reject a proposal.
    pub(crate) rejecting: Vec<&'static str>,
    /// Whole lines that propose a draw.
    pub(crate) offering: Vec<&'static str>,
    /// Whole lines that mention a draw without offering or accepting it.
    pub(crate) draw: Vec<&'static str>,
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
