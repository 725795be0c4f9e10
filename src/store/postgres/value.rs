//! Conversion of values to and from PostgreSQL, in the binary format of the type that the statement requires.

use std::borrow::Cow;
use std::error::Error;

use bytes::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

use crate::store::sql::{Raw, Value};

type AnyError = Box<dyn Error + Sync + Send>;

/// Escapes the character NUL, which PostgreSQL does not allow in texts. Unicode assigns no meaning to this character.
/// `0` after it means NUL, and `1` means the character itself.
const ESCAPE: char = '\u{10ffff}';

impl ToSql for Value<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, AnyError> {
        match (self, ty) {
            (Value::Null, _) => Ok(IsNull::Yes),
            (Value::Bool(value), &Type::BOOL) => value.to_sql(ty, out),
            (Value::Int(value), &Type::INT8) => value.to_sql(ty, out),
            (Value::Int(value), &Type::INT4) => i32::try_from(*value)?.to_sql(ty, out),
            (Value::Int(value), &Type::INT2) => i16::try_from(*value)?.to_sql(ty, out),
            (Value::Real(value), &Type::FLOAT8) => value.to_sql(ty, out),
            (Value::Text(value), &Type::TEXT) => escaped(value).to_sql(ty, out),
            (Value::Bytes(value), &Type::BYTEA) => (&**value).to_sql(ty, out),
            (Value::Ints(value), &Type::INT8_ARRAY) => value.to_sql(ty, out),
            (Value::Texts(value), &Type::TEXT_ARRAY) => {
                value.iter().map(|text| escaped(text)).collect::<Vec<_>>().to_sql(ty, out)
            }
            // The message must not contain the value, which may be private.
            _ => Err(format!("a parameter of another kind than {ty}").into()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for Raw<'a> {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> Result<Self, AnyError> {
        Ok(match *ty {
            Type::BOOL => Raw::Bool(bool::from_sql(ty, raw)?),
            Type::INT8 => Raw::Int(i64::from_sql(ty, raw)?),
            Type::INT4 => Raw::Int(i32::from_sql(ty, raw)?.into()),
            Type::INT2 => Raw::Int(i16::from_sql(ty, raw)?.into()),
            Type::FLOAT8 => Raw::Real(f64::from_sql(ty, raw)?),
            Type::TEXT | Type::NAME => Raw::Text(unescaped(<&str>::from_sql(ty, raw)?)),
            Type::BYTEA => Raw::Bytes(raw),
            _ => return Err(format!("a cell of the unexpected type {ty}").into()),
        })
    }

    fn from_sql_null(_: &Type) -> Result<Self, AnyError> {
        Ok(Raw::Null)
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(['\0', ESCAPE]) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '\0' => escaped.extend([ESCAPE, '0']),
            ESCAPE => escaped.extend([ESCAPE, '1']),
            other => escaped.push(other),
        }
    }
    Cow::Owned(escaped)
}

fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains(ESCAPE) {
        return Cow::Borrowed(text);
    }
    let mut characters = text.chars();
    let mut unescaped = String::with_capacity(text.len());
    while let Some(character) = characters.next() {
        match character {
            ESCAPE if characters.next() == Some('0') => unescaped.push('\0'),
            other => unescaped.push(other),
        }
    }
    Cow::Owned(unescaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_survive_a_round_trip() {
        for text in ["", "f3", "a\0b", "\0", "\u{10ffff}", "\u{10ffff}0", "\0\u{10ffff}1\0\0"] {
            let stored = escaped(text).into_owned();
            assert!(!stored.contains('\0'), "{text:?}");
            assert_eq!(unescaped(&stored), text);
        }
    }
}
