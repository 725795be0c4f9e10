//! A transaction on PostgreSQL. Each subject's calls stand in the file of the subject.

use std::collections::BTreeSet;

use super::connection::Db;
use super::query::{KnownRows, Row, all, one};
use super::value::Params;
use crate::metrics;
use crate::numbers::BoardNumber;
use crate::store::{InstanceKeys, Result, StoreError, Transaction};
use crate::token::Key;

/// The snapshot is that of the first statement, which is to be now.
const READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT one FROM server";
/// The lock is taken before the snapshot, which therefore holds what every writer before has committed. A writer from which
/// nothing is heard, because its machine is gone, makes the others wait no longer than that.
const EXCLUSIVE: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL idle_in_transaction_session_timeout = '20s'; \
     LOCK TABLE writer IN EXCLUSIVE MODE; SET CONSTRAINTS ALL IMMEDIATE; SELECT refuse_when_moved()";
const SHARED: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL idle_in_transaction_session_timeout = '20s'; \
     LOCK TABLE writer IN ROW EXCLUSIVE MODE; SELECT refuse_when_moved()";
/// Fails at once when another transaction has written the board's row since the snapshot, or is about to. References to the
/// board can still be added.
const LOCK_BOARD: &str = "SELECT 1 FROM boards WHERE number = $1 FOR NO KEY UPDATE NOWAIT";
/// Claims rows of the outbox, named `o`, until the transaction ends. One that has changed since the snapshot makes it fail.
const CLAIM: &str = " FOR NO KEY UPDATE OF o SKIP LOCKED";
const GAME: &str = "SELECT game FROM boards WHERE number = $1";

/// What a transaction may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    /// Write beside others what a turn writes.
    Shared,
    /// Write alone.
    Exclusive,
}

/// A transaction, rolled back when dropped.
pub(super) struct PostgresTransaction<'a> {
    db: &'a Db,
    access: Access,
    ended: bool,
    done: Done,
    /// What was done before the savepoint.
    before: Done,
    known: KnownRows,
}

/// What a transaction has done to boards.
#[derive(Clone, Debug, Default)]
struct Done {
    /// Those on which a move was played, to be counted when it is committed.
    turns: Vec<BoardNumber>,
    /// Those that it has locked, because it does not write alone.
    locked: BTreeSet<BoardNumber>,
}

/// Begins a transaction. When that fails, there is none.
pub(super) fn begin(db: &Db, access: Access) -> Result<()> {
    db.forget_failure();
    let sql = match access {
        Access::Read => READ,
        Access::Shared => SHARED,
        Access::Exclusive => EXCLUSIVE,
    };
    db.batch(sql).inspect_err(|_| {
        // The lock may not be had after the transaction has begun. A connection that is broken has rolled back, too.
        let _ = db.batch("ROLLBACK");
    })
}

impl<'a> PostgresTransaction<'a> {
    /// The transaction that was begun on this connection.
    pub(super) fn begun(db: &'a Db, access: Access) -> Self {
        PostgresTransaction {
            db,
            access,
            ended: false,
            done: Done::default(),
            before: Done::default(),
            known: KnownRows::default(),
        }
    }

    /// The connection to read from.
    pub(super) fn db(&self) -> &'a Db {
        self.db
    }

    /// The end of a statement whose rows no other transaction is to write until this one ends.
    pub(super) fn claim(&self) -> &'static str {
        match self.access {
            Access::Shared => CLAIM,
            // Nobody else writes, or nothing is written.
            Access::Exclusive | Access::Read => "",
        }
    }

    /// Reads rows of what only transactions that write alone change: any other reads them once, since each statement is a
    /// round trip.
    pub(super) fn read_once<T>(
        &self,
        sql: &str,
        params: Params<'_>,
        read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        match self.access {
            Access::Read | Access::Shared => self.known.all(self.db, sql, params, read),
            Access::Exclusive => all(self.db, sql, params, read),
        }
    }

    /// Counts a move on this board, once it is committed.
    pub(super) fn count_turn(&mut self, board: BoardNumber) {
        self.done.turns.push(board);
    }

    /// The games of the boards on which a move was played.
    fn games_played(&self) -> Result<Vec<String>> {
        let game = |board: &BoardNumber| one(self.db, GAME, params![*board], |row| row.get(0)).transpose();
        self.done.turns.iter().filter_map(game).collect()
    }

    /// The connection to write to, of a transaction that writes alone.
    pub(super) fn writable(&self) -> Result<&'a Db> {
        self.needs_exclusive()?;
        self.writable_shared()
    }

    /// The connection to write to, of a transaction that may write beside others.
    pub(super) fn writable_shared(&self) -> Result<&'a Db> {
        match self.access {
            Access::Read => Err(StoreError::Failed("a reading transaction was asked to write".to_owned())),
            Access::Shared | Access::Exclusive => Ok(self.db),
        }
    }

    /// The connection to write to what belongs to a board, which no other transaction writes to until this one ends.
    pub(super) fn writable_board(&mut self, number: BoardNumber) -> Result<&'a Db> {
        let db = self.writable_shared()?;
        if self.access == Access::Shared && !self.done.locked.contains(&number) {
            one(db, LOCK_BOARD, params![number], |_| Ok(()))?;
            self.done.locked.insert(number);
        }
        Ok(db)
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

    fn needs_exclusive(&self) -> Result<()> {
        match self.access {
            Access::Shared => Err(StoreError::NeedsExclusive),
            Access::Read | Access::Exclusive => Ok(()),
        }
    }

    fn set_savepoint(&mut self) -> Result<()> {
        self.writable_shared()?.batch("SAVEPOINT part")?;
        self.before = self.done.clone();
        Ok(())
    }

    fn release_savepoint(&mut self) -> Result<()> {
        self.writable_shared()?.batch("RELEASE part")
    }

    fn undo_to_savepoint(&mut self) -> Result<()> {
        let db = self.writable_shared()?;
        db.batch("ROLLBACK TO part; RELEASE part")?;
        db.forget_failure();
        self.done = std::mem::take(&mut self.before);
        Ok(())
    }
}

impl InstanceKeys for PostgresTransaction<'_> {
    fn server_id(&self) -> Result<String> {
        let found = self.read_once("SELECT server_id FROM server", &[], |row| row.get(0))?;
        found.into_iter().next().ok_or_else(|| StoreError::Failed("the database has lost its server id".to_owned()))
    }

    fn reply_key(&self) -> Result<Key> {
        let sql = "SELECT reply_key FROM server WHERE reply_key IS NOT NULL";
        let found = self.read_once(sql, &[], |row| row.get::<[u8; 32]>(0))?;
        found
            .into_iter()
            .next()
            .map(Key::new)
            .ok_or_else(|| StoreError::Failed("the database has lost its key of reply tokens".to_owned()))
    }
}
