//! Why a mail was not taken.

use crate::text;

/// Why a mail was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// It never will be taken: its recipient is refused, or it cannot be sent at all.
    #[error("{0}")]
    Permanent(String),
    /// It may be taken later.
    #[error("{0}")]
    Temporary(String),
    /// The mail server refuses this server, whatever the letter: a wrong password, a certificate that is not trusted. It
    /// may be taken when that is mended.
    #[error("{0}")]
    Relay(String),
    /// The mail server refuses the letter for a reason that is not its recipient's: it may not relay, or is blocked. It may
    /// be taken when that is mended.
    #[error("{0}")]
    Policy(String),
    /// There was no answer in time. It may be taken later.
    #[error("{0}")]
    Hung(String),
}

impl SendError {
    /// Whether it is of no use to try again.
    pub fn is_permanent(&self) -> bool {
        matches!(self, SendError::Permanent(_))
    }
}

/// A server's text for the record: one line, without control characters.
pub(super) fn one_line(text: &str) -> String {
    text::line(text).chars().take(500).collect::<String>().trim().to_owned()
}
