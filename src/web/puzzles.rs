//! Puzzles: positions from finished boards with one winning move. Puzzles need no login, but only logged-in players get
//! a record of solved puzzles.

use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Deserialize;

use super::board_files::ThemeQuery;
use super::lessons::game_facts;
use super::lessons::{Exercise, Shown, TryQuery};
use super::page::{Page, PageResult};
use super::page_request::{Fields, PageRequest, Path, Query};
use crate::command::{Command, GameCommand, GamePreference, Password};
use crate::message;
use crate::numbers::PuzzleNumber;
use crate::rules::lesson::Goal;
use crate::rules::{Game, catalogue};
use crate::service::{OpenPuzzle, PuzzleList, PuzzleView, SolvedPuzzles};

/// The number of puzzles on one page of the list.
const NUMBERS: u32 = 200;

/// The query of a list of puzzles.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct ListQuery {
    /// The number of the first puzzle to list.
    from: u32,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct PuzzleQuery {
    #[serde(flatten)]
    tried: TryQuery,
    /// If this parameter is present, the page shows the solution.
    solution: Option<String>,
}

/// `GET /puzzles`: each game's puzzle of the day.
pub(crate) fn all(request: &mut PageRequest<'_>) -> PageResult {
    let mut games = Vec::new();
    let player = request.player.as_ref().map(|player| player.id);
    let got = match player {
        Some(player) => request.read(|service, tx| service.gets_puzzles_of(tx, player))?,
        None => Vec::new(),
    };
    let solved = solved(request)?;
    for list in lists(request)? {
        let (Some(game), Some(daily)) = (catalogue::find(&list.game), list.daily) else { continue };
        let Some(puzzle) = open(request, game, daily)? else { continue };
        let (puzzle, gets) = (facts(request, game, &puzzle, solved.as_ref())?, got.iter().any(|of| of == game.name()));
        let count = solved.as_ref().map(|solved| solved.of_game(game.name()).len());
        games.push(context! { game => game_facts(game), list => Serde(&list), puzzle, gets, solved => count });
    }
    request.page("puzzles", context! { games, solved => solved.as_ref().map(solved_facts) })
}

/// `GET /puzzles/GAME`: the puzzles of a game.
pub(crate) fn of_game(
    request: &mut PageRequest<'_>,
    (Path(name), Query(query)): (Path<String>, Query<ListQuery>),
) -> PageResult {
    let Some(game) = catalogue::find(&name) else { return request.not_found() };
    let Some(list) = lists(request)?.into_iter().find(|list| list.game == game.name()) else {
        return request.not_found();
    };
    let daily = match list.daily {
        Some(daily) => open(request, game, daily)?,
        None => None,
    };
    let solved = solved(request)?;
    let puzzle = daily.map(|puzzle| facts(request, game, &puzzle, solved.as_ref())).transpose()?;
    let from = query.from.clamp(1, list.count.0.max(1));
    let until = list.count.0.min(from.saturating_add(NUMBERS - 1));
    let of_game = solved.as_ref().map(|solved| solved.of_game(game.name()));
    let is_solved = |number| of_game.iter().flatten().any(|solved| solved.0 == number);
    // Withdrawn puzzles have no page.
    let listed = request.read(|service, tx| service.puzzle_numbers(tx, game.name(), from, until))?;
    let numbers: Vec<Value> =
        listed.into_iter().map(|number| context! { number, solved => is_solved(number) }).collect();
    let solved = of_game.as_ref().map(Vec::len);
    let before = (from > 1).then(|| from.saturating_sub(NUMBERS).max(1));
    let after = (until < list.count.0).then(|| until + 1);
    let facts = context! { game => game_facts(game), list => Serde(&list), puzzle, numbers, before, after, solved };
    request.page("puzzles-of-game", facts)
}

/// `POST /puzzles/GAME`: subscribes the player to the puzzle of the day, or unsubscribes them.
pub(crate) fn subscribe(request: &mut PageRequest<'_>, Path(name): Path<String>, fields: Fields) -> PageResult {
    if request.player.is_none() {
        return request.unsent_page(&fields);
    }
    let Some(game) = catalogue::find(&name).map(Game::name) else { return request.not_found() };
    let (userid, password) = (request.userid().to_owned(), Password::FromContext);
    let preference = GamePreference::Puzzles(fields.get("get") == "yes");
    let command = GameCommand::Preference { userid, password, preference };
    match request.run_command(Command::Game { game: Some(game), command }, None)? {
        Ok(_) => Ok(Page::redirect("/puzzles")),
        Err(rejection) => request.rejection_page(rejection),
    }
}

