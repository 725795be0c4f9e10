//! A transaction on PostgreSQL. Each subject's calls stand in the file of the subject.

use super::connection::Db;
use super::query::one;
use crate::metrics;
use crate::numbers::BoardNumber;
use crate::store::{InstanceKeys, Result, StoreError, Transaction};
use crate::token::Key;

/// The snapshot is that of the first statement, which is to be now.
const READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT one FROM server";
/// The lock is taken before the snapshot, which therefore holds what every writer before has committed. A writer from which
/// nothing is heard, because its machine is gone, makes the others wait no longer than that.
const WRITE: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL idle_in_transaction_session_timeout = '20s'; \
     LOCK TABLE writer IN EXCLUSIVE MODE; SELECT refuse_when_moved()";
const GAME: &str = "SELECT game FROM boards WHERE number = $1";

/// A transaction, rolled back when dropped.
pub(super) struct PostgresTransaction<'a> {
    db: &'a Db,
    writes: bool,
    ended: bool,
    /// The boards on which a move was played, to be counted when it is committed.
    turns: Vec<BoardNumber>,
    /// How many of them there were at the savepoint.
    turns_before: usize,
}

/// Begins a transaction. When that fails, there is none.
pub(super) fn begin(db: &Db, writes: bool) -> Result<()> {
    db.forget_failure();
    db.batch(if writes { WRITE } else { READ }).inspect_err(|_| {
        // The lock may not be had after the transaction has begun. A connection that is broken has rolled back, too.
        let _ = db.batch("ROLLBACK");
    })
}

impl<'a> PostgresTransaction<'a> {
    /// The transaction that was begun on this connection.
    pub(super) fn begun(db: &'a Db, writes: bool) -> Self {
        PostgresTransaction { db, writes, ended: false, turns: Vec::new(), turns_before: 0 }
    }

    /// The connection to read from.
    pub(super) fn db(&self) -> &'a Db {
        self.db
    }

    /// Counts a move on this board, once it is committed.
    pub(super) fn count_turn(&mut self, board: BoardNumber) {
        self.turns.push(board);
    }

    /// The games of the boards on which a move was played.
    fn games_played(&self) -> Result<Vec<String>> {
        let game = |board: &BoardNumber| one(self.db, GAME, params![*board], |row| row.get(0)).transpose();
        self.turns.iter().filter_map(game).collect()
    }

    /// The connection to write to.
    pub(super) fn writable(&self) -> Result<&'a Db> {
        if self.writes {
            Ok(self.db)
        } else {
            Err(StoreError::Failed("a reading transaction was asked to write".to_owned()))
        }
    }
}

impl Drop for PostgresTransaction<'_> {
    fn drop(&mut self) {
        if !self.ended {
            // A connection that is broken has rolled back, too.
            let _ = self.db.batch("ROLLBACK");
        }
    }
}

impl Transaction for PostgresTransaction<'_> {
    fn commit(mut self: Box<Self>) -> Result<()> {
        // PostgreSQL would take it for a rollback, and tell no error.
        if self.db.has_failed() {
            return Err(StoreError::Failed("a transaction in which a statement failed cannot be committed".to_owned()));
        }
        let games = self.games_played()?;
        self.ended = true;
        self.db.batch("COMMIT").map_err(|error| match error {
            StoreError::Unreachable(why) => StoreError::CommitUnknown(why),
            other => other,
        })?;
        games.iter().for_each(|game| metrics::count_turn(game));
        Ok(())
    }

    fn set_savepoint(&mut self) -> Result<()> {
        self.writable()?.batch("SAVEPOINT part")?;
        self.turns_before = self.turns.len();
        Ok(())
    }

    fn release_savepoint(&mut self) -> Result<()> {
        self.writable()?.batch("RELEASE part")
    }

    fn undo_to_savepoint(&mut self) -> Result<()> {
        let db = self.writable()?;
        db.batch("ROLLBACK TO part; RELEASE part")?;
        db.forget_failure();
        self.turns.truncate(self.turns_before);
        Ok(())
    }
}

impl InstanceKeys for PostgresTransaction<'_> {
    fn server_id(&self) -> Result<String> {
        one(self.db, "SELECT server_id FROM server", &[], |row| row.get(0))?
            .ok_or_else(|| StoreError::Failed("the database has lost its server id".to_owned()))
    }

    fn reply_key(&self) -> Result<Key> {
        one(self.db, "SELECT reply_key FROM server WHERE reply_key IS NOT NULL", &[], |row| row.get::<[u8; 32]>(0))?
            .map(Key::new)
            .ok_or_else(|| StoreError::Failed("the database has lost its key of reply tokens".to_owned()))
    }
}
