//! Pages of players, the standings of a game, and paged lists of boards.

use axum::http::StatusCode;
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Deserialize;

use super::charts;
use super::lessons::{all_games, game_facts, games_by_kind};
use super::page::{Page, PageResult};
use super::page_request::{Fields, PageRequest, Path, Query, status};
use super::puzzles::solved_facts;
use crate::command::{AccountAction, Command, Password, is_userid};
use crate::numbers::BoardNumber;
use crate::rules::catalogue;
use crate::service::{self, BoardsOf, Cursor, OpponentScore, PlayerResults, Rejection};

/// The maximum number of players on a search page.
const MOST_PLAYERS: u32 = 100;

/// The query of the list of players.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct PlayersQuery {
    /// A prefix of the userids to list.
    q: String,
}

/// `GET /players`: a list of players by userid.
pub(crate) fn all(request: &mut PageRequest<'_>, Query(query): Query<PlayersQuery>) -> PageResult {
    let sought = query.q.trim();
    let mut userids = request.read(|service, tx| service.userids(tx, sought, MOST_PLAYERS + 1))?;
    let more = userids.len() > MOST_PLAYERS as usize;
    userids.truncate(MOST_PLAYERS as usize);
    request.page("players", context! { sought, userids, more, kinds => games_by_kind() })
}

/// `GET /players/USERID/finished`: a player and their finished boards.
pub(crate) fn player_over(
    request: &mut PageRequest<'_>,
    (Path(userid), Query(query)): (Path<String>, Query<PageQuery>),
) -> PageResult {
    show(request, &userid, &query, true, context! {})
}

/// `POST /players/USERID`: blocks, unblocks or reports a player.
pub(crate) fn act(request: &mut PageRequest<'_>, Path(userid): Path<String>, fields: Fields) -> PageResult {
    if !is_userid(&userid) {
        return request.not_found();
    }
    if request.player.is_none() {
        return request.unsent_page(&fields);
    }
    let action = match fields.get("do") {
        "block" => AccountAction::Block(Some(userid.clone())),
        "unblock" => AccountAction::Unblock(userid.clone()),
        "report" => AccountAction::Report(userid.clone()),
        _ => return request.not_found(),
    };
    let own = request.userid().to_owned();
    let command = Command::Account { userid: own, password: Password::FromContext, action };
    let result = match request.run_command(command, fields.some("say"))? {
        Ok(service::Response::Reported { unsent, .. }) => context! { reported => true, unsent },
        Ok(_) => return Ok(Page::redirect(&format!("/players/{userid}"))),
        Err(rejection) => context! { failed => Serde(&rejection.message), said => fields.get("say") },
    };
    show(request, &userid, &PageQuery::default(), false, result)
}

