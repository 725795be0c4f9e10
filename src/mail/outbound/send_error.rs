//! Why a mail was not taken.

use crate::mail::oauth::OAuthError;
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
    /// There is no access token for the mail server until the administrator does something; the letter was not tried.
    #[error("{0}")]
    Unauthorized(String),
    /// The mail server refuses the letter for a reason that is not its recipient's: it may not relay, or is blocked. It may
    /// be taken when that is mended.
    #[error("{0}")]
    Policy(String),
    /// There was no answer in time. It may be taken later.
    #[error("{0}")]
    Hung(String),
}

impl From<OAuthError> for SendError {
    fn from(error: OAuthError) -> SendError {
        match error {
            OAuthError::Permanent(why) => SendError::Unauthorized(why),
            OAuthError::Temporary(why) => SendError::Temporary(why),
        }
    }
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
