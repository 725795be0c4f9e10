//! Imports puzzles.

use super::fault::{Read, fault};
use super::lines::PuzzleLine;
use crate::message;
use crate::service::puzzle::search::puzzle_at;
use crate::store::{Board, Puzzle, Transaction};

/// Verifies and returns the puzzle of a line. It must be on an imported finished public board whose search finds it.
pub(super) fn checked_puzzle(tx: &Transaction<'_>, line: PuzzleLine) -> Read<Puzzle> {
    let PuzzleLine { game, number, board, ply, daily } = line;
    let public = |of: &Board| of.to_move.is_none() && !of.private && of.game == game;
    let found = match tx.board(board)?.filter(public) {
        Some(board) => puzzle_at(tx, &board, ply)?,
        None => None,
    };
    let Some((position, solution)) = found else { return fault(message!("import.puzzle", game, number)) };
    Ok(Puzzle { game, number, board, ply, position, solution, daily })
}
