//! A transaction on SQLite.

use rusqlite::Connection;

use super::log::Log;
use super::query::{one, run};
use super::writers::Turn;
use crate::metrics;
use crate::numbers::BoardNumber;
use crate::store::sql::{Db, Known, Session, games};
use crate::store::{Result, StoreError, Transaction};

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
        refuse_when_moved(tx.connection())?;
        Ok(tx)
    }

    fn begin(own: &'a Connection, turn: Option<Turn<'a>>, log: Option<&'a Log>, begin: &str) -> Result<Self> {
        log.map_or(Ok(()), Log::check)?;
        let tx = SqliteTransaction { own, turn, log, turns: Vec::new(), turns_before: 0, known: Known::default() };
        run(tx.connection(), begin, [])?;
        Ok(tx)
    }

    fn connection(&self) -> &Connection {
        self.turn.as_ref().and_then(Turn::shared).unwrap_or(self.own)
    }
}

impl Session for SqliteTransaction<'_> {
    fn db(&self) -> Db<'_> {
        Db::Sqlite(self.connection())
    }

    fn known(&self) -> &Known {
        &self.known
    }

    fn writable(&self) -> Result<Db<'_>> {
        self.known.forget();
        self.writable_shared()
    }

    fn writable_board(&self, _: BoardNumber) -> Result<Db<'_>> {
        self.known.boards.forget();
        self.writable_shared()
    }

    /// A reading transaction that began to write could fail at any moment.
    fn writable_shared(&self) -> Result<Db<'_>> {
        match self.turn {
            Some(_) => Ok(self.db()),
            None => Err(StoreError::Failed("a reading transaction was asked to write".to_owned())),
        }
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
        if !self.connection().is_autocommit()
            && run(self.connection(), "ROLLBACK", []).is_err()
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
        let games = games(self.db(), &self.turns)?;
        run(self.connection(), "COMMIT", [])?;
        games.iter().for_each(|game| metrics::count_turn(game));
        Ok(())
    }

    fn needs_exclusive(&self) -> Result<()> {
        Ok(())
    }

    fn set_savepoint(&mut self) -> Result<()> {
        self.writable_shared()?;
        run(self.connection(), "SAVEPOINT part", [])?;
        self.turns_before = self.turns.len();
        Ok(())
    }

    fn release_savepoint(&mut self) -> Result<()> {
        run(self.connection(), "RELEASE part", []).map(drop)
    }

    fn undo_to_savepoint(&mut self) -> Result<()> {
        self.known.forget();
        run(self.connection(), "ROLLBACK TO part", [])?;
        self.turns.truncate(self.turns_before);
        self.release_savepoint()
    }
}
