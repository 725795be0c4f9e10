//! The words of gateway warnings: `words.txt`.

use std::sync::LazyLock;

use crate::mail::inbound::word_lists;

/// The words, read from the text that is embedded in the binary.
pub(crate) static WORDS: LazyLock<Words> = LazyLock::new(|| word_lists::read(include_str!("words.txt"), Words::list));

/// The words of all languages.
#[derive(Debug, Default)]
pub(crate) struct Words {
    /// The first words of a warning, which may also be the whole warning.
    pub(crate) labels: Vec<&'static str>,
    /// Phrases that identify mail from outside.
    pub(crate) outside: Vec<&'static str>,
    /// Words for a message or its sender. Each warning contains one.
    pub(crate) mails: Vec<&'static str>,
    /// Words of the advice after a warning.
    pub(crate) advice: Vec<&'static str>,
    /// Words for an organisation.
    pub(crate) organizations: Vec<&'static str>,
    /// Words with which writers refer to themselves.
    pub(crate) writers: Vec<&'static str>,
}

impl Words {
    fn list(&mut self, name: &str) -> Option<&mut Vec<&'static str>> {
        Some(match name {
            "labels" => &mut self.labels,
            "outside" => &mut self.outside,
            "mails" => &mut self.mails,
            "advice" => &mut self.advice,
            "organizations" => &mut self.organizations,
            "writers" => &mut self.writers,
            _ => return None,
        })
    }
}
