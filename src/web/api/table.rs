//! The table of the endpoints under `/api/v1`, for the routes and for the OpenAPI document.

use std::sync::{Arc, LazyLock};

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, RawPathParams, Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, on};
use axum::{Router, middleware};
use schemars::Schema;

use super::boards::{self, BoardChange};
use super::changes::{self, ChangeEvent};
use super::endpoint::{
    Auth, Endpoint, Handler, PictureFormat, QueryParameter, get, picture, post, stream, with_body, without_body,
};
use super::error::{ApiError, Problem};
use super::request::{ApiRequest, Parameters, token};
use super::{actions, events, games, me, openapi, scene, schemas};
use crate::message;
use crate::web::client::Client;
use crate::web::layers;
use crate::web::site::{Site, with_store};

pub(crate) fn endpoints() -> &'static [Endpoint] {
    static ENDPOINTS: LazyLock<Vec<Endpoint>> = LazyLock::new(|| {
        let mut endpoints = account_endpoints();
        endpoints.extend(game_endpoints());
        endpoints.extend(board_endpoints());
        endpoints.extend(event_endpoints());
        endpoints.extend(general_endpoints());
        endpoints
    });
    &ENDPOINTS
}

fn account_endpoints() -> Vec<Endpoint> {
    vec![
        post("/tokens", "makeToken", "Creates a token from a userid and a password", me::make_token).creates(),
        get("/me", "me", "Returns the player who owns the token", me::me).with_token(),
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
                "`next`: boards on which it is the player's turn; `active` (the default): boards in progress; `all`: every \
                 board, by number.",
                || schemars::json_schema!({ "type": "string", "enum": ["next", "active", "all"] }),
            ))
            .with(after()),
        with_body(
            Method::PUT,
            "/me/webhook",
            "setWebhook",
            "Sets the URL to which the server posts the player's turns",
            me::set,
        )
        .with_token(),
        get("/me/webhook", "webhook", "Returns the player's webhook", me::show).with_token(),
        without_body(Method::DELETE, "/me/webhook", "removeWebhook", "Removes the player's webhook", me::remove)
            .with_token(),
    ]
}

fn game_endpoints() -> Vec<Endpoint> {
    vec![
        get("/games", "games", "Lists the games, their options, and the terms of a challenge", games::games),
        get("/games/{game}/scene", "gameScene", "Returns an empty board as shapes", scene::of_game)
            .with(parameter(
                "options",
                "The options of the board: `-size=9`. The default is this server's.",
                schemas::options,
            ))
            .with(moves()),
        get("/games/{game}/boards", "gameBoards", "Lists a game's boards and open challenges", games::boards)
            .with(after()),
        post(
            "/games/{game}/boards",
            "challenge",
            "Challenges a player, or creates an open challenge",
            actions::challenge,
        )
        .with_token()
        .creates(),
        get("/games/{game}/standings", "standings", "Returns the standings of a game", games::standings),
        get("/puzzles", "puzzles", "Lists the number of puzzles of each game, and the puzzle of the day", games::list),
        get("/puzzles/{game}/{number}", "puzzle", "Returns a puzzle without its solution", games::show),
        get("/offers/{number}", "offer", "Returns an open challenge", actions::offer),
        get("/players/{userid}", "player", "Returns a player", games::player),
    ]
}

