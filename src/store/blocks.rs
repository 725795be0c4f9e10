//! Blocks between players, and the texts that two players have written to each other.

use chrono::{DateTime, Utc};

use super::sql::{all, cell, from_fields, params, run};
use super::{PlayerId, PlayerRef, Result, Transaction};
use crate::numbers::BoardNumber;

pub(crate) const IS_BLOCKED: &str = "SELECT count(*) FROM blocks WHERE player = ?1 AND blocked = ?2";
pub(crate) const OF_PLAYER: &str = "SELECT b.blocked, p.userid FROM blocks b JOIN players p ON p.id = b.blocked \
     WHERE b.player = ?1 ORDER BY lower(p.userid)";
/// Checks whether there is a board on which both of these players have moved.
pub(crate) const HAVE_PLAYED: &str = "SELECT EXISTS (SELECT 1 FROM seats s \
     JOIN seats o ON o.board = s.board AND o.seat <> s.seat JOIN boards b ON b.number = s.board \
     WHERE s.player = ?1 AND o.player = ?2 AND b.plies > 1)";
pub(crate) const COMMENTS_TO: &str = "SELECT c.id, c.board, c.text, c.said_at FROM comments c JOIN seats s ON s.board = c.board \
     WHERE c.player = ?1 AND s.player = ?2 ORDER BY c.said_at DESC, c.id DESC LIMIT ?3";
pub(crate) const COMMENTS_SINCE: &str =
    "SELECT count(*) FROM comments WHERE player = ?1 AND said_at >= ?2 AND said_at < ?3 AND board = ?4";

/// A text that one player wrote to another: a comment on a common board, or a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenText {
    /// The id of the message or the comment.
    pub id: i64,
    /// The board of a comment; `None` for a message.
    pub board: Option<BoardNumber>,
    /// The text of a comment, or the JSON facts of the notice that contains the message.
    pub text: String,
    /// When the text was written.
    pub at: DateTime<Utc>,
}

from_fields!(WrittenText { id, board, text, at });

/// Blocks between players, and the texts that players have written to each other.
impl Transaction<'_> {
    /// Returns whether a player has blocked another one.
    pub fn has_blocked(&self, player: PlayerId, other: PlayerId) -> Result<bool> {
        Ok(cell::<i64>(self.db(), IS_BLOCKED, params![player, other])? > 0)
    }

    /// Lists the players whom a player has blocked, by userid.
    pub fn blocked_by(&self, player: PlayerId) -> Result<Vec<PlayerRef>> {
        self.read_once(OF_PLAYER, params![player])
    }

    /// Makes `player` block `other`. Does nothing if the block exists.
    pub fn block(&mut self, player: PlayerId, other: PlayerId, now: DateTime<Utc>) -> Result<()> {
        let sql = "INSERT INTO blocks (player, blocked, blocked_at) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
        run(self.writable()?, sql, params![player, other, now]).map(drop)
    }

    /// Removes a block; returns `false` if `player` has not blocked `other`.
    pub fn unblock(&mut self, player: PlayerId, other: PlayerId) -> Result<bool> {
        let sql = "DELETE FROM blocks WHERE player = ?1 AND blocked = ?2";
        Ok(run(self.writable()?, sql, params![player, other])? > 0)
    }

    /// Returns whether there is a board on which both of these players have moved.
    pub fn have_played(&self, one: PlayerId, other: PlayerId) -> Result<bool> {
        cell(self.db(), HAVE_PLAYED, params![one, other])
    }

    /// Lists a player's last comments on boards of another player, newest first.
    pub fn comments_to(&self, writer: PlayerId, reader: PlayerId, most: u32) -> Result<Vec<WrittenText>> {
        all(self.db(), COMMENTS_TO, params![writer, reader, most])
    }

    /// Lists a player's last messages to another player as JSON facts, newest first. Scans the whole outbox.
    pub fn messages_to(&self, writer: &str, reader: PlayerId, most: u32) -> Result<Vec<WrittenText>> {
        let sql = "SELECT id, NULL, facts, created_at FROM outbox WHERE kind = 'message' AND player = ?1 \
             AND instr(lower(facts), ?2) > 0 ORDER BY id DESC LIMIT ?3";
        let by = format!("\"by\":\"{}\"", writer.to_lowercase());
        all(self.db(), sql, params![reader, by, most])
    }

    /// Counts a player's comments on a board in this time span.
    pub fn comments_since(&self, player: PlayerId, board: BoardNumber, time: &crate::clock::Span) -> Result<u32> {
        cell(self.db(), COMMENTS_SINCE, params![player, time.from, time.until, board])
    }
}
