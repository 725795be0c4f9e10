//! The database. The only layer with SQL.
//!
//! A [`Store`] is a connection that begins transactions. A [`Transaction`] has the methods of every subject; each file here
//! defines those of one subject, next to their SQL and their row types. Callers hold a `&Transaction` to read and a
//! `&mut Transaction` to write, on whichever database the [`Location`] names. SQLite is the default.
//!
//! # What every store guarantees
//!
//! - **Reading** ([`Store::read`]): the transaction sees one snapshot, the state committed when it began, whatever is
//!   committed meanwhile. It never waits for a writer and never makes one wait. (PostgreSQL: `REPEATABLE READ, READ
//!   ONLY`.)
//! - **Writing** ([`Store::write`]): committed transactions have the effect of some serial order, in which whatever a
//!   transaction has read is still true when it commits. It is the only writer in the whole database meanwhile: on SQLite by
//!   its own lock, on PostgreSQL by a lock that writers take before their snapshot. A transaction that does not get its turn
//!   fails as a whole with [`StoreError::Busy`] and can be repeated.
//! - **Writing beside others** ([`Store::write_shared`]): the same for what a turn writes and for letters that leave, for
//!   several transactions at a time where the store can (`store::postgres` says how). Whatever else it is asked to write fails with
//!   [`StoreError::NeedsExclusive`], and where two write at the same place, one fails with [`StoreError::Busy`] or
//!   [`StoreError::Conflict`].
//! - **Failing**: after a call has failed, the transaction can only be undone: to its savepoint, or as a whole by dropping
//!   it. A failed statement ends a transaction of PostgreSQL.
//! - **Committing** ([`Transaction::commit`]): what was committed survives a crash of the machine. A transaction that
//!   is dropped instead leaves no trace. When a connection breaks while a commit is under way, it was done as a whole or
//!   not at all ([`StoreError::CommitUnknown`]).
//! - **The rules of the record** are written once, and every store calls them:
//!   [`RecordState::check_append`], [`Verdict::check_first_copy`]. A database may check them again.
//!
//! `tests/it/store/contract` is the suite that every store passes.

mod acts;
mod addresses;
mod analyses;
mod blocked_senders;
mod board_letters;
mod boards;
pub mod chain;
mod challenges;
mod changes;
mod clocks;
mod comments;
mod counts;
mod deliveries;
mod error;
mod failing;
mod followers;
mod hints;
mod history;
mod inbox;
mod instance;
mod leases;
mod letters;
mod limits;
mod listener;
mod lists;
mod location;
mod moving;
mod node_name;
mod numbered;
mod open;
mod outbox;
mod player_names;
mod players;
mod postgres;
mod preferences;
mod puzzles;
mod ratings;
mod record;
mod records;
mod reports;
mod result_reason;
mod results;
mod retention;
mod sessions;
mod sql;
mod sqlite;
mod standstills;
mod tokens;
mod transaction;
mod vacations;
mod webhooks;

pub use crate::rules::Seat;
pub use acts::*;
pub use addresses::*;
pub use analyses::{Asker, StoredAnalysis};
pub use blocked_senders::*;
pub use boards::*;
pub use challenges::*;
pub use changes::*;
pub use clocks::*;
pub use comments::*;
pub use counts::*;
pub use deliveries::*;
pub use error::{Failure, ForeignFile, Result, StoreError};
pub use failing::StoreFaults;
pub use followers::*;
pub use hints::Hint;
pub use history::*;
pub use inbox::*;
pub use leases::*;
pub use limits::*;
pub use listener::Listener;
pub use lists::*;
pub use location::Location;
pub use moving::*;
pub use node_name::NodeName;
pub use numbered::*;
pub use open::{create, in_memory, listen, look, open, open_failing, open_read_only};
pub use outbox::*;
pub use player_names::*;
pub use players::*;
pub use postgres::{PostgresUrl, UrlError};
pub use preferences::*;
pub use puzzles::*;
pub use ratings::*;
pub use record::*;
pub use reports::*;
pub use result_reason::ResultReason;
pub use results::*;
pub use sessions::*;
pub use standstills::*;
pub use tokens::*;
pub use transaction::{ATTEMPTS, FileCheck, Store, Transaction, write_alone, write_beside};
pub use webhooks::*;
