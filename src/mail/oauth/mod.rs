//! OAuth 2.0 (RFC 6749) for the mailbox: access tokens instead of a password, for IMAP and SMTP.
//!
//! The administrator authorizes the mailbox once, in one of two ways:
//!
//! - [`DeviceFlow`]: they enter a code on a page of the provider (RFC 8628).
//! - [`BrowserFlow`]: they open a page of the provider in a browser, and paste the address to which the browser is
//!   redirected (RFC 6749, 4.1, with PKCE, RFC 7636).
//!
//! Both store a refresh token in a file that only its owner can read (`provider`). With this token, [`AccessTokens`]
//! requests access tokens from the token endpoint and caches them until shortly before they expire. [`Sasl`] encodes a
//! token for a mail server. The database, the log and errors never contain a token.

mod flows;
mod provider;
mod tokens;

use std::fmt;

use serde::Deserialize;

pub use flows::{BrowserFlow, DeviceFlow};
pub use tokens::{AccessTokens, Sasl};

/// Why no access token is available.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OAuthError {
    /// Retrying is useless until the administrator fixes the cause.
    #[error("{0}")]
    Permanent(String),
    /// A later attempt may succeed.
    #[error("{0}")]
    Temporary(String),
}

/// A token, a code or a client secret; `Debug` hides it.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    pub(crate) fn new(text: impl Into<String>) -> Secret {
        Secret(text.into())
    }

    /// Returns the secret, for a request to the provider or a mail server.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}
