//! Statements on either database: parameters, cells and rows, and the few ways to run a statement.
//!
//! Statements are written once, with SQLite's placeholders (`?1`), in SQL that both databases understand. Where they need
//! two texts, [`Db::by_dialect`] holds both.

mod acts;
mod addresses;
mod analyses;
mod blocked_senders;
mod board_letters;
mod boards;
mod challenges;
mod changes;
mod clocks;
mod column;
mod comments;
mod counts;
mod db;
mod deliveries;
mod followers;
mod hints;
mod history;
mod inbox;
mod instance;
mod known;
mod leases;
mod letters;
mod limits;
mod lists;
mod moving;
mod numbers;
mod outbox;
#[cfg(test)]
mod plans;
mod player_names;
mod players;
mod preferences;
mod puzzles;
mod query;
mod ratings;
mod record;
mod reports;
mod results;
mod retention;
mod session;
mod sessions;
mod standstills;
mod time;
mod tokens;
mod vacations;
mod value;
mod webhooks;

pub(in crate::store) use column::{Cells, Code, Coded, Hash, Name, Nocase, Numbers, Seconds, Side, Texts, Typed};
pub(in crate::store) use db::{Db, Row, with_dollars};
pub(in crate::store) use instance::games;
pub(in crate::store) use known::Known;
pub(in crate::store) use query::{all, cell, one, run, run_one};
pub(in crate::store) use session::Session;
pub(in crate::store) use time::{EpochSeconds, Time};
pub(in crate::store) use value::{Param, Params, Raw, Value, unexpected};

/// The parameters of a statement.
macro_rules! parameters {
    ($($value:expr),* $(,)?) => {
        &[$(&$value as &dyn $crate::store::sql::Param),*] as $crate::store::sql::Params<'_>
    };
}
pub(in crate::store) use parameters as params;
