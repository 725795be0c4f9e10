//! Raw mail → new text → command → service.
//!
//! [`receive()`] stores a message durably; only then is it acknowledged. An [`InboxWorker`] processes it later. The
//! sources (a pipe, [`lmtp`], a [`maildir`], [`imap`]) only receive, so that no error in reading a message can lose it.

mod alone;
mod answered_letter;
mod attempt;
mod authentication;
mod banner;
mod base64;
mod bounce;
mod commands;
mod consent;
mod context;
mod crash_mark;
mod cut_text;
mod encoded_words;
mod enriched;
mod flowed;
mod greeting;
mod hashers;
mod headers;
mod html;
pub mod imap;
pub mod lmtp;
mod machine;
pub mod maildir;
mod mime;
mod new_text;
mod numbered;
mod order;
mod phrase;
mod pipeline;
mod private_text;
mod process;
mod raw;
mod read;
mod receive;
mod recipients;
mod reply;
mod reply_line;
mod reply_token;
mod scan;
mod sealed;
mod stop_words;
mod unreadable;
mod word_lists;

pub use attempt::ATTEMPTS;
pub use commands::{FoundCommands, FoundLine, find_commands};
pub use context::InboxContext;
pub use crash_mark::CrashMark;
pub use new_text::{NewText, Piece, new_text};
pub use pipeline::HeaderAuthor;
pub use process::{InboxWorker, ProcessedMail};
pub use raw::{MAX_MAIL, RawMail};
pub use read::{HeaderError, Incoming, read};
pub use receive::{Numbers, receive, receive_all};
pub use unreadable::Unreadable;
