//! A board to look at, described once by its game: every drawing (ASCII now, SVG and PNG later) is made from it.

/// A corner of a cell, in two places at once: exact for pictures, and on the grid of characters for ASCII.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vertex {
    /// To the right, in edge lengths of the tiling.
    pub x: f64,
    /// Downwards, in edge lengths of the tiling.
    pub y: f64,
    /// Character column, from 0.
    pub column: i32,
    /// Character row, from 0 at the top.
    pub row: i32,
}

/// One cell of the board.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Its name: `f3`.
    pub name: String,
    /// Its corners, in order around it.
    pub corners: Vec<Vertex>,
    /// Where a piece (one character) stands in the ASCII drawing: (column, row).
    pub spot: (i32, i32),
    /// Where the name of the empty cell begins in the ASCII drawing: (column, row).
    pub label: (i32, i32),
    /// What stands on it: a mark (`o`, `x`), or nothing.
    pub piece: Option<char>,
    /// It was part of the last move.
    pub last: bool,
}

/// A name written on the board itself: the letter of a base.
#[derive(Clone, Debug, PartialEq)]
pub struct Caption {
    /// The text.
    pub text: String,
    /// Where.
    pub at: Vertex,
}

/// The whole board.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// The cells in board order.
    pub cells: Vec<Cell>,
    /// Names written on the board.
    pub captions: Vec<Caption>,
}
