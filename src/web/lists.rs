//! Lists, a page at a time: the boards of a game or a player, and the standings.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::response::Response;
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Deserialize;

use super::pages::{answered, nowhere, told};
use super::{Page, Site, ask, at_desk};
use crate::desk::{BoardPage, Origin};
use crate::rules::catalogue;
use crate::store::{BoardsOf, Cursor, Store};

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
pub(super) async fn game(site: State<Arc<Site>>, name: Path<String>, place: Query<Place>) -> Response {
    of_game(site, name, place, false).await
}

/// Those that ended.
pub(super) async fn game_over(site: State<Arc<Site>>, name: Path<String>, place: Query<Place>) -> Response {
    of_game(site, name, place, true).await
}

async fn of_game(
    State(site): State<Arc<Site>>,
    Path(name): Path<String>,
    Query(place): Query<Place>,
    over: bool,
) -> Response {
    let Some(game) = catalogue::find(&name) else { return nowhere(State(site)).await };
    at_desk(site, move |site, store| {
        let page = boards(site, store, BoardsOf::Game(game.name()), over, place)?;
        let offers =
            if over { Vec::new() } else { site.config.desk(site.world).offers(&*store.read()?, game.name())? };
        filled(site, "game", context! { game => told(game), over, page => Serde(page), offers => Serde(offers) })
    })
    .await
}

/// A player and his boards that are in progress.
pub(super) async fn player(site: State<Arc<Site>>, userid: Path<String>, place: Query<Place>) -> Response {
    of_player(site, userid, place, false).await
}

/// Those that ended.
pub(super) async fn player_over(site: State<Arc<Site>>, userid: Path<String>, place: Query<Place>) -> Response {
    of_player(site, userid, place, true).await
}

async fn of_player(
    State(site): State<Arc<Site>>,
    Path(userid): Path<String>,
    Query(place): Query<Place>,
    over: bool,
) -> Response {
    // What is no userid would be other words of the line.
    if !userid.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte)) {
        return nowhere(State(site)).await;
    }
    at_desk(site, move |site, store| {
        let answer = ask(site, store, &format!("show {userid}"))?;
        let player = store.read()?.player(&userid)?;
        let page = player.map(|player| boards(site, store, BoardsOf::Player(player.id), over, place)).transpose()?;
        answered(site, "player", context! { over, page => Serde(page) }, answer)
    })
    .await
}

/// How strong the players of a game are.
pub(super) async fn standings(
    State(site): State<Arc<Site>>,
    Path(name): Path<String>,
    Query(place): Query<Place>,
) -> Response {
    let Some(game) = catalogue::find(&name) else { return nowhere(State(site)).await };
    at_desk(site, move |site, store| {
        let ledger = store.read()?;
        let page = site.config.desk(site.world).standings_page(&*ledger, game.name(), place.from.unwrap_or(1))?;
        let seekers = ledger.seekers(game.name())?.into_iter().map(|(_, userid, count)| (userid, count));
        let seekers: Vec<_> = seekers.collect();
        filled(site, "standings", context! { game => told(game), page => Serde(page), seekers })
    })
    .await
}

fn boards(site: &Site, store: &mut dyn Store, of: BoardsOf<'_>, over: bool, place: Place) -> anyhow::Result<BoardPage> {
    let ledger = store.read()?;
    Ok(site.config.desk(site.world).board_page(&*ledger, &Origin::Visitor, of, over, place.cursor())?)
}

fn filled(site: &Site, name: &str, facts: Value) -> anyhow::Result<Page> {
    Ok(Page::html(axum::http::StatusCode::OK, site.composer.page(name, facts)?))
}
