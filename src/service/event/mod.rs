//! Events: leagues, cups and ladders that run themselves. The clocks' worker examines an event when an edition is due
//! to begin, when one of its boards has ended, or when a week has passed.

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
