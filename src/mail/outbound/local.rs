//! A mail server in this process, supplied by the simulation.

use super::send_error::SendError;

/// A mail server in this process. A separate thread hands it one letter at a time.
pub trait LocalServer: Send + Sync {
    /// Accepts a message for one address, under this envelope sender.
    ///
    /// # Errors
    /// The message was refused, temporarily or permanently; or it was accepted, and the reply was lost.
    fn take(&self, mail: &[u8], sender: &str, address: &str) -> Result<(), SendError>;
}
