//! A transaction on SQLite.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use rusqlite::Connection;

use super::connection::{self, BUSY, failed, sibling};
use crate::store::sql::{Db, one, run};
use crate::store::{Result, StoreError};

/// Fails if the data were moved to another database.
pub(crate) fn refuse_when_moved(db: &Connection) -> Result<()> {
    let moved = one::<Option<String>>(Db::Sqlite(db), "SELECT moved_to FROM server", &[])?;
    moved.flatten().map_or(Ok(()), |there| Err(StoreError::Moved(there)))
}

/// A transaction. It is rolled back when dropped.
pub(crate) struct SqliteTransaction<'a> {
    /// The store's own connection.
    own: &'a Connection,
    /// The right to use the shared connection; `None` for a reader, which uses its own connection.
    turn: Option<Turn<'a>>,
    writes: bool,
    /// Whether the commit waits for the disk.
    synced: bool,
    log: Option<&'a Log>,
}

impl<'a> SqliteTransaction<'a> {
    pub(crate) fn read(own: &'a Connection, log: Option<&'a Log>) -> Result<Self> {
        // A reader checks the log here. A writer checks it when it commits.
        log.map_or(Ok(()), Log::check)?;
        let tx = SqliteTransaction { own, turn: None, writes: false, synced: true, log };
        run(Db::Sqlite(own), "BEGIN", &[])?;
        // A deferred transaction takes its snapshot at its first read, so read immediately.
        one::<()>(Db::Sqlite(own), "SELECT one FROM server", &[])?;
        Ok(tx)
    }

    /// Reads on the shared connection.
    pub(crate) fn glance(own: &'a Connection, turn: Turn<'a>, log: Option<&'a Log>) -> Result<Self> {
        log.map_or(Ok(()), Log::check)?;
        let tx = SqliteTransaction { own, turn: Some(turn), writes: false, synced: true, log };
        run(Db::Sqlite(tx.connection()), "BEGIN", &[])?;
        Ok(tx)
    }

    pub(crate) fn write(own: &'a Connection, turn: Turn<'a>, log: Option<&'a Log>, synced: bool) -> Result<Self> {
        let tx = SqliteTransaction { own, turn: Some(turn), writes: true, synced, log };
        if !synced {
            // This commit does not wait for the disk. The next commit that waits also makes this one durable.
            tx.connection().execute_batch("PRAGMA synchronous = NORMAL").map_err(failed)?;
        }
        run(Db::Sqlite(tx.connection()), "BEGIN IMMEDIATE", &[])?;
        // The data may have been moved to another database while this writer waited.
        refuse_when_moved(tx.connection())?;
        Ok(tx)
    }

    pub(crate) fn connection(&self) -> &Connection {
        self.turn.as_ref().and_then(Turn::shared).unwrap_or(self.own)
    }

    pub(crate) fn writes(&self) -> bool {
        self.writes
    }

    pub(crate) fn commit(self) -> Result<()> {
        // Check that the log still exists. If it was removed, the commit would be lost when this process ends.
        self.log.map_or(Ok(()), Log::check)?;
        run(Db::Sqlite(self.connection()), "COMMIT", &[]).map(drop)
    }

    pub(crate) fn set_savepoint(&self) -> Result<()> {
        run(Db::Sqlite(self.connection()), "SAVEPOINT part", &[]).map(drop)
    }

    pub(crate) fn release_savepoint(&self) -> Result<()> {
        run(Db::Sqlite(self.connection()), "RELEASE part", &[]).map(drop)
    }

    pub(crate) fn undo_to_savepoint(&self) -> Result<()> {
        run(Db::Sqlite(self.connection()), "ROLLBACK TO part", &[])?;
        self.release_savepoint()
    }
}

impl Drop for SqliteTransaction<'_> {
    fn drop(&mut self) {
        // No transaction is open after a commit, or after an error that made SQLite roll back.
        let ended = self.connection().is_autocommit() || run(Db::Sqlite(self.connection()), "ROLLBACK", &[]).is_ok();
        let is_reset = self.synced || self.connection().execute_batch("PRAGMA synchronous = FULL").is_ok();
        if !(ended && is_reset)
            && let Some(turn) = &mut self.turn
        {
            turn.forget_shared();
        }
    }
}

/// The queue of a file's writers in this process. They wait here before they wait for SQLite's lock, because SQLite has
/// no queue: a waiting writer sleeps for a millisecond or more between attempts, and may starve.
pub(crate) struct Writers {
    /// The file; `None` if each writer uses its own connection.
    file: Option<PathBuf>,
    queue: Mutex<Queue>,
    /// Notified when a writer leaves the queue.
    moved: Condvar,
}

/// The current writer and the waiting ones.
#[derive(Default)]
struct Queue {
    /// The shared connection, unless a writer is using it.
    shared: Option<Connection>,
    /// The numbers of the current writer, which is first, and of the waiting ones.
    writers: VecDeque<u64>,
    last: u64,
}

impl Queue {
    /// Returns the number of the new writer.
    fn add(&mut self) -> u64 {
        self.last += 1;
        self.writers.push_back(self.last);
        self.last
    }
}

/// The right of a writer to write. The next writer in the queue gets it when this value is dropped.
pub(crate) struct Turn<'a> {
    of: &'a Writers,
    writer: u64,
    /// The shared connection; `None` for a writer with its own.
    shared: Option<Connection>,
}

impl Turn<'_> {
    pub(crate) fn shared(&self) -> Option<&Connection> {
        self.shared.as_ref()
    }

    /// Closes the shared connection; the next writer opens a new one.
    pub(crate) fn forget_shared(&mut self) {
        self.shared = None;
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let shared = self.shared.take();
        let mut queue = self.of.queue();
        queue.shared = shared;
        self.of.leave(queue, self.writer);
    }
}

