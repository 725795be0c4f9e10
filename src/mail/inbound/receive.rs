//! Stores raw messages in the inbox.

use std::io::Read;

use chrono::{DateTime, Utc};

use crate::store::{self, InboxId, MailSource, Store};
use crate::world::World;

/// The maximum number of messages to store in one transaction.
pub(crate) const BATCH_MAILS: usize = 256;
/// A transaction of this many octets accepts no further message.
pub(crate) const BATCH_OCTETS: usize = 16_000_000;
/// The longest message to read, in octets.
pub const MAX_MAIL: usize = 1_000_000;
/// How much of a longer message is stored: enough to identify its sender.
pub(crate) const MAX_HEAD: usize = 64 * 1024;

/// The store to which a source of mail writes its messages.
pub(crate) struct Intake<'a> {
    pub(crate) store: &'a mut dyn Store,
    pub(crate) world: World,
    /// Wakes the worker that processes the inbox.
    pub(crate) wake: &'a dyn Fn(),
}

impl Intake<'_> {
    /// Stores messages with [`receive_all`], with the current time as their time of arrival.
    pub(crate) fn receive_all(&mut self, mails: &[RawMail], source: MailSource) -> store::Result<Numbers> {
        receive_all(self.store, mails, source, (self.world.now)())
    }
}

/// Stores a raw message durably. A message longer than `MAX_MAIL` is marked as truncated.
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

/// The range of numbers of messages stored together, for the log.
#[derive(Clone, Copy, Debug, Default)]
pub struct Numbers {
    /// The first number; `None` if there were no messages.
    pub first: Option<i64>,
    /// The last number; `None` if there were no messages.
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

/// A raw message before it is stored. If the message is longer than [`MAX_MAIL`], only its first octets are included.
#[derive(Clone, Debug)]
pub struct RawMail {
    pub(crate) octets: Vec<u8>,
    pub(crate) truncated: bool,
}

impl RawMail {
    /// Reads a message to its end, even if only its head is stored: after a broken pipe, a sender would retry for days.
    ///
    /// # Errors
    /// The input cannot be read, or is empty.
    pub fn read(mut input: impl Read) -> anyhow::Result<RawMail> {
        let mut octets = Vec::new();
        input.by_ref().take(MAX_MAIL as u64 + 1).read_to_end(&mut octets)?;
        anyhow::ensure!(!octets.is_empty(), "the input is empty: expected a message");
        let truncated = octets.len() > MAX_MAIL;
        if truncated {
            std::io::copy(&mut input, &mut std::io::sink())?;
            return Ok(RawMail::head(octets));
        }
        Ok(RawMail::whole(octets))
    }

    /// Wraps a message whose length has been checked.
    pub fn whole(octets: Vec<u8>) -> RawMail {
        RawMail { octets, truncated: false }
    }

    /// Wraps the first octets of a message longer than [`MAX_MAIL`].
    pub(crate) fn head(mut octets: Vec<u8>) -> RawMail {
        octets.truncate(MAX_HEAD);
        RawMail { octets, truncated: true }
    }

    /// Returns the length in octets. For a truncated message, this is the length of the stored beginning.
    #[allow(clippy::len_without_is_empty, reason = "none is empty")]
    pub fn len(&self) -> usize {
        self.octets.len()
    }
}