// Long, because it has one line for each endpoint.
fn board_endpoints() -> Vec<Endpoint> {
    vec![
        get("/boards/{number}", "board", "Returns a board in its current or an earlier position", boards::show)
            .with(ply("Returns the position after this many plies."))
            .with(drawing()),
        get("/boards/{number}/legal", "legalMoves", "Lists the legal moves of a board", boards::legal),
        get("/boards/{number}/preview", "preview", "Returns a board as it would be after these moves", boards::preview)
            .with(moves())
            .with(ply("Starts from the position after this many plies. The default is the current position."))
            .with(drawing()),
        get("/boards/{number}/scene", "scene", "Returns a board as shapes", scene::of_board)
            .with(moves())
            .with(ply("Returns the position after this many plies.")),
        get(
            "/boards/{number}/analysis",
            "analysis",
            "Returns the computer player's analysis of a finished board",
            boards::show_analysis,
        ),
        without_body(
            Method::POST,
            "/boards/{number}/analysis",
            "analyse",
            "Requests the analysis of a finished board",
            boards::ask,
        )
        .with_token(),
        picture("/boards/{number}/board.svg", "svg", "Returns a picture of a board as SVG", PictureFormat::Svg)
            .with(ply("Shows the position after this many plies.")),
        picture("/boards/{number}/board.png", "png", "Returns a picture of a board as PNG", PictureFormat::Png)
            .with(ply("Shows the position after this many plies.")),
        stream::<BoardChange>(
            "/boards/{number}/events",
            "boardEvents",
            "Streams the changes of a board as they happen (text/event-stream)",
            Handler::BoardEvents,
        ),
        post("/boards/{number}/moves", "move", "Makes a move", boards::make_move).with_token(),
        post("/boards/{number}/accept", "accept", "Accepts an open challenge, which becomes a board", actions::accept)
            .with_token(),
        post(
            "/boards/{number}/decline",
            "decline",
            "Declines a board before the player's first move, or withdraws their open challenge",
            actions::decline,
        )
        .with_token(),
        post("/boards/{number}/resign", "resign", "Resigns, on either player's turn", actions::resign).with_token(),
        post(
            "/boards/{number}/rematch",
            "rematch",
            "Starts the same game again with the sides swapped",
            actions::rematch,
        )
        .with_token()
        .creates(),
        post("/boards/{number}/chat", "chat", "Sends a comment to the players and followers", actions::chat)
            .with_token(),
        post(
            "/boards/{number}/proposal",
            "propose",
            "Proposes an undo, a draw, or an end without a result",
            actions::propose,
        )
        .with_token(),
        post(
            "/boards/{number}/proposal/accept",
            "acceptProposal",
            "Accepts the opponent's proposal",
            actions::accept_proposal,
        )
        .with_token(),
        post(
            "/boards/{number}/proposal/reject",
            "rejectProposal",
            "Rejects the opponent's proposal, or withdraws the player's own",
            actions::reject_proposal,
        )
        .with_token(),
    ]
}

fn event_endpoints() -> Vec<Endpoint> {
    vec![
        get("/events", "events", "Lists the leagues, cups and ladders, the newest first", events::all),
        post("/events", "newEvent", "Creates a league, cup or ladder", events::new).with_token().creates(),
        get("/events/{name}", "event", "Returns an event with its last edition", events::event),
        get("/events/{name}/{edition}", "edition", "Returns an event with one of its editions", events::edition),
        without_body(
            Method::POST,
            "/events/{name}/join",
            "joinEvent",
            "Joins an event, and each of its editions from the next one",
            events::join,
        )
        .with_token(),
        without_body(Method::POST, "/events/{name}/leave", "leaveEvent", "Leaves an event", events::leave).with_token(),
        post(
            "/events/{name}/challenge",
            "challengeInEvent",
            "Challenges a player for their place in a ladder",
            events::challenge,
        )
        .with_token()
        .creates(),
    ]
}

