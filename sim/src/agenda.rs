//! What is to happen when, in virtual time.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use turnpost::numbers::BoardNumber;
use turnpost::store::OutboxId;

/// Something that happens at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A copy of a mail comes to the server.
    Arrive {
        /// The mail's place among all mails.
        mail: usize,
        /// How many copies or attempts there were before.
        hop: usize,
    },
    /// A player reads a letter, and answers it perhaps.
    Read {
        /// The player's place.
        player: usize,
        letter: OutboxId,
    },
    /// A player does something of their own accord.
    Live(usize),
    /// A player looks at a board on which it is their turn.
    Look {
        /// The player's place.
        player: usize,
        board: BoardNumber,
    },
    /// Somebody wants another game.
    Challenge,
    /// Somebody speaks in the name of another.
    Forge,
    /// The server processes what is due.
    Tick,
    /// The mail server changes.
    Weather,
    /// The server stops.
    Outage,
    /// The server starts again.
    Start,
    /// The server's clock is set wrong, or right again.
    Clock,
}

/// The events to come, in order.
#[derive(Default)]
pub(crate) struct Agenda {
    events: BTreeMap<(DateTime<Utc>, u64), Event>,
    planned: u64,
}

impl Agenda {
    /// Plans an event.
    pub(crate) fn plan(&mut self, at: DateTime<Utc>, event: Event) {
        self.planned += 1;
        self.events.insert((at, self.planned), event);
    }

    /// The next event before this time.
    pub(crate) fn next(&mut self, before: DateTime<Utc>) -> Option<(DateTime<Utc>, Event)> {
        let ((at, _), _) = self.events.first_key_value().filter(|((at, _), _)| *at < before)?;
        let at = *at;
        self.events.pop_first().map(|(_, event)| (at, event))
    }
}
