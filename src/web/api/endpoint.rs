//! The type of the API's endpoints. The routes and the OpenAPI document are generated from its values.

use axum::http::{Method, StatusCode};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::error::ApiError;
use super::request::ApiRequest;
use super::schemas::{self, Members};
use crate::message;

/// An endpoint.
pub(crate) struct Endpoint {
    pub(crate) method: Method,
    /// The path below `/api/v1`, with parameters in braces.
    pub(crate) path: &'static str,
    /// The operation id in the OpenAPI document.
    pub(crate) id: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) auth: Auth,
    /// The parameters of the query string.
    pub(crate) query: Vec<QueryParameter>,
    /// The schema of the request body.
    pub(crate) body: Option<MakeSchema>,
    /// The status of a successful response.
    pub(crate) status: StatusCode,
    /// The schema of the response. For an event stream, this is the schema of the data of one event.
    pub(crate) answer: MakeSchema,
    pub(crate) handler: Handler,
}

/// Generates the schema of a type.
pub(crate) type MakeSchema = fn(&mut SchemaGenerator) -> Schema;
type JsonHandler = dyn Fn(&mut ApiRequest<'_>, &[u8]) -> Result<Vec<u8>, ApiError> + Send + Sync;

/// The kind of an endpoint's response.
pub(crate) enum Handler {
    /// A JSON value, computed from the request body.
    Json(Box<JsonHandler>),
    /// The stream of changes of the player's boards.
    Events,
    /// The stream of changes of one board.
    BoardEvents,
    /// A picture of a board.
    Picture(PictureFormat),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PictureFormat {
    Svg,
    Png,
}

impl PictureFormat {
    pub(crate) const fn content_type(self) -> &'static str {
        match self {
            PictureFormat::Svg => "image/svg+xml",
            PictureFormat::Png => "image/png",
        }
    }
}

/// Whether an endpoint requires a token.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Auth {
    /// Without a token, the endpoint returns public data.
    Optional,
    Required,
}

pub(crate) struct QueryParameter {
    pub(crate) name: &'static str,
    pub(crate) meaning: &'static str,
    pub(crate) schema: fn() -> Schema,
}

/// Defines an endpoint without a request body.
pub(crate) fn without_body<T: Serialize + JsonSchema + 'static>(
    method: Method,
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    handle: fn(&mut ApiRequest<'_>) -> Result<T, ApiError>,
) -> Endpoint {
    let handler = Handler::Json(Box::new(move |request, _| {
        let answer = handle(request)?;
        to_json(&answer)
    }));
    endpoint::<T>(method, path, id, summary, handler)
}

/// Defines a GET endpoint.
pub(crate) fn get<T: Serialize + JsonSchema + 'static>(
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    handle: fn(&mut ApiRequest<'_>) -> Result<T, ApiError>,
) -> Endpoint {
    without_body(Method::GET, path, id, summary, handle)
}

/// Defines an endpoint with a request body.
pub(crate) fn with_body<B: DeserializeOwned + JsonSchema + 'static, T: Serialize + JsonSchema + 'static>(
    method: Method,
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    handle: fn(&mut ApiRequest<'_>, B) -> Result<T, ApiError>,
) -> Endpoint {
    let sent = SchemaGenerator::default().into_root_schema_for::<B>();
    let handler = Handler::Json(Box::new(move |request, body| {
        // A request may omit the body if all fields are optional.
        let body = serde_json::from_slice(if body.is_empty() { b"{}" } else { body });
        let wrong = |why: String| ApiError::malformed(message!("web.wrong-body", why));
        let Members(members) = body.map_err(|error| wrong(error.to_string()))?;
        let mistake = schemas::mistake(&sent, &members);
        let body = serde_json::from_value(Value::Object(members)).map_err(|error| wrong(error.to_string()))?;
        if let Some(why) = mistake {
            return Err(wrong(why));
        }
        let answer = handle(request, body)?;
        to_json(&answer)
    }));
    Endpoint { body: Some(schema::<B>), ..endpoint::<T>(method, path, id, summary, handler) }
}

/// Defines a POST endpoint with a request body.
pub(crate) fn post<B: DeserializeOwned + JsonSchema + 'static, T: Serialize + JsonSchema + 'static>(
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    handle: fn(&mut ApiRequest<'_>, B) -> Result<T, ApiError>,
) -> Endpoint {
    with_body(Method::POST, path, id, summary, handle)
}

/// Defines an event stream. Each event has data of type `T`.
pub(crate) fn stream<T: JsonSchema>(
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    handler: Handler,
) -> Endpoint {
    endpoint::<T>(Method::GET, path, id, summary, handler)
}

/// Defines an endpoint that returns a picture.
pub(crate) fn picture(path: &'static str, id: &'static str, summary: &'static str, format: PictureFormat) -> Endpoint {
    endpoint::<String>(Method::GET, path, id, summary, Handler::Picture(format))
}

fn endpoint<T: JsonSchema>(
    method: Method,
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    handler: Handler,
) -> Endpoint {
    let (auth, status) = (Auth::Optional, StatusCode::OK);
    Endpoint { method, path, id, summary, auth, query: Vec::new(), body: None, status, answer: schema::<T>, handler }
}

fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

fn to_json<T: Serialize>(answer: &T) -> Result<Vec<u8>, ApiError> {
    serde_json::to_vec(answer).map_err(|error| anyhow::Error::from(error).into())
}

impl Endpoint {
    /// Makes the token required.
    pub(crate) fn with_token(self) -> Endpoint {
        Endpoint { auth: Auth::Required, ..self }
    }

    /// Sets the status of a successful response to 201 Created.
    pub(crate) fn creates(self) -> Endpoint {
        Endpoint { status: StatusCode::CREATED, ..self }
    }

    /// Adds a parameter to the query string.
    pub(crate) fn with(mut self, parameter: QueryParameter) -> Endpoint {
        self.query.push(parameter);
        self
    }
}
