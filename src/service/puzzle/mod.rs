//! Puzzles: positions of finished boards in which one move wins.

pub(crate) mod find;
pub(crate) mod search;
pub(crate) mod solved;
pub(crate) mod views;
