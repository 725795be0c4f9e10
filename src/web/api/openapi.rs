//! The OpenAPI document, made from the table.

use std::sync::LazyLock;

use axum::http::StatusCode;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::call::Call;
use super::table::{Endpoint, Need, Run, endpoints};
use super::trouble::{self, Trouble};

/// An OpenAPI document.
#[derive(Serialize, JsonSchema)]
#[serde(transparent)]
pub(super) struct Document(Map<String, Value>);

pub(super) fn answer(_: &mut Call<'_>) -> Result<Document, Trouble> {
    static DOCUMENT: LazyLock<Map<String, Value>> = LazyLock::new(document);
    Ok(Document(DOCUMENT.clone()))
}

const ABOUT: &str = "A turn server: games by mail, by shell, and by programs. A program shows a personal token in the header \
Authorization (`Bearer tp_…`), which POST /tokens makes from a userid and password. What everybody may see is answered without \
one. Whatever has no endpoint of its own is a line of the command language, for POST /commands. A request that is not done is \
answered with an `error` that says what is wrong and, where it is known, what would be right.";

fn document() -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    // Whoever sends may leave out what has a default; whoever answers leaves nothing out.
    let mut sent = settings.clone().for_deserialize().into_generator();
    let mut answered = settings.for_serialize().into_generator();
    let mut paths: Map<String, Value> = Map::new();
    for endpoint in endpoints() {
        let operations = paths.entry(endpoint.path).or_insert_with(|| json!({}));
        operations[endpoint.method.as_str().to_lowercase()] = operation(endpoint, &mut sent, &mut answered);
    }
    answered.subschema_for::<trouble::Body>();
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
        Value::Object(document) => document,
        _ => Map::new(),
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
    let kind = match endpoint.run {
        Run::Now(_) => "application/json",
        Run::Events => "text/event-stream",
    };
    let said = match endpoint.run {
        Run::Now(_) => "Done.",
        Run::Events => "Events, until the connection ends; the schema is that of the `data` of one named `change`.",
    };
    let schema = (endpoint.answer)(answered);
    let mut responses = Map::new();
    responses.insert(
        endpoint.status.as_str().to_owned(),
        json!({ "description": said, "content": { kind: { "schema": schema } } }),
    );
    for (status, meaning) in refusals(endpoint) {
        let body = json!({ "application/json": { "schema": { "$ref": "#/components/schemas/Trouble" } } });
        responses.insert(status.as_str().to_owned(), json!({ "description": meaning, "content": body }));
    }
    let security = match endpoint.token {
        Need::Token => json!([{ "token": [] }]),
        Need::Nothing => json!([{}, { "token": [] }]),
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

/// The ways in which it may not be done.
fn refusals(endpoint: &Endpoint) -> Vec<(StatusCode, &'static str)> {
    let mut all = vec![
        (StatusCode::BAD_REQUEST, "Not understood."),
        (StatusCode::UNAUTHORIZED, "No token or password, or one that is not right."),
        (StatusCode::INTERNAL_SERVER_ERROR, "Something went wrong on the server."),
        (StatusCode::SERVICE_UNAVAILABLE, "The server is busy; Retry-After says when to come again."),
    ];
    if endpoint.path.contains('{') || endpoint.path.ends_with("/webhook") || endpoint.body.is_some() {
        all.push((StatusCode::FORBIDDEN, "Not for this player."));
        all.push((StatusCode::NOT_FOUND, "There is none."));
    }
    if endpoint.body.is_some() {
        all.push((StatusCode::CONFLICT, "Refused by the rules, or the board has moved on."));
        all.push((StatusCode::PAYLOAD_TOO_LARGE, "The body is too long."));
        all.push((StatusCode::UNSUPPORTED_MEDIA_TYPE, "The body is not JSON."));
        all.push((StatusCode::TOO_MANY_REQUESTS, "Too many wrong passwords; Retry-After says when to come again."));
    } else if endpoint.path.ends_with("/preview") {
        all.push((StatusCode::CONFLICT, "Refused by the rules."));
    }
    all
}
