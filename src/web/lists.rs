//! Lists, a page at a time: the boards of a game or a player, a player's own boards, and the standings.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use minijinja::context;
use minijinja::value::Serde;
use serde::Deserialize;

use super::extract::{Path, Query};
use super::game_facts::{all_games, game_facts};
use super::page::Page;
use super::page_request::{Requester, respond};
use super::site::Site;
use crate::command::Command;
use crate::numbers::BoardNumber;
use crate::rules::catalogue;
use crate::service::{BoardsOf, Cursor};

/// The query of a list: where the page begins.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PageQuery {
    /// With boards older than this one.
    before: Option<BoardNumber>,
    /// With the boards just newer than this one.
    after: Option<BoardNumber>,
    /// With this rank.
    from: Option<u32>,
}

impl PageQuery {
    fn cursor(self) -> Cursor {
        match (self.before, self.after) {
            (Some(number), _) => Cursor::Before(number),
            (None, Some(number)) => Cursor::After(number),
            (None, None) => Cursor::Newest,
        }
    }
}

/// `GET /games/GAME`: the game's boards in progress, and its open challenges.
pub(super) async fn game(
    site: State<Arc<Site>>,
    requester: Requester,
    name: Path<String>,
    query: Query<PageQuery>,
) -> Response {
    game_page(site, requester, name, query, false).await
}

/// `GET /games/GAME/finished`: the game's finished boards.
pub(super) async fn game_over(
    site: State<Arc<Site>>,
    requester: Requester,
    name: Path<String>,
    query: Query<PageQuery>,
) -> Response {
    game_page(site, requester, name, query, true).await
}

async fn game_page(
    State(site): State<Arc<Site>>,
    requester: Requester,
    Path(name): Path<String>,
    Query(query): Query<PageQuery>,
    over: bool,
) -> Response {
    respond(site, requester, move |request| {
        let Some(game) = catalogue::find(&name) else { return request.not_found() };
        let from = request.origin();
        let (page, offers) = request.read(|service, tx| {
            let page = service.board_page(tx, &from, BoardsOf::Game(game.name()), over, query.cursor())?;
            let offers = if over { Vec::new() } else { service.offers(tx, game.name())? };
            Ok((page, offers))
        })?;
        request.page("game", context! { game => game_facts(game), over, page => Serde(page), offers => Serde(offers) })
    })
    .await
}

/// `GET /players/USERID`: a player and their boards in progress.
pub(super) async fn player(
    site: State<Arc<Site>>,
    requester: Requester,
    userid: Path<String>,
    query: Query<PageQuery>,
) -> Response {
    player_page(site, requester, userid, query, false).await
}

/// `GET /players/USERID/finished`: a player and their finished boards.
pub(super) async fn player_over(
    site: State<Arc<Site>>,
    requester: Requester,
    userid: Path<String>,
    query: Query<PageQuery>,
) -> Response {
    player_page(site, requester, userid, query, true).await
}

async fn player_page(
    State(site): State<Arc<Site>>,
    requester: Requester,
    Path(userid): Path<String>,
    Query(query): Query<PageQuery>,
    over: bool,
) -> Response {
    respond(site, requester, move |request| {
        let answer = request.run_command(Command::ShowPlayers { userids: vec![userid.clone()] }, None)?;
        let from = request.origin();
        let page = request.read(|service, tx| {
            let player = service.player_id(tx, &userid)?;
            let page = |player| service.board_page(tx, &from, BoardsOf::Player(player), over, query.cursor());
            player.map(page).transpose()
        })?;
        request.answer_page("player", context! { over, page => Serde(page), games => all_games() }, answer)
    })
    .await
}

/// `GET /me`: the boards of the player who is logged in, the most urgent first.
pub(super) async fn my_boards(State(site): State<Arc<Site>>, requester: Requester) -> Response {
    respond(site, requester, |request| {
        let Some(player) = request.player.as_ref().map(|player| player.id) else {
            return Ok(Page::redirect("/login?next=/me"));
        };
        let now = request.now;
        let (rows, addresses) =
            request.read(|service, tx| Ok((service.my_boards(tx, player, now)?, service.addresses(tx, player)?)))?;
        // Without such an address, no board ever comes by mail.
        let reached = addresses.iter().any(|address| address.confirmed && address.paused.is_none());
        let facts = context! { rows => Serde(rows), reached, games => all_games() };
        request.page("me", facts)
    })
    .await
}

/// `GET /games/GAME/standings`
pub(super) async fn standings(
    State(site): State<Arc<Site>>,
    requester: Requester,
    Path(name): Path<String>,
    Query(query): Query<PageQuery>,
) -> Response {
    respond(site, requester, move |request| {
        let Some(game) = catalogue::find(&name) else { return request.not_found() };
        let (page, seekers) = request.read(|service, tx| {
            let page = service.standings_page(tx, game.name(), query.from.unwrap_or(1))?;
            Ok((page, service.seekers(tx, game.name())?))
        })?;
        request.page("standings", context! { game => game_facts(game), page => Serde(page), seekers })
    })
    .await
}
