//! The stored forms of times: text in UTC to the second, which sorts chronologically, or seconds to save space.

use chrono::{DateTime, Utc};

use super::value::{Cell, Param, Raw, Value, unexpected};
use crate::store::{Result, StoreError};

const SHAPE: &str = "%Y-%m-%dT%H:%M:%SZ";

/// A time, stored as text.
#[derive(Clone, Copy)]
pub(crate) struct Time(pub DateTime<Utc>);

impl Param for Time {
    fn value(&self) -> Result<Value<'_>> {
        let text = self.0.format(SHAPE).to_string();
        // chrono writes years beyond four digits with a sign, which would sort before all other times.
        if text.len() != "2026-11-21T14:20:33Z".len() {
            return Err(StoreError::Failed(format!("{text} is out of the range of times")));
        }
        Ok(Value::Text(text.into()))
    }
}

impl Cell for Time {
    fn read(cell: Raw<'_>) -> Result<Self> {
        let Raw::Text(text) = &cell else { return Err(unexpected("a time")) };
        let time = DateTime::parse_from_rfc3339(text).map_err(|_| unexpected("a time"))?;
        Ok(Time(time.to_utc()))
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
