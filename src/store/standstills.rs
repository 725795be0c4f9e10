//! Times in which clocks stand still.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{PlayerId, Result};

/// Why a clock stands still.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StopCause {
    /// Its player is on vacation.
    Vacation,
    /// No program looked at the clocks: the server was off.
    Off,
    /// The administrator holds all letters.
    Held,
    /// The administrator has paused all clocks.
    Paused,
}

/// A time in which a clock stands still.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// Its first moment.
    pub from: DateTime<Utc>,
    /// The first moment that is no longer part of it; `None` while nobody knows.
    pub until: Option<DateTime<Utc>>,
    /// Why.
    pub cause: StopCause,
    /// The administrator's reason, which players read; empty without one.
    pub reason: String,
}

/// Standstills: times in which all clocks stand still. No two of the same cause last at a time.
pub trait Standstills {
    /// Lists when a player's clocks stand still, by time: their vacations, the standstills that last, and the newest one.
    fn stops(&self, player: PlayerId) -> Result<Vec<Stop>>;
    /// Returns the standstill of a cause that lasts.
    fn lasting(&self, cause: StopCause) -> Result<Option<Stop>>;
    /// Adds a standstill, which may have ended.
    fn add_standstill(&mut self, stop: &Stop) -> Result<()>;
    /// Ends the standstill of a cause that lasts; `None` removes it.
    fn end_standstill(&mut self, cause: StopCause, at: Option<DateTime<Utc>>) -> Result<()>;
    /// When a program last looked at the clocks, as far as it was written down.
    fn clocks_seen_at(&self) -> Result<Option<DateTime<Utc>>>;
    /// Writes down that a program looks at the clocks.
    fn set_clocks_seen_at(&mut self, at: DateTime<Utc>) -> Result<()>;
}
