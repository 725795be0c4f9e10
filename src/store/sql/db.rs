//! A connection to either database.

use std::borrow::Cow;

use rusqlite::Connection;

use super::value::{Cell, Params, Raw, Value};
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
    /// Reads a cell, counted from 0.
    pub(crate) fn get<T: Cell>(&self, column: usize) -> Result<T> {
        self.raw(column).and_then(T::read)
    }

    /// Returns a cell as stored, counted from 0.
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
    /// Returns the variant for this database, of a statement or a part of it.
    pub(crate) fn by_dialect<T>(self, sqlite: T, postgres: T) -> T {
        match self {
            Db::Sqlite(_) => sqlite,
            Db::Postgres(_) => postgres,
        }
    }

    /// Returns the texts of an array parameter, as rows for `IN (…)`.
    pub(crate) fn texts(self, placeholder: &str) -> String {
        self.by_dialect("SELECT value FROM json_each(", "SELECT value FROM unnest(").to_owned()
            + placeholder
            + self.by_dialect(")", "::text[]) value")
    }

    /// Returns the numbers of an array parameter, as rows for `IN (…)`.
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

    /// Runs a statement at the latest with the next one, which fails with the error `otherwise` if no row is changed.
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
