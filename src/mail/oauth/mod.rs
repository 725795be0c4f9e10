//! OAuth 2.0 (RFC 6749) for the mailbox: access tokens in place of a password, for IMAP and SMTP.
//!
//! The administrator authorizes the mailbox once, by one of two grants:
//!
//! - [`DeviceFlow`]: they enter a code on a page of the provider (RFC 8628).
//! - [`BrowserFlow`]: they open an address of the provider, and bring back the one to which the browser is sent (RFC 6749,
//!   4.1, with PKCE, RFC 7636).
//!
//! Each ends with a refresh token, which is kept in a file for its owner alone (`grant`). [`AccessTokens`] asks the token
//! endpoint (`endpoint`, over `http`) for access tokens by it, which are kept in memory until shortly before they expire.
//! [`Sasl`] says how one is shown to a mail server. No token is in the database, the log or an error.

mod access;
mod browser_flow;
mod device_flow;
mod endpoint;
mod error;
mod grant;
mod http;
mod sasl;
mod secret;

pub use access::AccessTokens;
pub use browser_flow::BrowserFlow;
pub use device_flow::DeviceFlow;
pub use error::OAuthError;
pub use sasl::Sasl;
pub use secret::Secret;
