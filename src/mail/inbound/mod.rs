//! Finds the commands in raw mail, and executes them in the service.
//!
//! [`receive()`] stores a message durably. Only then does the source of the message (a pipe, [`lmtp`], a [`maildir`],
//! [`imap`]) acknowledge it. An [`InboxWorker`] processes the message later, so an error in its processing cannot lose
//! it.

mod account_line;
mod addressing;
mod answered_letter;
mod attempt;
mod banner;
mod bare_lines;
mod board_line;
mod bounce;
mod commands;
mod consent;
mod headers;
mod html;
pub mod imap;
pub mod lmtp;
mod machine;
pub mod maildir;
mod meant_line;
mod mime;
mod new_text;
mod numbered;
mod phrase;
mod pipeline;
mod plan_lines;
mod process;
mod read;
mod receive;
mod reply;
mod reply_line;
mod reply_token;
mod sealed;
mod signed_token;
mod waiting;
mod words;

use chrono::{DateTime, Utc};

use crate::compose::Composer;
use crate::service::Service;
use crate::text::Message;

pub use attempt::ATTEMPTS;
pub use commands::{FoundCommands, FoundLine, find_commands};
pub use new_text::{NewText, Piece, new_text};
pub use process::{InboxWorker, ProcessedMail};
pub use read::{HeaderError, Incoming, read};
pub use receive::{MAX_MAIL, Numbers, RawMail, receive, receive_all};
pub use sealed::Unreadable;
pub use waiting::InProgressMarker;

/// The parameters shared by all functions that process the inbox.
#[derive(Clone, Copy)]
pub struct InboxContext<'a> {
    /// The service that executes the commands.
    pub service: &'a Service<'a>,
    /// The server's own mail address.
    pub server_address: &'a str,
    /// Renders the reason of each verdict as text, and composes answered letters again.
    pub composer: &'a Composer,
    /// The current time.
    pub now: DateTime<Utc>,
}

impl InboxContext<'_> {
    /// Renders the reason of a verdict as text. If its template fails, returns the code and the facts of `reason`
    /// instead, so that the mail is still processed.
    pub(crate) fn words(&self, reason: &Message) -> String {
        self.composer.message(reason).unwrap_or_else(|_| reason.to_string())
    }
}
