//! What machine mail is known by: `words.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

/// The words, read from the text that is embedded in the binary.
pub(super) static WORDS: LazyLock<Words> =
    LazyLock::new(|| toml::from_str(include_str!("words.toml")).expect("the embedded words are well formed"));

/// What machine mail is known by.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Words {
    /// Header fields that no person's mail has.
    pub headers: Vec<String>,
    /// Header fields that a person's mail may have.
    pub doubtful_headers: Vec<String>,
    /// The beginnings of machines' addresses.
    pub senders: Vec<String>,
    /// Accounts that programs run under.
    pub services: Vec<String>,
    /// The beginnings of reports.
    pub reports: Vec<String>,
    /// The beginnings of their subjects.
    pub report_subjects: Vec<String>,
    /// Words in their subjects.
    pub report_words: Vec<String>,
    /// The beginnings of the subjects of automatic answers.
    pub automatic_subjects: Vec<String>,
    /// The beginnings of the subjects of vacation replies.
    pub away_subjects: Vec<String>,
    /// The phrases of vacation replies.
    pub away_texts: Vec<String>,
}
