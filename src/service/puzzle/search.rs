//! Finds puzzles on finished boards. The search takes a while, so it runs outside transactions: one reads the board,
//! another stores the results.

use sha2::{Digest, Sha256};

use crate::numbers::{BoardNumber, Ply, PuzzleNumber};
use crate::rules::{Options, Play, catalogue, only_win};
use crate::service::board::replay::{ReplayedBoard, standing_moves};
use crate::service::context::Service;
use crate::store::{self, Board, Puzzle, Transaction};
use crate::text::hex;

/// The number of positions, at the end of a game, that are searched. Earlier positions rarely contain a win.
const MOST_POSITIONS: usize = 100;

/// A search for puzzles on a finished board.
pub struct PuzzleSearch {
    board: BoardNumber,
    game: String,
    options: String,
    /// The moves of the board, without undone ones.
    moves: Vec<String>,
    found: Vec<FoundPuzzle>,
}

/// A position of the board in which exactly one move wins.
struct FoundPuzzle {
    ply: Ply,
    position: String,
    solution: String,
    /// The mark of the player to move.
    mark: char,
}

impl PuzzleSearch {
    fn new(board: &Board, moves: Vec<String>) -> PuzzleSearch {
        let Board { number, game, options, .. } = board;
        PuzzleSearch { board: *number, game: game.clone(), options: options.clone(), moves, found: Vec::new() }
    }

    /// Returns the searched board.
    pub fn board(&self) -> BoardNumber {
        self.board
    }

    /// Searches the board. Stops if the record cannot be replayed, which `check` reports to the administrator.
    pub fn search(&mut self) {
        let Some(game) = catalogue::find(&self.game) else { return };
        let Ok(mut play) = game.start(&Options::from_canonical(&self.options)) else { return };
        let first = (self.moves.len() + 1).saturating_sub(MOST_POSITIONS);
        for ply in 0..=self.moves.len() {
            if ply >= first {
                self.look(&*play, Ply(ply as u32));
            }
            if self.moves.get(ply).is_some_and(|text| play.play(text).is_err()) {
                return;
            }
        }
    }

    /// Adds the position to `found` if it is a puzzle. A threat that lasts for several turns is only one puzzle.
    fn look(&mut self, play: &dyn Play, ply: Ply) {
        let Some(new) = FoundPuzzle::at(&self.game, &self.options, play, ply) else { return };
        if !self.found.iter().any(|known| (&known.solution, known.mark) == (&new.solution, new.mark)) {
            self.found.push(new);
        }
    }
}

impl FoundPuzzle {
    /// Returns the position as a puzzle; `None` unless exactly one move wins.
    fn at(game: &str, options: &str, play: &dyn Play, ply: Ply) -> Option<FoundPuzzle> {
        let (mark, solution) = (play.mark(play.to_move()?), only_win(play)?);
        Some(FoundPuzzle { ply, position: position_hash(game, options, mark, play), solution, mark })
    }
}

/// Returns the hash that identifies a position: the SHA-256 of the game, its options, the player to move and the
/// pieces.
fn position_hash(game: &str, options: &str, mark: char, play: &dyn Play) -> String {
    let mut digest = Sha256::new().chain_update(format!("{game}\n{options}\n{mark}\n"));
    for (cell, piece) in play.pieces() {
        digest.update(format!("{cell} {piece}\n"));
    }
    hex(&digest.finalize())
}

impl Service<'_> {
    /// Returns the next finished board to search for puzzles; `None` if all were searched.
    ///
    /// # Errors
    /// If the store fails.
    pub fn next_puzzle_search(&self, tx: &Transaction<'_>) -> store::Result<Option<PuzzleSearch>> {
        let Some(number) = tx.board_to_search()? else { return Ok(None) };
        let Some(board) = tx.board(number)? else { return Ok(None) };
        let moves = standing_moves(&tx.entries(number)?).into_iter().map(|entry| entry.text.clone()).collect();
        Ok(Some(PuzzleSearch::new(&board, moves)))
    }

    /// Stores the new puzzles found on a board, unless the board was reopened. Returns the number of stored puzzles.
    ///
    /// # Errors
    /// If the store fails.
    pub fn keep_puzzles(&self, tx: &mut Transaction<'_>, search: PuzzleSearch) -> store::Result<usize> {
        let PuzzleSearch { board, game, found, .. } = search;
        let ended = tx.board(board)?.filter(|board| board.to_move.is_none());
        let Some(ended) = ended else { return Ok(0) };
        tx.set_searched(board)?;
        let mut new = 0;
        for FoundPuzzle { ply, position, solution, .. } in found {
            // The board may have been reopened, and have ended differently.
            let still = puzzle_at(tx, &ended, ply)?.is_some_and(|(now, _)| now == position);
            if still && !tx.knows_position(&position)? {
                let number = PuzzleNumber(tx.last_puzzle(&game)?.0 + 1);
                tx.add_puzzle(&Puzzle { game: game.clone(), number, board, ply, position, solution, daily: None })?;
                new += 1;
            }
        }
        Ok(new)
    }
}

/// Returns the hash and the solution of the puzzle on a board after this many plies; `None` if the position is not a
/// puzzle.
pub(crate) fn puzzle_at(tx: &Transaction<'_>, board: &Board, ply: Ply) -> store::Result<Option<(String, String)>> {
    if ply > board.plies {
        return Ok(None);
    }
    let replayed = ReplayedBoard::after_plies(board, &tx.entries(board.number)?, ply)?;
    let found = FoundPuzzle::at(&board.game, &board.options, replayed.position(), ply);
    Ok(found.map(|found| (found.position, found.solution)))
}
