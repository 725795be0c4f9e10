//! The desk: a [`Request`] in, an [`Answer`] or a [`Refused`] out; the only room that changes a board.
//!
//! It works inside a transaction of the store that its caller begins and commits, so that a mail's verdict and what
//! the mail changed are one. It checks everything before it writes anything: a refused request has written nothing.

mod types;

pub use types::*;