/// `GET /puzzles/GAME/NUMBER`: a puzzle, and the effect of a move in it.
pub(crate) fn puzzle(
    request: &mut PageRequest<'_>,
    (Path((name, number)), Query(query)): (Path<(String, PuzzleNumber)>, Query<PuzzleQuery>),
) -> PageResult {
    let Some(game) = catalogue::find(&name) else { return request.not_found() };
    let Some(mut puzzle) = open(request, game, number)? else { return request.not_found() };
    let solution = puzzle.solution().to_owned();
    let OpenPuzzle { view, last, .. } = &mut puzzle;
    let title = title(request, game, number)?;
    let position = view.position.position()?;
    let here = format!("/puzzles/{}/{number}", game.name());
    let exercise =
        Exercise { game, here: &here, title: &title, goal: &Goal::Win, position, last: last.as_ref(), goes_on: true };
    let told = query.solution.is_some();
    let shown = match told {
        true => Shown::Page(exercise.tried(request, &solution)?),
        false => exercise.shown(request, &query.tried)?,
    };
    let facts = match shown {
        Shown::Page(facts) => facts,
        Shown::Picked(pick) => return Ok(Page::redirect(&format!("{here}?move={pick}"))),
    };
    let before = solved(request)?;
    let knew = before.as_ref().is_some_and(|solved| solved.knows(game.name(), number));
    let found = before.is_some_and(|solved| solved.of_game(game.name()).contains(&number));
    let is_solved = facts.get_attr("tried")?.as_str() == Some(&solution);
    if is_solved && !knew {
        record(request, game, number, !told)?;
    }
    let solved = solved(request)?.as_ref().map(solved_facts);
    let (board, ply) = (puzzle.board().0, puzzle.view.position.plies.0);
    let own = context! {
        game => game_facts(game), here, title, told, board, ply, puzzle => Serde(&puzzle.view), knew, found, solved,
    };
    request.page("puzzle", context! { ..own, ..facts })
}

/// `GET /puzzles/GAME/NUMBER/picture.svg`: the position of a puzzle, for lists.
pub(crate) fn picture(
    request: &mut PageRequest<'_>,
    (Path((name, number)), Query(query)): (Path<(String, PuzzleNumber)>, Query<ThemeQuery>),
) -> PageResult {
    let Some(game) = catalogue::find(&name) else { return request.not_found() };
    let Some(puzzle) = open(request, game, number)? else { return request.not_found() };
    let svg = request.site.composer.thumbnail(&puzzle.view.position, query.theme())?;
    Ok(Page::file("image/svg+xml", svg).cached("public, max-age=86400"))
}

fn lists(request: &mut PageRequest<'_>) -> anyhow::Result<Vec<PuzzleList>> {
    let now = request.now;
    Ok(request.read(|service, tx| service.puzzle_lists(tx, now))?)
}

fn open(request: &mut PageRequest<'_>, game: &dyn Game, number: PuzzleNumber) -> anyhow::Result<Option<OpenPuzzle>> {
    let now = request.now;
    Ok(request.read(|service, tx| service.open_puzzle(tx, game.name(), number, now))?)
}

/// Returns the title, such as `Marque puzzle 17`.
fn title(request: &PageRequest<'_>, game: &dyn Game, number: PuzzleNumber) -> anyhow::Result<String> {
    request.site.composer.message(&message!("compose.puzzle-title", game = game.title(), number))
}

/// Describes a puzzle for lists.
fn facts(
    request: &PageRequest<'_>,
    game: &dyn Game,
    puzzle: &OpenPuzzle,
    solved: Option<&SolvedPuzzles>,
) -> anyhow::Result<Value> {
    let PuzzleView { number, side, .. } = &puzzle.view;
    let solved = solved.is_some_and(|solved| solved.of_game(game.name()).contains(number));
    Ok(context! { title => title(request, game, *number)?, number => number.0, side => Serde(side), solved })
}

/// Returns the puzzles whose solution the logged-in player knows.
fn solved(request: &mut PageRequest<'_>) -> anyhow::Result<Option<SolvedPuzzles>> {
    let (player, now) = (request.player.as_ref().map(|player| player.id), request.now);
    let Some(player) = player else { return Ok(None) };
    Ok(Some(request.read(|service, tx| service.solved_puzzles(tx, player, now))?))
}

/// Returns facts for templates: the number of solved puzzles, and the number of consecutive days with a solved puzzle.
pub(crate) fn solved_facts(solved: &SolvedPuzzles) -> Value {
    context! { count => solved.count(), days => solved.days_in_a_row() }
}

/// Records that the logged-in player found the solution or looked at it.
fn record(request: &mut PageRequest<'_>, game: &dyn Game, number: PuzzleNumber, found: bool) -> anyhow::Result<()> {
    let now = request.now;
    if let Some(player) = request.player.as_ref().map(|player| player.id)
        && !request.site.host.is_read_only()
    {
        request.write(|service, tx| service.record_solved_puzzle(tx, player, (game.name(), number), found, now))?;
    }
    Ok(())
}
