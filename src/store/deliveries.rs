//! What became of letters at each address.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::sql::{Cells, Name, Named, Nocase, Time, all, one, params, run};
use super::{OutboxId, Result, Transaction};
use crate::clock::Span;

/// What became of a letter at one address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// `alice@example.org`
    pub address: String,
    /// How far it has come.
    pub state: DeliveryState,
    /// When that was.
    pub at: DateTime<Utc>,
    /// What the receiving side said against it.
    pub error: Option<String>,
}

/// How far a letter has come at one address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeliveryState {
    /// The transport did not take it, and may later.
    Failed,
    /// The transport took it.
    Sent,
    /// The transport will never take it.
    Refused,
    /// It was taken, and came back.
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

pub(super) const OF_LETTER: &str =
    "SELECT address, state, at, error FROM deliveries WHERE letter = ?1 ORDER BY lower(address)";
pub(super) const BOUNCES: &str =
    "SELECT count(*) FROM deliveries WHERE state = 'bounced' AND lower(address) = ?1 AND at >= ?2 AND at < ?3";

/// Deliveries of letters. Addresses are the same in any case.
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
        run(self.writable_shared()?, sql, params![letter.0, address, Name(*state), Time(*at), error])?;
        Ok(())
    }

    /// How many letters bounced at an address in this time.
    pub fn bounces(&self, address: &str, time: &Span) -> Result<u32> {
        Ok(one(self.db(), BOUNCES, params![Nocase(address), Time(time.from), Time(time.until)], |row| row.get(0))?
            .unwrap_or(0))
    }
}
