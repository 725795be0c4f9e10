//! The queue of this process's writers to a file, who share one connection.
//!
//! A connection caches the pages that it has read until another connection writes. The threads of a server would
//! invalidate each other's caches, so they share a connection for writing. A process with only one store uses that
//! store's connection.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use rusqlite::Connection;

use super::connection::{self, BUSY};
use super::log::Log;
use crate::store::{Result, StoreError};

/// The writers of a file, who queue here before they wait for SQLite's lock. SQLite has no queue: a waiting writer
/// sleeps for a millisecond or more between attempts, and may starve.
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
    /// The first one is writing.
    writers: VecDeque<u64>,
    last: u64,
}

/// A writer's turn, which ends when this is dropped.
pub(crate) struct Turn<'a> {
    of: &'a Writers,
    writer: u64,
    /// The shared connection; `None` for a writer with its own.
    shared: Option<Connection>,
}

impl Turn<'_> {
    /// Returns the shared connection.
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
    /// Returns writers that use their own connections.
    pub(crate) fn on_their_own() -> Writers {
        Writers::to(None)
    }

    fn to(file: Option<PathBuf>) -> Writers {
        Writers { file, queue: Mutex::default(), moved: Condvar::new() }
    }

    /// Returns the writers of this file in this process.
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

    /// Waits for a turn, as long as for a writer of another process. `log` is the log of the writer's connection.
    pub(crate) fn turn<'a>(of: &'a Arc<Writers>, log: Option<&Log>) -> Result<Turn<'a>> {
        let mut turn = of.next(BUSY)?;
        if turn.shared.is_none()
            && Arc::strong_count(of) > 1
            && let Some(file) = &of.file
        {
            // A new connection would create a new log in place of a removed one.
            log.map_or(Ok(()), Log::check)?;
            let db = connection::connect(file)?;
            connection::set_up(&db)?;
            connection::use_no_temporary_files(&db)?;
            turn.shared = Some(db);
        }
        Ok(turn)
    }

    /// Waits for a turn, at most this long.
    fn next(&self, most: Duration) -> Result<Turn<'_>> {
        let mut queue = self.queue();
        queue.last += 1;
        let writer = queue.last;
        queue.writers.push_back(writer);
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

    /// Removes a writer from the queue.
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
        assert!(writers.next(Duration::from_millis(1)).is_ok(), "a writer that gave up has left the queue");
    }

    #[test]
    fn writers_take_turns_first_come_first_served() {
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
