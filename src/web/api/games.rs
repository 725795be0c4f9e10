//! Games and players, as everybody may see them.

use schemars::JsonSchema;
use serde::Serialize;

use super::error::ApiError;
use super::request::{ApiRequest, PAGE_SIZE};
use super::schemas::Userid;
use crate::clock::TimeControl;
use crate::command::{MOST_DAYS, MOST_TOTAL_DAYS};
use crate::message;
use crate::numbers::BoardNumber;
use crate::rules::{Game, Options, Seat, catalogue};
use crate::service::{BoardRow, GameRow, OfferView, PlayerRow, Response, StandingRow};
use crate::web::site::Site;

/// The games of this server, and the terms that a challenge may state.
#[derive(Serialize, JsonSchema)]
pub(super) struct Games {
    games: Vec<GameFacts>,
    terms: TermRanges,
}

/// A game.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Game")]
pub(super) struct GameFacts {
    /// `marque`
    name: String,
    /// `Marque`
    title: String,
    /// Its designer.
    designer: String,
    /// The options that a challenge may have.
    options: Vec<GameOption>,
    /// The options of a challenge that states none; empty when they are built in.
    default_options: String,
    /// The aim of a challenge that states no options.
    aim: String,
    /// The sides of the first and the second player.
    sides: [GameSide; 2],
    /// What stands between cells whose order counts: `-` in `e1-e2`. Cells in any order have `,` between them.
    separators: Vec<char>,
    /// The moves that are words: `swap`.
    words: Vec<String>,
    /// A first move, as an example of how moves are written.
    example: Option<String>,
    /// Boards in progress.
    active: usize,
    /// Open challenges.
    offers: usize,
}

/// An option of a game.
#[derive(Serialize, JsonSchema)]
struct GameOption {
    /// As a challenge has it, before the `=` and the value if it takes one: `-size`.
    option: String,
    /// What it does.
    meaning: String,
    /// Each value that it takes; empty, when it takes none.
    values: Vec<u16>,
}

/// A side of a game.
#[derive(Serialize, JsonSchema)]
struct GameSide {
    /// The letter that its pieces are drawn with.
    mark: char,
    /// Its name: `White`.
    side: String,
}

/// The days of thinking that a challenge may state.
#[derive(Serialize, JsonSchema)]
struct TermRanges {
    /// Before the first reminder; 0: none.
    nag_days: DayRange,
    /// On a move, before a forfeit; 0: never.
    forfeit_days: DayRange,
    /// On all moves; 0: any.
    total_days: DayRange,
}

/// A range of days.
#[derive(Serialize, JsonSchema)]
struct DayRange {
    least: u32,
    most: u32,
    /// What a challenge has that states nothing.
    default: u32,
}

/// `GET /games`
pub(super) fn games(request: &mut ApiRequest<'_>) -> Result<Games, ApiError> {
    let rows = request.read(|service, tx| service.games(tx))?;
    let games = rows.into_iter().filter_map(|row| Some((catalogue::find(&row.name)?, row)));
    let games = games.map(|(game, row)| facts(request.site, game, &row)).collect::<Result<_, _>>()?;
    let TimeControl { nag, forfeit, total } = request.site.config.policy.time_control();
    let days = |most, default| DayRange { least: 0, most, default };
    let terms = TermRanges {
        nag_days: days(MOST_DAYS, nag),
        forfeit_days: days(MOST_DAYS, forfeit),
        total_days: days(MOST_TOTAL_DAYS, total),
    };
    Ok(Games { games, terms })
}

fn facts(site: &Site, game: &dyn Game, row: &GameRow) -> Result<GameFacts, ApiError> {
    let start = game.start(&Options::from_canonical(&row.default_options));
    let start = start.map_err(|refusal| anyhow::anyhow!("{} cannot begin: {}", game.name(), refusal.message))?;
    let options = game.options().iter().map(|option| GameOption {
        option: format!("-{}", option.name),
        meaning: site.words(&option.about),
        values: option.numbers.to_vec(),
    });
    let notation = game.notation();
    Ok(GameFacts {
        name: row.name.clone(),
        title: row.title.clone(),
        designer: row.designer.clone(),
        options: options.collect(),
        default_options: row.default_options.clone(),
        aim: site.words(&start.aim()),
        sides: Seat::BOTH.map(|seat| GameSide { mark: start.mark(seat), side: site.words(&start.side(seat)) }),
        separators: notation.ordered.to_vec(),
        words: notation.words.iter().map(|word| (*word).to_owned()).collect(),
        example: start.example(),
        active: row.active,
        offers: row.offers,
    })
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
    let game = request.game()?.name();
    let after = request.parameters.number_in_query("after")?.unwrap_or_default();
    Ok(request.read(|service, tx| {
        let (boards, next) = service.boards_of_game(tx, game, after, PAGE_SIZE)?;
        Ok(GameBoards { boards, offers: service.offers(tx, game)?, next })
    })?)
}

/// The standings of a game.
#[derive(Serialize, JsonSchema)]
pub(super) struct Standings {
    /// The best 1,000 players, the best first.
    standings: Vec<StandingRow>,
    /// The number of players with a rating who are left out.
    more: u32,
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
    let game = request.game()?;
    let Response::Standings { rows, more, seekers, .. } = request.run_words(&[game.name(), "standings"])? else {
        return Err(anyhow::anyhow!("unexpected answer to `standings`").into());
    };
    let seekers = seekers.into_iter().map(|(userid, count)| Seeker { userid, count }).collect();
    Ok(Standings { standings: rows, more, seekers })
}

/// `GET /players/USERID`
pub(super) fn player(request: &mut ApiRequest<'_>) -> Result<PlayerRow, ApiError> {
    let userid = request.parameters.in_path("userid");
    let none = || ApiError::not_there(message!("web.no-such-player", userid)).about(userid);
    // Anything else might become other words of the line.
    if !Userid::fits(userid) {
        return Err(none());
    }
    match request.run_words(&["show", userid]).map_err(|error| error.about(userid))? {
        Response::Players { mut players } => players.pop().ok_or_else(none),
        _ => Err(none()),
    }
}
