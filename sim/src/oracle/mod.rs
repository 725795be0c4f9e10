//! An independent model that checks the invariants of every message, record, clock, notice and letter.
//!
//! The model is simple and slow where the program is optimized. It knows which messages were acknowledged, who wrote
//! each request, and when the mail server accepted each letter. It replays records by the rules, computes thinking time
//! by quarter-hours, and computes ratings in the order in which boards ended. After each step (an event of the run), it
//! reads the database through the store.
//!
//! - `model`: the complete model; `seen`: what it knows about a step. `board_model`, `clock_model`, `letter_book`: its
//!   state.
//! - `mails`: each acknowledged message gets one verdict, and its copies change nothing.
//! - `order`: the messages of a sender, and those about a board, are processed in order of arrival.
//! - `passwords`: a message with a wrong password is not carried out.
//! - `boards`: an authorized player requested each entry, and the record, the turn and the result follow the rules.
//! - `clocks`, `days`, `standstills`: thinking time, reminders and forfeits.
//! - `notices`: every notice becomes a letter.
//! - `letters`: sent letters, their recipients, and forbidden contents.
//! - `ratings`: ratings equal those that are recomputed from the boards.
//! - `events`: leagues, cups and ladders, computed from sign-ups and the ends of games.

mod board_model;
mod boards;
mod clock_model;
mod clocks;
mod days;
mod events;
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

pub(crate) use events::Events;
pub(crate) use model::Oracle;
pub(crate) use seen::Seen;
