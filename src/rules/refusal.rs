//! Refusals: why a move or a set of options is not accepted.

use std::fmt;

use crate::message;
use crate::text::Message;

/// The kind of a refusal.
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

/// The rules' answer to a move or options that they do not accept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The kind of the refusal.
    pub kind: RefusalKind,
    /// The word at fault, as it was typed.
    pub word: String,
    /// What is wrong, in a sentence.
    pub message: Message,
    /// The nearest valid word, if one is near.
    pub nearest: Option<String>,
}

impl Refusal {
    /// Makes a refusal without a proposal.
    pub fn new(kind: RefusalKind, word: impl Into<String>, message: Message) -> Self {
        Refusal { kind, word: word.into(), message, nearest: None }
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
