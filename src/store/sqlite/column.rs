//! The form of values other than times in columns, and reading a row cell by cell.

use std::fmt::Display;
use std::str::FromStr;

use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::Row;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};

use super::time::Time;
use crate::clock::TimeControl;
use crate::numbers::{BoardNumber, EntryNumber, Ply, PuzzleNumber};
use crate::store::words::{Named, Numbered};
use crate::store::{Pause, PlayerId, PlayerRef, Seat};
use crate::text::{Message, hex, unhex};

/// A seat, stored as 1 or 2.
pub(super) struct Side(pub Seat);

impl ToSql for Side {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self.0 {
            Seat::First => 1.into(),
            Seat::Second => 2.into(),
        })
    }
}

impl FromSql for Side {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value.as_i64()? {
            1 => Ok(Side(Seat::First)),
            2 => Ok(Side(Seat::Second)),
            other => Err(FromSqlError::OutOfRange(other)),
        }
    }
}

/// A duration, stored in whole seconds.
pub(super) struct Seconds(pub TimeDelta);

impl ToSql for Seconds {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.num_seconds().into())
    }
}

impl FromSql for Seconds {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let seconds = value.as_i64()?;
        TimeDelta::try_seconds(seconds).map(Seconds).ok_or(FromSqlError::OutOfRange(seconds))
    }
}

/// A value, stored as the text that a player would type for it.
pub(super) struct Typed<T>(pub T);

impl<T: Display> ToSql for Typed<T> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.to_string().into())
    }
}

impl<T: FromStr> FromSql for Typed<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let text = value.as_str()?;
        text.parse().map(Typed).map_err(|_| unknown(text))
    }
}

/// A message to be stored: as JSON, or as it is when it is words already.
pub(super) struct Coded<'a>(pub &'a Message);

impl ToSql for Coded<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        if let Some(words) = self.0.words() {
            return Ok(words.into());
        }
        let json = serde_json::to_string(self.0);
        Ok(json.map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?.into())
    }
}

/// A value of such a type, stored by its name.
pub(super) struct Name<T>(pub T);

impl<T: Named> ToSql for Name<T> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let named = T::NAMES.iter().find(|(value, _)| *value == self.0);
        let (_, name) = named.ok_or_else(|| rusqlite::Error::ToSqlConversionFailure("it has no name".into()))?;
        Ok(ToSqlOutput::from(*name))
    }
}

impl<T: Named> FromSql for Name<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let text = value.as_str()?;
        let named = T::NAMES.iter().find(|(_, name)| *name == text);
        named.map(|(value, _)| Name(*value)).ok_or_else(|| unknown(text))
    }
}

/// A value of such a type, stored as its code.
pub(super) struct Code<T>(pub T);

impl<T: Numbered> ToSql for Code<T> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let numbered = T::CODES.iter().find(|(value, _)| *value == self.0);
        let (_, code) = numbered.ok_or_else(|| rusqlite::Error::ToSqlConversionFailure("it has no code".into()))?;
        Ok(ToSqlOutput::from(*code))
    }
}

impl<T: Numbered> FromSql for Code<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let code = value.as_i64()?;
        let numbered = T::CODES.iter().find(|(_, of)| *of == code);
        numbered.map(|(value, _)| Code(*value)).ok_or(FromSqlError::OutOfRange(code))
    }
}

/// A hash, stored as its bytes; the program has it in lower-case hexadecimal digits.
pub(super) struct Hash<T>(pub T);

impl<T: AsRef<str>> ToSql for Hash<T> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let bytes = unhex(self.0.as_ref());
        Ok(bytes.ok_or_else(|| rusqlite::Error::ToSqlConversionFailure("it is no hash".into()))?.into())
    }
}

impl FromSql for Hash<String> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        Ok(Hash(hex(value.as_blob()?)))
    }
}

macro_rules! stored_as_its_number {
    ($($number:ident),*) => {
        $(
            impl ToSql for $number {
                fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                    self.0.to_sql()
                }
            }

            impl FromSql for $number {
                fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                    u32::column_result(value).map($number)
                }
            }
        )*
    };
}
stored_as_its_number!(BoardNumber, EntryNumber, Ply, PuzzleNumber);

fn unknown(text: &str) -> FromSqlError {
    FromSqlError::Other(format!("`{text}` means nothing to this turnpost").into())
}

/// A row that is read column by column, from the first.
pub(super) struct Cells<'a> {
    row: &'a Row<'a>,
    next: usize,
}

impl<'a> Cells<'a> {
    pub(super) fn of(row: &'a Row<'a>) -> Self {
        Cells { row, next: 0 }
    }

    /// Reads the next cell.
    pub(super) fn take<T: FromSql>(&mut self) -> rusqlite::Result<T> {
        self.next += 1;
        self.row.get(self.next - 1)
    }

    pub(super) fn time(&mut self) -> rusqlite::Result<DateTime<Utc>> {
        Ok(self.take::<Time>()?.0)
    }

    pub(super) fn time_if_any(&mut self) -> rusqlite::Result<Option<DateTime<Utc>>> {
        Ok(self.take::<Option<Time>>()?.map(|time| time.0))
    }

    pub(super) fn seat_if_any(&mut self) -> rusqlite::Result<Option<Seat>> {
        Ok(self.take::<Option<Side>>()?.map(|side| side.0))
    }

    /// Reads a message, if there is one. Earlier versions stored words.
    pub(super) fn message_if_any(&mut self) -> rusqlite::Result<Option<Message>> {
        let text = self.take::<Option<String>>()?;
        Ok(text.map(|text| serde_json::from_str(&text).unwrap_or_else(|_| Message::verbatim(text))))
    }

    /// Reads two cells: key and userid.
    pub(super) fn player(&mut self) -> rusqlite::Result<PlayerRef> {
        Ok(PlayerRef { id: PlayerId(self.take()?), userid: self.take()? })
    }

    /// Reads two cells: key and userid, or two empty ones.
    pub(super) fn player_if_any(&mut self) -> rusqlite::Result<Option<PlayerRef>> {
        let (id, userid) = (self.take::<Option<i64>>()?, self.take::<Option<String>>()?);
        Ok(id.map(PlayerId).zip(userid).map(|(id, userid)| PlayerRef { id, userid }))
    }

    /// Reads two cells: since when and why something is paused, or two empty ones.
    pub(super) fn pause_if_any(&mut self) -> rusqlite::Result<Option<Pause>> {
        let (since, why) = (self.time_if_any()?, self.take::<Option<String>>()?);
        Ok(since.zip(why).map(|(since, why)| Pause { since, why }))
    }

    /// Reads three cells: the columns of a board's time control.
    pub(super) fn time_control(&mut self) -> rusqlite::Result<TimeControl> {
        Ok(TimeControl { nag: self.take()?, forfeit: self.take()?, total: self.take()? })
    }
}
