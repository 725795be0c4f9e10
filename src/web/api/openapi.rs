//! The OpenAPI document, made from the endpoints.

use axum::http::StatusCode;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::endpoint::{Auth, Endpoint, Handler};
use super::error::ErrorBody;

/// An OpenAPI document.
#[derive(Serialize, JsonSchema)]
#[serde(transparent)]
pub(super) struct Document(Map<String, Value>);

const ABOUT: &str = "A turn server for games by mail, by shell, and by programs. A program shows a personal token in the \
header Authorization (`Bearer tp_…`); POST /tokens makes one from a userid and password. What everybody may see needs no \
token. For anything that has no endpoint of its own, POST /commands runs a line of the command language. A request that \
fails is answered with an `error` that says what is wrong and, where it is known, what would be right.";

/// Makes the document of these endpoints.
pub(super) fn document(endpoints: &[Endpoint]) -> Document {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    // A request may leave out fields that have a default; a response leaves nothing out.
    let mut sent = settings.clone().for_deserialize().into_generator();
    let mut answered = settings.for_serialize().into_generator();
    let mut paths: Map<String, Value> = Map::new();
    for endpoint in endpoints {
        let operations = paths.entry(endpoint.path).or_insert_with(|| json!({}));
        operations[endpoint.method.as_str().to_lowercase()] = operation(endpoint, &mut sent, &mut answered);
    }
    answered.subschema_for::<ErrorBody>();
    let mut schemas = sent.take_definitions(true);
    schemas.extend(answered.take_definitions(true));
    let document = json!({
        "openapi": "3.1.0",
        "info": { "title": "turnpost", "version": env!("CARGO_PKG_VERSION"), "description": ABOUT },
        "servers": [{ "url": "/api/v1" }],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } }
        }
    });
    match document {
        Value::Object(document) => Document(document),
        _ => Document(Map::new()),
    }
}

fn operation(endpoint: &Endpoint, sent: &mut SchemaGenerator, answered: &mut SchemaGenerator) -> Value {
    let in_path = endpoint.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let mut parameters: Vec<Value> = in_path
        .map(|name| {
            let schema =
                if name == "number" { json!({ "type": "integer", "minimum": 1 }) } else { json!({ "type": "string" }) };
            json!({ "name": name, "in": "path", "required": true, "schema": schema })
        })
        .collect();
    parameters.extend(endpoint.query.iter().map(|parameter| {
        let (name, meaning, schema) = (parameter.name, parameter.meaning, (parameter.schema)());
        json!({ "name": name, "in": "query", "description": meaning, "schema": schema })
    }));
    let (content_type, meaning) = match endpoint.handler {
        Handler::Json(_) => ("application/json", "Done."),
        Handler::Events => (
            "text/event-stream",
            "Events until the connection ends; the schema is that of the `data` of an event named `change`.",
        ),
    };
    let schema = (endpoint.answer)(answered);
    let mut responses = Map::new();
    responses.insert(
        endpoint.status.as_str().to_owned(),
        json!({ "description": meaning, "content": { content_type: { "schema": schema } } }),
    );
    for (status, meaning) in errors(endpoint) {
        let body = json!({ "application/json": { "schema": { "$ref": "#/components/schemas/Trouble" } } });
        responses.insert(status.as_str().to_owned(), json!({ "description": meaning, "content": body }));
    }
    let security = match endpoint.auth {
        Auth::Required => json!([{ "token": [] }]),
        Auth::Optional => json!([{}, { "token": [] }]),
    };
    let mut operation = json!({
        "operationId": endpoint.id,
        "summary": endpoint.summary,
        "parameters": parameters,
        "security": security,
        "responses": responses,
    });
    if let Some(body) = endpoint.body {
        operation["requestBody"] =
            json!({ "required": true, "content": { "application/json": { "schema": body(sent) } } });
    }
    operation
}

/// The errors that an endpoint may answer with.
fn errors(endpoint: &Endpoint) -> Vec<(StatusCode, &'static str)> {
    let mut all = vec![
        (StatusCode::BAD_REQUEST, "The request is not understood."),
        (StatusCode::UNAUTHORIZED, "The token or password is missing or wrong."),
        (StatusCode::INTERNAL_SERVER_ERROR, "Something went wrong on the server."),
        (StatusCode::SERVICE_UNAVAILABLE, "The server is busy; Retry-After says when to retry."),
    ];
    if endpoint.path.contains('{') || endpoint.path.ends_with("/webhook") || endpoint.body.is_some() {
        all.push((StatusCode::FORBIDDEN, "This player may not do or see this."));
        all.push((StatusCode::NOT_FOUND, "There is no such thing."));
    }
    if endpoint.body.is_some() {
        all.push((StatusCode::CONFLICT, "Rejected by the rules, or the board has moved on."));
        all.push((StatusCode::PAYLOAD_TOO_LARGE, "The body is too long."));
        all.push((StatusCode::UNSUPPORTED_MEDIA_TYPE, "The body is not JSON."));
        all.push((StatusCode::TOO_MANY_REQUESTS, "Too many wrong passwords; Retry-After says when to retry."));
    } else if endpoint.path.ends_with("/preview") {
        all.push((StatusCode::CONFLICT, "Rejected by the rules."));
    }
    all
}
