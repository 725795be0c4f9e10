//! The winning chain from edge to edge.

use super::cells::Cell;
use super::position::Position;
use crate::rules::kit::Colour;
use crate::rules::path;

/// Returns the squares of a shortest chain of a colour between its two edges, in board order. Empty without a chain.
pub(crate) fn across(position: &Position, colour: Colour) -> Vec<Cell> {
    let size = position.size();
    let depth = |cell: Cell| match colour {
        Colour::Black => cell.row(),
        Colour::White => cell.column(),
    };
    let held = |cell: &Cell| position.at(*cell) == Some(colour);
    let edge = (0..size).map(|along| match colour {
        Colour::Black => Cell::at(0, along),
        Colour::White => Cell::at(along, 0),
    });
    let beside = |cell: Cell| {
        let (row, column) = (cell.row(), cell.column());
        let steps = [
            (row.checked_sub(1), Some(column)),
            (Some(row), column.checked_sub(1)),
            (Some(row), Some(column + 1)),
            (Some(row + 1), Some(column)),
        ];
        let on_board = |(row, column): (Option<u16>, Option<u16>)| {
            Some((row.filter(|row| *row < size)?, column.filter(|column| *column < size)?))
        };
        let squares = steps.into_iter().filter_map(on_board).map(|(row, column)| Cell::at(row, column));
        squares.filter(held).collect()
    };
    let mut chain = path::shortest(edge.filter(held), |cell| depth(cell) == size - 1, beside);
    chain.sort();
    chain
}
