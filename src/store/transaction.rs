//! Connections and transactions: all subjects of the store together.

use std::path::Path;

use super::acts::Acts;
use super::addresses::Addresses;
use super::analyses::Analyses;
use super::blocked_senders::BlockedSenders;
use super::board_letters::BoardLetters;
use super::boards::Boards;
use super::challenges::Challenges;
use super::changes::Changes;
use super::clocks::Clocks;
use super::comments::Comments;
use super::counts::Counting;
use super::deliveries::Deliveries;
use super::error::{Failure, Result, StoreError};
use super::followers::Followers;
use super::hints::RobotHints;
use super::history::History;
use super::inbox::Inbox;
use super::instance::InstanceKeys;
use super::leases::Leases;
use super::limits::Limits;
use super::lists::BoardLists;
use super::moving::Moving;
use super::outbox::{Letters, Outbox};
use super::player_names::PlayerNames;
use super::players::Players;
use super::preferences::Preferences;
use super::puzzles::Puzzles;
use super::ratings::Ratings;
use super::records::Records;
use super::reports::Reports;
use super::results::Results;
use super::retention::Retention;
use super::sessions::Sessions;
use super::standstills::Standstills;
use super::tokens::Tokens;
use super::vacations::Vacations;
use super::webhooks::Webhooks;

/// How often something that conflicts is tried in one way, the last time in another way if there is one.
pub const ATTEMPTS: u32 = 4;

/// A connection to a database. A thread has its own: [`open`](super::open()) is called once for each.
pub trait Store: Send {
    /// Begins a transaction that sees one snapshot and changes nothing.
    fn read(&mut self) -> Result<Box<dyn Transaction + '_>>;
    /// Begins a transaction that writes alone. It waits for other writers up to a timeout of some seconds.
    fn write(&mut self) -> Result<Box<dyn Transaction + '_>>;
    /// Begins a transaction that writes beside others of its kind, if [`Store::shares_writing`]: what a turn writes, which
    /// letters are made, leased and sent, the lease of whoever chooses a move, and nothing else. Where it fails with
    /// [`StoreError::NeedsExclusive`], or with [`StoreError::Busy`] or [`StoreError::Conflict`] because another writes at the
    /// same place, the same is to be done again, in the end alone ([`write_beside`]).
    fn write_shared(&mut self) -> Result<Box<dyn Transaction + '_>> {
        self.write()
    }
    /// Whether transactions can write beside each other; otherwise there is one writer at a time.
    fn shares_writing(&self) -> bool {
        false
    }
    /// Waits before what met with another transaction is done again: for a time that differs, so that those that met
    /// do not meet again.
    fn wait_after_conflict(&self) {}
    /// Erases for good what was deleted (a mail that held a password, say), and moves what was committed to where it
    /// stays. Cheap when there is nothing to do; skipped while another process reads.
    fn settle(&mut self) -> Result<()>;
    /// What is wrong with the database as a file, in the words of the database; nothing when it is sound. It waits for no
    /// writer and makes none wait.
    fn faults(&mut self, check: FileCheck) -> Result<Vec<String>>;
    /// The settings of the database by which a crash may lose what was committed, in words.
    fn risks(&mut self) -> Result<Vec<String>>;
    /// Writes a copy of the database, as it is at one moment, to a new file. It waits for no writer and makes none wait.
    fn copy_to(&mut self, file: &Path) -> Result<()>;
}

/// Writes beside others, where the store lets it; some times again where another writes at the same place, and alone where
/// that does not help or it has to be alone. What `work` did is undone before it is called again.
///
/// # Errors
/// The store's, or those of `work`.
pub fn write_beside<T, E: Failure>(
    store: &mut dyn Store,
    mut work: impl FnMut(&mut dyn Transaction) -> std::result::Result<T, E>,
) -> std::result::Result<T, E> {
    // Whoever writes alone waits until all others are done, and makes those wait that come after them.
    for _ in 1..ATTEMPTS {
        if !store.shares_writing() {
            break;
        }
        let done = committed(store.write_shared()?, &mut work);
        match done.as_ref().err().and_then(E::of_store) {
            Some(StoreError::NeedsExclusive) => break,
            Some(StoreError::Busy | StoreError::Conflict) => store.wait_after_conflict(),
            _ => return done,
        }
    }
    write_alone(store, work)
}

