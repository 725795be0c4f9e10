//! The problem types of the API's error responses.

use std::borrow::Cow;

use axum::http::StatusCode;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

use crate::service::{Reason, Rejection};

/// The path of the descriptions. Followed by a reason code, it is the `type` of a problem (RFC 9457, 3.1.1).
const TYPES: &str = "/api/v1/problems/";

/// A problem type. Its reason code is for programs.
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
    Failed,
    Busy,
    Maintenance,
}

impl Problem {
    /// All problem types, ordered by status.
    pub(crate) const EACH: [Problem; 15] = [
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
            Problem::Failed => "failed",
            Problem::Busy => "busy",
            Problem::Maintenance => "maintenance",
        }
    }

    /// Returns the HTTP status.
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
            Problem::TooOften => StatusCode::TOO_MANY_REQUESTS,
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
            Problem::State => "The rules of the game or the current state do not allow it.",
            Problem::NotUnderstood => "The request contains a word that has no meaning here.",
            Problem::TooLong => "The body is too long.",
            Problem::NotJson => "The body is not JSON.",
            Problem::TooOften => "There were too many attempts.",
            Problem::Failed => "The server failed.",
            Problem::Busy => "The server is busy.",
            Problem::Maintenance => "The server is under maintenance.",
        }
    }

    /// Returns advice for the client.
    pub(crate) const fn remedy(self) -> &'static str {
        match self {
            Problem::Malformed => "Send what /api/v1/openapi.json describes.",
            Problem::Unauthenticated => "Send a valid token in the header Authorization; POST /tokens creates one.",
            Problem::NotYours => "Send the token of a player with access.",
            Problem::ReadOnly => "Send the request to the original server.",
            Problem::NotThere => "Check the number or the name.",
            Problem::WrongMethod => "Use one of the methods in the header Allow.",
            Problem::TooSlow => "Send the request again.",
            Problem::State => "Fetch the board again, and choose another action.",
            Problem::NotUnderstood => "Correct the word; `nearest` or `usage` may show the right form.",
            Problem::TooLong => "Send less.",
            Problem::NotJson => "Send JSON, with the header Content-Type: application/json.",
            Problem::TooOften => "Wait for the seconds in the header Retry-After.",
            Problem::Failed => "Try again later; the administrator finds the details in the log.",
            Problem::Busy => "Wait for the seconds in the header Retry-After, and send the request again.",
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
