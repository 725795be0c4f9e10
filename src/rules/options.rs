//! The options of a challenge: what a game offers, and what one board was made with.

use std::fmt;

use crate::text::Message;

/// One option that a game offers: `-opposite`, or with a value `-size=9`.
#[derive(Clone, Debug)]
pub struct OptionSpec {
    /// The name without its dash: `any_3`.
    pub name: &'static str,
    /// The values that the option takes, in words (`5 to 19`), if it takes any.
    pub value: Option<Message>,
    /// Every value that it takes, for programs; none, when it takes no value. All values are numbers.
    pub numbers: &'static [u16],
    /// The effect of the option, in half a sentence.
    pub about: Message,
    /// A board under the option in a few words: `opposite bases`, or with the fact `value`, `57 holes`.
    pub label: Message,
}

/// The options that one board was made with, in the order of the game's list. Their canonical text is stored and
/// hashed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options(Vec<(String, Option<String>)>);

impl Options {
    /// Options from (name, value) pairs that the game's list knows, each once; kept in the list's order.
    pub fn new(pairs: Vec<(String, Option<String>)>) -> Self {
        Options(pairs)
    }

    /// Reads a canonical text back: `-any_3`, `-size=9`, or nothing.
    pub fn from_canonical(text: &str) -> Self {
        let pair = |word: &str| {
            let word = word.trim_start_matches('-');
            match word.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                None => (word.to_owned(), None),
            }
        };
        Options(text.split_whitespace().map(pair).collect())
    }

    /// The options' names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_deref()))
    }

    /// Returns the labels of the options by the list of their game, [`super::Game::options`]. Unknown options have none.
    pub fn labels(&self, list: &[OptionSpec]) -> Vec<Message> {
        let label = |(name, value): (&str, Option<&str>)| {
            let label = list.iter().find(|option| option.name == name)?.label.clone();
            Some(value.map_or(label.clone(), |value| label.with("value", value)))
        };
        self.iter().filter_map(label).collect()
    }

    /// Whether there are no options.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (name, value)) in self.iter().enumerate() {
            let space = if i == 0 { "" } else { " " };
            match value {
                Some(value) => write!(f, "{space}-{name}={value}")?,
                None => write!(f, "{space}-{name}")?,
            }
        }
        Ok(())
    }
}
