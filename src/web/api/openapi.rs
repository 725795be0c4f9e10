//! The OpenAPI document, generated from the endpoints, and the descriptions of the problem types.

use std::collections::BTreeMap;

use axum::http::Method;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::endpoint::{Auth, Endpoint, Handler};
use super::error::{ApiError, PROBLEM_TYPE, Problem, ProblemDetails};
use super::request::ApiRequest;
use super::schemas;
use crate::message;

/// An OpenAPI document.
#[derive(Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct Document(Map<String, Value>);

const ABOUT: &str = "A turn server for games by mail, in the shell and by programs. Send a personal token in the \
header Authorization (`Bearer tp_…`); POST /tokens creates one from a userid and a password. You need no token for \
public data. POST /commands runs a line of the command language, for actions without a separate endpoint. The \
response to a failed request contains problem details (RFC 9457), which say what is wrong and, if known, how to \
correct it.";

/// Generates the document of these endpoints.
pub(crate) fn document(endpoints: &[Endpoint]) -> Document {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
        settings.transforms.push(Box::new(RecursiveTransform(schemas::bound_integers)));
    });
    // Requests may omit fields with a default; responses contain every field.
    let mut sent = settings.clone().for_deserialize().into_generator();
    let mut answered = settings.for_serialize().into_generator();
    let mut paths: Map<String, Value> = Map::new();
    for endpoint in endpoints {
        let operations = paths.entry(endpoint.path).or_insert_with(|| json!({}));
        operations[endpoint.method.as_str().to_lowercase()] = operation(endpoint, &mut sent, &mut answered);
    }
    answered.subschema_for::<ProblemDetails>();
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
        .map(|name| json!({ "name": name, "in": "path", "required": true, "schema": schemas::in_path(name) }))
        .collect();
    parameters.extend(endpoint.query.iter().map(|parameter| {
        let (name, meaning, schema) = (parameter.name, parameter.meaning, (parameter.schema)());
        json!({ "name": name, "in": "query", "description": meaning, "schema": schema })
    }));
    let schema = (endpoint.answer)(answered);
    let (content_type, meaning, schema) = match endpoint.handler {
        Handler::Json(_) => ("application/json", "Done.", json!(schema)),
        Handler::Picture(format) => (format.content_type(), "The picture.", json!(schema)),
        Handler::Events | Handler::BoardEvents => (
            "text/event-stream",
            "A stream of events until the connection closes. The schema describes one event.",
            event_schema(&schema),
        ),
    };
    let mut responses = Map::new();
    responses.insert(
        endpoint.status.as_str().to_owned(),
        json!({ "description": meaning, "content": { content_type: { "schema": schema } } }),
    );
    if let Handler::Picture(_) = endpoint.handler {
        responses.insert("304".to_owned(), json!({ "description": "The client's copy is current (If-None-Match)." }));
    }
    for (status, meanings) in errors(endpoint) {
        let body = json!({ PROBLEM_TYPE: { "schema": { "$ref": "#/components/schemas/Problem" } } });
        responses.insert(status.to_string(), json!({ "description": meanings, "content": body }));
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
        let schema = body(sent);
        let required = has_required_fields(&schema, sent);
        operation["requestBody"] =
            json!({ "required": required, "content": { "application/json": { "schema": schema } } });
    }
    operation
}

/// Returns the schema of one event of a stream. The event `change` has data of the given schema.
fn event_schema(change: &Schema) -> Value {
    json!({
        "type": "object",
        "properties": {
            "event": { "type": "string", "enum": ["now", "change"] },
            "id": { "type": "string", "pattern": "^[0-9]+$" },
            "data": {
                "type": "string",
                "description": "The event `change` has data of this schema; the event `now` has the number of the last change.",
                "contentMediaType": "application/json",
                "contentSchema": change,
            },
        },
        "required": ["event", "id", "data"],
    })
}

/// Returns whether a schema has required fields. A request body with required fields is required too.
fn has_required_fields(schema: &Schema, generator: &SchemaGenerator) -> bool {
    let name = schema.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next());
    let definition = name.and_then(|name| generator.definitions().get(name));
    definition.and_then(|definition| definition.get("required")).is_some()
}

/// Returns the possible error statuses of an endpoint, with descriptions.
fn errors(endpoint: &Endpoint) -> BTreeMap<u16, String> {
    let mut problems =
        vec![Problem::Malformed, Problem::Unauthenticated, Problem::Failed, Problem::Busy, Problem::Maintenance];
    if endpoint.method != Method::GET {
        problems.push(Problem::ReadOnly);
    }
    if endpoint.path.contains('{') || endpoint.path.ends_with("/webhook") || endpoint.body.is_some() {
        problems.extend([Problem::NotYours, Problem::NotThere, Problem::State, Problem::NotUnderstood]);
    }
    if endpoint.query.iter().any(|parameter| parameter.name == "which") {
        problems.push(Problem::NotUnderstood);
    }
    if matches!(endpoint.handler, Handler::Events | Handler::BoardEvents) {
        problems.push(Problem::TooManyStreams);
    }
    if endpoint.body.is_some() {
        problems.extend([Problem::TooSlow, Problem::TooLong, Problem::NotJson, Problem::TooOften]);
    }
    let mut errors: BTreeMap<u16, String> = BTreeMap::new();
    for problem in problems {
        let meaning = format!("`{}`: {}", problem.name(), problem.title());
        errors.entry(problem.status().as_u16()).and_modify(|all| *all += &format!(" {meaning}")).or_insert(meaning);
    }
    errors
}

/// A problem type.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ProblemKind {
    /// The URI of this description, which is the `type` in problem details.
    #[serde(rename = "type")]
    kind: String,
    /// A one-sentence summary.
    title: &'static str,
    /// The HTTP status of the responses.
    #[schemars(range(min = 400, max = 599))]
    status: u16,
    /// The reason code, which is the `reason` in problem details.
    reason: Problem,
    /// Advice for the client.
    remedy: &'static str,
}

/// `GET /problems/REASON`
pub(crate) fn describe(request: &mut ApiRequest<'_>) -> Result<ProblemKind, ApiError> {
    let reason = request.parameters.in_path("reason");
    let Some(problem) = Problem::EACH.into_iter().find(|problem| problem.name() == reason) else {
        return Err(ApiError::not_there(message!("web.no-such-problem", reason)).about(reason));
    };
    Ok(ProblemKind {
        kind: problem.uri(),
        title: problem.title(),
        status: problem.status().as_u16(),
        reason: problem,
        remedy: problem.remedy(),
    })
}
