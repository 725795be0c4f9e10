//! Why a program does not get what it asked for.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

use crate::service::{Reason, Rejection};
use crate::store::StoreError;

/// Seconds after which whoever found the server busy may come again.
const COME_AGAIN: &str = "10";

/// The body of every answer that is none.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Trouble")]
pub(super) struct Body {
    error: Error,
}

/// What is wrong, and as far as it is known what would be right.
#[derive(Debug, Default, Serialize, JsonSchema)]
struct Error {
    /// What is wrong, in a sentence.
    message: String,
    /// The line of the command language that it came to, passwords `***`.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<String>,
    /// Byte column and length in characters of the word at fault in `line`.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<(usize, usize)>,
    /// The nearest word that would be right.
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest: Option<String>,
    /// How the command is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<String>,
}

/// A refusal with its status.
#[derive(Debug)]
pub(in crate::web) struct Trouble {
    status: StatusCode,
    error: Error,
}

impl Trouble {
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Trouble {
        Trouble { status, error: Error { message: message.into(), ..Error::default() } }
    }

    /// Who asks has not shown who he is.
    pub(super) fn unknown(message: &str) -> Trouble {
        Trouble::new(StatusCode::UNAUTHORIZED, message)
    }

    pub(super) fn not_there(message: impl Into<String>) -> Trouble {
        Trouble::new(StatusCode::NOT_FOUND, message)
    }

    pub(super) fn not_understood(message: impl Into<String>) -> Trouble {
        Trouble::new(StatusCode::BAD_REQUEST, message)
    }
}

impl From<Rejection> for Trouble {
    fn from(refused: Rejection) -> Trouble {
        let status = match refused.reason {
            _ if refused.not_understood => StatusCode::BAD_REQUEST,
            Reason::State => StatusCode::CONFLICT,
            Reason::NotThere => StatusCode::NOT_FOUND,
            Reason::NotYours => StatusCode::FORBIDDEN,
            Reason::Unknown => StatusCode::UNAUTHORIZED,
            Reason::TooOften => StatusCode::TOO_MANY_REQUESTS,
        };
        let Rejection { line, at, message, nearest, usage, .. } = refused;
        // What was asked without a line of the language has none to be shown.
        let line = Some(line).filter(|line| !line.is_empty());
        Trouble {
            status,
            error: Error { message: message.to_string(), at: line.as_ref().and(at), line, nearest, usage },
        }
    }
}

impl From<anyhow::Error> for Trouble {
    fn from(error: anyhow::Error) -> Trouble {
        if let Some(StoreError::Busy) = error.downcast_ref() {
            return Trouble::new(StatusCode::SERVICE_UNAVAILABLE, "The server is busy; come again in a moment.");
        }
        tracing::error!(error = format!("{error:#}"), "a program's request failed");
        Trouble::new(StatusCode::INTERNAL_SERVER_ERROR, "Something went wrong here; try again later.")
    }
}

impl From<StoreError> for Trouble {
    fn from(error: StoreError) -> Trouble {
        anyhow::Error::from(error).into()
    }
}

impl IntoResponse for Trouble {
    fn into_response(self) -> Response {
        let body = serde_json::to_string(&Body { error: self.error }).unwrap_or_default();
        let headers = [
            ("Content-Type", "application/json"),
            ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
        ];
        let mut response = (self.status, headers, body).into_response();
        let more = match self.status {
            StatusCode::UNAUTHORIZED => Some(("WWW-Authenticate", "Bearer")),
            StatusCode::SERVICE_UNAVAILABLE => Some(("Retry-After", COME_AGAIN)),
            StatusCode::TOO_MANY_REQUESTS => Some(("Retry-After", "3600")),
            _ => None,
        };
        if let Some((name, value)) = more {
            response.headers_mut().insert(name, axum::http::HeaderValue::from_static(value));
        }
        response
    }
}
