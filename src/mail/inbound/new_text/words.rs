//! The words that mail programs add to what their users write: `words.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

/// The words, read from the text that is embedded in the binary.
pub(super) static WORDS: LazyLock<Words> =
    LazyLock::new(|| toml::from_str(include_str!("words.toml")).expect("the embedded words are well formed"));

/// The words of all languages.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Words {
    /// What stands behind `Sent from (my)`.
    pub devices: Vec<String>,
    /// How small print begins.
    pub footers: Vec<String>,
    /// How small print and sentences begin.
    pub notices: Vec<String>,
    /// The beginnings of words that only small print has.
    pub legal: Vec<String>,
    /// The greetings above a letter.
    pub greetings: Vec<String>,
    /// Each language.
    #[serde(rename = "language")]
    pub languages: Vec<Language>,
}

/// The words of mail programs in one language.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Language {
    /// How the line above a quote ends: `On …, somebody wrote:`, without the colon. Where the name comes behind the
    /// verb (`Am … schrieb …:`) it may stand in the middle.
    pub wrote: Vec<String>,
    /// How that line begins.
    pub opens: Vec<String>,
    /// The labels of the sender of a quoted mail, without the colon.
    pub from: Vec<String>,
    /// The labels of its date.
    pub sent: Vec<String>,
    /// The labels of its recipients.
    pub to: Vec<String>,
    /// The labels of its subject.
    pub subject: Vec<String>,
    /// The words between dashes above a quoted or forwarded mail.
    pub original: Vec<String>,
    /// The line above a forwarded mail, without the colon.
    pub forwarded: Vec<String>,
    /// How a program's advertisement of itself begins: `Sent from my iPhone`.
    pub sent_from: Vec<String>,
    /// The closing line above the sender's name.
    pub closings: Vec<String>,
    /// The days of the week and the months, and those short forms that are not their beginnings.
    #[serde(default)]
    pub days: Vec<String>,
}

impl Words {
    /// The words of one kind in every language.
    pub(super) fn all(&self, kind: fn(&Language) -> &Vec<String>) -> impl Iterator<Item = &str> {
        self.languages.iter().flat_map(kind).map(String::as_str)
    }

    /// Whether a word of this kind is exactly this.
    pub(super) fn has(&self, kind: fn(&Language) -> &Vec<String>, said: &str) -> bool {
        self.all(kind).any(|word| word == said)
    }
}