/// Writes alone; some times again where that fails because of another program, an administrator's say, which takes no turns
/// with ours. What `work` did is undone before it is called again.
///
/// # Errors
/// The store's, or those of `work`.
pub fn write_alone<T, E: Failure>(
    store: &mut dyn Store,
    mut work: impl FnMut(&mut dyn Transaction) -> std::result::Result<T, E>,
) -> std::result::Result<T, E> {
    for _ in 1..ATTEMPTS {
        let done = committed(store.write()?, &mut work);
        if !matches!(done.as_ref().err().and_then(E::of_store), Some(StoreError::Conflict)) {
            return done;
        }
        store.wait_after_conflict();
    }
    committed(store.write()?, &mut work)
}

fn committed<T, E: Failure>(
    mut tx: Box<dyn Transaction + '_>,
    work: &mut dyn FnMut(&mut dyn Transaction) -> std::result::Result<T, E>,
) -> std::result::Result<T, E> {
    let done = work(&mut *tx)?;
    tx.commit()?;
    Ok(done)
}

/// How thoroughly a file is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileCheck {
    /// Every page is read.
    Quick,
    /// Indexes are compared with their tables as well, and references with the rows that they mean.
    Full,
}

impl<S: Store + ?Sized> Store for Box<S> {
    fn read(&mut self) -> Result<Box<dyn Transaction + '_>> {
        (**self).read()
    }

    fn write(&mut self) -> Result<Box<dyn Transaction + '_>> {
        (**self).write()
    }

    fn write_shared(&mut self) -> Result<Box<dyn Transaction + '_>> {
        (**self).write_shared()
    }

    fn shares_writing(&self) -> bool {
        (**self).shares_writing()
    }

    fn wait_after_conflict(&self) {
        (**self).wait_after_conflict();
    }

    fn settle(&mut self) -> Result<()> {
        (**self).settle()
    }

    fn faults(&mut self, check: FileCheck) -> Result<Vec<String>> {
        (**self).faults(check)
    }

    fn risks(&mut self) -> Result<Vec<String>> {
        (**self).risks()
    }

    fn copy_to(&mut self, file: &Path) -> Result<()> {
        (**self).copy_to(file)
    }
}

/// A transaction: every subject of the store. Dropped without [`Transaction::commit`], it changes nothing.
pub trait Transaction:
    InstanceKeys
    + Players
    + PlayerNames
    + Addresses
    + Sessions
    + Limits
    + BlockedSenders
    + Vacations
    + Standstills
    + Acts
    + Preferences
    + Tokens
    + Webhooks
    + Challenges
    + Boards
    + BoardLists
    + Records
    + Clocks
    + Leases
    + Comments
    + Analyses
    + RobotHints
    + Puzzles
    + Followers
    + BoardLetters
    + Changes
    + Ratings
    + Results
    + Inbox
    + Outbox
    + Letters
    + Deliveries
    + History
    + Reports
    + Counting
    + Moving
    + Retention
{
    /// Makes everything done in it durable, at once.
    fn commit(self: Box<Self>) -> Result<()>;
    /// Fails with [`StoreError::NeedsExclusive`] if it writes beside others.
    fn needs_exclusive(&self) -> Result<()>;
    /// Sets the savepoint, of which there is one at a time: what is done from here on can be undone by itself.
    fn set_savepoint(&mut self) -> Result<()>;
    /// Removes the savepoint, and keeps what was done since.
    fn release_savepoint(&mut self) -> Result<()>;
    /// Removes the savepoint, and undoes what was done since.
    fn undo_to_savepoint(&mut self) -> Result<()>;
}
