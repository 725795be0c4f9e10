//! Events: leagues, cups and ladders, which the server runs without an organizer. The worker that checks the clocks
//! examines an event when an edition is due to begin, when one of its boards has ended or is overdue, or when a week
//! has passed.

mod absentees;
mod advance;
mod boards;
mod cup;
pub(crate) mod feed;
mod ladder;
mod league;
mod letters;
mod show;
pub(crate) mod ties;
mod verbs;
pub(crate) mod views;
