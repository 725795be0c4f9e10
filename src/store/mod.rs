//! The database layer, which contains all SQL of the program.
//!
//! A [`Store`] is a connection that begins transactions. A [`Transaction`] has the methods for all subjects. Each file
//! here defines the methods of one subject, next to their SQL and row types. Callers read with a `&Transaction` and
//! write with a `&mut Transaction`, on the database that the [`Location`] selects. SQLite is the default.
//!
//! # Guarantees of every store
//!
//! - **Reading** ([`Store::read`]): the transaction sees one snapshot, the state committed when it began, regardless of
//!   later commits. It neither waits for writers nor blocks them. (PostgreSQL: `REPEATABLE READ, READ ONLY`.)
//! - **Writing** ([`Store::write`]): committed transactions are serializable: everything that a transaction has read
//!   is still true when it commits. There is at most one write transaction at a time in the whole database. SQLite
//!   ensures this with its lock on the file; on PostgreSQL, writers take a lock before their snapshot. A transaction
//!   that does not get the lock in time fails with [`StoreError::Busy`] and can be retried.
//! - **Errors**: after a failed call, the transaction must be rolled back: to its savepoint, or completely by dropping
//!   it. In PostgreSQL, a failed statement aborts the transaction.
//! - **Committing** ([`Transaction::commit`]): committed changes survive a crash of the machine. A dropped transaction
//!   has no effect. If the connection breaks during a commit, the transaction was committed completely or not at all
//!   ([`StoreError::CommitUnknown`]). A crash of the machine may undo the last commits of [`Store::write_unsynced`].
//! - **Rules of the record** are written once, and every store calls them: [`RecordState::check_append`],
//!   [`Verdict::check_first_copy`]. A database may also check them.
//!
//! Every store passes the test suite in `tests/it/store/contract`.

mod addresses;
mod analyses;
mod blocks;
mod boards;
mod challenges;
mod comments;
mod counts;
mod erasing;
mod error;
mod events;
mod followers;
mod history;
mod inbox;
mod instance;
mod leases;
mod letters;
mod limits;
mod lists;
mod open;
mod outbox;
mod players;
mod postgres;
mod puzzles;
mod ratings;
mod record;
mod records;
mod reports;
mod rows;
mod seats;
mod sessions;
mod sql;
mod sqlite;
mod transaction;
mod webhooks;

pub use crate::rules::Seat;
pub use addresses::*;
pub use analyses::{Asker, Hint, StoredAnalysis};
pub use blocks::*;
pub use boards::*;
pub use challenges::*;
pub use comments::*;
pub use counts::*;
pub use erasing::*;
pub use error::{Failure, Result, StoreError, StoreFaults};
pub use events::*;
pub use followers::*;
pub use history::*;
pub use inbox::*;
pub use instance::*;
pub use leases::*;
pub use letters::*;
pub use limits::*;
pub use lists::*;
pub use open::{Location, create, create_filled, in_memory, listen, open, open_failing, open_read_only, probe};
pub use outbox::*;
pub use players::*;
pub use postgres::{Listener, PostgresUrl, UrlError};
pub use puzzles::*;
pub use ratings::*;
pub use record::*;
pub use reports::*;
pub use rows::*;
pub use seats::*;
pub use sessions::*;
pub use transaction::{FileCheck, Store, Transaction, write_unsynced, write_with_retries};
pub use webhooks::*;
