//! Notifications of commits by other nodes.

use std::time::Duration;

use super::Result;

/// A connection that receives notifications of commits by other nodes. Notifications only reduce delays: nodes without
/// them also check the database periodically.
pub trait Listener: Send {
    /// Waits at most this long until another node commits a change that matters to others; returns whether one did.
    fn wait(&mut self, most: Duration) -> Result<bool>;
}
