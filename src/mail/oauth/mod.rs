//! OAuth 2.0 (RFC 6749) for the mailbox: access tokens instead of a password, for IMAP and SMTP.
//!
//! The administrator authorizes the mailbox once, by one of two grants:
//!
//! - [`DeviceFlow`]: they enter a code on a page of the provider (RFC 8628).
//! - [`BrowserFlow`]: they open an address of the provider, and paste the address to which the browser is redirected
//!   (RFC 6749, 4.1, with PKCE, RFC 7636).
//!
//! Both store a refresh token in a file that only its owner can read (`grant`). With it, [`AccessTokens`] requests
//! access tokens from the token endpoint (`endpoint`, over `http`) and caches them until shortly before they expire.
//! [`Sasl`] encodes a token for a mail server. The database, the log and errors never contain a token.

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
