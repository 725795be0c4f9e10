//! A cache of the rows that a transaction has read, because each statement is a round trip. Rows that are needed soon are
//! read ahead, together.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use tokio_postgres::Row;

use super::request::{Answer, Request};
use crate::store::StoreError;
use crate::store::sql::Value;

/// The most cached results, because a reader may iterate over all boards in one transaction.
const MOST: usize = 1_000;

/// The rows that statements have returned in this transaction.
#[derive(Default)]
pub(crate) struct KnownRows {
    known: RefCell<HashMap<String, Known>>,
    /// The statements to read ahead, while they are collected.
    ahead: RefCell<Option<Vec<(Ahead, Request)>>>,
}

struct Known {
    rows: Arc<Vec<Row>>,
    /// Whether most writes do not change them.
    last: bool,
}

/// A statement that is read ahead.
pub(crate) struct Ahead {
    statement: String,
    last: bool,
}

fn text(sql: &str, values: &[Value<'_>]) -> String {
    format!("{sql} {values:?}")
}

impl KnownRows {
    pub(crate) fn get(&self, sql: &str, values: &[Value<'_>]) -> Option<Arc<Vec<Row>>> {
        let known = self.known.borrow();
        if known.is_empty() { None } else { known.get(&text(sql, values)).map(|known| Arc::clone(&known.rows)) }
    }

    pub(crate) fn keep(&self, sql: &str, values: &[Value<'_>], last: bool, rows: &Arc<Vec<Row>>) {
        self.insert(text(sql, values), last, Arc::clone(rows));
    }

    fn insert(&self, statement: String, last: bool, rows: Arc<Vec<Row>>) {
        let mut known = self.known.borrow_mut();
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(statement, Known { rows, last });
    }

    pub(crate) fn is_reading_ahead(&self) -> bool {
        self.ahead.borrow().is_some()
    }

    /// Collects a statement to be read ahead, and returns the error for its caller.
    pub(crate) fn read_later(&self, sql: &str, values: &[Value<'_>], last: bool, request: Request) -> StoreError {
        let statement = text(sql, values);
        let mut all = self.ahead.borrow_mut();
        let all = all.get_or_insert_default();
        if all.iter().all(|(ahead, _)| ahead.statement != statement) {
            all.push((Ahead { statement, last }, request));
        }
        StoreError::Failed("it is read ahead".to_owned())
    }

    /// Collects the statements that `asks` would execute.
    pub(crate) fn ahead(&self, asks: impl FnOnce()) -> (Vec<Ahead>, Vec<Request>) {
        *self.ahead.borrow_mut() = Some(Vec::new());
        asks();
        self.ahead.take().into_iter().flatten().unzip()
    }

    pub(crate) fn keep_all(&self, ahead: Vec<Ahead>, answers: Vec<Answer>) {
        for (Ahead { statement, last }, answer) in ahead.into_iter().zip(answers) {
            self.insert(statement, last, Arc::new(answer.rows));
        }
    }

    /// Forgets the rows that a write may have changed.
    pub(crate) fn forget(&self) {
        self.known.borrow_mut().retain(|_, known| known.last);
    }

    /// Forgets all rows.
    pub(crate) fn forget_all(&self) {
        self.known.borrow_mut().clear();
    }

    /// Forgets all rows, and what a panic has left to be read ahead.
    pub(crate) fn clear(&self) {
        self.forget_all();
        self.ahead.take();
    }
}
