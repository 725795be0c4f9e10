//! Requests to a server. A request whose answer is not needed immediately is sent together with the next one.

use std::borrow::Cow;
use std::error::Error;
use std::pin::pin;

use bytes::{BufMut, BytesMut};
use futures_util::TryStreamExt;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Client, Row, Statement};

use crate::store::sql::{Raw, Value};
use crate::store::{Result, StoreError};

pub(crate) enum Request {
    /// Statements without parameters.
    Batch(String),
    Statement(Statement, Vec<Encoded>),
}

pub(crate) struct Answer {
    pub(crate) rows: Vec<Row>,
    /// The number of changed or returned rows.
    pub(crate) count: u64,
}

/// The binary form of a parameter; `None` is NULL.
#[derive(Debug)]
pub(crate) struct Encoded(Option<BytesMut>);

impl Request {
    pub(crate) fn batch(sql: &str) -> Request {
        Request::Batch(sql.to_owned())
    }

    pub(crate) fn statement(statement: Statement, values: &[Value<'_>]) -> Result<Request> {
        let types = statement.params();
        if types.len() != values.len() {
            let (expected, given) = (types.len(), values.len());
            return Err(StoreError::Failed(format!("a statement has {expected} parameters, not {given}")));
        }
        let params = values.iter().zip(types).map(|(value, ty)| Encoded::of(value, ty)).collect::<Result<_>>()?;
        Ok(Request::Statement(statement, params))
    }

    pub(crate) fn is_batch(&self, sql: &str) -> bool {
        matches!(self, Request::Batch(batch) if batch == sql)
    }

    /// Sends the request and waits for the answer.
    pub(crate) async fn send(&self, client: &Client) -> std::result::Result<Answer, tokio_postgres::Error> {
        match self {
            Request::Batch(sql) => {
                client.batch_execute(sql).await?;
                Ok(Answer { rows: Vec::new(), count: 0 })
            }
            Request::Statement(statement, params) => {
                let mut stream = pin!(client.query_raw(statement, params).await?);
                let mut rows = Vec::new();
                while let Some(row) = stream.try_next().await? {
                    rows.push(row);
                }
                Ok(Answer { count: stream.rows_affected().unwrap_or(0), rows })
            }
        }
    }
}

impl Encoded {
    fn of(value: &Value<'_>, ty: &Type) -> Result<Encoded> {
        let mut bytes = BytesMut::new();
        let encoded = value.to_sql(ty, &mut bytes).map_err(|error| StoreError::Failed(error.to_string()))?;
        Ok(Encoded(matches!(encoded, IsNull::No).then_some(bytes)))
    }
}

impl ToSql for Encoded {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> std::result::Result<IsNull, Box<dyn Error + Sync + Send>> {
        let Some(bytes) = &self.0 else { return Ok(IsNull::Yes) };
        out.put_slice(bytes);
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

type AnyError = Box<dyn Error + Sync + Send>;

/// The escape character for NUL, which PostgreSQL does not allow in texts. Unicode assigns no meaning to the escape
/// character. Followed by `0`, it represents NUL; followed by `1`, it represents itself.
const ESCAPE: char = '\u{10ffff}';

impl ToSql for Value<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> std::result::Result<IsNull, AnyError> {
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
            // The error message must not contain the value, which may be private.
            _ => Err(format!("a parameter does not have the type {ty}").into()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for Raw<'a> {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> std::result::Result<Self, AnyError> {
        Ok(match *ty {
            Type::BOOL => Raw::Bool(bool::from_sql(ty, raw)?),
            Type::INT8 => Raw::Int(i64::from_sql(ty, raw)?),
            Type::INT4 => Raw::Int(i32::from_sql(ty, raw)?.into()),
            Type::INT2 => Raw::Int(i16::from_sql(ty, raw)?.into()),
            Type::FLOAT8 => Raw::Real(f64::from_sql(ty, raw)?),
            Type::TEXT | Type::NAME => Raw::Text(unescaped(<&str>::from_sql(ty, raw)?)),
            Type::BYTEA => Raw::Bytes(raw),
            _ => return Err(format!("a value of the unexpected type {ty}").into()),
        })
    }

    fn from_sql_null(_: &Type) -> std::result::Result<Self, AnyError> {
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
