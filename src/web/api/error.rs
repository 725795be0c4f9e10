//! Error responses of the API, with their problem types (RFC 9457).

use std::borrow::Cow;

use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

use crate::message;
use crate::service::{Reason, Rejection};
use crate::store::StoreError;
use crate::text::Message;
use crate::web::hub::TooManyStreams;
use crate::web::site::Site;

/// The MIME type of problem details.
pub(crate) const PROBLEM_TYPE: &str = "application/problem+json";

/// Seconds until a client may retry when the server is busy, or when the client has too many streams.
const RETRY_WHEN_BUSY: &str = "10";
/// Seconds until a client may retry after too many wrong passwords.
const RETRY_AFTER_PASSWORDS: &str = "3600";

/// The body of every response that reports an error: problem details (RFC 9457).
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Problem")]
pub(crate) struct ProblemDetails {
    /// The URI of the problem type, at which a description is available: `/api/v1/problems/not-there`.
    #[serde(rename = "type")]
    #[schemars(regex(pattern = r"^/api/v1/problems/[a-z-]+$"))]
    kind: String,
    /// A one-sentence summary of the problem type.
    title: &'static str,
    /// The HTTP status of the response.
    #[schemars(range(min = 400, max = 599))]
    status: u16,
    /// What is wrong with this request and, if known, how to correct it.
    detail: String,
    /// The reason code of the problem type.
    reason: Problem,
    /// The code of `detail`; it does not depend on the language.
    #[schemars(regex(pattern = r"^[a-z-]+(\.[a-z0-9-]+)?$"))]
    code: String,
    /// The wrong word.
    #[serde(skip_serializing_if = "Option::is_none")]
    word: Option<String>,
    /// The line of the command language that corresponds to the request, with passwords as `***`.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<String>,
    /// The byte column of the wrong word in `line`, and its length in characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<(usize, usize)>,
    /// The most similar valid word.
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest: Option<String>,
    /// The usage of the command.
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<String>,
}

/// An error: a problem type, and the details of this request.
#[derive(Debug)]
pub(crate) struct ApiError {
    problem: Problem,
    rejection: Box<Rejection>,
    /// The word that is wrong. If set, it takes precedence over the word at the position in `rejection`.
    word: Option<String>,
}

impl ApiError {
    pub(crate) fn new(problem: Problem, message: Message) -> ApiError {
        ApiError { problem, rejection: Box::new(Rejection { message, ..Rejection::default() }), word: None }
    }

    /// Reports a missing or invalid token or password.
    pub(crate) fn unauthenticated(message: Message) -> ApiError {
        ApiError::new(Problem::Unauthenticated, message)
    }

    /// Reports that the requested resource does not exist.
    pub(crate) fn not_there(message: Message) -> ApiError {
        ApiError::new(Problem::NotThere, message)
    }

    /// Reports a request that does not match the OpenAPI document.
    pub(crate) fn malformed(message: Message) -> ApiError {
        ApiError::new(Problem::Malformed, message)
    }

    /// Reports a conflict with the current state.
    pub(crate) fn conflict(message: Message) -> ApiError {
        ApiError::new(Problem::State, message)
    }

    /// Reports a word that matches the schema but is not valid in this request.
    pub(crate) fn not_understood(message: Message) -> ApiError {
        ApiError::new(Problem::NotUnderstood, message)
    }

    /// Sets the word that is wrong.
    pub(crate) fn about(self, word: &str) -> ApiError {
        ApiError { word: Some(word.to_owned()), ..self }
    }

