//! Boards: playing, looking, clocks, and the record.

pub(in crate::service) mod act;
pub(in crate::service) mod agree;
pub(in crate::service) mod challenge;
pub(in crate::service) mod changes;
pub(in crate::service) mod check;
pub(in crate::service) mod clocks;
pub(in crate::service) mod explore;
pub(in crate::service) mod find;
pub(in crate::service) mod follow;
pub(in crate::service) mod help;
pub(in crate::service) mod invitation;
pub(in crate::service) mod lists;
pub(in crate::service) mod open;
pub(in crate::service) mod plans;
pub(in crate::service) mod play;
pub(in crate::service) mod player_at_board;
pub(in crate::service) mod players;
pub(in crate::service) mod prepare;
pub(in crate::service) mod rate;
pub mod record;
pub(in crate::service) mod replay;
pub(in crate::service) mod robots;
pub(in crate::service) mod show;
pub(in crate::service) mod tick;
pub(in crate::service) mod time_jump;
pub(in crate::service) mod view;
pub(in crate::service) mod views;
