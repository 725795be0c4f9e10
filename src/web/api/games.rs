//! Games and players, as everybody may see them.

use schemars::JsonSchema;
use serde::Serialize;

use super::error::ApiError;
use super::request::{ApiRequest, PAGE_SIZE};
use crate::message;
use crate::numbers::BoardNumber;
use crate::rules::{Game, catalogue};
use crate::service::{BoardRow, GameRow, OfferView, PlayerRow, Response, StandingRow};

/// The games of this server.
#[derive(Serialize, JsonSchema)]
pub(super) struct Games {
    games: Vec<GameRow>,
}

/// `GET /games`
pub(super) fn games(request: &mut ApiRequest<'_>) -> Result<Games, ApiError> {
    Ok(Games { games: request.read(|service, tx| service.games(tx))? })
}

/// The boards and open challenges of a game.
#[derive(Serialize, JsonSchema)]
pub(super) struct GameBoards {
    /// The public boards, by number.
    boards: Vec<BoardRow>,
    /// Every open challenge.
    offers: Vec<OfferView>,
    /// The number to pass as `after` for more boards; `null`: there are no more.
    next: Option<BoardNumber>,
}

/// `GET /games/GAME/boards`
pub(super) fn boards(request: &mut ApiRequest<'_>) -> Result<GameBoards, ApiError> {
    let game = game(request)?.name();
    let after = request.parameters.number_in_query("after")?.unwrap_or_default();
    Ok(request.read(|service, tx| {
        let (boards, next) = service.boards_of_game(tx, game, after, PAGE_SIZE)?;
        Ok(GameBoards { boards, offers: service.offers(tx, game)?, next })
    })?)
}

/// The standings of a game.
#[derive(Serialize, JsonSchema)]
pub(super) struct Standings {
    /// The players, best first.
    standings: Vec<StandingRow>,
    /// The players who look for opponents.
    seekers: Vec<Seeker>,
}

/// A player who looks for opponents.
#[derive(Serialize, JsonSchema)]
struct Seeker {
    userid: String,
    /// The number of opponents that the player looks for.
    count: u32,
}

/// `GET /games/GAME/standings`
pub(super) fn standings(request: &mut ApiRequest<'_>) -> Result<Standings, ApiError> {
    let game = game(request)?;
    let Response::Standings { rows, seekers, .. } = request.run_words(&[game.name(), "standings"])? else {
        return Err(anyhow::anyhow!("unexpected answer to `standings`").into());
    };
    let seekers = seekers.into_iter().map(|(userid, count)| Seeker { userid, count }).collect();
    Ok(Standings { standings: rows, seekers })
}

/// `GET /players/USERID`
pub(super) fn player(request: &mut ApiRequest<'_>) -> Result<PlayerRow, ApiError> {
    let userid = request.parameters.in_path("userid");
    // Anything else might become other words of the line.
    let is_word = userid.starts_with(|c: char| c.is_ascii_alphabetic())
        && userid.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte));
    let none = || ApiError::not_found(message!("web.no-such-player", userid));
    if !is_word {
        return Err(none());
    }
    match request.run_words(&["show", userid])? {
        Response::Players { mut players } => players.pop().ok_or_else(none),
        _ => Err(none()),
    }
}

fn game(request: &ApiRequest<'_>) -> Result<&'static dyn Game, ApiError> {
    let name = request.parameters.in_path("game");
    catalogue::find(name).ok_or_else(|| {
        let names: Vec<String> = catalogue::GAMES.iter().map(|game| game.name().to_owned()).collect();
        ApiError::not_found(message!("web.no-such-game", name, names))
    })
}
