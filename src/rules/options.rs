//! The options of a challenge: those that a game offers, and those of one board.

use std::fmt;

use crate::text::Message;

/// One option that a game offers: `-opposite`, or with a value `-size=9`.
#[derive(Clone, Debug)]
pub struct OptionSpec {
    /// The name without the dash: `any_3`.
    pub name: &'static str,
    /// The values that the option takes, in words (`5 to 19`). `None` if it takes no value.
    pub value: Option<Message>,
    /// Every value that the option takes, for programs. Empty if it takes no value. All values are numbers.
    pub numbers: &'static [u16],
    /// The effect of the option, as a part of a sentence.
    pub about: Message,
    /// A short description of a board with the option: `opposite bases`. If the option has a value, the fact `value`
    /// contains it: `57 holes`.
    pub label: Message,
}

/// The options of one board, in the order of the game's list. Their canonical text is stored and hashed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options(Vec<(String, Option<String>)>);

impl Options {
    /// Creates options from (name, value) pairs, which must be in the order of the game's list, without unknown names
    /// or duplicates.
    pub fn new(pairs: Vec<(String, Option<String>)>) -> Self {
        Options(pairs)
    }

    /// Reads a canonical text: `-any_3`, `-size=9`, or an empty text.
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

    /// Iterates over the options' names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_deref()))
    }

    /// Returns the labels of the options from their game's list, [`super::Game::options`]. Unknown options have no
    /// label.
    pub fn labels(&self, list: &[OptionSpec]) -> Vec<Message> {
        let label = |(name, value): (&str, Option<&str>)| {
            let label = list.iter().find(|option| option.name == name)?.label.clone();
            Some(value.map_or(label.clone(), |value| label.with("value", value)))
        };
        self.iter().filter_map(label).collect()
    }

    /// Returns whether there are no options.
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
