//! `turnpost admin`: the administrator's commands.

mod acts;
mod analyse;
mod backup;
mod blocked;
mod board;
mod broadcast;
mod check;
mod clocks;
mod comment;
mod help;
mod letter;
mod limits;
mod log_level;
mod mailbox;
mod maintenance;
mod move_store;
mod overview;
mod page;
mod player;
mod reports;
mod restore_board;
mod run;
mod search;
mod standstill;
mod table;
mod task;
mod transfer;

pub(crate) use help::by_task;
pub(crate) use run::run;
pub(crate) use task::Task;
