//! Who writes to a file in this process: one after the other, and on one connection.
//!
//! A connection remembers the pages that it has read for as long as no other one writes. The threads of a server would
//! make each other read everything again, so they write on a connection that they share. A process with one store has no
//! other connection than that.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use rusqlite::Connection;

use super::connection;
use super::log::Log;
use crate::store::Result;

/// The turn of a writer, with the connection that is shared; `None`: it writes on its own.
pub(super) type Turn<'a> = MutexGuard<'a, Option<Connection>>;

/// The writers of a file. They take turns here before they wait for SQLite's lock. SQLite knows no queue: a writer that finds
/// its lock taken sleeps for a millisecond or more before it looks again, and the one that has it may be faster for ever.
pub(super) struct Writers {
    /// The file; `None` when each writes on its own connection.
    file: Option<PathBuf>,
    shared: Mutex<Option<Connection>>,
}

impl Writers {
    /// Those who write on their own connections.
    pub(super) fn on_their_own() -> Writers {
        Writers { file: None, shared: Mutex::new(None) }
    }

    /// Those of this process who write to this file.
    pub(super) fn of(file: &Path) -> Arc<Writers> {
        static OF_FILES: Mutex<BTreeMap<PathBuf, Weak<Writers>>> = Mutex::new(BTreeMap::new());
        let mut of_files = OF_FILES.lock().unwrap_or_else(PoisonError::into_inner);
        of_files.retain(|_, writers| writers.strong_count() > 0);
        let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
        let known = of_files.get(&file).and_then(Weak::upgrade);
        known.unwrap_or_else(|| {
            let new = Arc::new(Writers { file: Some(file.clone()), shared: Mutex::new(None) });
            of_files.insert(file, Arc::downgrade(&new));
            new
        })
    }

    /// Waits for the turn of one of them, whose connection has this log open.
    pub(super) fn turn<'a>(of: &'a Arc<Writers>, log: Option<&Log>) -> Result<Turn<'a>> {
        let mut turn = of.shared.lock().unwrap_or_else(PoisonError::into_inner);
        if turn.is_none()
            && Arc::strong_count(of) > 1
            && let Some(file) = &of.file
        {
            // A new connection would make another log in the place of one that was removed.
            log.map_or(Ok(()), Log::check)?;
            let db = connection::connect(file)?;
            connection::set_up(&db)?;
            connection::use_no_temporary_files(&db)?;
            *turn = Some(db);
        }
        Ok(turn)
    }
}
