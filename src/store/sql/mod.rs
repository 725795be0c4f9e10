//! Statements on either database: parameters, cells, rows, and functions to run statements.
//!
//! Each statement is written once, in SQL that both databases accept, with SQLite's placeholders (`?1`).
//! [`Db::by_dialect`] chooses between variants where necessary.

mod column;
mod db;
#[cfg(test)]
mod plans;
mod query;
pub(crate) mod schema;
mod value;

pub(crate) use column::{
    Cells, Code, FromCells, Hash, Nocase, Numbered, Numbers, Texts, from_fields, name_of, named, stored_as,
    stored_as_name,
};
pub(crate) use db::{Db, Known, Row, with_dollars};
pub(crate) use query::{all, all_by, cell, keep_number, next_board, one, run, run_later, run_one, run_some_later};
pub(crate) use value::{Cell, EpochSeconds, Param, Params, Raw, Value, unexpected};

/// The parameters of a statement.
macro_rules! parameters {
    ($($value:expr),* $(,)?) => {
        &[$(&$value as &dyn $crate::store::sql::Param),*] as $crate::store::sql::Params<'_>
    };
}
pub(crate) use parameters as params;
