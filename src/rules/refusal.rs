//! Refusals: the reason why a move or a set of options is not accepted. Games, positions and boards all return them.

use std::fmt;

use crate::message;
use crate::text::Message;

/// The kind of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalKind {
    /// The text is not a move of this game, for example because the cell does not exist.
    NotAMove,
    /// The move is understood, but against the rules in this position.
    Illegal,
    /// The game has ended.
    GameOver,
    /// The options of a challenge are unknown, have invalid values or contradict each other.
    Options,
}

/// The rules' refusal of a move or of options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The kind of the refusal.
    pub kind: RefusalKind,
    /// The refused word or move.
    pub word: String,
    /// The reason, in a sentence.
    pub message: Message,
    /// The nearest valid word, if one is close.
    pub nearest: Option<String>,
}

impl Refusal {
    /// Creates a refusal without a suggestion.
    pub fn new(kind: RefusalKind, word: impl Into<String>, message: Message) -> Self {
        Refusal { kind, word: word.into(), message, nearest: None }
    }

    /// Returns the message together with the suggestion.
    pub fn whole_message(&self) -> Message {
        match &self.nearest {
            Some(nearest) => message!("rules.with-nearest", refusal = self.message.clone(), nearest),
            None => self.message.clone(),
        }
    }
}

/// Writes the code and the facts, for a log or a panic. `compose` renders them for readers.
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.whole_message())
    }
}

impl std::error::Error for Refusal {}