/// Renders a player's page with the result of a form.
pub(crate) fn show(
    request: &mut PageRequest<'_>,
    userid: &str,
    query: &PageQuery,
    over: bool,
    result: Value,
) -> PageResult {
    let answer = request.run_command(Command::ShowPlayers { userids: vec![userid.to_owned()] }, None)?;
    let (from, now) = (request.origin(), request.now);
    let viewer = request.player.as_ref().map(|player| player.id);
    let found = request.read(|service, tx| {
        let Some(player) = service.player_id(tx, userid)? else { return Ok(None) };
        let page = service.board_page(tx, &from, BoardsOf::Player(player, None), over, query.cursor())?;
        // Only the page of boards in progress shows results.
        let results = if over { None } else { Some(service.player_results(tx, &from, player)?) };
        let own = viewer == Some(player) && !over;
        let solved = if own { Some(service.solved_puzzles(tx, player, now)?) } else { None };
        let blocked = viewer.map_or(Ok(Vec::new()), |viewer| service.blocked_by(tx, viewer))?;
        Ok(Some((page, results, solved, blocked)))
    })?;
    let (page, results, solved, blocked) = match found {
        Some((page, results, solved, blocked)) => (Some(page), results, solved, blocked),
        None => (None, None, None, Vec::new()),
    };
    let is_blocked = blocked.iter().any(|blocked| blocked.eq_ignore_ascii_case(userid));
    let facts = context! { over, page => Serde(page), kinds => games_by_kind(), administers => request.administers() };
    let facts = context! { is_blocked, failed => (), reported => false, said => "", ..facts };
    let facts =
        context! { results => results.map(results_facts), solved => solved.as_ref().map(solved_facts), ..facts };
    request.answer_page("player", context! { ..result, ..facts }, answer)
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
pub(crate) fn standings(
    request: &mut PageRequest<'_>,
    (Path(name), Query(query)): (Path<String>, Query<PageQuery>),
) -> PageResult {
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
}

/// The query of a paged list.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct PageQuery {
    /// Show boards older than this one.
    before: Option<BoardNumber>,
    /// Show the oldest boards that are newer than this one.
    after: Option<BoardNumber>,
    /// Show players from this rank on.
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
pub(crate) fn games(request: &mut PageRequest<'_>, Query(query): Query<GamesQuery>) -> PageResult {
    let find = query.find.trim().to_lowercase();
    request.page("games", context! { games => all_games(), kinds => games_by_kind(), find })
}

/// `GET /games/GAME`: the game's boards in progress, and its open challenges.
pub(crate) fn game(
    request: &mut PageRequest<'_>,
    (Path(name), Query(query)): (Path<String>, Query<PageQuery>),
) -> PageResult {
    game_page(request, &name, query, false)
}

/// `GET /games/GAME/finished`: the game's finished boards.
pub(crate) fn game_over(
    request: &mut PageRequest<'_>,
    (Path(name), Query(query)): (Path<String>, Query<PageQuery>),
) -> PageResult {
    game_page(request, &name, query, true)
}

fn game_page(request: &mut PageRequest<'_>, name: &str, query: PageQuery, over: bool) -> PageResult {
    let Some(game) = catalogue::find(name) else { return request.not_found() };
    let from = request.origin();
    let (page, offers) = request.read(|service, tx| {
        let page = service.board_page(tx, &from, BoardsOf::Game(game.name()), over, query.cursor())?;
        let offers = if over { Vec::new() } else { service.open_challenges(tx, &from, game.name())? };
        Ok((page, offers))
    })?;
    request.page("game", context! { game => game_facts(game), over, page => Serde(page), offers => Serde(offers) })
}

/// `GET /me`: the boards of the logged-in player, most urgent first.
pub(crate) fn my_boards(request: &mut PageRequest<'_>) -> PageResult {
    my_page(request, None)
}

/// `POST /me`: sends the confirmation letters for the player's addresses again.
pub(crate) fn confirm_again(request: &mut PageRequest<'_>, fields: Fields) -> PageResult {
    let Some(player) = request.player.clone() else { return request.unsent_page(&fields) };
    let (client, now) = (request.client.key(), request.now);
    let sent = request.write(|service, tx| service.confirm_again(tx, &player, client, now))?;
    request.site.changed();
    my_page(request, Some(sent.map(drop)))
}

/// Makes the page of the player's boards; `sent` is the result of sending the confirmation letters again.
fn my_page(request: &mut PageRequest<'_>, sent: Option<Result<(), Rejection>>) -> PageResult {
    let Some(player) = request.player.as_ref().map(|player| player.id) else {
        return Ok(Page::redirect("/login?next=/me"));
    };
    let now = request.now;
    let (rows, addresses, change) = request.read(|service, tx| {
        Ok((service.my_boards(tx, player, now)?, service.addresses(tx, player)?, service.last_change(tx)?))
    })?;
    // Without a confirmed address that is not paused, the player receives no letters.
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
        kinds => games_by_kind(),
    };
    request.page_with(status, "me", facts)
}
