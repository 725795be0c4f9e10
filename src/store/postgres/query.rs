//! The few ways in which a statement is run, each prepared once for a connection.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::connection::Db;
use super::error::failed;
use super::value::{Cell, Params, Raw};
use crate::store::{Result, StoreError};

/// A row that was read.
pub(super) struct Row<'a>(&'a tokio_postgres::Row);

impl<'a> Row<'a> {
    /// Reads the cell of a column.
    pub(super) fn get<T: Cell>(&self, column: usize) -> Result<T> {
        self.raw(column).and_then(T::read)
    }

    /// The cell of a column as it is.
    pub(super) fn raw(&self, column: usize) -> Result<Raw<'a>> {
        self.0.try_get(column).map_err(|error| failed(&error))
    }

    /// The names of the columns.
    pub(super) fn names(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.0.columns().iter().map(tokio_postgres::Column::name)
    }
}

/// How many results are known at a time: a reader may go through all boards in one transaction.
const MOST_KNOWN: usize = 1_000;

/// What a transaction has read and need not read again.
#[derive(Default)]
pub(super) struct KnownRows(RefCell<HashMap<String, Rc<Vec<tokio_postgres::Row>>>>);

impl KnownRows {
    /// As [`all()`], but the second time what the first gave.
    pub(super) fn all<T>(
        &self,
        db: &Db,
        sql: &str,
        params: Params<'_>,
        mut read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let statement = format!("{sql} {params:?}");
        let known = self.0.borrow().get(&statement).cloned();
        let rows = match known {
            Some(rows) => rows,
            None => {
                let rows = Rc::new(db.query(sql, params)?);
                let mut known = self.0.borrow_mut();
                if known.len() >= MOST_KNOWN {
                    known.clear();
                }
                known.insert(statement, Rc::clone(&rows));
                rows
            }
        };
        rows.iter().map(|row| read(&Row(row))).collect()
    }
}

/// Reads the first row, if there is one.
pub(super) fn one<T>(
    db: &Db,
    sql: &str,
    params: Params<'_>,
    read: impl FnOnce(&Row<'_>) -> Result<T>,
) -> Result<Option<T>> {
    db.query(sql, params)?.first().map(|row| read(&Row(row))).transpose()
}

/// Reads every row.
pub(super) fn all<T>(
    db: &Db,
    sql: &str,
    params: Params<'_>,
    mut read: impl FnMut(&Row<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    db.query(sql, params)?.iter().map(|row| read(&Row(row))).collect()
}

/// Changes rows; returns how many.
pub(super) fn run(db: &Db, sql: &str, params: Params<'_>) -> Result<u64> {
    db.execute(sql, params)
}

/// Changes exactly one row; `otherwise` is the error when there is none.
pub(super) fn run_one(db: &Db, sql: &str, params: Params<'_>, otherwise: &str) -> Result<()> {
    match run(db, sql, params)? {
        1 => Ok(()),
        _ => Err(StoreError::Failed(otherwise.to_owned())),
    }
}

/// Reads the cell that a statement always returns, such as a count or the number of a new row.
pub(super) fn cell<T: Cell>(db: &Db, sql: &str, params: Params<'_>) -> Result<T> {
    let found = one(db, sql, params, |row| row.get(0))?;
    found.ok_or_else(|| StoreError::Failed("a statement returned no row".to_owned()))
}
