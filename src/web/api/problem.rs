//! The kinds of problems that a request can meet, as the document of the API describes them.

use std::borrow::Cow;

use axum::http::StatusCode;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

use crate::service::{Reason, Rejection};

/// The path under which the kinds are described. With a kind's name it is the `type` of a problem (RFC 9457, 3.1.1).
const TYPES: &str = "/api/v1/problems/";

/// The kind of a problem: its reason code, by which programs tell problems apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Problem {
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
    /// Every kind, by status.
    pub(super) const EACH: [Problem; 15] = [
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

    /// The reason code.
    pub(super) const fn name(self) -> &'static str {
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

    /// The status that it is answered with.
    pub(super) const fn status(self) -> StatusCode {
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

    /// What it is, in a few words.
    pub(super) const fn title(self) -> &'static str {
        match self {
            Problem::Malformed => "The request is not as this API's document describes it.",
            Problem::Unauthenticated => "The token or password is missing or wrong.",
            Problem::NotYours => "This player may not see or do this.",
            Problem::ReadOnly => "This server shows a copy, and changes nothing.",
            Problem::NotThere => "What the request names does not exist.",
            Problem::WrongMethod => "The path does not have this method.",
            Problem::TooSlow => "The request took too long to arrive.",
            Problem::State => "The rules of the game or the present state do not allow it.",
            Problem::NotUnderstood => "The request contains a word that makes no sense here.",
            Problem::TooLong => "The body is too long.",
            Problem::NotJson => "The body is not JSON.",
            Problem::TooOften => "It was tried too often.",
            Problem::Failed => "Something went wrong on the server.",
            Problem::Busy => "The server is busy.",
            Problem::Maintenance => "The server is under maintenance.",
        }
    }

    /// What a program can do about it.
    pub(super) const fn remedy(self) -> &'static str {
        match self {
            Problem::Malformed => "Send what /api/v1/openapi.json describes.",
            Problem::Unauthenticated => "Show a valid token in the header Authorization; POST /tokens makes one.",
            Problem::NotYours => "Show the token of a player who may.",
            Problem::ReadOnly => "Send the request to the server that is copied.",
            Problem::NotThere => "Check the number or the name.",
            Problem::WrongMethod => "Use one of the methods in the header Allow.",
            Problem::TooSlow => "Send the request again.",
            Problem::State => "Fetch the board again, and decide anew.",
            Problem::NotUnderstood => "Correct the word; `nearest` or `usage` may say how it is written.",
            Problem::TooLong => "Send less.",
            Problem::NotJson => "Send JSON, with the header Content-Type: application/json.",
            Problem::TooOften => "Wait for the seconds in the header Retry-After.",
            Problem::Failed => "Try again later; the administrator finds the details in the log.",
            Problem::Busy => "Wait for the seconds in the header Retry-After, and send the request again.",
            Problem::Maintenance => "Send the request again later; Retry-After may say when.",
        }
    }

    /// The address of its description.
    pub(super) fn uri(self) -> String {
        format!("{TYPES}{}", self.name())
    }

    /// The kind of a rejection.
    pub(super) fn of(rejection: &Rejection) -> Problem {
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
