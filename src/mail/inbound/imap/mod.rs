//! A mailbox at a provider (IMAP4rev1, RFC 3501): the mails in it are stored, then moved to another folder.
//!
//! - `error`: an error, and whether it may pass by itself.
//! - `connection`: sockets, TLS and their timeouts.
//! - `session`: commands and their responses, with limits on both. The protocol itself is `imap-next`'s.
//! - `login`: from a connection to a logged-in session.
//! - `mailbox`: the commands of the selected state: search, sizes, fetch, move.
//! - `poll`: one poll, which stores what has arrived.
//! - [`Worker`]: the thread around them, which connects, waits and is stopped.
//!
//! The policy: the mailbox is a queue. A mail in it has not been taken, whoever has read it meanwhile; one in the folder
//! has been. So no state of the mailbox is kept on our side, no change of its UIDs matters, and a mail that the provider
//! classified as spam is taken when somebody moves it to the mailbox. A mail leaves only after the commit; a crash in
//! between gives a second copy, which the mail's identity makes harmless. It leaves by MOVE (RFC 6851) or, without that,
//! by COPY, `\Deleted` and UID EXPUNGE (RFC 4315). Without that either, it stays with `\Deleted` and is not searched
//! for again: a plain EXPUNGE would remove what others have marked.
//!
//! The server is not trusted: the length of each response, of all responses to one command and the time for it are
//! bounded, and a poll that found nothing is followed by a pause. The server's texts are logged without control
//! characters and without the password.

mod connection;
mod error;
mod login;
mod mailbox;
mod poll;
mod session;
mod worker;

pub use error::ImapError;
pub use login::greet;
pub use worker::Worker;
