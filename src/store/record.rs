//! The record of a board, the rules for appending entries (which every store enforces), and the reasons for ends.
//!
//! The hashes of a record form a chain. With a copy of the last hash, anyone can detect changes to earlier entries. The
//! hashes cover the game (name, options, players) and the entries, but not data that differ between two servers with
//! the same game (numbers, times, transports). The same game therefore has the same hashes everywhere.

use std::borrow::Cow;
use std::fmt;

use chrono::{DateTime, Utc};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Seat;
use crate::numbers::{EntryNumber, Ply};
use crate::text::hex;

/// An entry of a board's record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The position in the record, from 1.
    pub entry: EntryNumber,
    /// The kind of the entry.
    pub kind: EntryKind,
    /// The number of plies after the entry.
    pub ply: Ply,
    /// The seat of the author; `None` for the administrator, and for the voiding of a board.
    pub seat: Option<Seat>,
    /// For a move, its canonical notation. For other kinds, a word, which details such as the reason for an
    /// adjudication may follow.
    pub text: String,
    /// The time of the entry.
    pub made_at: DateTime<Utc>,
    /// The channel of the entry.
    pub via: Channel,
    /// The SHA-256 over the previous hash and this entry's ply and text, in lower-case hexadecimal: [`next_hash`].
    pub hash: String,
}

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EntryKind {
    /// A move.
    Move,
    /// An undo of plies, by agreement.
    Undo,
    /// A resignation.
    Resign,
    /// A draw, by agreement.
    Draw,
    /// A loss because the time ran out.
    Forfeit,
    /// A result decided by the administrator.
    Adjudge,
    /// The reversal of an end by the administrator.
    Reopen,
    /// The voiding of the board, by the administrator or because a player was withdrawn from the board's event.
    Void,
    /// The end without result, by agreement.
    Abandon,
}

impl EntryKind {
    /// Returns whether entries of this kind have no seat.
    pub const fn is_without_seat(self) -> bool {
        matches!(self, EntryKind::Adjudge | EntryKind::Reopen | EntryKind::Void)
    }

    /// Returns whether play continues after an entry of this kind, unless the rules have ended the game.
    pub const fn continues(self) -> bool {
        matches!(self, EntryKind::Move | EntryKind::Undo | EntryKind::Reopen)
    }
}

/// The channel of an entry, stored and serialized as a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Channel {
    /// By mail.
    Mail,
    /// By the shell of the server.
    Shell,
    /// By a web page, from a logged-in player.
    Web,
    /// By the API.
    Api,
    /// By a command with a password on the web, without a login.
    Visitor,
    /// By the server, from the player's prepared moves.
    Plan,
    /// By the clock, when the player's time ran out.
    Clock,
    /// By a decision of the administrator.
    Administrator,
    /// By a computer player.
    Robot,
}

/// The state of a record, for checking the next entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordState {
    /// The number of entries.
    pub entries: EntryNumber,
    /// The current number of plies.
    pub plies: Ply,
    /// The seat to move; `None` if an entry has ended the game.
    pub to_move: Option<Seat>,
    /// The hash of the last entry, or the initial hash.
    pub head: String,
    /// Whether the board has ended or was declined.
    pub closed: bool,
}

/// The rule that an entry breaks, as a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RecordError(pub &'static str);

impl RecordState {
    /// Checks that this entry can be the next one. [`Transaction::add_entry`](super::Transaction::add_entry) calls this
    /// before it appends the entry.
    ///
    /// # Errors
    /// The first broken rule.
    pub fn check_append(&self, entry: &Entry) -> std::result::Result<(), RecordError> {
        let must = |holds, rule| if holds { Ok(()) } else { Err(RecordError(rule)) };
        let is_open = self.to_move.is_some() || matches!(entry.kind, EntryKind::Reopen | EntryKind::Void);
        must(!self.closed && is_open, "an entry cannot be added to a board that has ended or was declined")?;
        must(Some(entry.entry.0) == self.entries.0.checked_add(1), "an entry must be the next one of its board")?;
        match entry.kind {
            EntryKind::Move => {
                let is_next = Some(entry.ply.0) == self.plies.0.checked_add(1);
                must(is_next, "a move must be the next ply of its board")?;
                must(entry.seat == self.to_move, "a move must be made by the player to move")?;
            }
            EntryKind::Undo => must(entry.ply < self.plies, "an undo must reduce the number of plies")?,
            _ => must(entry.ply == self.plies, "an end must not change the number of plies")?,
        }
        must(
            entry.seat.is_none() == entry.kind.is_without_seat(),
            "only the administrator adjudicates, reopens and voids boards, and only players make other entries",
        )?;
        must(!entry.text.is_empty(), "an entry must have a text")?;
        let is_chained = entry.hash == next_hash(&self.head, entry.ply, &entry.text);
        must(is_chained, "an entry must be chained to the hash of the entry before it")
    }
}

