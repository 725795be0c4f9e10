//! The stored forms of values other than times, and reading a row cell by cell.

use std::borrow::Cow;

use chrono::{NaiveDate, TimeDelta};
use serde::Serialize;
use serde::de::value::StrDeserializer;
use serde::de::{DeserializeOwned, IntoDeserializer};

use super::db::Row;
use super::value::{Cell, Param, Raw, Value, unexpected};
use crate::command::{EventKind, Settings, Terms};
use crate::numbers::{BoardNumber, EntryNumber, Ply, PuzzleNumber};
use crate::store::{Result, Seat, StoreError};
use crate::text::{Message, hex, unhex};

fn unknown(text: &str) -> StoreError {
    let words = format!("the database contains `{text}`, which this turnpost does not know");
    StoreError::WrongRecord(Message::verbatim(words))
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
            // SQLite has no booleans and stores 0 or 1.
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
            // If a computed column has a whole number, SQLite returns it as an integer.
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

/// Implements storage for newtypes: they are stored as their inner value.
macro_rules! contents {
    ($inner:ident: $($name:ident),*) => {
        $(
            impl $crate::store::sql::Param for $name {
                fn value(&self) -> $crate::store::Result<$crate::store::sql::Value<'_>> {
                    self.0.value()
                }
            }

            impl $crate::store::sql::Cell for $name {
                fn read(cell: $crate::store::sql::Raw<'_>) -> $crate::store::Result<Self> {
                    <$inner as $crate::store::sql::Cell>::read(cell).map($name)
                }
            }
        )*
    };
}
pub(crate) use contents as stored_as;
stored_as!(u32: BoardNumber, EntryNumber, Ply, PuzzleNumber);

/// A text to compare with `lower(column)`, ignoring the case of ASCII letters. `lower` changes only these letters,
/// because the columns have the collation `C`.
pub(crate) struct Nocase<'a>(pub &'a str);

impl Param for Nocase<'_> {
    fn value(&self) -> Result<Value<'_>> {
        Ok(Value::Text(self.0.to_ascii_lowercase().into()))
    }
}

/// An array of numbers, for `Db::numbers`.
pub(crate) struct Numbers(pub Vec<i64>);

impl Param for Numbers {
    fn value(&self) -> Result<Value<'_>> {
        Ok(Value::Ints(&self.0))
    }
}

/// An array of texts, for `Db::texts`.
pub(crate) struct Texts(pub Vec<String>);

impl Param for Texts {
    fn value(&self) -> Result<Value<'_>> {
        Ok(Value::Texts(&self.0))
    }
}

/// A seat is stored as 1 or 2.
impl Param for Seat {
    fn value(&self) -> Result<Value<'_>> {
        Ok(Value::Int(match self {
            Seat::First => 1,
            Seat::Second => 2,
        }))
    }
}

impl Cell for Seat {
    fn read(cell: Raw<'_>) -> Result<Self> {
        match i64::read(cell)? {
            1 => Ok(Seat::First),
            2 => Ok(Seat::Second),
            _ => Err(unexpected("a seat")),
        }
    }
}

/// A duration is stored in whole seconds.
impl Param for TimeDelta {
    fn value(&self) -> Result<Value<'_>> {
        Ok(Value::Int(self.num_seconds()))
    }
}

impl Cell for TimeDelta {
    fn read(cell: Raw<'_>) -> Result<Self> {
        TimeDelta::try_seconds(i64::read(cell)?).ok_or_else(|| unexpected("a duration"))
    }
}

/// Implements storage for types whose values are stored as a player types them.
macro_rules! stored_as_typed {
    ($($name:ident),*) => {
        $(
            impl Param for $name {
                fn value(&self) -> Result<Value<'_>> {
                    Ok(Value::Text(self.to_string().into()))
                }
            }

            impl Cell for $name {
                fn read(cell: Raw<'_>) -> Result<Self> {
                    let text = String::read(cell)?;
                    text.parse().map_err(|_| unknown(&text))
                }
            }
        )*
    };
}
stored_as_typed!(NaiveDate, Settings, Terms);

/// A message is stored as JSON, or unchanged if it is plain text.
impl Param for Message {
    fn value(&self) -> Result<Value<'_>> {
        if let Some(words) = self.words() {
            return words.value();
        }
        let json = serde_json::to_string(self).map_err(|error| StoreError::Failed(error.to_string()))?;
        Ok(Value::Text(json.into()))
    }
}

