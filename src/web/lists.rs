//! Lists, a page at a time: the boards of a game or a player, and the standings.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::response::Response;
use minijinja::context;
use minijinja::value::Serde;
use serde::Deserialize;

use super::pages::{games, told};
use super::visit::{Visit, Visitor};
use super::{Page, Site, at_desk};
use crate::rules::catalogue;
use crate::service::BoardPage;
use crate::store::{BoardsOf, Cursor};

/// Where in a list a page begins, in its address.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Place {
    /// With boards older than this one.
    before: Option<u32>,
    /// With boards just newer than this one.
    after: Option<u32>,
    /// With this rank.
    from: Option<u32>,
}

impl Place {
    fn cursor(self) -> Cursor {
        match (self.before, self.after) {
            (Some(number), _) => Cursor::Before(number),
            (None, Some(number)) => Cursor::After(number),
            (None, None) => Cursor::Newest,
        }
    }
}

/// The boards of a game that are in progress, and its open challenges.
pub(super) async fn game(
    site: State<Arc<Site>>,
    visitor: Visitor,
    name: Path<String>,
    place: Query<Place>,
) -> Response {
    of_game(site, visitor, name, place, false).await
}

/// Those that ended.
pub(super) async fn game_over(
    site: State<Arc<Site>>,
    visitor: Visitor,
    name: Path<String>,
    place: Query<Place>,
) -> Response {
    of_game(site, visitor, name, place, true).await
}

async fn of_game(
    State(site): State<Arc<Site>>,
    visitor: Visitor,
    Path(name): Path<String>,
    Query(place): Query<Place>,
    over: bool,
) -> Response {
    at_desk(site, visitor, move |visit| {
        let Some(game) = catalogue::find(&name) else { return visit.nowhere() };
        let page = boards(visit, BoardsOf::Game(game.name()), over, place)?;
        let service = visit.site.config.service(visit.site.world);
        let offers = if over { Vec::new() } else { service.offers(&*visit.store.read()?, game.name())? };
        visit.page("game", context! { game => told(game), over, page => Serde(page), offers => Serde(offers) })
    })
    .await
}

/// A player and his boards that are in progress.
pub(super) async fn player(
    site: State<Arc<Site>>,
    visitor: Visitor,
    userid: Path<String>,
    place: Query<Place>,
) -> Response {
    of_player(site, visitor, userid, place, false).await
}

/// Those that ended.
pub(super) async fn player_over(
    site: State<Arc<Site>>,
    visitor: Visitor,
    userid: Path<String>,
    place: Query<Place>,
) -> Response {
    of_player(site, visitor, userid, place, true).await
}

async fn of_player(
    State(site): State<Arc<Site>>,
    visitor: Visitor,
    Path(userid): Path<String>,
    Query(place): Query<Place>,
    over: bool,
) -> Response {
    at_desk(site, visitor, move |visit| {
        // What is no userid would be other words of the line.
        if !userid.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte)) {
            return visit.nowhere();
        }
        let answer = visit.ask(&format!("show {userid}"))?;
        let player = visit.store.read()?.player(&userid)?;
        let page = player.map(|player| boards(visit, BoardsOf::Player(player.id), over, place)).transpose()?;
        visit.answered("player", context! { over, page => Serde(page), games => games() }, answer)
    })
    .await
}

/// The boards of who is logged in, what waits for him first.
pub(super) async fn mine(State(site): State<Arc<Site>>, visitor: Visitor) -> Response {
    at_desk(site, visitor, |visit| {
        let Some(player) = visit.player.clone() else { return Ok(Page::redirect("/login?next=/me")) };
        let service = visit.site.config.service(visit.site.world);
        let tx = visit.store.read()?;
        let rows = service.my_boards(&*tx, player.id, visit.now)?;
        let addresses = tx.addresses(player.id)?;
        drop(tx);
        let waiting = rows.iter().filter(|row| row.your_turn).count();
        // Without one, no board ever comes by mail.
        let reached = addresses.iter().any(|known| known.confirmed_at.is_some() && known.paused.is_none());
        let facts = context! { rows => Serde(rows), waiting, reached, games => games() };
        visit.page("me", facts)
    })
    .await
}

/// How strong the players of a game are.
pub(super) async fn standings(
    State(site): State<Arc<Site>>,
    visitor: Visitor,
    Path(name): Path<String>,
    Query(place): Query<Place>,
) -> Response {
    at_desk(site, visitor, move |visit| {
        let Some(game) = catalogue::find(&name) else { return visit.nowhere() };
        let tx = visit.store.read()?;
        let service = visit.site.config.service(visit.site.world);
        let page = service.standings_page(&*tx, game.name(), place.from.unwrap_or(1))?;
        let seekers = tx.seekers(game.name())?.into_iter().map(|seeker| (seeker.player.userid, seeker.seeks));
        let seekers: Vec<_> = seekers.collect();
        drop(tx);
        visit.page("standings", context! { game => told(game), page => Serde(page), seekers })
    })
    .await
}

fn boards(visit: &mut Visit<'_>, of: BoardsOf<'_>, over: bool, place: Place) -> anyhow::Result<BoardPage> {
    let (service, from) = (visit.site.config.service(visit.site.world), visit.origin());
    Ok(service.board_page(&*visit.store.read()?, &from, of, over, place.cursor())?)
}
