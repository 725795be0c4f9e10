//! `turnpost admin`: what only the administrator looks at and does.

mod board;
mod check;
mod lists;
mod player;
mod run;
mod table;
mod task;
mod transfer;

pub(super) use run::run;
pub(super) use task::Task;
