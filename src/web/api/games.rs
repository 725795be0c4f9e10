//! Games and players, as everybody may see them.

use schemars::JsonSchema;
use serde::Serialize;

use super::call::Call;
use super::table::PAGE;
use super::trouble::Trouble;
use crate::rules::{Game, catalogue};
use crate::service::{BoardRow, GameRow, OfferView, PlayerRow, Response, StandingRow};

/// The games of this server.
#[derive(Serialize, JsonSchema)]
pub(super) struct Games {
    games: Vec<GameRow>,
}

pub(super) fn games(call: &mut Call<'_>) -> Result<Games, Trouble> {
    let site = call.site;
    let tx = call.store.read()?;
    Ok(Games { games: site.config.service(site.world).games(&*tx)? })
}

/// The boards and open challenges of a game.
#[derive(Serialize, JsonSchema)]
pub(super) struct GameBoards {
    /// By number, without private ones.
    boards: Vec<BoardRow>,
    /// Every open challenge.
    offers: Vec<OfferView>,
    /// The number to go on `after`; `null`: there are no more boards.
    next: Option<u32>,
}

pub(super) fn boards(call: &mut Call<'_>) -> Result<GameBoards, Trouble> {
    let (game, site) = (game(call)?, call.site);
    let service = site.config.service(site.world);
    let after = call.asked.given_number("after")?.unwrap_or(0);
    let tx = call.store.read()?;
    let (boards, next) = service.boards_of_game(&*tx, game.name(), (after, PAGE))?;
    Ok(GameBoards { boards, offers: service.offers(&*tx, game.name())?, next })
}

/// How strong the players of a game are.
#[derive(Serialize, JsonSchema)]
pub(super) struct Standings {
    /// Best first.
    standings: Vec<StandingRow>,
    /// Who looks for opponents.
    seekers: Vec<Seeker>,
}

/// Somebody who looks for opponents.
#[derive(Serialize, JsonSchema)]
struct Seeker {
    userid: String,
    /// For how many.
    count: u32,
}

pub(super) fn standings(call: &mut Call<'_>) -> Result<Standings, Trouble> {
    let game = game(call)?;
    let Response::Standings { rows, seekers, .. } = call.ask(&[game.name(), "standings"])? else {
        return Err(anyhow::anyhow!("standings were answered otherwise").into());
    };
    let seekers = seekers.into_iter().map(|(userid, count)| Seeker { userid, count }).collect();
    Ok(Standings { standings: rows, seekers })
}

pub(super) fn player(call: &mut Call<'_>) -> Result<PlayerRow, Trouble> {
    let userid = call.asked.word("userid");
    // What is no userid may be other words of the line.
    let plain = userid.starts_with(|c: char| c.is_ascii_alphabetic())
        && userid.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte));
    let none = || Trouble::not_there(format!("There is no player {userid:?}."));
    if !plain {
        return Err(none());
    }
    match call.ask(&["show", userid])? {
        Response::Players { mut players } => players.pop().ok_or_else(none),
        _ => Err(none()),
    }
}

fn game(call: &Call<'_>) -> Result<&'static dyn Game, Trouble> {
    let name = call.asked.word("game");
    catalogue::find(name).ok_or_else(|| {
        let names: Vec<&str> = catalogue::GAMES.iter().map(|game| game.name()).collect();
        Trouble::not_there(format!("There is no game {name:?}; there are {}.", names.join(", ")))
    })
}
