//! The arithmetic of events: pairings, standings, promotion, brackets and ladders. All functions are pure.
//!
//! Pairings, brackets and standings identify players by indexes, in the order in which the caller lists them.

mod cup;
mod ladder;
mod league;
mod standings;

pub(crate) use cup::{Side, Tie, bracket, decide};
pub(crate) use ladder::{in_reach, sink, take_place};
pub(crate) use league::{games, promote, sizes};
pub(crate) use standings::{Score, Standing, standings};