impl Cell for Message {
    fn read(cell: Raw<'_>) -> Result<Self> {
        let text = String::read(cell)?;
        Ok(serde_json::from_str(&text).unwrap_or_else(|_| Message::verbatim(text)))
    }
}

/// An enumeration whose values have fixed codes in the database, to save space.
pub(crate) trait Numbered: Copy + PartialEq + 'static {
    /// All values with their codes.
    const CODES: &'static [(Self, i64)];
}

/// Implements storage for enumerations: a value is stored as the name with which it is serialized.
macro_rules! names {
    ($($name:ident),*) => {
        $(
            impl $crate::store::sql::Param for $name {
                fn value(&self) -> $crate::store::Result<$crate::store::sql::Value<'_>> {
                    $crate::store::sql::name_of(self)
                }
            }

            impl $crate::store::sql::Cell for $name {
                fn read(cell: $crate::store::sql::Raw<'_>) -> $crate::store::Result<Self> {
                    $crate::store::sql::named(cell)
                }
            }
        )*
    };
}
pub(crate) use names as stored_as_name;
stored_as_name!(EventKind);

/// Returns the stored name of a value.
pub(crate) fn name_of(value: &impl Serialize) -> Result<Value<'static>> {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(name)) => Ok(Value::Text(name.into())),
        _ => Err(unexpected("a value that has a name")),
    }
}

/// Returns the value whose stored name is in a cell.
pub(crate) fn named<T: DeserializeOwned>(cell: Raw<'_>) -> Result<T> {
    let text = String::read(cell)?;
    let named: StrDeserializer<'_, serde::de::value::Error> = text.as_str().into_deserializer();
    T::deserialize(named).map_err(|_| unknown(&text))
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

/// A row, whose cells are read one after another.
pub(crate) struct Cells<'a> {
    row: &'a Row<'a>,
    next: usize,
}

impl<'a> Cells<'a> {
    pub(crate) fn of(row: &'a Row<'a>) -> Self {
        Cells { row, next: 0 }
    }

    /// Reads the next value from its cells.
    pub(crate) fn take<T: FromCells>(&mut self) -> Result<T> {
        T::from_cells(self)
    }
}

/// A value stored in one or more cells.
pub(crate) trait FromCells: Sized {
    /// Reads the value from the next cells.
    fn from_cells(cells: &mut Cells<'_>) -> Result<Self>;
}

impl FromCells for () {
    fn from_cells(_: &mut Cells<'_>) -> Result<Self> {
        Ok(())
    }
}

impl<C: Cell> FromCells for C {
    fn from_cells(cells: &mut Cells<'_>) -> Result<Self> {
        cells.next += 1;
        cells.row.get(cells.next - 1)
    }
}

impl<T: FromCells> FromCells for [T; 2] {
    fn from_cells(cells: &mut Cells<'_>) -> Result<Self> {
        Ok([cells.take()?, cells.take()?])
    }
}

impl<A: FromCells, B: FromCells> FromCells for (A, B) {
    fn from_cells(cells: &mut Cells<'_>) -> Result<Self> {
        Ok((cells.take()?, cells.take()?))
    }
}

/// Implements reading a structure whose fields are stored in consecutive cells, in the given order. An `Option` of a
/// structure is `None` if any of its fields is NULL.
macro_rules! fields {
    (Option<$name:ident { $($field:ident),* }>) => {
        impl $crate::store::sql::FromCells for Option<$name> {
            fn from_cells(cells: &mut $crate::store::sql::Cells<'_>) -> $crate::store::Result<Self> {
                $(let $field = cells.take()?;)*
                Ok(match ($($field),*) {
                    ($(Some($field)),*) => Some($name { $($field),* }),
                    _ => None,
                })
            }
        }
    };
    ($name:ident { $($field:ident),* $(,)? }) => {
        impl $crate::store::sql::FromCells for $name {
            fn from_cells(cells: &mut $crate::store::sql::Cells<'_>) -> $crate::store::Result<Self> {
                Ok($name { $($field: cells.take()?),* })
            }
        }
    };
}
pub(crate) use fields as from_fields;