    /// Builds the response, with texts from the site's templates.
    pub(crate) fn into_response(self, site: &Site) -> Response {
        let ApiError { problem, rejection, word } = self;
        let Rejection { line, at, message, nearest, usage, .. } = *rejection;
        // The line is empty if the request did not run a command.
        let line = Some(line).filter(|line| !line.is_empty());
        let at = line.as_ref().and(at);
        let details = ProblemDetails {
            kind: problem.uri(),
            title: problem.title(),
            status: problem.status().as_u16(),
            detail: site.words(&message),
            reason: problem,
            code: message.code.into_owned(),
            word: word.or_else(|| line.as_deref().zip(at).and_then(|(line, at)| word_at(line, at))),
            line,
            at,
            nearest,
            usage,
        };
        let body = serde_json::to_string(&details).unwrap_or_default();
        let headers =
            [("Content-Type", PROBLEM_TYPE), ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff")];
        let mut response = (problem.status(), headers, body).into_response();
        let header = match problem {
            Problem::Unauthenticated => Some(("WWW-Authenticate", "Bearer")),
            Problem::Busy | Problem::TooManyStreams => Some(("Retry-After", RETRY_WHEN_BUSY)),
            Problem::TooOften => Some(("Retry-After", RETRY_AFTER_PASSWORDS)),
            _ => None,
        };
        if let Some((name, value)) = header {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        response
    }
}

/// Returns the word of `length` characters at this byte column. Returns `None` if the word is a password, shown as
/// `***`.
fn word_at(line: &str, (column, length): (usize, usize)) -> Option<String> {
    let word: String = line.get(column..)?.chars().take(length).collect();
    Some(word).filter(|word| !word.is_empty() && word != "***")
}

impl From<Rejection> for ApiError {
    fn from(rejection: Rejection) -> ApiError {
        ApiError { problem: Problem::of(&rejection), rejection: Box::new(rejection), word: None }
    }
}

impl From<anyhow::Error> for ApiError {
    fn from(error: anyhow::Error) -> ApiError {
        if let Some(StoreError::Busy | StoreError::Conflict | StoreError::Unreachable(_)) = error.downcast_ref() {
            return ApiError::new(Problem::Busy, message!("web.server-busy"));
        }
        tracing::error!(error = format!("{error:#}"), "a program's request failed");
        ApiError::new(Problem::Failed, message!("web.server-failed"))
    }
}

impl From<TooManyStreams> for ApiError {
    fn from(limit: TooManyStreams) -> ApiError {
        let problem = match limit {
            TooManyStreams::OfOwner => Problem::TooManyStreams,
            TooManyStreams::OfAll => Problem::Busy,
        };
        ApiError::new(problem, limit.message())
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> ApiError {
        anyhow::Error::from(error).into()
    }
}

/// Builds the response of a read-only server to a request that may change something.
pub(crate) fn read_only(site: &Site, message: Message) -> Response {
    ApiError::new(Problem::ReadOnly, message).into_response(site)
}

/// Builds the response to all requests during maintenance.
pub(crate) fn under_maintenance(site: &Site, message: Message) -> Response {
    ApiError::new(Problem::Maintenance, message).into_response(site)
}

/// Builds the response to a request with an incomplete body.
pub(crate) fn incomplete(site: &Site, status: StatusCode, message: Message) -> Response {
    let problem = if status == StatusCode::REQUEST_TIMEOUT { Problem::TooSlow } else { Problem::Malformed };
    ApiError::new(problem, message).into_response(site)
}

/// The path of the descriptions of problem types. The path and a reason code form the `type` of a problem (RFC 9457,
/// 3.1.1).
const TYPES: &str = "/api/v1/problems/";

/// A problem type. Programs recognize it by its reason code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    Malformed,
    Unauthenticated,
    NotYours,
    ReadOnly,
    NotThere,
    WrongMethod,
    TooSlow,
    State,
    NotUnderstood,
    TooLong,
    NotJson,
    TooOften,
    TooManyStreams,
    Failed,
    Busy,
    Maintenance,
}

impl Problem {
    /// All problem types, ordered by status.
    pub(crate) const EACH: [Problem; 16] = [
        Problem::Malformed,
        Problem::Unauthenticated,
        Problem::NotYours,
        Problem::ReadOnly,
        Problem::NotThere,
        Problem::WrongMethod,
        Problem::TooSlow,
        Problem::State,
        Problem::NotUnderstood,
        Problem::TooLong,
        Problem::NotJson,
        Problem::TooOften,
        Problem::TooManyStreams,
        Problem::Failed,
        Problem::Busy,
        Problem::Maintenance,
    ];

    /// Returns the reason code.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Problem::Malformed => "malformed",
            Problem::Unauthenticated => "unauthenticated",
            Problem::NotYours => "not-yours",
            Problem::ReadOnly => "read-only",
            Problem::NotThere => "not-there",
            Problem::WrongMethod => "wrong-method",
            Problem::TooSlow => "too-slow",
            Problem::State => "state",
            Problem::NotUnderstood => "not-understood",
            Problem::TooLong => "too-long",
            Problem::NotJson => "not-json",
            Problem::TooOften => "too-often",
            Problem::TooManyStreams => "too-many-streams",
            Problem::Failed => "failed",
            Problem::Busy => "busy",
            Problem::Maintenance => "maintenance",
        }
    }

