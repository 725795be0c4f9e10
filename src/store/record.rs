//! The record of a board, and the rules that every store keeps when an entry is appended to it.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Seat, chain};
use crate::numbers::{EntryNumber, Ply};

/// An entry of a board's record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its position in the record, from 1.
    pub entry: EntryNumber,
    /// What it is.
    pub kind: EntryKind,
    /// How many plies stand after it.
    pub ply: Ply,
    /// The seat that made it (`None`: the administrator).
    pub seat: Option<Seat>,
    /// The canonical move text of a move; else a word, and the reason of an adjudication.
    pub text: String,
    /// When it was made.
    pub made_at: DateTime<Utc>,
    /// How it came.
    pub via: Via,
    /// Lower-case hex SHA-256 over the hash before and this entry: [`chain::next`].
    pub hash: String,
}

/// The kinds of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EntryKind {
    /// A ply.
    Move,
    /// Plies taken back, by agreement.
    Undo,
    /// A resignation.
    Resign,
    /// A draw, by agreement.
    Draw,
    /// The end when time ran out.
    Forfeit,
    /// The end that the administrator decided.
    Adjudge,
    /// The administrator took back the end.
    Reopen,
    /// The administrator voided the board.
    Void,
    /// The end without a result, by agreement.
    Abandon,
}

impl EntryKind {
    /// Whether the administrator makes such entries, and not a player.
    pub const fn is_administrators(self) -> bool {
        matches!(self, EntryKind::Adjudge | EntryKind::Reopen | EntryKind::Void)
    }

    /// Whether the board is in progress after such an entry, unless the rules have ended it.
    pub const fn continues(self) -> bool {
        matches!(self, EntryKind::Move | EntryKind::Undo | EntryKind::Reopen)
    }
}

/// How an entry came. The words are stored and serialized.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Via {
    /// By mail.
    Mail,
    /// From the local shell.
    Shell,
    /// By a page of the web, from a player who is logged in.
    Web,
    /// By the API.
    Api,
    /// By a line with a password on the web, from somebody who is not logged in.
    Visitor,
    /// The server played what its player had prepared.
    Plan,
    /// The player's time ran out.
    Clock,
    /// The administrator decided.
    Administrator,
    /// A computer player played.
    Robot,
}

/// Where a record stands: what the next entry must go on from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordState {
    /// How many entries it has.
    pub entries: EntryNumber,
    /// How many plies stand.
    pub plies: Ply,
    /// The seat whose turn it is; `None` when an entry has ended the game.
    pub to_move: Option<Seat>,
    /// The hash of the last entry, or the genesis.
    pub head: String,
    /// Whether the board has a result or was declined.
    pub closed: bool,
}

/// Why an entry cannot be the next one of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// The board has ended or was declined.
    #[error("an entry cannot be added to a board that is over or declined")]
    Closed,
    /// Its number is not the one after the last entry's.
    #[error("an entry must be the next one of its board")]
    NotNextEntry,
    /// It is a move, and its ply is not the one after the last.
    #[error("a move must be the next ply of its board")]
    NotNextPly,
    /// It is a move of a seat whose turn it is not.
    #[error("a move must be made by the player to move")]
    NotTheirTurn,
    /// It is an undo after which no fewer plies stand.
    #[error("an undo must go back")]
    NotBack,
    /// It is an end that changes how many plies stand.
    #[error("an end is not a ply")]
    EndIsNoPly,
    /// It is an administrator's entry by a seat, or a player's entry by the administrator.
    #[error("only the administrator adjudicates, reopens and voids boards, and only players make other entries")]
    WrongAuthor,
    /// It says nothing.
    #[error("an entry must have a text")]
    NoText,
    /// Its hash is not that of the hash before it and of what it says.
    #[error("an entry must be chained to the hash of the entry before it")]
    Unchained,
}

impl RecordState {
    /// Checks that this entry can be the next one. Every store calls it, in the transaction that appends the entry.
    ///
    /// # Errors
    /// The first rule that the entry breaks.
    pub fn check_append(&self, entry: &Entry) -> std::result::Result<(), RecordError> {
        let must = |holds, otherwise| if holds { Ok(()) } else { Err(otherwise) };
        let is_open = self.to_move.is_some() || matches!(entry.kind, EntryKind::Reopen | EntryKind::Void);
        must(!self.closed && is_open, RecordError::Closed)?;
        must(Some(entry.entry.0) == self.entries.0.checked_add(1), RecordError::NotNextEntry)?;
        match entry.kind {
            EntryKind::Move => {
                must(Some(entry.ply.0) == self.plies.0.checked_add(1), RecordError::NotNextPly)?;
                must(entry.seat == self.to_move, RecordError::NotTheirTurn)?;
            }
            EntryKind::Undo => must(entry.ply < self.plies, RecordError::NotBack)?,
            _ => must(entry.ply == self.plies, RecordError::EndIsNoPly)?,
        }
        must(entry.seat.is_none() == entry.kind.is_administrators(), RecordError::WrongAuthor)?;
        must(!entry.text.is_empty(), RecordError::NoText)?;
        must(entry.hash == chain::next(&self.head, entry.ply, &entry.text), RecordError::Unchained)
    }
}
