//! Puzzles: positions from finished boards with one winning move.

use schemars::JsonSchema;
use serde::Serialize;

use super::error::ApiError;
use super::request::ApiRequest;
use crate::message;
use crate::numbers::PuzzleNumber;
use crate::service::{PuzzleList, PuzzleView};

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
