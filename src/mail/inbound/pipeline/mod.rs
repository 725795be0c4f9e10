//! Processes one message: a sequence of stages, each of which closes the message or passes it on.
//!
//! 1. `screen`: the headers, before any transaction; second copies; bounces; messages to the unsubscribe address;
//!    machine mail.
//! 2. `author`: the author, by reply token or sender, and the address for answers.
//! 3. `readable`: messages that are too long or malformed, or have two subjects.
//! 4. `commands`: the commands of the message.
//! 5. `run`: executes each command in the service.
//! 6. `answer`: the answer and the verdict.
//!
//! `prepare` determines before the transaction which passwords the stages need. `stages` defines their order; `stage`
//! and `conversation` contain what they share.
//!
//! The author of a message with a valid reply token is the player to whom it was issued, whatever `From` contains: the
//! first new line may be a move without a board or a userid, and the answer is sent to one of the player's own
//! addresses.
//!
//! A valid command is answered whoever sent it. Everything else (not understood, two subjects, too long) is answered
//! only at the confirmed address of a player.

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

pub(crate) use prepare::{Preparation, prepare};
pub(crate) use screen::read_mail;
pub use set_aside::HeaderAuthor;
pub(crate) use set_aside::set_aside;
pub(crate) use stage::CurrentMail;
pub(crate) use stages::decide;
