//! The errors that a program is answered with.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

use crate::message;
use crate::service::{Reason, Rejection};
use crate::store::StoreError;
use crate::text::Message;
use crate::web::site::Site;

/// Seconds after which a client that found the server busy may retry.
const RETRY_WHEN_BUSY: &str = "10";
/// Seconds after which a client that tried too many passwords may retry.
const RETRY_AFTER_PASSWORDS: &str = "3600";

/// The body of every response that reports an error.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Trouble")]
pub(super) struct ErrorBody {
    error: ErrorDetails,
}

/// What is wrong and, where it is known, what would be right.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Error")]
struct ErrorDetails {
    /// What is wrong, in a sentence.
    message: String,
    /// The line of the command language that the request stands for, with passwords as `***`.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<String>,
    /// The byte column and the length in characters of the wrong word in `line`.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<(usize, usize)>,
    /// The nearest word that would be right.
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest: Option<String>,
    /// The usage of the command.
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<String>,
}

/// An error with its status.
#[derive(Debug)]
pub(super) struct ApiError {
    status: StatusCode,
    rejection: Rejection,
}

impl ApiError {
    /// An error of this status.
    pub(super) fn new(status: StatusCode, message: Message) -> ApiError {
        ApiError { status, rejection: Rejection { message, ..Rejection::default() } }
    }

    /// The client has not shown a valid token or password.
    pub(super) fn unauthorized(message: Message) -> ApiError {
        ApiError::new(StatusCode::UNAUTHORIZED, message)
    }

    /// What the request names does not exist.
    pub(super) fn not_found(message: Message) -> ApiError {
        ApiError::new(StatusCode::NOT_FOUND, message)
    }

    /// The request is not understood.
    pub(super) fn bad_request(message: Message) -> ApiError {
        ApiError::new(StatusCode::BAD_REQUEST, message)
    }

    /// The response that reports the error, in the words of the site's templates.
    pub(super) fn into_response(self, site: &Site) -> Response {
        let Rejection { line, at, message, nearest, usage, .. } = self.rejection;
        // A request that was not a line of the command language has none to show.
        let line = Some(line).filter(|line| !line.is_empty());
        let message = site.words(&message);
        let error = ErrorDetails { message, at: line.as_ref().and(at), line, nearest, usage };
        let body = serde_json::to_string(&ErrorBody { error }).unwrap_or_default();
        let headers = [
            ("Content-Type", "application/json"),
            ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
        ];
        let mut response = (self.status, headers, body).into_response();
        let header = match self.status {
            StatusCode::UNAUTHORIZED => Some(("WWW-Authenticate", "Bearer")),
            StatusCode::SERVICE_UNAVAILABLE => Some(("Retry-After", RETRY_WHEN_BUSY)),
            StatusCode::TOO_MANY_REQUESTS => Some(("Retry-After", RETRY_AFTER_PASSWORDS)),
            _ => None,
        };
        if let Some((name, value)) = header {
            response.headers_mut().insert(name, axum::http::HeaderValue::from_static(value));
        }
        response
    }
}

impl From<Rejection> for ApiError {
    fn from(rejection: Rejection) -> ApiError {
        let status = match rejection.reason {
            _ if rejection.not_understood => StatusCode::BAD_REQUEST,
            Reason::State => StatusCode::CONFLICT,
            Reason::NotThere => StatusCode::NOT_FOUND,
            Reason::NotYours => StatusCode::FORBIDDEN,
            Reason::Unknown => StatusCode::UNAUTHORIZED,
            Reason::TooOften => StatusCode::TOO_MANY_REQUESTS,
        };
        ApiError { status, rejection }
    }
}

impl From<anyhow::Error> for ApiError {
    fn from(error: anyhow::Error) -> ApiError {
        if let Some(StoreError::Busy) = error.downcast_ref() {
            return ApiError::new(StatusCode::SERVICE_UNAVAILABLE, message!("web.server-busy"));
        }
        tracing::error!(error = format!("{error:#}"), "a program's request failed");
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, message!("web.server-failed"))
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> ApiError {
        anyhow::Error::from(error).into()
    }
}
