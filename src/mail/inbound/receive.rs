//! Stores raw messages in the inbox.

use std::io::Read;

use chrono::{DateTime, Utc};

use super::raw::RawMail;
use crate::store::{self, InboxId, MailSource, Store};
use crate::world::World;

/// The most messages to store in one transaction.
pub(crate) const BATCH_MAILS: usize = 256;

/// A transaction of this many octets accepts no further message.
pub(crate) const BATCH_OCTETS: usize = 16_000_000;

/// Stores the messages of one source.
pub(crate) struct Intake<'a> {
    pub(crate) store: &'a mut dyn Store,
    pub(crate) world: World,
    /// Wakes the processing of the inbox.
    pub(crate) wake: &'a dyn Fn(),
}

impl Intake<'_> {
    /// See [`receive_all`].
    pub(crate) fn receive_all(&mut self, mails: &[RawMail], source: MailSource) -> store::Result<Numbers> {
        receive_all(self.store, mails, source, (self.world.now)())
    }
}

/// Stores a raw message durably. One longer than `MAX_MAIL` is marked as truncated.
///
/// # Errors
/// The input cannot be read, is empty, or the store fails: the caller must then not acknowledge the message.
pub fn receive(
    store: &mut dyn Store,
    input: impl Read,
    source: MailSource,
    now: DateTime<Utc>,
) -> anyhow::Result<InboxId> {
    let mail = RawMail::read(input)?;
    let mut tx = store.write()?;
    let id = tx.add_mail(&mail.octets, mail.truncated, source, now)?;
    tx.commit()?;
    Ok(id)
}

/// The range of numbers of messages that were stored together, for the log.
#[derive(Clone, Copy, Debug, Default)]
pub struct Numbers {
    /// The first; `None` if there were no messages.
    pub first: Option<i64>,
    /// The last.
    pub last: Option<i64>,
}

/// Stores messages that arrived together in one transaction: all of them, or none.
///
/// # Errors
/// Returns errors of the store: the caller must then not acknowledge any message.
pub fn receive_all(
    store: &mut dyn Store,
    mails: &[RawMail],
    source: MailSource,
    now: DateTime<Utc>,
) -> store::Result<Numbers> {
    let mut tx = store.write()?;
    let mut numbers = Numbers::default();
    for mail in mails {
        let InboxId(number) = tx.add_mail(&mail.octets, mail.truncated, source, now)?;
        numbers.first.get_or_insert(number);
        numbers.last = Some(number);
    }
    tx.commit()?;
    Ok(numbers)
}
