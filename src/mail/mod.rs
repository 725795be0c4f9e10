//! Mail: `inbound` turns raw mail into requests, `outbound` turns notices into letters.
//!
//! Neither half uses the other: inbound mail leaves notices in the outbox, and outbound mail is read from there. Both log in
//! by the access tokens of `oauth` where the configuration says so.

pub mod inbound;
pub mod oauth;
pub mod outbound;
