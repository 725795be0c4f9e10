//! Why a letter was not accepted.

use crate::mail::oauth::OAuthError;
use crate::text;

/// Why a letter was not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// Retrying is useless: the recipient is refused, or the letter cannot be sent.
    #[error("{0}")]
    Permanent(String),
    /// A later attempt may succeed.
    #[error("{0}")]
    Temporary(String),
    /// The mail server refuses us, independently of the letter: for example a wrong password or an untrusted
    /// certificate. A later attempt may succeed once that is fixed.
    #[error("{0}")]
    Relay(String),
    /// No access token is available until the administrator acts; the letter was not tried.
    #[error("{0}")]
    Unauthorized(String),
    /// The mail server refuses the letter for a reason unrelated to the recipient: for example, relaying is denied or
    /// we are blocked. A later attempt may succeed once that is fixed.
    #[error("{0}")]
    Policy(String),
    /// The server did not answer in time. A later attempt may succeed.
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
    /// Returns whether retrying is useless.
    pub fn is_permanent(&self) -> bool {
        matches!(self, SendError::Permanent(_))
    }
}

/// Returns a server's text as one line without control characters.
pub(crate) fn one_line(text: &str) -> String {
    text::line(text).chars().take(500).collect::<String>().trim().to_owned()
}
