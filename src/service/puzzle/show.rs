//! The command `puzzle`: shows a puzzle, evaluates a move, or reveals the solution.

use crate::command::PuzzleAction;
use crate::message;
use crate::numbers::PuzzleNumber;
use crate::service::board::view::game_title;
use crate::service::context::ReadContext;
use crate::service::puzzle::find::{OpenPuzzle, is_of_day, of_day, of_day_in_any_game, open};
use crate::service::puzzle::views::{PuzzleAnswer, PuzzleVerdict};
use crate::service::rejection::{Reason, RequestResult};
use crate::store::Puzzle;

impl ReadContext<'_> {
    pub(crate) fn puzzle(
        &self,
        game: Option<&str>,
        number: Option<PuzzleNumber>,
        action: &PuzzleAction,
    ) -> RequestResult<PuzzleAnswer> {
        let puzzle = self.find_puzzle(game, number)?;
        let daily = is_of_day(self.tx, &puzzle, self.request.now)?;
        let opened = open(self.tx, puzzle, daily)?;
        let (text, told) = match action {
            PuzzleAction::Show => {
                return Ok(PuzzleAnswer { puzzle: opened.view, verdict: None });
            }
            PuzzleAction::Try(text) => (text.clone(), false),
            PuzzleAction::Solution => (opened.puzzle.solution.clone(), true),
        };
        let OpenPuzzle { mut view, puzzle, mut replayed, .. } = opened;
        let played = replayed.try_move(&text).map_err(|refusal| self.request.rejection_by_rules(refusal))?;
        let right = played.text == puzzle.solution;
        if right {
            view.position = replayed.view(false);
        }
        let board = right.then_some(puzzle.board);
        let verdict = PuzzleVerdict { right, told, text: played.text, board };
        Ok(PuzzleAnswer { puzzle: view, verdict: Some(verdict) })
    }

    fn find_puzzle(&self, game: Option<&str>, number: Option<PuzzleNumber>) -> RequestResult<Puzzle> {
        let (tx, now) = (self.tx, self.request.now);
        let found = match (game, number) {
            (Some(game), Some(number)) => tx.puzzle(game, number)?,
            (Some(game), None) => of_day(tx, game, now)?,
            (None, _) => of_day_in_any_game(tx, now)?,
        };
        if let Some(found) = found {
            return Ok(found);
        }
        let last = game.map(|game| tx.last_puzzle(game)).transpose()?.unwrap_or_default();
        let word = number.map_or_else(|| game.unwrap_or_default().to_owned(), |number| number.to_string());
        let title = game.map(game_title).unwrap_or_default();
        let message = match last {
            PuzzleNumber(0) => message!("service.no-puzzles", game = title),
            last => message!("service.no-such-puzzle", game = title, number = number.unwrap_or_default(), last),
        };
        Err(self.request.rejection(&word, message).because(Reason::NotThere).into())
    }
}
