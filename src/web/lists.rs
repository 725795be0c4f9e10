//! Paged lists of boards: of a game, and of the player.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use minijinja::context;
use minijinja::value::Serde;
use serde::Deserialize;

use super::extract::{Path, Query};
use super::game_facts::{all_games, game_facts, games_by_kind};
use super::page::Page;
use super::page_request::{PageRequest, PostedForm, Requester, respond, respond_to_form, status};
use super::site::Site;
use crate::numbers::BoardNumber;
use crate::rules::catalogue;
use crate::service::{BoardsOf, Cursor, Rejection};

/// The query of a list, with the start of the page.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct PageQuery {
    /// Starts with the boards older than this one.
    before: Option<BoardNumber>,
    /// Ends with the boards newer than this one.
    after: Option<BoardNumber>,
    /// Starts with this rank.
    pub(crate) from: Option<u32>,
}

impl PageQuery {
    /// Returns the start of a page of boards.
    pub(crate) fn cursor(self) -> Cursor {
        match (self.before, self.after) {
            (Some(number), _) => Cursor::Before(number),
            (None, Some(number)) => Cursor::After(number),
            (None, None) => Cursor::Newest,
        }
    }
}

/// The query of the list of games.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct GamesQuery {
    /// A part of a title, a designer or a description.
    find: String,
}

/// `GET /games`
pub(crate) async fn games(
    State(site): State<Arc<Site>>,
    requester: Requester,
    Query(query): Query<GamesQuery>,
) -> Response {
    respond(site, requester, move |request| {
        let find = query.find.trim().to_lowercase();
        request.page("games", context! { games => all_games(), kinds => games_by_kind(), find })
    })
    .await
}

/// `GET /games/GAME`: the game's boards in progress, and its open challenges.
pub(crate) async fn game(
    site: State<Arc<Site>>,
    requester: Requester,
    name: Path<String>,
    query: Query<PageQuery>,
) -> Response {
    game_page(site, requester, name, query, false).await
}

/// `GET /games/GAME/finished`: the game's finished boards.
pub(crate) async fn game_over(
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

/// `GET /me`: the boards of the logged-in player, most urgent first.
pub(crate) async fn my_boards(State(site): State<Arc<Site>>, requester: Requester) -> Response {
    respond(site, requester, |request| my_page(request, None)).await
}

/// `POST /me`: sends the confirmation letters for the player's addresses again.
pub(crate) async fn confirm_again(State(site): State<Arc<Site>>, form: PostedForm) -> Response {
    respond_to_form(site, form, |request, _| {
        let Some(player) = request.player.clone() else { return Ok(Page::redirect("/login?next=/me")) };
        let (client, now) = (request.client.key(), request.now);
        let sent = request.write(|service, tx| service.confirm_again(tx, &player, client, now))?;
        request.site.changed();
        my_page(request, Some(sent.map(drop)))
    })
    .await
}

/// Makes the page of the player's boards; `sent` is the result of sending the confirmation letters again.
fn my_page(request: &mut PageRequest<'_>, sent: Option<Result<(), Rejection>>) -> anyhow::Result<Page> {
    let Some(player) = request.player.as_ref().map(|player| player.id) else {
        return Ok(Page::redirect("/login?next=/me"));
    };
    let now = request.now;
    let (rows, addresses, change) = request.read(|service, tx| {
        Ok((service.my_boards(tx, player, now)?, service.addresses(tx, player)?, service.last_change(tx)?))
    })?;
    // Without a confirmed address, the player receives no letters.
    let reached = addresses.iter().any(|address| address.confirmed && address.paused.is_none());
    let unconfirmed = addresses.iter().filter(|address| !reached && !address.confirmed);
    let unconfirmed: Vec<String> = unconfirmed.map(|address| address.address.clone()).collect();
    let robots = request.site.config.policy.robots;
    let (status, sent_again, error) = match sent {
        Some(Err(rejection)) => (status(&rejection, StatusCode::CONFLICT), false, Some(rejection.message)),
        sent => (StatusCode::OK, sent.is_some(), None),
    };
    let facts = context! {
        rows => Serde(rows), change, reached, unconfirmed, sent_again, error => error.map(Serde), robots,
        games => all_games(),
    };
    request.page_with(status, "me", facts)
}
