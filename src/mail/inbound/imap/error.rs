//! An error at the server, for the log and for the wait before the next attempt.

use crate::mail::oauth::OAuthError;

/// Why a connection ended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImapError {
    /// Somebody must do something first. Frequent attempts might lock the user out.
    #[error("{0}")]
    Permanent(String),
    /// The server refuses the login, by a password or by an access token that may have expired early.
    #[error("{0}")]
    LoginRefused(String),
    /// There is no access token until somebody does something. Looking for one costs nothing.
    #[error("{0}")]
    Unauthorized(String),
    /// It may pass by itself.
    #[error("{0}")]
    Temporary(String),
}

impl ImapError {
    /// An error that will not pass by itself.
    pub(super) fn permanent(text: impl Into<String>) -> ImapError {
        ImapError::Permanent(text.into())
    }

    /// An error that may pass by itself.
    pub(super) fn temporary(text: impl Into<String>) -> ImapError {
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
