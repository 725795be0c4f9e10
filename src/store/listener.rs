//! Hearing of what other nodes have committed.

use std::time::Duration;

use super::Result;

/// A connection on which a node hears of what others have committed. What is heard only saves waiting: whoever hears
/// nothing looks into the database from time to time.
pub trait Listener: Send {
    /// Waits until another node has committed something that is to be done or shown, at most so long; tells whether one
    /// did.
    fn wait(&mut self, most: Duration) -> Result<bool>;
}
