//! A cache of the rows that a transaction has read, because each statement is a round trip.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::connection::Db;
use crate::store::Result;
use crate::store::sql::{Row, Value, with_dollars};

/// The most cached results, because a reader may iterate over all boards in one transaction.
const MOST: usize = 1_000;

/// The rows of each statement that ran with `all`.
#[derive(Default)]
pub(super) struct KnownRows(RefCell<HashMap<String, Rc<Vec<tokio_postgres::Row>>>>);

impl KnownRows {
    /// Reads all rows, or returns the cached ones.
    pub(super) fn all<T>(
        &self,
        db: &Db,
        sql: &str,
        values: &[Value<'_>],
        mut read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let statement = format!("{sql} {values:?}");
        let known = self.0.borrow().get(&statement).cloned();
        let rows = match known {
            Some(rows) => rows,
            None => {
                let rows = Rc::new(db.query(&with_dollars(sql), values)?);
                let mut known = self.0.borrow_mut();
                if known.len() >= MOST {
                    known.clear();
                }
                known.insert(statement, Rc::clone(&rows));
                rows
            }
        };
        rows.iter().map(|row| read(&Row::Postgres(row))).collect()
    }
}
