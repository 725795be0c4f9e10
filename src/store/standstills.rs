//! Times in which clocks are stopped.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{PlayerId, Result};

/// The reason why a clock is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StopCause {
    /// Its player is on vacation.
    Vacation,
    /// The server was off: no program watched the clocks.
    Off,
    /// The administrator holds all letters.
    Held,
    /// The administrator has paused all clocks.
    Paused,
    /// The server is under maintenance.
    Maintenance,
}

/// A time in which a clock is stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stop {
    /// Its first moment.
    pub from: DateTime<Utc>,
    /// The first moment after it; `None` while it lasts.
    pub until: Option<DateTime<Utc>>,
    /// Why the clock is stopped.
    pub cause: StopCause,
    /// The administrator's reason, which players read; empty without one.
    pub reason: String,
}

/// Standstills: times in which all clocks are stopped. At most one of each cause lasts at a time.
pub trait Standstills {
    /// Lists the times in which a player's clocks are stopped, by their beginning: vacations, lasting standstills, and the newest
    /// standstill.
    fn stops(&self, player: PlayerId) -> Result<Vec<Stop>>;
    /// Lists all standstills, in the order in which they were added.
    fn standstills(&self) -> Result<Vec<Stop>>;
    /// Returns the lasting standstill of a cause.
    fn lasting(&self, cause: StopCause) -> Result<Option<Stop>>;
    /// Adds a standstill, lasting or ended.
    fn add_standstill(&mut self, stop: &Stop) -> Result<()>;
    /// Ends the lasting standstill of a cause; `None` removes it.
    fn end_standstill(&mut self, cause: StopCause, at: Option<DateTime<Utc>>) -> Result<()>;
    /// Returns when a program last recorded that it watches the clocks.
    fn clocks_seen_at(&self) -> Result<Option<DateTime<Utc>>>;
    /// Records that a program watches the clocks.
    fn set_clocks_seen_at(&mut self, at: DateTime<Utc>) -> Result<()>;
}
