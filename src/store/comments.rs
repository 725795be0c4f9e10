//! Comments on boards, and players' private notes.

use chrono::{DateTime, Utc};

use super::{PlayerId, Result};
use crate::numbers::{BoardNumber, EntryNumber};

/// A comment on a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The board.
    pub board: BoardNumber,
    /// The entry with or after which it was made; 0: with the challenge.
    pub entry: EntryNumber,
    /// Its author.
    pub player: PlayerId,
    /// Its text, without control characters.
    pub text: String,
    /// When it was made.
    pub said_at: DateTime<Utc>,
}

/// Comments, which both players read, and notes, which only their author reads.
pub trait Comments {
    /// Adds a comment.
    fn add_comment(&mut self, comment: &Comment) -> Result<()>;
    /// Lists the comments on a board, in order.
    fn comments(&self, number: BoardNumber) -> Result<Vec<Comment>>;
    /// Replaces the text of a comment, also where it came with an open challenge.
    fn replace_comment(&mut self, comment: &Comment, text: &str) -> Result<()>;
    /// A player's private note on a board.
    fn note(&self, number: BoardNumber, player: PlayerId) -> Result<Option<String>>;
    /// Replaces a player's note on a board; `None` removes it.
    fn set_note(&mut self, number: BoardNumber, player: PlayerId, text: Option<&str>, now: DateTime<Utc>)
    -> Result<()>;
}
