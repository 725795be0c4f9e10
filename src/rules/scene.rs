//! A board to look at, described once by its game: every drawing (characters, picture, sentences) is made from it.

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
    /// What tells it from every other cell of the board: its name, unless several cells share one (`c5.2` is the second
    /// space of the stack `c5`).
    pub id: String,
    /// What a player types for it: `f3`.
    pub name: String,
    /// The part of the board that it is read out with, as a heading: `Row f`. Cells of one region follow each other.
    pub region: String,
    /// Its corners, in order around it.
    pub corners: Vec<Vertex>,
    /// Where a piece (one character) stands in the ASCII drawing: (column, row).
    pub spot: (i32, i32),
    /// Where the name of the empty cell begins in the ASCII drawing: (column, row); nowhere when nobody could play there
    /// yet.
    pub label: Option<(i32, i32)>,
    /// How its ground is coloured.
    pub shade: Shade,
    /// What stands on it: a mark (`o`, `x`), or nothing.
    pub piece: Option<char>,
    /// It was part of the last move.
    pub last: bool,
}

/// The colour of a cell's ground, where cells are of two kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shade {
    /// As most cells, or all.
    #[default]
    Plain,
    /// The other kind: a dark square.
    Dark,
}

/// What a caption stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    /// A corner where lines meet, which it must stand out from: the letter of a base.
    Lines,
    /// Free ground: a coordinate, or a heading such as `Level 2`.
    Free,
}

/// A text written on the board itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Caption {
    /// The text.
    pub text: String,
    /// Where its middle is in a picture; in the ASCII drawing, where it begins.
    pub at: Vertex,
    /// What it stands on.
    pub ground: Ground,
}

/// A stretch of the board's rim that belongs to one side: in a connection game, what that side must reach.
#[derive(Clone, Debug, PartialEq)]
pub struct Border {
    /// The mark of the side: `b`.
    pub mark: char,
    /// From this corner …
    pub from: Vertex,
    /// … to this one, in a straight line.
    pub to: Vertex,
}

/// The whole board.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// The cells in board order.
    pub cells: Vec<Cell>,
    /// Texts written on the board.
    pub captions: Vec<Caption>,
    /// The stretches of the rim that belong to a side.
    pub borders: Vec<Border>,
    /// The mark of the light pieces; those of the other mark are dark.
    pub light: char,
}
