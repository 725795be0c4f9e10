//! Comments on boards, and players' private notes.

use chrono::{DateTime, Utc};

use super::sql::{all, from_fields, params, run, run_later, run_one};
use super::{PlayerId, Result, Transaction};
use crate::numbers::{BoardNumber, EntryNumber};

/// A comment on a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The board.
    pub board: BoardNumber,
    /// The entry that the comment accompanies, or the last entry before it; 0 for a comment on the challenge.
    pub entry: EntryNumber,
    /// The author.
    pub player: PlayerId,
    /// The text, without control characters.
    pub text: String,
    /// The time of the comment.
    pub said_at: DateTime<Utc>,
}

pub(crate) const COMMENTS: &str = "SELECT board, entry, player, text, said_at FROM comments WHERE board = ?1 \
     ORDER BY id";
pub(crate) const NOTE: &str = "SELECT text FROM notes WHERE board = ?1 AND player = ?2";

from_fields!(Comment { board, entry, player, text, said_at });

/// Comments, which both players read, and private notes.
impl Transaction<'_> {
    /// Adds a comment.
    pub fn add_comment(&mut self, comment: &Comment) -> Result<()> {
        let sql = "INSERT INTO comments (board, entry, player, text, said_at) VALUES (?1, ?2, ?3, ?4, ?5)";
        let Comment { board, entry, player, text, said_at } = comment;
        let db = self.writable_board()?;
        self.known().comments.forget();
        run_later(db, sql, params![board, entry, player, text, said_at])?;
        self.note_action("comment", Some(*board), "(SELECT max(id) FROM comments WHERE board = ?3)")
    }

    /// Lists the comments on a board, in order.
    pub fn comments(&self, number: BoardNumber) -> Result<Vec<Comment>> {
        let read = || Ok(Some((number, all(self.db(), COMMENTS, params![number])?)));
        let known = self.known().comments.get(|(of, _)| *of == number, read)?;
        Ok(known.map(|(_, comments)| comments).unwrap_or_default())
    }

    /// Replaces the text of a comment, including its copy in an open challenge.
    pub fn replace_comment(&mut self, comment: &Comment, new: &str) -> Result<()> {
        let Comment { board, entry, player, text, said_at } = comment;
        let db = self.writable()?;
        let sql = "UPDATE comments SET text = ?6 WHERE id = (SELECT min(id) FROM comments \
             WHERE board = ?1 AND entry = ?2 AND player = ?3 AND text = ?4 AND said_at = ?5)";
        let params = params![board, entry, player, text, said_at, new];
        run_one(db, sql, params, "there is no such comment")?;
        let on_challenge = "UPDATE challenges SET comment = ?3 WHERE number = ?1 AND comment = ?2";
        run(db, on_challenge, params![board, text, new]).map(drop)
    }

    /// Returns a player's private note on a board.
    pub fn note(&self, number: BoardNumber, player: PlayerId) -> Result<Option<String>> {
        Ok(self.read_once(NOTE, params![number, player])?.pop())
    }

    /// Replaces a player's note on a board; `None` removes it.
    pub fn set_note(
        &mut self,
        number: BoardNumber,
        player: PlayerId,
        text: Option<&str>,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let db = self.writable()?;
        match text {
            None => run(db, "DELETE FROM notes WHERE board = ?1 AND player = ?2", params![number, player])?,
            Some(text) => run(
                db,
                "INSERT INTO notes (board, player, text, written_at) VALUES (?1, ?2, ?3, ?4) \
                 ON CONFLICT (board, player) DO UPDATE SET text = excluded.text, written_at = excluded.written_at",
                params![number, player, text, now],
            )?,
        };
        Ok(())
    }
}
