//! A transaction on SQLite.

use rusqlite::Connection;

use super::log::Log;
use super::query::{one, run};
use super::writers::Turn;
use crate::store::{Result, StoreError};

/// Fails if the data were moved to another database.
pub(crate) fn refuse_when_moved(db: &Connection) -> Result<()> {
    let moved = one(db, "SELECT moved_to FROM server", [], |row| row.get::<_, Option<String>>(0))?;
    moved.flatten().map_or(Ok(()), |there| Err(StoreError::Moved(there)))
}

/// A transaction, which is rolled back when dropped.
pub(crate) struct SqliteTransaction<'a> {
    /// The store's own connection.
    own: &'a Connection,
    /// The writer's turn; `None` for a reader.
    turn: Option<Turn<'a>>,
    log: Option<&'a Log>,
}

impl<'a> SqliteTransaction<'a> {
    pub(crate) fn read(own: &'a Connection, log: Option<&'a Log>) -> Result<Self> {
        let tx = SqliteTransaction::begin(own, None, log, "BEGIN")?;
        // A deferred transaction takes its snapshot at its first read, so read immediately.
        one(own, "SELECT one FROM server", [], |_| Ok(()))?;
        Ok(tx)
    }

    pub(crate) fn write(own: &'a Connection, turn: Turn<'a>, log: Option<&'a Log>) -> Result<Self> {
        let tx = SqliteTransaction::begin(own, Some(turn), log, "BEGIN IMMEDIATE")?;
        // The data may have been moved during the wait.
        refuse_when_moved(tx.connection())?;
        Ok(tx)
    }

    fn begin(own: &'a Connection, turn: Option<Turn<'a>>, log: Option<&'a Log>, begin: &str) -> Result<Self> {
        // What is written is checked by the commit.
        log.filter(|_| turn.is_none()).map_or(Ok(()), Log::check)?;
        let tx = SqliteTransaction { own, turn, log };
        run(tx.connection(), begin, [])?;
        Ok(tx)
    }

    pub(crate) fn connection(&self) -> &Connection {
        self.turn.as_ref().and_then(Turn::shared).unwrap_or(self.own)
    }

    pub(crate) fn writes(&self) -> bool {
        self.turn.is_some()
    }

    pub(crate) fn commit(self) -> Result<()> {
        // The log must still exist, because acknowledged commits must outlive this process.
        self.log.map_or(Ok(()), Log::check)?;
        run(self.connection(), "COMMIT", []).map(drop)
    }

    pub(crate) fn set_savepoint(&self) -> Result<()> {
        run(self.connection(), "SAVEPOINT part", []).map(drop)
    }

    pub(crate) fn release_savepoint(&self) -> Result<()> {
        run(self.connection(), "RELEASE part", []).map(drop)
    }

    pub(crate) fn undo_to_savepoint(&self) -> Result<()> {
        run(self.connection(), "ROLLBACK TO part", [])?;
        self.release_savepoint()
    }
}

impl Drop for SqliteTransaction<'_> {
    fn drop(&mut self) {
        // There is no open transaction after a commit, nor after an error for which SQLite has rolled back.
        if !self.connection().is_autocommit()
            && run(self.connection(), "ROLLBACK", []).is_err()
            && let Some(turn) = &mut self.turn
        {
            turn.forget_shared();
        }
    }
}
