//! Scenes. A game describes its board once, and all drawings (ASCII, pictures, sentences) use this description.

use super::notation::WinningCell;
use crate::text::Message;

/// The mark of a cell blocked for the rest of the game. It belongs to neither side.
pub const BLOCK: char = '#';

/// A point in two coordinate systems: exact for pictures, and on the character grid for ASCII drawings.
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
    /// The identifier of the cell on its board: its name, or an extended name if several cells share one (`c5.2` is
    /// the second space of the stack `c5`).
    pub id: String,
    /// The name that a player types: `f3`.
    pub name: String,
    /// The index of the region to which the cell belongs.
    pub region: usize,
    /// The corners, in order around the cell.
    pub corners: Vec<Vertex>,
    /// The position of the piece (one character) in the ASCII drawing: (column, row).
    pub spot: (i32, i32),
    /// The position of the empty cell's name in the ASCII drawing: (column, row). `None` if the cell is not yet
    /// playable.
    pub label: Option<(i32, i32)>,
    /// The colour of the cell's background.
    pub shade: Shade,
    /// The mark of the piece on the cell (`o`, `x`), or [`BLOCK`], if any.
    pub piece: Option<char>,
    /// Whether the cell was part of the last move.
    pub last: bool,
    /// The number of pieces below the cell, in games with stacks. A picture draws higher cells over lower ones.
    pub level: usize,
}

/// A part of the board, such as a row or a base, that has its own line in a description in sentences.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// The heading of the region: `Row f`.
    pub heading: Message,
    /// Facts that the line contains in addition to the contents of the cells.
    pub notes: Vec<Message>,
}

impl From<Message> for Region {
    /// Creates a region without notes.
    fn from(heading: Message) -> Region {
        Region { heading, notes: Vec::new() }
    }
}

/// The colour of a cell's background, on boards with two kinds of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shade {
    /// The background of most or all cells.
    #[default]
    Plain,
    /// The background of the other cells, for example dark squares.
    Dark,
}

/// The place of a caption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaptionPlace {
    /// On a corner where lines meet: the letter of a base. The caption must be legible despite the lines.
    OnLines,
    /// In free space, like a coordinate.
    Free,
    /// Centred on its point in the ASCII drawing: a heading such as `Level 2`. Pictures omit it, because their levels
    /// are visible.
    Heading,
}

/// A text on the board.
#[derive(Clone, Debug, PartialEq)]
pub struct Caption {
    /// The words.
    pub text: Message,
    /// The middle of the text in a picture, and its beginning in the ASCII drawing, where only headings are centred.
    pub at: Vertex,
    /// The kind of place.
    pub place: CaptionPlace,
    /// The mark of the side that holds the named part of the board, if any.
    pub holder: Option<char>,
}

impl Caption {
    /// Creates a coordinate next to the board that only pictures show.
    pub fn in_picture(text: impl Into<String>, x: f64, y: f64) -> Caption {
        let at = Vertex { x, y, column: OUTSIDE, row: OUTSIDE };
        Caption { text: Message::verbatim(text.into()), at, place: CaptionPlace::Free, holder: None }
    }
}

/// A column or row far outside the ASCII drawing.
const OUTSIDE: i32 = -99;

/// A part of the board's rim that belongs to one side. In a connection game, this side must reach it.
#[derive(Clone, Debug, PartialEq)]
pub struct Border {
    /// The mark of the side: `b`.
    pub mark: char,
    /// The corner where the border begins.
    pub from: Vertex,
    /// The corner where the border ends, in a straight line.
    pub to: Vertex,
}

/// The description of a board for drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// The cells in board order.
    pub cells: Vec<Cell>,
    /// The regions, in reading order.
    pub regions: Vec<Region>,
    /// Facts about the whole board, for a description in sentences.
    pub notes: Vec<Message>,
    /// The cells with which the game was won.
    pub winning: Vec<WinningCell>,
    /// Texts written on the board.
    pub captions: Vec<Caption>,
    /// The parts of the rim that belong to a side.
    pub borders: Vec<Border>,
    /// Pairs of pieces to draw as connected, as indices of their cells.
    pub bonds: Vec<[usize; 2]>,
    /// The start and end of the last move's path, as indices of the cells.
    pub way: Option<[usize; 2]>,
    /// The mark of the light pieces. The pieces with the other mark are dark.
    pub light: char,
}

impl Scene {
    /// Returns whether coordinates next to the board show the names of the cells.
    pub fn has_coordinates(&self) -> bool {
        self.captions.iter().any(|caption| caption.place == CaptionPlace::Free)
    }

    /// Returns whether the cell is one of the winning cells.
    pub fn is_winning(&self, cell: &Cell) -> bool {
        self.winning.iter().any(|winning| winning.id() == cell.id)
    }
}
