//! A connection to either database, and the cache of the rows that a transaction has read.

use std::any::Any;
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use rusqlite::Connection;

use super::value::{Cell, Params, Raw, Value};
use crate::numbers::BoardNumber;
use crate::recent::Recent;
use crate::store::postgres::{connection, failed as postgres_failed};
use crate::store::sqlite::failed;
use crate::store::{Result, StoreError};

/// A connection to run statements on.
#[derive(Clone, Copy)]
pub(crate) enum Db<'a> {
    Sqlite(&'a Connection),
    Postgres(&'a connection::Db),
}

/// A row that a statement returned.
pub(crate) enum Row<'a> {
    Sqlite(&'a rusqlite::Row<'a>),
    Postgres(&'a tokio_postgres::Row),
}

impl Row<'_> {
    /// Reads the cell in this column, counted from 0.
    pub(crate) fn get<T: Cell>(&self, column: usize) -> Result<T> {
        self.raw(column).and_then(T::read)
    }

    /// Returns the cell in this column as stored.
    pub(crate) fn raw(&self, column: usize) -> Result<Raw<'_>> {
        match self {
            Row::Sqlite(row) => row.get_ref(column).map_err(failed).and_then(Raw::of_sqlite),
            Row::Postgres(row) => row.try_get(column).map_err(|error| postgres_failed(&error)),
        }
    }

    /// Returns the names of the columns.
    pub(crate) fn names(&self) -> Vec<&str> {
        match self {
            Row::Sqlite(row) => row.as_ref().column_names(),
            Row::Postgres(row) => row.columns().iter().map(tokio_postgres::Column::name).collect(),
        }
    }
}

impl<'a> Db<'a> {
    /// Returns the variant of a value for this database, for example of a statement.
    pub(crate) fn by_dialect<T>(self, sqlite: T, postgres: T) -> T {
        match self {
            Db::Sqlite(_) => sqlite,
            Db::Postgres(_) => postgres,
        }
    }

    /// Builds a subquery that returns the texts of an array parameter, for `IN (…)`.
    pub(crate) fn texts(self, placeholder: &str) -> String {
        self.by_dialect("SELECT value FROM json_each(", "SELECT value FROM unnest(").to_owned()
            + placeholder
            + self.by_dialect(")", "::text[]) value")
    }

    /// Builds a subquery that returns the numbers of an array parameter, for `IN (…)`.
    pub(crate) fn numbers(self, placeholder: &str) -> String {
        self.by_dialect("SELECT value FROM json_each(", "SELECT value FROM unnest(").to_owned()
            + placeholder
            + self.by_dialect(")", "::bigint[]) value")
    }

