//! LMTP (RFC 2033): a mail server on this machine delivers mail to us.
//!
//! - `input`: splits octets into lines, parses the arguments of `MAIL FROM:` and `RCPT TO:`, and builds a message from
//!   its lines.
//! - [`Session`]: turns received octets into replies and complete messages. It uses neither I/O nor a clock.
//! - `socket`: Unix and TCP sockets.
//! - [`Server`]: the threads; messages that wait concurrently share one transaction.
//!
//! The policy: each recipient receives 250 only when the message is on disk, 451 if the store failed, and no reply if
//! the program dies in between, so that the peer retries; the commands of a second copy are not executed, because both
//! copies have the same identity. The peer receives a generic text; the log contains the details. The log never quotes
//! a line other than a command with an address: a faulty client may send the text of a message as commands, possibly
//! with a password.

mod input;
mod server;
mod session;
mod socket;

pub use server::{Server, Settings};
pub use session::{Mail, Session, SessionLimits, Step};
