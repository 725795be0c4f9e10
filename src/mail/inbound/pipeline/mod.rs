//! What becomes of one mail: a sequence of stages, each of which decides the mail or passes it on.
//!
//! 1. `screen`: the headers, before any transaction; a second copy; a bounce; a mail to the address that stops letters; machine mail.
//! 2. `author`: who wrote it, by its reply token or its sender, and where answers go.
//! 3. `readable`: a mail that is too long or malformed, or has two subjects.
//! 4. `commands`: what it asks for.
//! 5. `run`: each command in the service.
//! 6. `answer`: the answer and the verdict.
//!
//! `prepare` finds out before the transaction which passwords they need. `stages` puts them in order; `stage` and `conversation` hold what they share.
//!
//! A mail with a valid reply token comes from the player to whom it was given, whatever its `From` says: its first new
//! line may be a move without a board or a userid, and the answer goes to one of the player's own addresses.
//!
//! A command that was understood is answered whoever sent it. Everything else (nothing understood, two subjects, too
//! long) is answered only to the confirmed address of a player.

mod answer;
mod author;
mod commands;
mod confirmation;
mod conversation;
mod given_back;
mod prepare;
mod readable;
mod refusals;
mod run;
mod screen;
mod set_aside;
mod stage;
mod stages;
mod unclear;

pub(super) use prepare::{Preparation, prepare};
pub(super) use screen::read_mail;
pub use set_aside::HeaderAuthor;
pub(super) use set_aside::set_aside;
pub(super) use stage::CurrentMail;
pub(super) use stages::decide;
