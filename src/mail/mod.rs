//! The mail's face: `in_` reads, `out` sends.
//!
//! Neither half knows the other: what came in leaves notices in the outbox, and what goes out is read from there.

pub mod inbound;
pub mod outbound;
