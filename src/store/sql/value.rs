//! Values of parameters and cells, independent of the database, and the stored forms of times.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};

use crate::store::{Result, StoreError};
use crate::text::Message;

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Real(f64),
    Text(Cow<'a, str>),
    Bytes(Cow<'a, [u8]>),
    Ints(&'a [i64]),
    Texts(&'a [String]),
}

/// A cell of a row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Raw<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Real(f64),
    Text(Cow<'a, str>),
    Bytes(&'a [u8]),
}

/// A parameter of a statement.
pub(crate) trait Param {
    /// Returns the stored form of the value.
    ///
    /// # Errors
    /// The value cannot be stored.
    fn value(&self) -> Result<Value<'_>>;
}

/// A type that can be read from a cell.
pub(crate) trait Cell: Sized {
    /// Reads the value from a cell.
    ///
    /// # Errors
    /// The cell contains a value of another type.
    fn read(cell: Raw<'_>) -> Result<Self>;
}

impl Param for Value<'_> {
    fn value(&self) -> Result<Value<'_>> {
        Ok(self.clone())
    }
}

/// Returns the error for a cell whose value is not of the type `what`.
pub(crate) fn unexpected(what: &str) -> StoreError {
    StoreError::WrongRecord(Message::verbatim(format!("a value in the database is not {what}")))
}

/// The parameters of a statement, `?1` first.
pub(crate) type Params<'p> = &'p [&'p dyn Param];

/// SQLite has no booleans and no arrays: booleans are 0 and 1, and arrays are JSON texts for `json_each`.
impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let array = |json: serde_json::Value| ToSqlOutput::from(json.to_string());
        Ok(match self {
            Value::Null => ToSqlOutput::Borrowed(ValueRef::Null),
            Value::Bool(value) => ToSqlOutput::from(*value),
            Value::Int(value) => ToSqlOutput::from(*value),
            Value::Real(value) => ToSqlOutput::from(*value),
            Value::Text(value) => ToSqlOutput::from(&**value),
            Value::Bytes(value) => ToSqlOutput::from(&**value),
            Value::Ints(values) => array((*values).into()),
            Value::Texts(values) => array((*values).into()),
        })
    }
}

impl<'a> Raw<'a> {
    /// Converts a cell of an SQLite row.
    pub(crate) fn of_sqlite(value: ValueRef<'a>) -> Result<Raw<'a>> {
        Ok(match value {
            ValueRef::Null => Raw::Null,
            ValueRef::Integer(value) => Raw::Int(value),
            ValueRef::Real(value) => Raw::Real(value),
            ValueRef::Text(text) => {
                Raw::Text(Cow::Borrowed(std::str::from_utf8(text).map_err(|_| unexpected("UTF-8"))?))
            }
            ValueRef::Blob(bytes) => Raw::Bytes(bytes),
        })
    }
}

const SHAPE: &str = "%Y-%m-%dT%H:%M:%SZ";

/// A time is stored as text.
impl Param for DateTime<Utc> {
    fn value(&self) -> Result<Value<'_>> {
        let text = self.format(SHAPE).to_string();
        // chrono writes a sign before a year with more than four digits, and the sign would sort before all other
        // times.
        if text.len() != "2026-11-21T14:20:33Z".len() {
            return Err(StoreError::Failed(format!("{text} is out of the range of times")));
        }
        Ok(Value::Text(text.into()))
    }
}

impl Cell for DateTime<Utc> {
    fn read(cell: Raw<'_>) -> Result<Self> {
        let Raw::Text(text) = &cell else { return Err(unexpected("a time")) };
        let time = DateTime::parse_from_rfc3339(text).map_err(|_| unexpected("a time"))?;
        Ok(time.to_utc())
    }
}

/// A time, stored as seconds since the beginning of 1970.
#[derive(Clone, Copy)]
pub(crate) struct EpochSeconds(pub DateTime<Utc>);

impl Param for EpochSeconds {
    fn value(&self) -> Result<Value<'_>> {
        Ok(Value::Int(self.0.timestamp()))
    }
}

impl Cell for EpochSeconds {
    fn read(cell: Raw<'_>) -> Result<Self> {
        DateTime::from_timestamp(i64::read(cell)?, 0).map(EpochSeconds).ok_or_else(|| unexpected("a time"))
    }
}
