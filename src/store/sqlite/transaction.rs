//! A transaction on SQLite. Each subject's calls stand in the file of the subject.

use rusqlite::Connection;

use super::log::Log;
use super::query::{one, run};
use super::writers::Turn;
use crate::metrics;
use crate::numbers::BoardNumber;
use crate::store::sql::{self, Known, Session};
use crate::store::{InstanceKeys, Result, StoreError, Transaction};
use crate::token::Key;

const GAME: &str = "SELECT game FROM boards WHERE number = ?1";

/// Fails when the server has moved to another database.
pub(super) fn refuse_when_moved(db: &Connection) -> Result<()> {
    let moved = one(db, "SELECT moved_to FROM server", [], |row| row.get::<_, Option<String>>(0))?;
    moved.flatten().map_or(Ok(()), |there| Err(StoreError::Moved(there)))
}

/// A transaction, rolled back when dropped.
pub(super) struct SqliteTransaction<'a> {
    /// The store's own connection.
    own: &'a Connection,
    /// That it is this writer's turn; `None` for a reader.
    turn: Option<Turn<'a>>,
    log: Option<&'a Log>,
    /// The boards on which a move was played, to be counted when it is committed.
    turns: Vec<BoardNumber>,
    /// How many of them there were at the savepoint.
    turns_before: usize,
    known: Known,
}

impl<'a> SqliteTransaction<'a> {
    pub(super) fn read(own: &'a Connection, log: Option<&'a Log>) -> Result<Self> {
        let tx = SqliteTransaction::begin(own, None, log, "BEGIN")?;
        // The snapshot of a deferred transaction is that of its first read, which is to be now.
        one(own, "SELECT one FROM server", [], |_| Ok(()))?;
        Ok(tx)
    }

    pub(super) fn write(own: &'a Connection, turn: Turn<'a>, log: Option<&'a Log>) -> Result<Self> {
        let tx = SqliteTransaction::begin(own, Some(turn), log, "BEGIN IMMEDIATE")?;
        // The server may have moved while it waited.
        refuse_when_moved(tx.db())?;
        Ok(tx)
    }

    fn begin(own: &'a Connection, turn: Option<Turn<'a>>, log: Option<&'a Log>, begin: &str) -> Result<Self> {
        log.map_or(Ok(()), Log::check)?;
        let tx = SqliteTransaction { own, turn, log, turns: Vec::new(), turns_before: 0, known: Known::default() };
        run(tx.db(), begin, [])?;
        Ok(tx)
    }

    /// The connection to read from.
    pub(super) fn db(&self) -> &Connection {
        self.turn.as_ref().and_then(Turn::shared).unwrap_or(self.own)
    }

    /// Counts a move on this board, once it is committed.
    pub(super) fn count_turn(&mut self, board: BoardNumber) {
        self.turns.push(board);
    }

    /// The games of the boards on which a move was played.
    fn games_played(&self) -> Result<Vec<String>> {
        let game = |board: &BoardNumber| one(self.db(), GAME, [board], |row| row.get(0)).transpose();
        self.turns.iter().filter_map(game).collect()
    }

    /// What it has read and not written since.
    pub(super) fn known(&self) -> &Known {
        &self.known
    }

    /// The connection to write to.
    pub(super) fn writable(&self) -> Result<&Connection> {
        self.known.forget();
        self.writable_shared()
    }

    /// The connection to write to what belongs to a board, and not to a player.
    pub(super) fn writable_board(&self) -> Result<&Connection> {
        self.known.boards.forget();
        self.writable_shared()
    }

    /// The connection to write to what belongs neither to a player nor to a board: mails, notices, letters, leases. These
    /// three are called as on PostgreSQL. A reading transaction that began to write could fail at any moment.
    pub(super) fn writable_shared(&self) -> Result<&Connection> {
        if self.turn.is_some() {
            Ok(self.db())
        } else {
            Err(StoreError::Failed("a reading transaction was asked to write".to_owned()))
        }
    }
}

impl Session for SqliteTransaction<'_> {
    fn db(&self) -> sql::Db<'_> {
        sql::Db::Sqlite(self.db())
    }

    fn known(&self) -> &Known {
        &self.known
    }

    fn writable(&self) -> Result<sql::Db<'_>> {
        self.writable().map(sql::Db::Sqlite)
    }

    fn writable_board(&self, _: BoardNumber) -> Result<sql::Db<'_>> {
        self.writable_board().map(sql::Db::Sqlite)
    }

    fn writable_shared(&self) -> Result<sql::Db<'_>> {
        self.writable_shared().map(sql::Db::Sqlite)
    }

    /// There is one writer at a time.
    fn claim(&self) -> &'static str {
        ""
    }

    fn count_turn(&mut self, board: BoardNumber) {
        self.turns.push(board);
    }
}

impl Drop for SqliteTransaction<'_> {
    fn drop(&mut self) {
        // There is none after a commit, nor after an error for which SQLite has rolled back by itself.
        if !self.db().is_autocommit()
            && run(self.db(), "ROLLBACK", []).is_err()
            && let Some(turn) = &mut self.turn
        {
            turn.forget_shared();
        }
    }
}

impl Transaction for SqliteTransaction<'_> {
    fn commit(self: Box<Self>) -> Result<()> {
        // What is acknowledged because of it must outlive this process.
        self.log.map_or(Ok(()), Log::check)?;
        let games = self.games_played()?;
        run(self.db(), "COMMIT", [])?;
        games.iter().for_each(|game| metrics::count_turn(game));
        Ok(())
    }

    fn needs_exclusive(&self) -> Result<()> {
        Ok(())
    }

    fn set_savepoint(&mut self) -> Result<()> {
        run(self.writable_shared()?, "SAVEPOINT part", [])?;
        self.turns_before = self.turns.len();
        Ok(())
    }

    fn release_savepoint(&mut self) -> Result<()> {
        run(self.writable_shared()?, "RELEASE part", []).map(drop)
    }

    fn undo_to_savepoint(&mut self) -> Result<()> {
        run(self.writable()?, "ROLLBACK TO part", [])?;
        self.turns.truncate(self.turns_before);
        self.release_savepoint()
    }
}

impl InstanceKeys for SqliteTransaction<'_> {
    fn server_id(&self) -> Result<String> {
        one(self.db(), "SELECT server_id FROM server", [], |row| row.get(0))?
            .ok_or_else(|| StoreError::Failed("the database has lost its server id".to_owned()))
    }

    fn reply_key(&self) -> Result<Key> {
        one(self.db(), "SELECT reply_key FROM server WHERE reply_key IS NOT NULL", [], |row| row.get(0))?
            .map(Key::new)
            .ok_or_else(|| StoreError::Failed("the database has lost its key of reply tokens".to_owned()))
    }
}
