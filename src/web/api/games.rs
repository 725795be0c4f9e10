//! Games, players and puzzles: public data.

use schemars::JsonSchema;
use serde::Serialize;

use super::error::ApiError;
use super::request::{ApiRequest, PAGE_SIZE};
use super::schemas::Userid;
use crate::clock::TimeControl;
use crate::command::{MOST_DAYS, MOST_TOTAL_DAYS};
use crate::message;
use crate::numbers::{BoardNumber, PuzzleNumber};
use crate::rules::{Game, Options, Seat, catalogue};
use crate::service::{BoardRow, GameRow, OfferView, PlayerRow, PuzzleList, PuzzleView, Response, StandingRow};
use crate::web::site::Site;

/// The games of this server, and the allowed terms of a challenge.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Games {
    games: Vec<GameFacts>,
    terms: TermRanges,
}

/// A game.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Game")]
pub(crate) struct GameFacts {
    /// The name in commands and paths: `marque`.
    name: String,
    /// The title: `Marque`.
    title: String,
    /// The designer of the game.
    designer: String,
    /// The options of a challenge.
    options: Vec<GameOption>,
    /// The options of a challenge that specifies none; empty if these are the built-in options.
    default_options: String,
    /// The aim of a challenge that specifies no options.
    aim: String,
    /// The sides of the first and the second player.
    sides: [GameSide; 2],
    /// The separators between the cells of a move whose order matters: `-` in `e1-e2`. Cells in any order are separated
    /// by `,`.
    separators: Vec<char>,
    /// The moves that are words instead of cells: `swap`.
    words: Vec<String>,
    /// A possible first move, as an example of the notation.
    example: Option<String>,
    /// The number of boards in progress.
    active: usize,
    /// The number of open challenges.
    offers: usize,
}

/// An option of a game.
#[derive(Serialize, JsonSchema)]
struct GameOption {
    /// The option as written in a challenge, without the value: `-size`.
    option: String,
    /// The effect of the option.
    meaning: String,
    /// The possible values; empty if the option has no value.
    values: Vec<u16>,
}

/// A side of a game.
#[derive(Serialize, JsonSchema)]
struct GameSide {
    /// The letter that represents the side's pieces.
    mark: char,
    /// The name of the side: `White`.
    side: String,
}

/// The ranges of a challenge's time limits.
#[derive(Serialize, JsonSchema)]
struct TermRanges {
    /// Days of thinking before the first reminder; 0: no reminder, except one before a limit.
    nag_days: DayRange,
    /// Days of thinking on one move before a forfeit; 0: never.
    forfeit_days: DayRange,
    /// Days of thinking on all moves together; 0: unlimited.
    total_days: DayRange,
}

/// A range of days.
#[derive(Serialize, JsonSchema)]
struct DayRange {
    least: u32,
    most: u32,
    /// The value of a challenge that specifies none.
    default: u32,
}

/// `GET /games`
pub(crate) fn games(request: &mut ApiRequest<'_>) -> Result<Games, ApiError> {
    let rows = request.read(|service, tx| service.games(tx))?;
    let games = rows.into_iter().filter_map(|row| Some((catalogue::find(&row.name)?, row)));
    let games = games.map(|(game, row)| facts(request.site, game, &row)).collect::<Result<_, _>>()?;
    let TimeControl { nag, forfeit, total, .. } = request.site.config.policy.time_control();
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
pub(crate) struct GameBoards {
    /// The public boards, ordered by number.
    boards: Vec<BoardRow>,
    /// All open challenges.
    offers: Vec<OfferView>,
    /// The value of `after` for the next part of the list; `null` at its end.
    next: Option<BoardNumber>,
}

/// `GET /games/GAME/boards`
pub(crate) fn boards(request: &mut ApiRequest<'_>) -> Result<GameBoards, ApiError> {
    let game = request.game()?.name();
    let after = request.parameters.number_in_query("after")?.unwrap_or_default();
    let from = request.origin();
    Ok(request.read(|service, tx| {
        let (boards, next) = service.boards_of_game(tx, game, after, PAGE_SIZE)?;
        Ok(GameBoards { boards, offers: service.open_challenges(tx, &from, game)?, next })
    })?)
}

/// The standings of a game.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Standings {
    /// The best 1,000 players, best first.
    standings: Vec<StandingRow>,
    /// The number of rated players who are not listed.
    more: u32,
    /// The players who are looking for opponents.
    seekers: Vec<Seeker>,
}

/// A player who is looking for opponents.
#[derive(Serialize, JsonSchema)]
struct Seeker {
    userid: String,
    /// The number of opponents wanted.
    count: u32,
}

/// `GET /games/GAME/standings`
pub(crate) fn standings(request: &mut ApiRequest<'_>) -> Result<Standings, ApiError> {
    let game = request.game()?;
    let Response::Standings { rows, more, seekers, .. } = request.run_words(&[game.name(), "standings"])? else {
        return Err(anyhow::anyhow!("unexpected answer to `standings`").into());
    };
    let seekers = seekers.into_iter().map(|(userid, count)| Seeker { userid, count }).collect();
    Ok(Standings { standings: rows, more, seekers })
}

/// `GET /players/USERID`
pub(crate) fn player(request: &mut ApiRequest<'_>) -> Result<PlayerRow, ApiError> {
    let userid = request.parameters.in_path("userid");
    let none = || ApiError::not_there(message!("web.no-such-player", userid)).about(userid);
    // A text that is not a userid could add words to the command line.
    if !Userid::fits(userid) {
        return Err(none());
    }
    match request.run_words(&["show", userid]).map_err(|error| error.about(userid))? {
        Response::Players { mut players } => players.pop().ok_or_else(none),
        _ => Err(none()),
    }
}

/// The puzzles of this server.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Puzzles {
    /// The puzzles, grouped by game.
    puzzles: Vec<PuzzleList>,
}

/// `GET /puzzles`
pub(crate) fn list(request: &mut ApiRequest<'_>) -> Result<Puzzles, ApiError> {
    let now = request.now;
    Ok(Puzzles { puzzles: request.read(|service, tx| service.puzzle_lists(tx, now))? })
}

/// `GET /puzzles/GAME/NUMBER`
pub(crate) fn show(request: &mut ApiRequest<'_>) -> Result<PuzzleView, ApiError> {
    let (game, now) = (request.game()?, request.now);
    let word = request.parameters.in_path("number");
    let number = word.parse().ok().filter(|number| *number > PuzzleNumber(0));
    let number = number.ok_or_else(|| ApiError::malformed(message!("web.not-a-puzzle-number", word)).about(word))?;
    let found = request.read(|service, tx| service.open_puzzle(tx, game.name(), number, now))?;
    let none = || ApiError::not_there(message!("web.no-such-puzzle", game = game.title(), number)).about(word);
    Ok(request.site.composer.puzzle_for_program(found.ok_or_else(none)?.view)?)
}
