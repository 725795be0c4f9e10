//! The forms of times in columns: text in UTC to the second, so that text order is time order; or seconds, where the room
//! counts.

use chrono::{DateTime, Utc};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};

const SHAPE: &str = "%Y-%m-%dT%H:%M:%SZ";

/// A time, stored as such a text.
#[derive(Clone, Copy)]
pub(super) struct Time(pub DateTime<Utc>);

impl ToSql for Time {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let text = self.0.format(SHAPE).to_string();
        // chrono writes years beyond four digits with a sign, which would sort before every other time.
        if text.len() != "2026-11-21T14:20:33Z".len() {
            return Err(rusqlite::Error::ToSqlConversionFailure(format!("{text} is out of the range of times").into()));
        }
        Ok(text.into())
    }
}

impl FromSql for Time {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        DateTime::parse_from_rfc3339(value.as_str()?).map(|time| Time(time.to_utc())).map_err(FromSqlError::other)
    }
}

/// A time, stored as seconds since 1970 began.
#[derive(Clone, Copy)]
pub(super) struct EpochSeconds(pub DateTime<Utc>);

impl ToSql for EpochSeconds {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.timestamp().into())
    }
}

impl FromSql for EpochSeconds {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let seconds = value.as_i64()?;
        DateTime::from_timestamp(seconds, 0).map(EpochSeconds).ok_or(FromSqlError::OutOfRange(seconds))
    }
}
