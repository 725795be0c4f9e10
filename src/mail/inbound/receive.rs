//! Storing raw mail in the inbox.

use std::io::Read;

use chrono::{DateTime, Utc};

use super::raw::RawMail;
use crate::store::{self, InboxId, MailSource, Store};
use crate::world::World;

/// The most mails that are stored in one transaction.
pub(super) const BATCH_MAILS: usize = 256;

/// The octets after which a transaction takes no further mail.
pub(super) const BATCH_OCTETS: usize = 16_000_000;

/// Where the mails of one source go.
pub(super) struct Intake<'a> {
    pub(super) store: &'a mut dyn Store,
    pub(super) world: World,
    /// Wakes whoever processes the inbox.
    pub(super) wake: &'a dyn Fn(),
}

impl Intake<'_> {
    /// As [`receive_all`].
    pub(super) fn receive_all(&mut self, mails: &[RawMail], source: MailSource) -> store::Result<Numbers> {
        receive_all(self.store, mails, source, (self.world.now)())
    }
}

/// Stores a raw mail. When this returns, the mail is on disk. One longer than `MAX_MAIL` is marked as truncated.
///
/// # Errors
/// The input cannot be read, is empty, or the store fails: the caller must then not acknowledge the mail.
pub fn receive(
    store: &mut dyn Store,
    input: impl Read,
    source: MailSource,
    now: DateTime<Utc>,
) -> anyhow::Result<InboxId> {
    let mail = RawMail::read(input)?;
    let mut tx = store.write_shared()?;
    let id = tx.add_mail(&mail.octets, mail.truncated, source, now)?;
    tx.commit()?;
    Ok(id)
}

/// The numbers of mails that were stored together, for the log: from the first to the last.
#[derive(Clone, Copy, Debug, Default)]
pub struct Numbers {
    /// The first; `None` when there were no mails.
    pub first: Option<i64>,
    /// The last.
    pub last: Option<i64>,
}

/// Stores mails that arrived together in one transaction: all of them, or none.
///
/// # Errors
/// The store's: the caller must then not acknowledge any of them.
pub fn receive_all(
    store: &mut dyn Store,
    mails: &[RawMail],
    source: MailSource,
    now: DateTime<Utc>,
) -> store::Result<Numbers> {
    // What arrives does not wait for what is processed, where the store lets it.
    let mut tx = store.write_shared()?;
    let mut numbers = Numbers::default();
    for mail in mails {
        let InboxId(number) = tx.add_mail(&mail.octets, mail.truncated, source, now)?;
        numbers.first.get_or_insert(number);
        numbers.last = Some(number);
    }
    tx.commit()?;
    Ok(numbers)
}
