//! A mailbox at a provider (IMAP4rev1, RFC 3501): what is in it is kept, then moved to another folder.
//!
//! - `trouble`: what went wrong, and whether it may be better soon.
//! - `wire`: sockets, TLS and their timeouts.
//! - `session`: commands and their answers, with limits on what a server may say. The protocol itself is `imap-next`'s.
//! - `mailbox`: what is asked of the server: what there is, how long, the mail, its move.
//! - `round`: looks once, and keeps what has arrived.
//! - [`Watch`]: the thread around them, which connects, waits and is stopped.
//!
//! The policy: the mailbox is a queue. A mail that is there has not been taken, whoever has read it meanwhile; one that
//! is in the folder has been. So nothing about the mailbox is remembered on our side, no change of its UIDs matters, and
//! a mail that the provider took for spam is taken when somebody moves it to the mailbox. It leaves only after the
//! commit; a crash in between gives a second copy, which the mail's identity makes harmless. It is moved by MOVE
//! (RFC 6851), where there is no such thing by COPY, `\Deleted` and UID EXPUNGE (RFC 4315). Without that either, it
//! stays with `\Deleted`, and such a mail is looked at no more: a plain EXPUNGE would remove what others have marked.
//!
//! A server is not believed: each of its responses, all of them to one command and the time for it are bounded, and a
//! round that brought nothing is followed by a pause. What it says stands in the log without control characters and
//! without the password.

mod mailbox;
mod round;
mod session;
mod trouble;
mod watch;
mod wire;

pub use watch::Watch;
