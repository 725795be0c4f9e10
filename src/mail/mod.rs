//! Mail: `inbound` turns raw mail into requests, `outbound` turns notices into letters.
//!
//! The two halves do not use each other: `inbound` writes notices to the outbox, and `outbound` reads them from there.
//! Both can log in with the access tokens of `oauth`.

pub mod inbound;
pub mod oauth;
pub mod outbound;