fn general_endpoints() -> Vec<Endpoint> {
    vec![
        post("/commands", "command", "Runs any line of the command language", actions::run),
        stream::<ChangeEvent>(
            "/me/events",
            "myEvents",
            "Streams the changes of the player's boards as they happen (text/event-stream)",
            Handler::Events,
        )
        .with_token()
        .with(parameter(
            "after",
            "Starts after the change with this number, like the header Last-Event-ID.",
            schemas::change_number,
        )),
        get("/problems/{reason}", "problem", "Describes a kind of problem", openapi::describe),
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
    parameter("after", "The list starts after this number. Send the value of `next` in the previous part.", of_32_bits)
}

fn of_32_bits() -> Schema {
    schemars::json_schema!({ "type": "integer", "minimum": 0, "maximum": u32::MAX })
}

fn drawing() -> QueryParameter {
    parameter(
        "drawing",
        "1: includes the board in characters and in sentences.",
        || schemars::json_schema!({ "type": "integer", "enum": [0, 1] }),
    )
}

fn moves() -> QueryParameter {
    parameter("moves", "Moves to try, separated by spaces: `f3 g4`.", || schemars::json_schema!({ "type": "string" }))
}

fn ply(meaning: &'static str) -> QueryParameter {
    parameter("ply", meaning, of_32_bits)
}

/// Builds the routes of all endpoints.
pub(crate) fn router() -> Router<Arc<Site>> {
    let mut router = Router::new();
    for endpoint in endpoints() {
        let method = MethodFilter::try_from(endpoint.method.clone()).expect("the table has ordinary methods");
        let answer = move |State(site): State<Arc<Site>>, request: Request| async move {
            let answer = answer(endpoint, Arc::clone(&site), request).await;
            answer.unwrap_or_else(|error| error.into_response(&site))
        };
        router = router.route(endpoint.path, on(method, answer));
    }
    router.fallback(not_found).method_not_allowed_fallback(method_not_allowed).layer(middleware::from_fn(layers::share))
}

/// Answers requests for unknown paths.
pub(crate) async fn not_found(State(site): State<Arc<Site>>) -> Response {
    ApiError::not_there(message!("web.no-such-endpoint")).into_response(&site)
}

async fn method_not_allowed(State(site): State<Arc<Site>>) -> Response {
    ApiError::new(Problem::WrongMethod, message!("web.method-not-allowed")).into_response(&site)
}

async fn answer(endpoint: &'static Endpoint, site: Arc<Site>, request: Request) -> Result<Response, ApiError> {
    let (mut parts, body) = request.into_parts();
    let parameters = parameters(endpoint, &site, &mut parts).await?;
    if endpoint.auth == Auth::Required && parameters.token.is_none() {
        return Err(ApiError::unauthenticated(message!("web.token-needed-as-bearer")));
    }
    let handle = match &endpoint.handler {
        Handler::Json(handle) => handle,
        Handler::Events => return changes::stream(site, parameters, &parts.headers).await,
        Handler::BoardEvents => return boards::stream(site, parameters).await,
        Handler::Picture(format) => return boards::picture(site, parameters, *format, &parts.headers).await,
    };
    let body = match endpoint.body {
        Some(_) => json_body(Request::from_parts(parts, body)).await?,
        None => Bytes::new(),
    };
    let handled = with_store(site, move |site, store| {
        Ok(ApiRequest::open(site, store, &parameters).and_then(|mut request| handle(&mut request, &body)))
    });
    let body = handled.await??;
    let headers = [
        (CONTENT_TYPE.as_str(), "application/json"),
        ("Cache-Control", "no-store"),
        ("X-Content-Type-Options", "nosniff"),
    ];
    Ok((endpoint.status, headers, body).into_response())
}

async fn parameters(endpoint: &Endpoint, site: &Arc<Site>, parts: &mut Parts) -> Result<Parameters, ApiError> {
    let path = RawPathParams::from_request_parts(parts, &()).await;
    let path = path.map_err(|_| ApiError::malformed(message!("web.path-not-utf8")))?;
    let Ok(client) = Client::from_request_parts(parts, site).await;
    Ok(Parameters {
        client,
        path: path.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        query: query(endpoint, parts.uri.query().unwrap_or_default())?,
        token: token(&parts.headers)?,
        now: site.now(),
    })
}

/// Parses the query string. Fails if the endpoint does not accept one of the parameters.
fn query(endpoint: &Endpoint, query: &str) -> Result<Vec<(String, String)>, ApiError> {
    let mut parameters: Vec<(String, String)> = Vec::new();
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        if !endpoint.query.iter().any(|parameter| parameter.name == name) {
            let known: Vec<String> = endpoint.query.iter().map(|parameter| parameter.name.to_owned()).collect();
            return Err(ApiError::malformed(message!("web.unknown-parameter", name = &*name, known)).about(&name));
        }
        if parameters.iter().any(|(other, _)| *other == name) {
            return Err(ApiError::malformed(message!("web.repeated-parameter", name = &*name)).about(&name));
        }
        parameters.push((name.into_owned(), value.into_owned()));
    }
    Ok(parameters)
}

/// Reads the body of a request. A body must have the content type of JSON, which pages of other sites cannot send
/// without a preflight request.
async fn json_body(request: Request) -> Result<Bytes, ApiError> {
    let is_json = is_json(request.headers());
    // The body has arrived completely, so it can only be too long.
    let body = Bytes::from_request(request, &())
        .await
        .map_err(|_| ApiError::new(Problem::TooLong, message!("web.body-too-long", most = layers::MAX_BODY / 1024)))?;
    if !is_json && !body.is_empty() {
        return Err(ApiError::new(Problem::NotJson, message!("web.body-not-json")));
    }
    Ok(body)
}

fn is_json(headers: &HeaderMap) -> bool {
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    content_type.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
}
