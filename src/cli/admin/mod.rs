//! `turnpost admin`: the administrator's commands.

mod blocked;
mod board;
mod letter;
mod mailbox;
mod maintenance;
mod move_store;
mod names;
mod overview;
mod player;
mod reports;
mod run;
mod table;
mod task;
mod transfer;

pub(crate) use run::run;
pub(crate) use task::Task;
pub(crate) use task::by_task;