    pub(crate) const fn status(self) -> StatusCode {
        match self {
            Problem::Malformed => StatusCode::BAD_REQUEST,
            Problem::Unauthenticated => StatusCode::UNAUTHORIZED,
            Problem::NotYours | Problem::ReadOnly => StatusCode::FORBIDDEN,
            Problem::NotThere => StatusCode::NOT_FOUND,
            Problem::WrongMethod => StatusCode::METHOD_NOT_ALLOWED,
            Problem::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Problem::State | Problem::NotUnderstood => StatusCode::CONFLICT,
            Problem::TooLong => StatusCode::PAYLOAD_TOO_LARGE,
            Problem::NotJson => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Problem::TooOften | Problem::TooManyStreams => StatusCode::TOO_MANY_REQUESTS,
            Problem::Failed => StatusCode::INTERNAL_SERVER_ERROR,
            Problem::Busy | Problem::Maintenance => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// Returns a one-sentence summary.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Problem::Malformed => "The request does not match this API's OpenAPI document.",
            Problem::Unauthenticated => "The token or password is missing or wrong.",
            Problem::NotYours => "This player may not see or do this.",
            Problem::ReadOnly => "This server shows a copy and accepts no changes.",
            Problem::NotThere => "The requested resource does not exist.",
            Problem::WrongMethod => "The path does not support this method.",
            Problem::TooSlow => "The request took too long to arrive.",
            Problem::State => "The rules of the game or the current state do not allow this action.",
            Problem::NotUnderstood => "The request contains a word that has no meaning here.",
            Problem::TooLong => "The body is too long.",
            Problem::NotJson => "The body is not JSON.",
            Problem::TooOften => "There were too many attempts.",
            Problem::TooManyStreams => "The client has too many open event streams.",
            Problem::Failed => "The server failed.",
            Problem::Busy => "The server is busy.",
            Problem::Maintenance => "The server is under maintenance.",
        }
    }

    /// Returns advice for the client.
    pub(crate) const fn remedy(self) -> &'static str {
        match self {
            Problem::Malformed => "Send a request that /api/v1/openapi.json describes.",
            Problem::Unauthenticated => "Send a valid token in the header Authorization; POST /tokens creates one.",
            Problem::NotYours => "Send the token of a player with access.",
            Problem::ReadOnly => "Send the request to the original server.",
            Problem::NotThere => "Check the number or the name.",
            Problem::WrongMethod => "Use one of the methods in the header Allow.",
            Problem::TooSlow => "Send the request again.",
            Problem::State => "Fetch the board again, and choose another action.",
            Problem::NotUnderstood => "Correct the word; `nearest` or `usage` may show the right form.",
            Problem::TooLong => "Send a shorter body.",
            Problem::NotJson => "Send JSON, with the header Content-Type: application/json.",
            Problem::TooOften => "Wait for the number of seconds in the header Retry-After.",
            Problem::TooManyStreams => "Close a stream, and send the request again.",
            Problem::Failed => "Try again later; the administrator finds the details in the log.",
            Problem::Busy => "Wait for the number of seconds in the header Retry-After, and send the request again.",
            Problem::Maintenance => "Send the request again later; the header Retry-After may say when.",
        }
    }

    /// Returns the URI of the description.
    pub(crate) fn uri(self) -> String {
        format!("{TYPES}{}", self.name())
    }

    /// Chooses the problem type for a rejection.
    pub(crate) fn of(rejection: &Rejection) -> Problem {
        match rejection.reason {
            _ if rejection.not_understood => Problem::NotUnderstood,
            Reason::State => Problem::State,
            Reason::NotThere => Problem::NotThere,
            Reason::NotYours => Problem::NotYours,
            Reason::Unknown => Problem::Unauthenticated,
            Reason::TooOften => Problem::TooOften,
        }
    }
}

impl Serialize for Problem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl JsonSchema for Problem {
    fn schema_name() -> Cow<'static, str> {
        "Reason".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({ "type": "string", "enum": Problem::EACH.map(Problem::name) })
    }
}
