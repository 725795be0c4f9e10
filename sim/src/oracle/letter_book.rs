//! The model of the letters that the server has sent.

use std::collections::{BTreeMap, VecDeque};

use anyhow::ensure;
use chrono::{DateTime, Utc};

use turnpost::numbers::{BoardNumber, EntryNumber};
use turnpost::store::OutboxId;

/// The letters that the server has sent.
#[derive(Default)]
pub(crate) struct Letters {
    /// Indexed by letter and address.
    pub(crate) sent: BTreeMap<(i64, String), SentLetter>,
    pub(crate) message_ids: BTreeMap<i64, String>,
    /// For each address without a player, the times in the last 20 hours at which the mail server accepted
    /// letters to it.
    pub(crate) to_strangers: BTreeMap<String, VecDeque<DateTime<Utc>>>,
    /// The time at which the mail server first accepted each reminder. A reminder is identified by the board and its
    /// last entry.
    pub(crate) reminders: BTreeMap<(BoardNumber, EntryNumber), DateTime<Utc>>,
}

/// The attempts to send a letter to one address.
#[derive(Default)]
pub(crate) struct SentLetter {
    pub(crate) taken: u32,
    /// The number of attempts after which the server could not know whether the letter had been accepted.
    pub(crate) unknown: u32,
}

impl Letters {
    pub(crate) fn was_taken(&self, letter: OutboxId) -> bool {
        self.sent
            .range((letter.0, String::new())..)
            .take_while(|((of, _), _)| *of == letter.0)
            .any(|(_, s)| s.taken > 0)
    }

    pub(crate) fn reminder(&self, board: BoardNumber, entry: EntryNumber) -> Option<DateTime<Utc>> {
        self.reminders.get(&(board, entry)).copied()
    }

    /// Checks that the server sent a letter again only if it could not know whether the letter had been accepted.
    pub(crate) fn finish(&self) -> anyhow::Result<()> {
        for ((letter, address), sent) in &self.sent {
            let (taken, most) = (sent.taken, 1 + sent.unknown);
            ensure!(
                taken <= most,
                "letter {letter} was sent {taken} times to {address}, but at most {most} were allowed"
            );
        }
        Ok(())
    }
}
