//! A mail server in this process, which the simulation supplies.

use super::send_error::SendError;

/// A mail server in this process. Letters are given to it one at a time, from a thread of their own.
pub trait LocalServer: Send + Sync {
    /// Takes a mail for one address, under this envelope sender.
    ///
    /// # Errors
    /// It was not taken, now or ever; or it was, and no answer came.
    fn take(&self, mail: &[u8], sender: &str, address: &str) -> Result<(), SendError>;
}
