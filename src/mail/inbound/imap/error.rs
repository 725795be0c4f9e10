//! Errors of an IMAP connection, for the log and for the wait before the next attempt.

use crate::mail::oauth::OAuthError;

/// Why a connection ended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImapError {
    /// The administrator must act first. Frequent attempts might lock the account.
    #[error("{0}")]
    Permanent(String),
    /// The server refuses the login with a password, or with an access token that may have expired early.
    #[error("{0}")]
    LoginRefused(String),
    /// No access token is available until the administrator acts. Checking for one is cheap.
    #[error("{0}")]
    Unauthorized(String),
    /// A later attempt may succeed.
    #[error("{0}")]
    Temporary(String),
}

impl ImapError {
    /// Creates an error that persists until the administrator acts.
    pub(crate) fn permanent(text: impl Into<String>) -> ImapError {
        ImapError::Permanent(text.into())
    }

    /// Creates an error that may not occur in a later attempt.
    pub(crate) fn temporary(text: impl Into<String>) -> ImapError {
        ImapError::Temporary(text.into())
    }
}

impl From<OAuthError> for ImapError {
    fn from(error: OAuthError) -> ImapError {
        match error {
            OAuthError::Permanent(why) => ImapError::Unauthorized(why),
            OAuthError::Temporary(why) => ImapError::Temporary(why),
        }
    }
}

impl From<std::io::Error> for ImapError {
    fn from(error: std::io::Error) -> ImapError {
        ImapError::Temporary(format!("the connection was lost: {error}"))
    }
}
