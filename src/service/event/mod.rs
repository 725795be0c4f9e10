//! Events: leagues, cups and ladders that run themselves. The clocks' worker examines an event when it is due: an
//! edition begins, one of its boards has ended, or a week has passed.

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
