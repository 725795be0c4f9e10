//! Boards: playing, viewing, clocks, and the record.

pub(crate) mod agree;
mod analyse;
pub(crate) mod analysis;
pub(crate) mod challenge;
pub(crate) mod changes;
pub(crate) mod check;
pub(crate) mod clocks;
pub(crate) mod explore;
pub(crate) mod find;
pub(crate) mod follow;
pub(crate) mod lists;
pub(crate) mod open;
pub(crate) mod plans;
pub(crate) mod play;
pub(crate) mod players;
pub(crate) mod rate;
pub mod record;
pub(crate) mod repeat;
pub(crate) mod replay;
pub(crate) mod robots;
pub(crate) mod show;
pub(crate) mod tick;
pub(crate) mod view;
pub(crate) mod views;
mod welcome;