/// Computes the initial hash, which precedes the first entry.
pub fn genesis_hash(game: &str, options: &str, players: [&str; 2]) -> String {
    let [first, second] = players.map(str::to_ascii_lowercase);
    digest(&format!("turnpost board 1\n{game}\n{options}\n{first}\n{second}\n"))
}

/// Computes the hash of an entry from the previous hash.
pub fn next_hash(previous: &str, ply: Ply, text: &str) -> String {
    digest(&format!("{previous}\n{ply}\n{text}\n"))
}

fn digest(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

/// Why a player was withdrawn from an event, stored as a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absence {
    /// The player left the event or the server.
    Left,
    /// The administrator blocked the player.
    Withdrawn,
    /// The player lost on time.
    Time,
}

/// A player's withdrawal from an event, which ended a board. It is stored as the text of an entry by the clock: `void 1
/// left spring` if the board was annulled, `resign 1 left spring` if the player lost it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure<'a> {
    /// The seat of the withdrawn player.
    pub seat: Seat,
    /// Why the player was withdrawn.
    pub absence: Absence,
    /// The name of the event.
    pub event: &'a str,
}

impl Departure<'_> {
    /// Parses the text of an entry; returns `None` if it does not describe a withdrawal.
    pub fn of(text: &str) -> Option<Departure<'_>> {
        let (seat, rest) = text.strip_prefix("void ").or_else(|| text.strip_prefix("resign "))?.split_once(' ')?;
        let (word, event) = rest.split_once(' ')?;
        let seat = match seat {
            "1" => Seat::First,
            "2" => Seat::Second,
            _ => return None,
        };
        let absence = match word {
            "left" => Absence::Left,
            "withdrawn" => Absence::Withdrawn,
            "time" => Absence::Time,
            _ => return None,
        };
        Some(Departure { seat, absence, event })
    }

    /// Returns the text with which an entry of this kind records the withdrawal.
    pub fn text(&self, kind: EntryKind) -> String {
        let verb = if kind == EntryKind::Void { "void" } else { "resign" };
        let word = match self.absence {
            Absence::Left => "left",
            Absence::Withdrawn => "withdrawn",
            Absence::Time => "time",
        };
        format!("{verb} {} {word} {}", self.seat.index() + 1, self.event)
    }
}

/// The prefix of an adjudication's stored text.
const ADJUDICATION: &str = "adjudication: ";

/// The reason for the end of a board, stored and serialized as a text: `resignation`, `formation`, `adjudication: both
/// agreed`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum ResultReason {
    /// A player resigned.
    Resignation,
    /// The players agreed on a draw.
    Agreement,
    /// A player's time ran out.
    Time,
    /// The administrator decided the game, for this reason.
    Adjudication(String),
    /// The rules ended the game. The text is the game's code for the reason: `formation`, `repetition`.
    Rules(String),
}

impl fmt::Display for ResultReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ResultReason::Resignation => f.write_str("resignation"),
            ResultReason::Agreement => f.write_str("agreement"),
            ResultReason::Time => f.write_str("time"),
            ResultReason::Adjudication(why) => write!(f, "{ADJUDICATION}{why}"),
            ResultReason::Rules(reason) => f.write_str(reason),
        }
    }
}

impl From<String> for ResultReason {
    fn from(text: String) -> ResultReason {
        match text.as_str() {
            "resignation" => ResultReason::Resignation,
            "agreement" => ResultReason::Agreement,
            "time" => ResultReason::Time,
            _ => match text.strip_prefix(ADJUDICATION) {
                Some(why) => ResultReason::Adjudication(why.to_owned()),
                None => ResultReason::Rules(text),
            },
        }
    }
}

impl From<&str> for ResultReason {
    fn from(text: &str) -> ResultReason {
        text.to_owned().into()
    }
}

impl From<ResultReason> for String {
    fn from(reason: ResultReason) -> String {
        reason.to_string()
    }
}

impl JsonSchema for ResultReason {
    fn schema_name() -> Cow<'static, str> {
        String::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }

    fn inline_schema() -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_changes_the_hash() {
        let base = genesis_hash("marque", "", ["alice", "bob"]);
        assert_eq!(base, genesis_hash("marque", "", ["Alice", "BOB"]), "userids are case-insensitive");
        assert_ne!(base, genesis_hash("marque", "-y", ["alice", "bob"]));
        assert_ne!(base, genesis_hash("marque", "", ["bob", "alice"]));
        let first = next_hash(&base, Ply(1), "f3");
        assert_eq!(first.len(), 64);
        assert_ne!(first, next_hash(&base, Ply(2), "f3"));
        assert_ne!(first, next_hash(&base, Ply(1), "f4"));
        assert_ne!(first, next_hash(&first, Ply(1), "f3"));
    }

    #[test]
    fn every_reason_is_parsed_from_its_text() {
        for text in ["resignation", "agreement", "time", "adjudication: both agreed", "formation", "no moves"] {
            assert_eq!(ResultReason::from(text).to_string(), text);
        }
    }
}
