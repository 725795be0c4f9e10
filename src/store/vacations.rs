//! Players' vacations.

use chrono::{DateTime, Utc};

use super::{PlayerId, Result};
use crate::clock::Span;

/// Players' vacations, on which their clocks stand still.
pub trait Vacations {
    /// Lists a player's vacations, by time.
    fn vacations(&self, player: PlayerId) -> Result<Vec<Span>>;
    /// Adds a vacation. Of two that begin at the same moment, the longer one is kept.
    fn add_vacation(&mut self, player: PlayerId, span: &Span) -> Result<()>;
    /// Ends the vacation that runs at `now`, and removes later ones.
    fn cut_vacation(&mut self, player: PlayerId, now: DateTime<Utc>) -> Result<()>;
}
