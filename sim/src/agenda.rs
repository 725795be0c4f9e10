//! The schedule of events in virtual time.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use crate::season::Act;
use turnpost::numbers::BoardNumber;
use turnpost::store::OutboxId;

/// A scheduled event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A copy of a message reaches the server.
    Arrive {
        /// The index of the message.
        mail: usize,
        /// The number of earlier copies or attempts.
        hop: usize,
    },
    /// A player reads a letter, and perhaps replies.
    Read {
        /// The player's index.
        player: usize,
        letter: OutboxId,
    },
    /// A player sends a message that no letter caused.
    Live(usize),
    /// A player looks at a board on which it is their turn.
    Look {
        /// The player's index.
        player: usize,
        board: BoardNumber,
    },
    /// A player wants another game.
    Challenge,
    /// A player performs a planned act of a season.
    Season {
        /// The player's index.
        player: usize,
        act: Act,
    },
    /// Somebody sends a message in a player's name.
    Forge,
    /// The server processes due work.
    Tick,
    /// The behaviour of the mail server changes.
    Weather,
    /// The server stops.
    Outage,
    /// The server starts again.
    Start,
    /// The server's clock is set to a wrong time, or corrected.
    Clock,
}

/// The future events, in order.
#[derive(Default)]
pub(crate) struct Agenda {
    events: BTreeMap<(DateTime<Utc>, u64), Event>,
    planned: u64,
}

impl Agenda {
    /// Schedules an event.
    pub(crate) fn plan(&mut self, at: DateTime<Utc>, event: Event) {
        self.planned += 1;
        self.events.insert((at, self.planned), event);
    }

    /// Returns the next event before this time.
    pub(crate) fn next(&mut self, before: DateTime<Utc>) -> Option<(DateTime<Utc>, Event)> {
        let ((at, _), _) = self.events.first_key_value().filter(|((at, _), _)| *at < before)?;
        let at = *at;
        self.events.pop_first().map(|(_, event)| (at, event))
    }
}
