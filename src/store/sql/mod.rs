//! Statements on either database: parameters, cells, rows, and functions to run statements.
//!
//! Each statement is written once, with SQLite's placeholders (`?1`), in SQL for both databases. [`Db::by_dialect`]
//! chooses between variants where necessary.

mod column;
mod db;
mod known;
pub(crate) mod numbers;
#[cfg(test)]
mod plans;
mod query;
mod time;
mod value;

pub(crate) use column::{
    Cells, Code, Coded, Hash, Name, Named, Nocase, Numbered, Numbers, Seconds, Side, Texts, Typed,
};
pub(crate) use db::{Db, Row, with_dollars};
pub(crate) use known::Known;
pub(crate) use query::{all, cell, flush, one, run, run_later, run_one, run_some_later};
pub(crate) use time::{EpochSeconds, Time};
pub(crate) use value::{Param, Params, Raw, Value, unexpected};

/// The parameters of a statement.
macro_rules! parameters {
    ($($value:expr),* $(,)?) => {
        &[$(&$value as &dyn $crate::store::sql::Param),*] as $crate::store::sql::Params<'_>
    };
}
pub(crate) use parameters as params;
