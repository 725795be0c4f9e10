//! What there is under `/api/v1`: each endpoint once, for the routes and for the document.

use std::sync::LazyLock;

use axum::http::{Method, StatusCode};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::call::Call;
use super::trouble::Trouble;
use super::{boards, events, games, hook, lines, me, openapi};

/// Boards in a list that comes in parts.
pub(super) const PAGE: u32 = 100;

/// Something that a program can ask.
pub(super) struct Endpoint {
    pub(super) method: Method,
    /// Below `/api/v1`, places in braces.
    pub(super) path: &'static str,
    /// Its name in the document.
    pub(super) id: &'static str,
    pub(super) summary: &'static str,
    pub(super) token: Need,
    pub(super) query: Vec<Parameter>,
    /// The schema of the body it takes.
    pub(super) body: Option<MakeSchema>,
    /// The status when it is done.
    pub(super) status: StatusCode,
    /// The schema of its answer; of one event's data, where events are answered.
    pub(super) answer: MakeSchema,
    pub(super) run: Run,
}

/// Makes a type's schema.
pub(super) type MakeSchema = fn(&mut SchemaGenerator) -> Schema;
type Work = dyn Fn(&mut Call<'_>, &[u8]) -> Result<Vec<u8>, Trouble> + Send + Sync;

/// How an endpoint is answered.
pub(super) enum Run {
    /// At once: from the body to the answer's.
    Now(Box<Work>),
    /// With events, as they come.
    Events,
}

/// Whether a token is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// Without one, what everybody may see is answered.
    Nothing,
    Token,
}

/// A parameter behind the `?`.
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) meaning: &'static str,
    pub(super) schema: fn() -> Schema,
}

/// All of them.
pub(super) fn endpoints() -> &'static [Endpoint] {
    static ENDPOINTS: LazyLock<Vec<Endpoint>> = LazyLock::new(make);
    &ENDPOINTS
}

fn make() -> Vec<Endpoint> {
    let after = || number("after", "The number behind which the list begins; `next` of the part before.");
    let drawing = || flag("drawing", "1: with the board in characters and in sentences.");
    vec![
        take(Method::POST, "/tokens", "makeToken", "Makes a token from a userid and password", me::make_token).made(),
        get("/me", "me", "The player whose token is shown", me::me).token(),
        get("/me/tokens", "tokens", "His tokens", me::tokens).token(),
        plain(Method::DELETE, "/me/tokens/{id}", "revokeToken", "Revokes one of his tokens", me::revoke_token).token(),
        get("/me/boards", "myBoards", "His boards: what waits for him first, and what is due first", me::boards)
            .token()
            .with(words(
                "which",
                "Those that wait for him, those in progress (unless said), or every one by number.",
                || schemars::json_schema!({ "type": "string", "enum": ["next", "active", "all"] }),
            ))
            .with(after()),
        take(Method::PUT, "/me/webhook", "setWebhook", "Has his turns told at an address of his", hook::set).token(),
        get("/me/webhook", "webhook", "The address at which his turns are told", hook::hook).token(),
        plain(Method::DELETE, "/me/webhook", "removeWebhook", "Has them told no more", hook::remove).token(),
        get("/games", "games", "The games", games::games),
        get("/games/{game}/boards", "gameBoards", "A game's boards and open challenges", games::boards).with(after()),
        get("/games/{game}/standings", "standings", "How strong a game's players are", games::standings),
        get("/players/{userid}", "player", "A player", games::player),
        get("/boards/{number}", "board", "A board as it is, or as it was", boards::show)
            .with(number("ply", "As it was after so many plies."))
            .with(drawing()),
        get("/boards/{number}/legal", "legalMoves", "What can be played on a board", boards::legal),
        get("/boards/{number}/preview", "preview", "A board as it would be after some moves", boards::preview)
            .with(words("moves", "Moves, with blanks between: `f3 g4`.", text))
            .with(number("ply", "Tried after so many plies, and not on the board as it is."))
            .with(drawing()),
        take(Method::POST, "/boards/{number}/moves", "move", "Makes a move", boards::make_move).token(),
        take(Method::POST, "/commands", "command", "Obeys any line of the command language", lines::obey),
        endpoint::<events::Happened>(
            Method::GET,
            "/events",
            "events",
            "What happens on his boards, as it happens (text/event-stream)",
            Run::Events,
        )
        .token()
        .with(number("after", "Begins with what happened behind this change; the header Last-Event-ID does, too.")),
        get("/openapi.json", "openapi", "This document", openapi::answer),
    ]
}

/// What takes no body.
fn plain<T: Serialize + JsonSchema + 'static>(
    method: Method,
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    run: fn(&mut Call<'_>) -> Result<T, Trouble>,
) -> Endpoint {
    endpoint::<T>(method, path, id, summary, Run::Now(Box::new(move |call, _| written(&run(call)?))))
}

fn get<T: Serialize + JsonSchema + 'static>(
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    run: fn(&mut Call<'_>) -> Result<T, Trouble>,
) -> Endpoint {
    plain(Method::GET, path, id, summary, run)
}

/// What takes a body.
fn take<B: DeserializeOwned + JsonSchema + 'static, T: Serialize + JsonSchema + 'static>(
    method: Method,
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    run: fn(&mut Call<'_>, B) -> Result<T, Trouble>,
) -> Endpoint {
    let run = Run::Now(Box::new(move |call, body| {
        let body = serde_json::from_slice(body);
        let body =
            body.map_err(|error| Trouble::not_understood(format!("The body is not what this takes: {error}.")))?;
        written(&run(call, body)?)
    }));
    Endpoint { body: Some(schema::<B>), ..endpoint::<T>(method, path, id, summary, run) }
}

fn endpoint<T: JsonSchema>(
    method: Method,
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    run: Run,
) -> Endpoint {
    let (token, status) = (Need::Nothing, StatusCode::OK);
    Endpoint { method, path, id, summary, token, query: Vec::new(), body: None, status, answer: schema::<T>, run }
}

fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

fn written<T: Serialize>(answer: &T) -> Result<Vec<u8>, Trouble> {
    serde_json::to_vec(answer).map_err(|error| anyhow::Error::from(error).into())
}

impl Endpoint {
    fn token(self) -> Endpoint {
        Endpoint { token: Need::Token, ..self }
    }

    fn made(self) -> Endpoint {
        Endpoint { status: StatusCode::CREATED, ..self }
    }

    fn with(mut self, parameter: Parameter) -> Endpoint {
        self.query.push(parameter);
        self
    }
}

fn words(name: &'static str, meaning: &'static str, schema: fn() -> Schema) -> Parameter {
    Parameter { name, meaning, schema }
}

fn text() -> Schema {
    schemars::json_schema!({ "type": "string" })
}

fn number(name: &'static str, meaning: &'static str) -> Parameter {
    words(name, meaning, || schemars::json_schema!({ "type": "integer", "minimum": 0 }))
}

fn flag(name: &'static str, meaning: &'static str) -> Parameter {
    words(name, meaning, || schemars::json_schema!({ "type": "integer", "enum": [0, 1] }))
}
