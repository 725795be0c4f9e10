//! Why there is no token.

/// Why there is no token.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OAuthError {
    /// The administrator must do something first.
    #[error("{0}")]
    Permanent(String),
    /// It may pass by itself.
    #[error("{0}")]
    Temporary(String),
}
