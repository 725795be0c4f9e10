//! The stored forms of values other than times, and reading a row cell by cell.

use std::borrow::Cow;
use std::fmt::Display;
use std::str::FromStr;

use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;
use serde::de::value::StrDeserializer;
use serde::de::{DeserializeOwned, IntoDeserializer};

use super::db::Row;
use super::value::Time;
use super::value::{Cell, Param, Raw, Value, unexpected};
use crate::numbers::{BoardNumber, EntryNumber, Ply, PuzzleNumber};
use crate::store::{Result, Seat, StoreError};
use crate::text::{Message, hex, unhex};

fn unknown(text: &str) -> StoreError {
    StoreError::WrongRecord(format!("the database contains `{text}`, which this turnpost does not know"))
}

impl<P: Param + ?Sized> Param for &P {
    fn value(&self) -> Result<Value<'_>> {
        (**self).value()
    }
}

impl<P: Param> Param for Option<P> {
    fn value(&self) -> Result<Value<'_>> {
        self.as_ref().map_or(Ok(Value::Null), P::value)
    }
}

impl<C: Cell> Cell for Option<C> {
    fn read(cell: Raw<'_>) -> Result<Self> {
        if cell == Raw::Null { Ok(None) } else { C::read(cell).map(Some) }
    }
}

impl Param for str {
    fn value(&self) -> Result<Value<'_>> {
        Ok(Value::Text(Cow::Borrowed(self)))
    }
}

impl Param for String {
    fn value(&self) -> Result<Value<'_>> {
        self.as_str().value()
    }
}

impl Cell for String {
    fn read(cell: Raw<'_>) -> Result<Self> {
        if let Raw::Text(text) = cell { Ok(text.into_owned()) } else { Err(unexpected("text")) }
    }
}

impl Param for [u8] {
    fn value(&self) -> Result<Value<'_>> {
        Ok(Value::Bytes(Cow::Borrowed(self)))
    }
}

impl Param for Vec<u8> {
    fn value(&self) -> Result<Value<'_>> {
        self.as_slice().value()
    }
}

impl Param for [u8; 32] {
    fn value(&self) -> Result<Value<'_>> {
        self.as_slice().value()
    }
}

impl Cell for Vec<u8> {
    fn read(cell: Raw<'_>) -> Result<Self> {
        if let Raw::Bytes(bytes) = cell { Ok(bytes.to_owned()) } else { Err(unexpected("bytes")) }
    }
}

impl Cell for [u8; 32] {
    fn read(cell: Raw<'_>) -> Result<Self> {
        let Raw::Bytes(bytes) = cell else { return Err(unexpected("bytes")) };
        bytes.try_into().map_err(|_| unexpected("32 bytes"))
    }
}

impl Param for bool {
    fn value(&self) -> Result<Value<'_>> {
        Ok(Value::Bool(*self))
    }
}

impl Cell for bool {
    fn read(cell: Raw<'_>) -> Result<Self> {
        match cell {
            Raw::Bool(value) => Ok(value),
            // SQLite has no booleans.
            Raw::Int(value @ (0 | 1)) => Ok(value == 1),
            _ => Err(unexpected("true or false")),
        }
    }
}

impl Param for f64 {
    fn value(&self) -> Result<Value<'_>> {
        Ok(Value::Real(*self))
    }
}

impl Cell for f64 {
    fn read(cell: Raw<'_>) -> Result<Self> {
        match cell {
            Raw::Real(value) => Ok(value),
            // SQLite returns whole numbers of computed columns as integers.
            Raw::Int(value) => Ok(value as f64),
            _ => Err(unexpected("a number")),
        }
    }
}

impl Param for i64 {
    fn value(&self) -> Result<Value<'_>> {
        Ok(Value::Int(*self))
    }
}

impl Cell for i64 {
    fn read(cell: Raw<'_>) -> Result<Self> {
        if let Raw::Int(value) = cell { Ok(value) } else { Err(unexpected("a number")) }
    }
}

impl Param for u32 {
    fn value(&self) -> Result<Value<'_>> {
        Ok(Value::Int((*self).into()))
    }
}

impl Cell for u32 {
    fn read(cell: Raw<'_>) -> Result<Self> {
        u32::try_from(i64::read(cell)?).map_err(|_| unexpected("a number in its range"))
    }
}

macro_rules! stored_as_its_number {
    ($($number:ident),*) => {
        $(
            impl Param for $number {
                fn value(&self) -> Result<Value<'_>> {
                    Ok(Value::Int(self.0.into()))
                }
            }

            impl Cell for $number {
                fn read(cell: Raw<'_>) -> Result<Self> {
                    u32::read(cell).map($number)
                }
            }
        )*
    };
}
stored_as_its_number!(BoardNumber, EntryNumber, Ply, PuzzleNumber);

/// A text for comparing with `lower(…)` of a column, ignoring the case of ASCII letters. In the columns' collation `C`,
/// `lower` only changes ASCII letters, like this type.
pub(crate) struct Nocase<'a>(pub &'a str);

impl Param for Nocase<'_> {
    fn value(&self) -> Result<Value<'_>> {
        Ok(Value::Text(self.0.to_ascii_lowercase().into()))
    }
}

/// Numbers for `= ANY (…)`.
pub(crate) struct Numbers(pub Vec<i64>);

impl Param for Numbers {
    fn value(&self) -> Result<Value<'_>> {
        Ok(Value::Ints(&self.0))
    }
}

/// Texts for `= ANY (…)`.
pub(crate) struct Texts(pub Vec<String>);

impl Param for Texts {
    fn value(&self) -> Result<Value<'_>> {
        Ok(Value::Texts(&self.0))
    }
}

