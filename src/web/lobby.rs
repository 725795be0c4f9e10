//! The lobby: every open challenge, filtered.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use minijinja::context;
use minijinja::value::Serde;
use serde::{Deserialize, Serialize};

use super::extract::Query;
use super::game_facts::all_games;
use super::page_request::{Requester, respond};
use super::site::Site;
use crate::service::LobbyRow;

/// The most challenges that are shown.
const MOST: usize = 100;

/// The query of the lobby: which challenges are shown. What is empty filters nothing.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub(super) struct LobbyQuery {
    /// The name of a game.
    game: String,
    /// `rated` or `unrated`.
    rated: String,
    /// `first` or `second`: when whoever takes the challenge moves.
    moves: String,
}

impl LobbyQuery {
    fn shows(&self, row: &LobbyRow) -> bool {
        let is = |wanted: &str, actual: &str| wanted.is_empty() || wanted == actual;
        is(&self.game, &row.offer.game)
            && is(&self.rated, if row.offer.rated { "rated" } else { "unrated" })
            && is(&self.moves, if row.offer.first { "second" } else { "first" })
    }
}

/// `GET /challenges`
pub(super) async fn page(
    State(site): State<Arc<Site>>,
    requester: Requester,
    Query(query): Query<LobbyQuery>,
) -> Response {
    respond(site, requester, move |request| {
        let from = request.origin();
        let mut rows = request.read(|service, tx| service.lobby(tx, &from))?;
        let all = rows.len();
        rows.retain(|row| query.shows(row));
        let more = rows.len().saturating_sub(MOST);
        rows.truncate(MOST);
        let facts = context! { rows => Serde(rows), all, more, query => Serde(query), games => all_games() };
        request.page("lobby", facts)
    })
    .await
}
