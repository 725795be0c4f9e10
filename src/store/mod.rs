//! The database behind traits, one for each subject. The only layer with SQL.
//!
//! A [`Store`] is a connection on which transactions are begun; a [`Transaction`] is all the subjects together. Callers
//! hold a `&dyn Transaction` to read and a `&mut dyn Transaction` to write, and never learn which database it is:
//! [`open`] decides that by the location. `sqlite` is the default and serves one machine.
//!
//! # What every store guarantees
//!
//! - **Reading** ([`Store::read`]): the transaction sees one snapshot, the state committed when it began, whatever is
//!   committed meanwhile. It never waits for a writer and never makes one wait. (PostgreSQL: `REPEATABLE READ, READ
//!   ONLY`.)
//! - **Writing** ([`Store::write`]): committed transactions have the effect of some serial order. SQLite runs one
//!   writer at a time in the whole database. A store that runs several must at least run one at a time for each board,
//!   each mail identity and each player, so that whatever a transaction has read of these is still true when it
//!   commits. (PostgreSQL: `SERIALIZABLE`, or row locks on those.) A transaction that cannot be ordered fails as a
//!   whole with [`StoreError::Busy`] and can be repeated.
//! - **Committing** ([`Transaction::commit`]): what was committed survives a crash of the machine. A transaction that
//!   is dropped instead leaves no trace.
//! - **The rules of the record** are written once, and every store calls them:
//!   [`RecordState::check_append`], [`Verdict::check_first_copy`]. A database may check them again.
//!
//! `tests/it/store/contract` is the suite that every store passes.

mod addresses;
mod boards;
pub mod chain;
mod challenges;
mod changes;
mod clocks;
mod comments;
mod deliveries;
mod followers;
mod inbox;
mod instance;
mod lists;
mod outbox;
mod players;
mod preferences;
mod ratings;
mod record;
mod result_reason;
mod sessions;
mod sqlite;
mod tokens;
mod vacations;
mod webhooks;

pub use addresses::*;
pub use boards::*;
pub use challenges::*;
pub use changes::*;
pub use clocks::*;
pub use comments::*;
pub use deliveries::*;
pub use followers::*;
pub use inbox::*;
pub use instance::*;
pub use lists::*;
pub use outbox::*;
pub use players::*;
pub use preferences::*;
pub use ratings::*;
pub use record::*;
pub use result_reason::ResultReason;
pub use sessions::*;
pub use tokens::*;
pub use vacations::*;
pub use webhooks::*;

use std::path::Path;

pub use crate::rules::Seat;
use crate::world::World;

/// A failure of the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A later turnpost made the database.
    #[error(
        "the database is of version {found}, made by a newer turnpost; this one knows versions up to {known}: install the newer turnpost, or restore a backup"
    )]
    TooNew {
        /// The version of the database.
        found: u32,
        /// The last version that this turnpost knows.
        known: u32,
    },
    /// The database is busy beyond the timeout; try again later.
    #[error("the database is busy; try again later")]
    Busy,
    /// An entry that cannot be the next one of its record.
    #[error("{0}")]
    Record(#[from] RecordError),
    /// A second mail of one identity, closed as if it were the first.
    #[error("mail {0} of the inbox has this identity already: this is a second copy")]
    SecondCopy(i64),
    /// Any other failure.
    #[error("the database failed: {0}")]
    Failed(String),
}

/// The result of every call.
pub type Result<T> = std::result::Result<T, StoreError>;

/// Opens the database at a location, and makes or upgrades it if need be. The location is the path of a SQLite file,
/// which only its owner can read. `world` supplies the keys of a new database.
///
/// # Errors
/// [`StoreError::TooNew`] when a later turnpost made it, [`StoreError::Busy`] when others keep it locked,
/// [`StoreError::Failed`] when it cannot be made or is no such database.
pub fn open(location: &Path, world: World) -> Result<Box<dyn Store>> {
    Ok(Box::new(sqlite::SqliteStore::open(location, world)?))
}

/// A connection to a database. A thread has its own: [`open`] is called once for each.
pub trait Store: Send {
    /// Begins a transaction that sees one snapshot and changes nothing.
    fn read(&mut self) -> Result<Box<dyn Transaction + '_>>;
    /// Begins a transaction that writes. It waits for other writers up to a timeout of some seconds.
    fn write(&mut self) -> Result<Box<dyn Transaction + '_>>;
    /// Erases for good what was deleted (a mail that held a password, say), and moves what was committed to where it
    /// stays. Cheap when there is nothing to do; skipped while another process reads.
    fn settle(&mut self) -> Result<()>;
}

impl<S: Store + ?Sized> Store for Box<S> {
    fn read(&mut self) -> Result<Box<dyn Transaction + '_>> {
        (**self).read()
    }

    fn write(&mut self) -> Result<Box<dyn Transaction + '_>> {
        (**self).write()
    }

    fn settle(&mut self) -> Result<()> {
        (**self).settle()
    }
}

/// A transaction: every subject of the store. Dropped without [`Transaction::commit`], it changes nothing.
pub trait Transaction:
    InstanceKeys
    + Players
    + Addresses
    + Sessions
    + Vacations
    + Preferences
    + Tokens
    + Webhooks
    + Challenges
    + Boards
    + BoardLists
    + Records
    + Clocks
    + Comments
    + Followers
    + Changes
    + Ratings
    + Inbox
    + Outbox
    + Letters
    + Deliveries
{
    /// Makes everything done in it durable, at once.
    fn commit(self: Box<Self>) -> Result<()>;
}
