//! What became of letters at each address.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{OutboxId, Result};
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

/// Deliveries of letters. Addresses are the same in any case.
pub trait Deliveries {
    /// Lists a letter's deliveries, by address.
    fn deliveries(&self, letter: OutboxId) -> Result<Vec<Delivery>>;
    /// Replaces a letter's delivery at an address.
    fn set_delivery(&mut self, letter: OutboxId, delivery: &Delivery) -> Result<()>;
    /// How many letters bounced at an address in this time.
    fn bounces(&self, address: &str, time: &Span) -> Result<u32>;
}
