//! Comments on boards, and players' private notes.

use chrono::{DateTime, Utc};

use super::{Cells, Session, Time, all, one, params, run, run_one};
use crate::numbers::BoardNumber;
use crate::store::{Comment, Comments, PlayerId, Result};

pub(super) const COMMENTS: &str = "SELECT board, entry, player, text, said_at FROM comments WHERE board = ?1 \
     ORDER BY id";
pub(super) const NOTE: &str = "SELECT text FROM notes WHERE board = ?1 AND player = ?2";

impl<S: Session> Comments for S {
    fn add_comment(&mut self, comment: &Comment) -> Result<()> {
        let sql = "INSERT INTO comments (board, entry, player, text, said_at) VALUES (?1, ?2, ?3, ?4, ?5)";
        let Comment { board, entry, player, text, said_at } = comment;
        run(self.writable_board(*board)?, sql, params![board, entry, player.0, text, Time(*said_at)])?;
        Ok(())
    }

    fn comments(&self, number: BoardNumber) -> Result<Vec<Comment>> {
        all(self.db(), COMMENTS, params![number], |row| {
            let mut cells = Cells::of(row);
            Ok(Comment {
                board: cells.take()?,
                entry: cells.take()?,
                player: PlayerId(cells.take()?),
                text: cells.take()?,
                said_at: cells.time()?,
            })
        })
    }

    fn replace_comment(&mut self, comment: &Comment, new: &str) -> Result<()> {
        let Comment { board, entry, player, text, said_at } = comment;
        let db = self.writable()?;
        let sql = "UPDATE comments SET text = ?6 WHERE id = (SELECT min(id) FROM comments \
             WHERE board = ?1 AND entry = ?2 AND player = ?3 AND text = ?4 AND said_at = ?5)";
        let params = params![board, entry, player.0, text, Time(*said_at), new];
        run_one(db, sql, params, "there is no such comment")?;
        let offer = "UPDATE offers SET comment = ?3 WHERE number = ?1 AND comment = ?2";
        run(db, offer, params![board, text, new]).map(drop)
    }

    fn note(&self, number: BoardNumber, player: PlayerId) -> Result<Option<String>> {
        one(self.db(), NOTE, params![number, player.0], |row| row.get(0))
    }

    fn set_note(
        &mut self,
        number: BoardNumber,
        player: PlayerId,
        text: Option<&str>,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let db = self.writable()?;
        match text {
            None => run(db, "DELETE FROM notes WHERE board = ?1 AND player = ?2", params![number, player.0])?,
            Some(text) => run(
                db,
                "INSERT INTO notes (board, player, text, written_at) VALUES (?1, ?2, ?3, ?4) \
                 ON CONFLICT (board, player) DO UPDATE SET text = excluded.text, written_at = excluded.written_at",
                params![number, player.0, text, Time(now)],
            )?,
        };
        Ok(())
    }
}
