//! Why a move or a set of options is refused, in words a player can read.

use std::fmt;

use crate::message;
use crate::text::Message;

/// Which kind of refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalKind {
    /// The text names no move of this game (an unknown cell, say): not understood.
    NotAMove,
    /// Understood, and against the rules in this position.
    Illegal,
    /// The game is over.
    GameOver,
    /// The options of a challenge contradict each other.
    Options,
}

/// A refusal: what is wrong, where, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Which kind.
    pub kind: RefusalKind,
    /// The word at fault, as it was typed.
    pub word: String,
    /// One sentence without the word's quotes at its start, ending in a full stop.
    pub message: Message,
    /// The nearest valid word, if one is near.
    pub nearest: Option<String>,
}

impl Refusal {
    /// A refusal without a proposal.
    pub fn new(kind: RefusalKind, word: impl Into<String>, message: impl Into<Message>) -> Self {
        Refusal { kind, word: word.into(), message: message.into(), nearest: None }
    }

    /// The message together with the proposal.
    pub fn whole_message(&self) -> Message {
        match &self.nearest {
            Some(nearest) => message!("rules.with-nearest", refusal = self.message.clone(), nearest),
            None => self.message.clone(),
        }
    }
}

/// The code and the facts, for a log or a panic; a reader gets words from `compose`.
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.whole_message())
    }
}

impl std::error::Error for Refusal {}