/// A seat, stored as 1 or 2.
pub(crate) struct Side(pub Seat);

impl Param for Side {
    fn value(&self) -> Result<Value<'_>> {
        Ok(Value::Int(match self.0 {
            Seat::First => 1,
            Seat::Second => 2,
        }))
    }
}

impl Cell for Side {
    fn read(cell: Raw<'_>) -> Result<Self> {
        match i64::read(cell)? {
            1 => Ok(Side(Seat::First)),
            2 => Ok(Side(Seat::Second)),
            _ => Err(unexpected("a seat")),
        }
    }
}

/// A duration, stored in whole seconds.
pub(crate) struct Seconds(pub TimeDelta);

impl Param for Seconds {
    fn value(&self) -> Result<Value<'_>> {
        Ok(Value::Int(self.0.num_seconds()))
    }
}

impl Cell for Seconds {
    fn read(cell: Raw<'_>) -> Result<Self> {
        TimeDelta::try_seconds(i64::read(cell)?).map(Seconds).ok_or_else(|| unexpected("a duration"))
    }
}

/// A value, stored in the form in which a player types it.
pub(crate) struct Typed<T>(pub T);

impl<T: Display> Param for Typed<T> {
    fn value(&self) -> Result<Value<'_>> {
        Ok(Value::Text(self.0.to_string().into()))
    }
}

impl<T: FromStr> Cell for Typed<T> {
    fn read(cell: Raw<'_>) -> Result<Self> {
        let text = String::read(cell)?;
        text.parse().map(Typed).map_err(|_| unknown(&text))
    }
}

/// A message, stored as JSON, or unchanged if it is plain text.
pub(crate) struct Coded<'a>(pub &'a Message);

impl Param for Coded<'_> {
    fn value(&self) -> Result<Value<'_>> {
        if let Some(words) = self.0.words() {
            return words.value();
        }
        let json = serde_json::to_string(self.0).map_err(|error| StoreError::Failed(error.to_string()))?;
        Ok(Value::Text(json.into()))
    }
}

/// An enumeration whose values have fixed codes in the database, to save space.
pub(crate) trait Numbered: Copy + PartialEq + 'static {
    /// All values with their codes.
    const CODES: &'static [(Self, i64)];
}

/// A value of an enumeration, stored as the name with which it is serialized.
pub(crate) struct Name<T>(pub(crate) T);

impl<T: Serialize> Param for Name<T> {
    fn value(&self) -> Result<Value<'_>> {
        match serde_json::to_value(&self.0) {
            Ok(serde_json::Value::String(name)) => Ok(Value::Text(name.into())),
            _ => Err(unexpected("a value that has a name")),
        }
    }
}

impl<T: DeserializeOwned> Cell for Name<T> {
    fn read(cell: Raw<'_>) -> Result<Self> {
        let text = String::read(cell)?;
        let named: StrDeserializer<'_, serde::de::value::Error> = text.as_str().into_deserializer();
        T::deserialize(named).map(Name).map_err(|_| unknown(&text))
    }
}

/// A value of an enumeration, stored as its code.
pub(crate) struct Code<T>(pub T);

impl<T: Numbered> Param for Code<T> {
    fn value(&self) -> Result<Value<'_>> {
        let numbered = T::CODES.iter().find(|(value, _)| *value == self.0);
        numbered.map(|(_, code)| Value::Int(*code)).ok_or_else(|| unexpected("a value that has a code"))
    }
}

impl<T: Numbered> Cell for Code<T> {
    fn read(cell: Raw<'_>) -> Result<Self> {
        let code = i64::read(cell)?;
        let numbered = T::CODES.iter().find(|(_, of)| *of == code);
        numbered.map(|(value, _)| Code(*value)).ok_or_else(|| unknown(&code.to_string()))
    }
}

/// A hash, stored as bytes; the program uses lower-case hexadecimal.
pub(crate) struct Hash<T>(pub T);

impl<T: AsRef<str>> Param for Hash<T> {
    fn value(&self) -> Result<Value<'_>> {
        let bytes = unhex(self.0.as_ref());
        bytes.map(|bytes| Value::Bytes(bytes.into())).ok_or_else(|| unexpected("a hash"))
    }
}

impl Cell for Hash<String> {
    fn read(cell: Raw<'_>) -> Result<Self> {
        if let Raw::Bytes(bytes) = cell { Ok(Hash(hex(bytes))) } else { Err(unexpected("a hash")) }
    }
}

/// A row, read column by column from the first.
pub(crate) struct Cells<'a> {
    row: &'a Row<'a>,
    next: usize,
}

impl<'a> Cells<'a> {
    pub(crate) fn of(row: &'a Row<'a>) -> Self {
        Cells { row, next: 0 }
    }

    /// Reads the next cell.
    pub(crate) fn take<T: Cell>(&mut self) -> Result<T> {
        self.next += 1;
        self.row.get(self.next - 1)
    }

    pub(crate) fn time(&mut self) -> Result<DateTime<Utc>> {
        Ok(self.take::<Time>()?.0)
    }

    pub(crate) fn time_if_any(&mut self) -> Result<Option<DateTime<Utc>>> {
        Ok(self.take::<Option<Time>>()?.map(|time| time.0))
    }

    pub(crate) fn seat_if_any(&mut self) -> Result<Option<Seat>> {
        Ok(self.take::<Option<Side>>()?.map(|side| side.0))
    }

    /// Reads an optional message: JSON, or plain text.
    pub(crate) fn message_if_any(&mut self) -> Result<Option<Message>> {
        let text = self.take::<Option<String>>()?;
        Ok(text.map(|text| serde_json::from_str(&text).unwrap_or_else(|_| Message::verbatim(text))))
    }
}
