//! The lobby: open challenges with filters, and players who are looking for opponents.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::{Deserialize, Serialize};

use super::extract::Query;
use super::game_facts::all_games;
use super::page_request::{Requester, respond};
use super::site::Site;
use crate::rules::{Game, catalogue};
use crate::service::LobbyRow;
use crate::store::StoreError;

/// The most challenges on the page.
const MOST: usize = 100;

/// The query of the lobby: filters, each of which may be empty.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub(crate) struct LobbyQuery {
    /// The name of a game.
    game: String,
    /// `rated` or `unrated`.
    rated: String,
    /// `first` or `second`: the side of the player who accepts the challenge.
    moves: String,
}

impl LobbyQuery {
    fn shows(&self, row: &LobbyRow) -> bool {
        is(&self.game, &row.offer.game)
            && is(&self.rated, if row.offer.flags.rated { "rated" } else { "unrated" })
            && is(&self.moves, if row.offer.first { "second" } else { "first" })
    }

    fn games(&self) -> impl Iterator<Item = &'static dyn Game> {
        catalogue::GAMES.iter().copied().filter(|game| is(&self.game, game.name()))
    }
}

fn is(wanted: &str, actual: &str) -> bool {
    wanted.is_empty() || wanted == actual
}

/// `GET /challenges`
pub(crate) async fn page(
    State(site): State<Arc<Site>>,
    requester: Requester,
    Query(query): Query<LobbyQuery>,
) -> Response {
    respond(site, requester, move |request| {
        let from = request.origin();
        let (mut rows, seekers, change) = request.read(|service, tx| {
            let seekers = query.games().map(|game| {
                let seekers = service.seekers(tx, game.name())?;
                Ok(context! { title => game.title(), seekers })
            });
            let seekers = seekers.collect::<Result<Vec<Value>, StoreError>>()?;
            Ok((service.lobby(tx, &from)?, seekers, service.last_change(tx)?))
        })?;
        let all = rows.len();
        rows.retain(|row| query.shows(row));
        let more = rows.len().saturating_sub(MOST);
        rows.truncate(MOST);
        let rows = Serde(rows);
        let facts = context! { rows, change, all, more, seekers, query => Serde(query), games => all_games() };
        request.page("lobby", facts)
    })
    .await
}