    /// Runs a statement and calls `each` for its rows, until `each` returns false.
    pub(crate) fn query(
        self,
        sql: &str,
        params: Params<'_>,
        each: &mut dyn FnMut(&Row<'_>) -> Result<bool>,
    ) -> Result<()> {
        match self {
            Db::Sqlite(db) => {
                let mut statement = db.prepare_cached(sql).map_err(failed)?;
                bind(&mut statement, params)?;
                let mut rows = statement.raw_query();
                while let Some(row) = rows.next().map_err(failed)? {
                    if !each(&Row::Sqlite(row))? {
                        break;
                    }
                }
            }
            Db::Postgres(db) => {
                for row in &*db.query(&with_dollars(sql), &values(params)?, false)? {
                    if !each(&Row::Postgres(row))? {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// Runs a statement that returns no rows; returns the number of changed rows.
    pub(crate) fn execute(self, sql: &str, params: Params<'_>) -> Result<u64> {
        match self {
            Db::Sqlite(db) => {
                let mut statement = db.prepare_cached(sql).map_err(failed)?;
                bind(&mut statement, params)?;
                statement.raw_execute().map(|changed| changed as u64).map_err(failed)
            }
            Db::Postgres(db) => db.execute(&with_dollars(sql), &values(params)?),
        }
    }

    /// Runs a statement, on PostgreSQL together with the next one. If no row is changed, this call fails with the error
    /// `otherwise` on SQLite; on PostgreSQL, the next call fails with it.
    pub(crate) fn execute_later(self, sql: &str, params: Params<'_>, otherwise: Option<&str>) -> Result<()> {
        match self {
            Db::Sqlite(_) => match (self.execute(sql, params)?, otherwise) {
                (0, Some(otherwise)) => Err(StoreError::Failed(otherwise.to_owned())),
                _ => Ok(()),
            },
            Db::Postgres(db) => db.execute_later(&with_dollars(sql), &values(params)?, otherwise),
        }
    }
}

fn values<'p>(params: Params<'p>) -> Result<Vec<Value<'p>>> {
    params.iter().map(|param| param.value()).collect()
}

/// Binds the parameters, and checks their number, because a missing one would be NULL.
fn bind(statement: &mut rusqlite::Statement<'_>, params: Params<'_>) -> Result<()> {
    if statement.parameter_count() != params.len() {
        let (expected, given) = (statement.parameter_count(), params.len());
        return Err(StoreError::Failed(format!("a statement has {expected} parameters, not {given}")));
    }
    for (i, param) in params.iter().enumerate() {
        statement.raw_bind_parameter(i + 1, param.value()?).map_err(failed)?;
    }
    Ok(())
}

/// Converts the placeholders to PostgreSQL's: `$1` for `?1`.
pub(crate) fn with_dollars(sql: &str) -> Cow<'_, str> {
    if !sql.contains('?') {
        return Cow::Borrowed(sql);
    }
    let mut written = String::with_capacity(sql.len());
    let mut rest = sql;
    while let Some((before, after)) = rest.split_once('?') {
        let placeholder = after.starts_with(|next: char| next.is_ascii_digit());
        written += before;
        written.push(if placeholder { '$' } else { '?' });
        rest = after;
    }
    Cow::Owned(written + rest)
}

/// The rows that a transaction has read and has not changed since.
#[derive(Default)]
pub(crate) struct Known {
    pub(crate) players: Rows,
    pub(crate) addresses: Rows,
    pub(crate) boards: Rows,
    pub(crate) comments: Rows,
    /// The processed messages, by identity; see `Transaction::mail_seen`.
    pub(crate) seen: Rows,
    /// The boards that the transaction has found in progress. A write to one of them need not check that the board
    /// exists.
    pub(crate) in_progress: RefCell<BTreeSet<BoardNumber>>,
}

/// The last rows that were read from one table. The capacity is larger than the number of rows that a turn reads. The
/// type of the rows depends on the table.
#[derive(Default)]
pub(crate) struct Rows(Recent<Rc<dyn Any>, 16>);

impl Known {
    /// Clears the cache, after a write that may have changed any row.
    pub(crate) fn forget(&self) {
        self.players.forget();
        self.addresses.forget();
        self.boards.forget();
        self.comments.forget();
        self.seen.forget();
        self.in_progress.borrow_mut().clear();
    }
}

impl Rows {
    /// Returns the cached row that `is_it` accepts. If there is none, reads a row with `read`.
    pub(crate) fn get<T: Clone + 'static>(
        &self,
        is_it: impl Fn(&T) -> bool,
        read: impl FnOnce() -> Result<Option<T>>,
    ) -> Result<Option<T>> {
        let known = self.0.find(|row| row.downcast_ref().is_some_and(&is_it));
        if let Some(row) = known.as_ref().and_then(|row| row.downcast_ref::<T>()) {
            return Ok(Some(row.clone()));
        }
        let found = read()?;
        found.iter().for_each(|found| self.0.keep(Rc::new(found.clone())));
        Ok(found)
    }

    pub(crate) fn forget(&self) {
        self.0.forget();
    }
}
