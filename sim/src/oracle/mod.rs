//! What must hold, told by a model of its own: of every mail, record, clock, notice and letter.
//!
//! The model is plain and slow where the program is clever and fast. It knows what was acknowledged, who asked for what,
//! and when each letter was taken; it replays records by the rules, counts thinking time by quarter-hours, and computes
//! ratings in order. It looks at the database after each step, over the store's traits.
//!
//! - `model`: the model as a whole; `seen`: what it is shown. `board_model`, `clock_model`, `letter_book`: what it remembers.
//! - `mails`: each acknowledged mail gets one verdict, and its copies change nothing.
//! - `order`: the mails of a sender, and those about a board, are processed in the order in which they arrived.
//! - `passwords`: a mail with a wrong password is not done.
//! - `boards`: each entry was asked for by somebody who may, and the record, the turn and the result follow the rules.
//! - `clocks`, `days`, `standstills`: thinking time, reminders and forfeits.
//! - `notices`: whoever must be told has a notice, and each notice becomes a letter.
//! - `letters`: what leaves, to whom, and what must not be in it.
//! - `ratings`: computed again.

mod board_model;
mod boards;
mod clock_model;
mod clocks;
mod days;
mod letter_book;
mod letters;
mod mails;
mod model;
mod notices;
mod order;
mod passwords;
mod ratings;
mod seen;
mod standstills;

pub(super) use model::Oracle;
pub(super) use seen::Seen;
