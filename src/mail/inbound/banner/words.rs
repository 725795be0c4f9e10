//! The words of gateways' warnings: `words.txt`.

use std::sync::LazyLock;

use crate::mail::inbound::word_lists;

/// The words, read from the text that is embedded in the binary.
pub(super) static WORDS: LazyLock<Words> = LazyLock::new(|| word_lists::read(include_str!("words.txt"), Words::list));

/// The words of all languages.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// How a warning begins, and what may be all of it.
    pub(super) labels: Vec<&'static str>,
    /// Phrases that identify mail from outside.
    pub(super) outside: Vec<&'static str>,
    /// Words for a message or its sender. Each warning has one.
    pub(super) mails: Vec<&'static str>,
    /// Words of the advice that follows.
    pub(super) advice: Vec<&'static str>,
    /// Words for an organization.
    pub(super) organizations: Vec<&'static str>,
    /// Words with which writers speak of themselves.
    pub(super) writers: Vec<&'static str>,
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
