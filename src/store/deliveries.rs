//! The deliveries of letters to addresses.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::sql::{Cells, Name, Named, Nocase, Time, all, one, params, run_later};
use super::{OutboxId, Result, Transaction};
use crate::clock::Span;

/// The delivery of a letter to one address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The address, such as `alice@example.org`.
    pub address: String,
    /// The state of the delivery.
    pub state: DeliveryState,
    /// The time of the last change.
    pub at: DateTime<Utc>,
    /// The error of the receiving side.
    pub error: Option<String>,
}

/// The state of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeliveryState {
    /// The transport rejected it temporarily.
    Failed,
    /// The transport accepted it.
    Sent,
    /// The transport rejected it permanently.
    Refused,
    /// It was accepted and bounced.
    Bounced,
}

impl Named for DeliveryState {
    const NAMES: &'static [(Self, &'static str)] = &[
        (DeliveryState::Failed, "failed"),
        (DeliveryState::Sent, "sent"),
        (DeliveryState::Refused, "refused"),
        (DeliveryState::Bounced, "bounced"),
    ];
}

pub(crate) const OF_LETTER: &str =
    "SELECT address, state, at, error FROM deliveries WHERE letter = ?1 ORDER BY lower(address)";
pub(crate) const BOUNCES: &str =
    "SELECT count(*) FROM deliveries WHERE state = 'bounced' AND lower(address) = ?1 AND at >= ?2 AND at < ?3";

/// Deliveries of letters. Comparisons of addresses ignore case.
impl Transaction<'_> {
    /// Lists a letter's deliveries, by address.
    pub fn deliveries(&self, letter: OutboxId) -> Result<Vec<Delivery>> {
        all(self.db(), OF_LETTER, params![letter.0], |row| {
            let mut cells = Cells::of(row);
            Ok(Delivery {
                address: cells.take()?,
                state: cells.take::<Name<_>>()?.0,
                at: cells.time()?,
                error: cells.take()?,
            })
        })
    }

    /// Replaces a letter's delivery at an address.
    pub fn set_delivery(&mut self, letter: OutboxId, delivery: &Delivery) -> Result<()> {
        let sql = "INSERT INTO deliveries (letter, address, state, at, error) VALUES (?1, ?2, ?3, ?4, ?5) \
             ON CONFLICT (letter, lower(address)) DO UPDATE SET state = excluded.state, at = excluded.at, error = excluded.error";
        let Delivery { address, state, at, error } = delivery;
        run_later(self.writable_queue()?, sql, params![letter.0, address, Name(*state), Time(*at), error])
    }

    /// Counts the letters that bounced at an address in this time span.
    pub fn bounces(&self, address: &str, time: &Span) -> Result<u32> {
        Ok(one(self.db(), BOUNCES, params![Nocase(address), Time(time.from), Time(time.until)], |row| row.get(0))?
            .unwrap_or(0))
    }
}
