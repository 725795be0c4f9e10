//! LMTP (RFC 2033): a mail server on this machine delivers mail to us.
//!
//! - `lines`: octets → lines, however they are split.
//! - `path`: the argument of `MAIL FROM:` and `RCPT TO:`.
//! - `data`: the lines of a mail → what is stored of it.
//! - [`Session`]: octets in, replies and finished mails out. No I/O, no clock.
//! - `committer`: mails that wait at the same time become one transaction.
//! - `socket`: Unix and TCP sockets.
//! - [`Server`]: the threads around them.
//!
//! The policy: each recipient is answered 250 only when the mail is on disk, 451 when the store failed, and not at all
//! when the program dies in between, so that the peer tries again; a second copy is harmless, because the mail's
//! identity is known. The peer gets a generic text, the log the detail. The log never quotes a line that is not a
//! command with an address: a client that is out of step sends the text of a mail as commands, and with it a password.

mod committer;
mod data;
mod lines;
mod path;
mod server;
mod session;
mod socket;

pub use server::{Server, Settings};
pub use session::{Mail, Session, SessionLimits, Step};
