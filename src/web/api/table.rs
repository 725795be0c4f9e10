//! The table of the endpoints under `/api/v1`: each once, for the routes and for the document.

use std::sync::LazyLock;

use axum::http::Method;
use schemars::Schema;

use super::endpoint::{Endpoint, QueryParameter, events, get, with_body, without_body};
use super::error::ApiError;
use super::request::ApiRequest;
use super::{boards, commands, events as event_types, games, me, openapi, webhook};

/// All endpoints.
pub(super) fn endpoints() -> &'static [Endpoint] {
    static ENDPOINTS: LazyLock<Vec<Endpoint>> = LazyLock::new(|| {
        let mut endpoints = account_endpoints();
        endpoints.extend(board_endpoints());
        endpoints
    });
    &ENDPOINTS
}

fn account_endpoints() -> Vec<Endpoint> {
    vec![
        with_body(Method::POST, "/tokens", "makeToken", "Makes a token from a userid and password", me::make_token)
            .creates(),
        get("/me", "me", "Returns the player whose token is shown", me::me).with_token(),
        get("/me/tokens", "tokens", "Lists the player's tokens", me::tokens).with_token(),
        without_body(
            Method::DELETE,
            "/me/tokens/{id}",
            "revokeToken",
            "Revokes one of the player's tokens",
            me::revoke_token,
        )
        .with_token(),
        get("/me/boards", "myBoards", "Lists the player's boards, the most urgent first", me::boards)
            .with_token()
            .with(parameter(
                "which",
                "`next`: boards that wait for the player; `active` (the default): boards in progress; `all`: every \
                 board, by number.",
                || schemars::json_schema!({ "type": "string", "enum": ["next", "active", "all"] }),
            ))
            .with(after()),
        with_body(
            Method::PUT,
            "/me/webhook",
            "setWebhook",
            "Sets the address to which the player's turns are posted",
            webhook::set,
        )
        .with_token(),
        get("/me/webhook", "webhook", "Returns the player's webhook", webhook::show).with_token(),
        without_body(Method::DELETE, "/me/webhook", "removeWebhook", "Removes the player's webhook", webhook::remove)
            .with_token(),
    ]
}

fn board_endpoints() -> Vec<Endpoint> {
    vec![
        get("/games", "games", "Lists the games", games::games),
        get("/games/{game}/boards", "gameBoards", "Lists a game's boards and open challenges", games::boards)
            .with(after()),
        get("/games/{game}/standings", "standings", "Returns the standings of a game", games::standings),
        get("/players/{userid}", "player", "Returns a player", games::player),
        get("/boards/{number}", "board", "Returns a board as it is, or as it was", boards::show)
            .with(number("ply", "Returns the board as it was after so many plies."))
            .with(drawing()),
        get("/boards/{number}/legal", "legalMoves", "Lists the legal moves of a board", boards::legal),
        get("/boards/{number}/preview", "preview", "Returns a board as it would be after some moves", boards::preview)
            .with(parameter("moves", "Moves, separated by blanks: `f3 g4`.", text))
            .with(number("ply", "Tries the moves after so many plies, and not on the board as it is."))
            .with(drawing()),
        with_body(Method::POST, "/boards/{number}/moves", "move", "Makes a move", boards::make_move).with_token(),
        with_body(Method::POST, "/commands", "command", "Runs any line of the command language", commands::run),
        events::<event_types::ChangeEvent>(
            "/events",
            "events",
            "Streams the changes of the player's boards as they happen (text/event-stream)",
        )
        .with_token()
        .with(number("after", "Begins after the change of this number, as the header Last-Event-ID does.")),
        get("/openapi.json", "openapi", "Returns this document", document),
    ]
}

fn document(_: &mut ApiRequest<'_>) -> Result<openapi::Document, ApiError> {
    Ok(openapi::document(endpoints()))
}

fn parameter(name: &'static str, meaning: &'static str, schema: fn() -> Schema) -> QueryParameter {
    QueryParameter { name, meaning, schema }
}

fn after() -> QueryParameter {
    number("after", "The number after which the list begins; `next` of the part before.")
}

fn drawing() -> QueryParameter {
    parameter(
        "drawing",
        "1: includes the board in characters and in sentences.",
        || schemars::json_schema!({ "type": "integer", "enum": [0, 1] }),
    )
}

fn number(name: &'static str, meaning: &'static str) -> QueryParameter {
    parameter(name, meaning, || schemars::json_schema!({ "type": "integer", "minimum": 0 }))
}

fn text() -> Schema {
    schemars::json_schema!({ "type": "string" })
}
