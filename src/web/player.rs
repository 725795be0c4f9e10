//! Pages of players, and the standings of a game.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Deserialize;

use super::charts;
use super::extract::{Path, Query};
use super::game_facts::{all_games, game_facts};
use super::lists::PageQuery;
use super::page_request::{Requester, respond};
use super::puzzles::solved_facts;
use super::site::Site;
use crate::command::Command;
use crate::rules::catalogue;
use crate::service::{BoardsOf, OpponentScore, PlayerResults};

/// The most players on a search page.
const MOST_PLAYERS: u32 = 100;

/// The query of the list of players.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct PlayersQuery {
    /// The beginning of the userids.
    q: String,
}

/// `GET /players`: a list of players by userid.
pub(crate) async fn all(
    State(site): State<Arc<Site>>,
    requester: Requester,
    Query(query): Query<PlayersQuery>,
) -> Response {
    respond(site, requester, move |request| {
        let sought = query.q.trim();
        let mut userids = request.read(|service, tx| service.userids(tx, sought, MOST_PLAYERS + 1))?;
        let more = userids.len() > MOST_PLAYERS as usize;
        userids.truncate(MOST_PLAYERS as usize);
        request.page("players", context! { sought, userids, more, games => all_games() })
    })
    .await
}

/// `GET /players/USERID`: a player and their boards in progress.
pub(crate) async fn player(
    site: State<Arc<Site>>,
    requester: Requester,
    userid: Path<String>,
    query: Query<PageQuery>,
) -> Response {
    player_page(site, requester, userid, query, false).await
}

/// `GET /players/USERID/finished`: a player and their finished boards.
pub(crate) async fn player_over(
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
        let (from, now) = (request.origin(), request.now);
        let viewer = request.player.as_ref().map(|player| player.id);
        let found = request.read(|service, tx| {
            let Some(player) = service.player_id(tx, &userid)? else { return Ok(None) };
            let page = service.board_page(tx, &from, BoardsOf::Player(player, None), over, query.cursor())?;
            // Only the first page shows results.
            let results = if over { None } else { Some(service.player_results(tx, &from, player)?) };
            let own = viewer == Some(player) && !over;
            let solved = if own { Some(service.solved_puzzles(tx, player, now)?) } else { None };
            Ok(Some((page, results, solved)))
        })?;
        let (page, results, solved) = match found {
            Some((page, results, solved)) => (Some(page), results, solved),
            None => (None, None, None),
        };
        let facts = context! { over, page => Serde(page), games => all_games(), administers => request.administers() };
        request.answer_page(
            "player",
            context! { results => results.map(results_facts), solved => solved.as_ref().map(solved_facts), ..facts },
            answer,
        )
    })
    .await
}

/// Converts a player's results to facts for the template.
fn results_facts(results: PlayerResults) -> Value {
    let against = |opponent: &OpponentScore| {
        context! { userid => opponent.userid.clone(), score => charts::score(opponent.score) }
    };
    let games = results.games.iter().map(|game| {
        context! { name => game.game.clone(), title => game.title.clone(), score => charts::score(game.score) }
    });
    context! {
        games => games.collect::<Vec<_>>(),
        opponents => results.opponents.iter().map(against).collect::<Vec<_>>(),
        against_viewer => results.against_asker.as_ref().map(against),
        curves => results.ratings.iter().filter_map(charts::curve).collect::<Vec<_>>(),
        newest_only => results.newest_only,
    }
}

/// `GET /games/GAME/standings`
pub(crate) async fn standings(
    State(site): State<Arc<Site>>,
    requester: Requester,
    Path(name): Path<String>,
    Query(query): Query<PageQuery>,
) -> Response {
    respond(site, requester, move |request| {
        let Some(game) = catalogue::find(&name) else { return request.not_found() };
        let viewer = request.player.as_ref().map(|player| player.id);
        let from = query.from.unwrap_or(1);
        let (page, seekers, distribution) = request.read(|service, tx| {
            let page = service.standings_page(tx, game.name(), from)?;
            // The histogram includes all players, so only the first page shows it.
            let first = page.from == 1 && !page.rows.is_empty();
            let distribution = first.then(|| service.rating_distribution(tx, game.name(), viewer)).transpose()?;
            Ok((page, service.seekers(tx, game.name())?, distribution))
        })?;
        let histogram = distribution.as_ref().and_then(charts::histogram);
        request.page("standings", context! { game => game_facts(game), page => Serde(page), seekers, histogram })
    })
    .await
}
