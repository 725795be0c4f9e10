//! LMTP (RFC 2033): a mail server on this machine hands its mail over.
//!
//! - `line`: octets → lines, however they are split.
//! - `path`: what stands behind `MAIL FROM:` and `RCPT TO:`.
//! - `data`: the lines of a mail → what is kept of it.
//! - [`Session`]: octets in, replies and finished mails out. No I/O, no clock.
//! - `committer`: what is queued becomes one transaction.
//! - [`Server`]: the sockets and threads around them.
//!
//! The policy: 250 is said to each recipient only when the mail is on disk, 451 when the store failed, and nothing
//! when the program dies in between, so that the peer tries again; a second copy is harmless, because the mail's
//! identity is known. The peer reads a generic text, the log has the detail. The log never quotes a line that is not a
//! command with an address: a client that is out of step sends the text of a mail as commands, and with it a password.

mod committer;
mod data;
mod line;
mod path;
mod server;
mod session;

pub use server::{Server, Settings};
pub use session::{Limits, Mail, Session, Step};
