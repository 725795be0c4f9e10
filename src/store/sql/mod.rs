//! Statements on either database: parameters, cells, rows, and functions to run statements.
//!
//! Each statement is written once, with SQLite's placeholders (`?1`), in SQL for both databases. [`Db::by_dialect`]
//! chooses between variants where necessary.

mod column;
mod db;
mod known;
pub(in crate::store) mod numbers;
#[cfg(test)]
mod plans;
mod query;
mod time;
mod value;

pub(in crate::store) use column::{
    Cells, Code, Coded, Hash, Name, Named, Nocase, Numbered, Numbers, Seconds, Side, Texts, Typed,
};
pub(in crate::store) use db::{Db, Row, with_dollars};
pub(in crate::store) use known::Known;
pub(in crate::store) use query::{all, cell, flush, one, run, run_later, run_one, run_some_later};
pub(in crate::store) use time::{EpochSeconds, Time};
pub(in crate::store) use value::{Param, Params, Raw, Value, unexpected};

/// The parameters of a statement.
macro_rules! parameters {
    ($($value:expr),* $(,)?) => {
        &[$(&$value as &dyn $crate::store::sql::Param),*] as $crate::store::sql::Params<'_>
    };
}
pub(in crate::store) use parameters as params;