impl Writers {
    /// Creates a queue for writers that use their own connections.
    pub(crate) fn on_their_own() -> Writers {
        Writers::to(None)
    }

    fn to(file: Option<PathBuf>) -> Writers {
        Writers { file, queue: Mutex::default(), moved: Condvar::new() }
    }

    /// Returns this process's queue for a file.
    pub(crate) fn of(file: &Path) -> Arc<Writers> {
        static OF_FILES: Mutex<BTreeMap<PathBuf, Weak<Writers>>> = Mutex::new(BTreeMap::new());
        let mut of_files = OF_FILES.lock().unwrap_or_else(PoisonError::into_inner);
        of_files.retain(|_, writers| writers.strong_count() > 0);
        let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
        let known = of_files.get(&file).and_then(Weak::upgrade);
        known.unwrap_or_else(|| {
            let new = Arc::new(Writers::to(Some(file.clone())));
            of_files.insert(file, Arc::downgrade(&new));
            new
        })
    }

    /// Waits for a turn, at most as long as SQLite waits for a writer of another process. `log` is the log of the
    /// writer's own connection.
    pub(crate) fn turn<'a>(of: &'a Arc<Writers>, log: Option<&Log>) -> Result<Turn<'a>> {
        let mut turn = of.next(BUSY)?;
        if turn.shared.is_none()
            && Arc::strong_count(of) > 1
            && let Some(file) = &of.file
        {
            // A new connection would create a new log to replace a removed one.
            log.map_or(Ok(()), Log::check)?;
            let db = connection::connect(file)?;
            connection::set_up(&db)?;
            connection::use_no_temporary_files(&db)?;
            turn.shared = Some(db);
        }
        Ok(turn)
    }

    /// Returns a turn if the shared connection is idle.
    pub(crate) fn idle(&self) -> Option<Turn<'_>> {
        let mut queue = self.queue();
        if !queue.writers.is_empty() {
            return None;
        }
        let shared = Some(queue.shared.take()?);
        let writer = queue.add();
        Some(Turn { of: self, writer, shared })
    }

    /// Waits for a turn, at most for the time `most`.
    fn next(&self, most: Duration) -> Result<Turn<'_>> {
        let mut queue = self.queue();
        let writer = queue.add();
        let waits = |queue: &mut Queue| queue.writers.front() != Some(&writer);
        let (mut queue, waited) =
            self.moved.wait_timeout_while(queue, most, waits).unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            self.leave(queue, writer);
            return Err(StoreError::Busy);
        }
        let shared = queue.shared.take();
        Ok(Turn { of: self, writer, shared })
    }

    fn leave(&self, mut queue: MutexGuard<'_, Queue>, writer: u64) {
        queue.writers.retain(|waiting| *waiting != writer);
        let others_wait = !queue.writers.is_empty();
        drop(queue);
        if others_wait {
            self.moved.notify_all();
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The log file that a connection has open.
pub(crate) struct Log {
    path: PathBuf,
    /// The device and inode of the file.
    file: (u64, u64),
}

impl Log {
    /// Returns the log of a connection that has just read from the database at this path.
    pub(crate) fn of(database: &Path) -> Result<Log> {
        let path = sibling(database, "-wal");
        match identity(&path)? {
            Some(file) => Ok(Log { path, file }),
            None => Err(StoreError::LogRemoved(path)),
        }
    }

    /// Fails if the log was removed or replaced.
    pub(crate) fn check(&self) -> Result<()> {
        if identity(&self.path)? == Some(self.file) { Ok(()) } else { Err(StoreError::LogRemoved(self.path.clone())) }
    }
}

/// Fails if the log was removed while another process used it, or after a crash before SQLite could recover from it.
/// SQLite creates the index of the log (`-shm`) after the log, and deletes it before the log.
pub(crate) fn is_complete(database: &Path) -> Result<()> {
    let (log, index) = (sibling(database, "-wal"), sibling(database, "-shm"));
    // Check twice, because another process may close its last connection between the two lookups.
    for _ in 0..2 {
        if identity(&index)?.is_none() || identity(&log)?.is_some() {
            return Ok(());
        }
    }
    Err(StoreError::LogRemoved(log))
}

fn identity(path: &Path) -> Result<Option<(u64, u64)>> {
    match fs::metadata(path) {
        Ok(file) => Ok(Some((file.dev(), file.ino()))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::Failed(format!("the state of {} cannot be read: {error}", path.display()))),
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn waiting_for_a_hanging_writer_times_out() {
        let writers = Writers::on_their_own();
        let turn = writers.next(BUSY).unwrap();
        assert!(matches!(writers.next(Duration::from_millis(1)), Err(StoreError::Busy)));
        drop(turn);
        assert!(writers.next(Duration::from_millis(1)).is_ok(), "a writer that gave up is no longer in the queue");
    }

    #[test]
    fn writers_are_served_in_order() {
        let (writers, order) = (Writers::on_their_own(), Mutex::new(Vec::new()));
        thread::scope(|scope| {
            let first = writers.next(BUSY).unwrap();
            for number in 0..5 {
                scope.spawn(|| {
                    let turn = writers.next(BUSY).unwrap();
                    order.lock().unwrap().push(turn.writer);
                });
                while writers.queue().writers.len() < number + 2 {
                    thread::yield_now();
                }
            }
            drop(first);
        });
        assert!(order.lock().unwrap().is_sorted(), "{order:?}");
    }
}
