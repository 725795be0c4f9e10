//! Fetches mail from a mailbox at a provider (IMAP4rev1, RFC 3501): stores each message, then moves it to another
//! folder.
//!
//! - `connection`: sockets, TLS and their timeouts; the error type, which says whether to retry.
//! - `session`: commands and their responses, with limits on both. `imap-next` implements the protocol.
//! - `mailbox`: the commands on the selected mailbox (search, sizes, fetch, move), and one poll, which stores the
//!   messages that have arrived.
//! - [`Worker`]: the thread that connects, logs in, waits and stops.
//!
//! The policy: the mailbox is a queue. Messages in it have not been stored, even if someone has read them; messages in
//! the folder have been stored. Therefore, this module stores no state of the mailbox, and changes of UIDs are
//! harmless. A message in the provider's spam folder is stored once someone moves it to the mailbox. A message is
//! removed only after the commit. After a crash in between, the message is stored twice. The commands of the second
//! copy are not executed, because both copies have the same identity. Messages are removed with MOVE (RFC 6851) or, if
//! the server does not support it, with COPY, `\Deleted` and UID EXPUNGE (RFC 4315). Without UID EXPUNGE, they remain
//! with `\Deleted` and are excluded from searches: a plain EXPUNGE would remove messages that others have marked.
//!
//! The server is not trusted: the length of each response, the total length of the responses to a command, and the time
//! of a command are limited. If the server announces mail and a poll finds none, a pause follows. The server's texts
//! are logged without control characters and without the password.

mod connection;
mod mailbox;
mod session;
mod worker;

pub use connection::ImapError;
pub use worker::{Worker, greet};
