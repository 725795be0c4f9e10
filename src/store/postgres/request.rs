//! Requests to a server. Those that wait for no answer are sent together with the next one that does.

use std::error::Error;
use std::pin::pin;

use bytes::{BufMut, BytesMut};
use futures_util::TryStreamExt;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Client, Row, Statement};

use crate::store::sql::Value;
use crate::store::{Result, StoreError};

/// A request to a server.
pub(crate) struct Request {
    what: What,
    /// The error if no row is changed.
    otherwise: Option<String>,
}

enum What {
    /// Statements without parameters.
    Batch(String),
    Statement(Statement, Vec<Encoded>),
}

/// The answer to a request.
pub(crate) struct Answer {
    pub(crate) rows: Vec<Row>,
    /// The number of rows that were changed or returned.
    pub(crate) count: u64,
}

/// The binary form of a parameter; `None` is NULL.
#[derive(Debug)]
struct Encoded(Option<BytesMut>);

impl Request {
    pub(crate) fn batch(sql: &str) -> Request {
        Request { what: What::Batch(sql.to_owned()), otherwise: None }
    }

    /// Creates the request to execute a prepared statement.
    pub(crate) fn statement(statement: Statement, values: &[Value<'_>]) -> Result<Request> {
        let types = statement.params();
        if types.len() != values.len() {
            let (expected, given) = (types.len(), values.len());
            return Err(StoreError::Failed(format!("a statement has {expected} parameters, not {given}")));
        }
        let params = values.iter().zip(types).map(|(value, ty)| Encoded::of(value, ty)).collect::<Result<_>>()?;
        Ok(Request { what: What::Statement(statement, params), otherwise: None })
    }

    /// Makes the request fail with this error if it changes no row.
    pub(crate) fn or(self, otherwise: Option<&str>) -> Request {
        Request { otherwise: otherwise.map(str::to_owned), ..self }
    }

    pub(crate) fn is_batch(&self, sql: &str) -> bool {
        matches!(&self.what, What::Batch(batch) if batch == sql)
    }

    /// Returns whether the request can fail although the server executes it.
    pub(crate) fn is_checked(&self) -> bool {
        self.otherwise.is_some()
    }

    /// Sends the request and waits for the answer.
    pub(crate) async fn send(&self, client: &Client) -> std::result::Result<Answer, tokio_postgres::Error> {
        match &self.what {
            What::Batch(sql) => {
                client.batch_execute(sql).await?;
                Ok(Answer { rows: Vec::new(), count: 0 })
            }
            What::Statement(statement, params) => {
                let mut stream = pin!(client.query_raw(statement, params).await?);
                let mut rows = Vec::new();
                while let Some(row) = stream.try_next().await? {
                    rows.push(row);
                }
                Ok(Answer { count: stream.rows_affected().unwrap_or(0), rows })
            }
        }
    }

    /// Checks the answer.
    pub(crate) fn check(&self, answer: &Answer) -> Result<()> {
        match &self.otherwise {
            Some(why) if answer.count == 0 => Err(StoreError::Failed(why.clone())),
            _ => Ok(()),
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
