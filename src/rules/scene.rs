//! Scenes: a board described once by its game, for every drawing (characters, picture, sentences).

use super::effects::WinningCell;
use crate::text::Message;

/// A point in two coordinate systems: exact for pictures, and on the grid of characters for ASCII drawings.
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
    /// The identifier of the cell on its board: its name, unless several cells share one (`c5.2` is the second
    /// space of the stack `c5`).
    pub id: String,
    /// The name that a player types: `f3`.
    pub name: String,
    /// The region that the cell is read out with, as an index of the scene's.
    pub region: usize,
    /// The corners, in order around the cell.
    pub corners: Vec<Vertex>,
    /// Where a piece (one character) stands in the ASCII drawing: (column, row).
    pub spot: (i32, i32),
    /// Where the name of the empty cell begins in the ASCII drawing: (column, row); nowhere when nobody could play
    /// there yet.
    pub label: Option<(i32, i32)>,
    /// How its ground is coloured.
    pub shade: Shade,
    /// The mark of the piece on the cell (`o`, `x`), if any.
    pub piece: Option<char>,
    /// It was part of the last move.
    pub last: bool,
    /// How many pieces lie beneath it, where they are stacked. In a picture it lies above the cells with fewer.
    pub level: usize,
}

/// A part of the board that is read out in one go: a row, a base.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// What it is headed by: `Row f`.
    pub heading: Message,
    /// What is said of it besides the content of its cells.
    pub notes: Vec<Message>,
}

impl From<Message> for Region {
    /// A region of which its cells say everything.
    fn from(heading: Message) -> Region {
        Region { heading, notes: Vec::new() }
    }
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

/// Where a caption stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaptionPlace {
    /// On a corner where lines meet, from which it must stand out: the letter of a base.
    OnLines,
    /// In free space: a coordinate.
    Free,
    /// Around its point in the ASCII drawing: a heading such as `Level 2`. A picture shows levels by themselves.
    Heading,
}

/// A text written on the board itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Caption {
    /// The text.
    pub text: Message,
    /// Where its middle is in a picture; in the ASCII drawing, where it begins, unless it is a heading.
    pub at: Vertex,
    /// Where the caption stands.
    pub place: CaptionPlace,
    /// The mark of the side that holds what the caption names, if one does.
    pub holder: Option<char>,
}

impl Caption {
    /// A coordinate beside the board, in a picture alone.
    pub fn in_picture(text: impl Into<String>, x: f64, y: f64) -> Caption {
        let at = Vertex { x, y, column: OUTSIDE, row: OUTSIDE };
        Caption { text: Message::verbatim(text.into()), at, place: CaptionPlace::Free, holder: None }
    }
}

/// A column or row far beyond the ASCII drawing.
const OUTSIDE: i32 = -99;

/// A part of the board's rim that belongs to one side: in a connection game, the part that this side must reach.
#[derive(Clone, Debug, PartialEq)]
pub struct Border {
    /// The mark of the side: `b`.
    pub mark: char,
    /// The corner where it begins.
    pub from: Vertex,
    /// The corner where it ends, in a straight line.
    pub to: Vertex,
}

/// A board to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// The cells in board order.
    pub cells: Vec<Cell>,
    /// The regions, in the order in which they are read out.
    pub regions: Vec<Region>,
    /// What is said of the whole board when it is read out.
    pub notes: Vec<Message>,
    /// The cells by which the game was won.
    pub winning: Vec<WinningCell>,
    /// Texts written on the board.
    pub captions: Vec<Caption>,
    /// The parts of the rim that belong to a side.
    pub borders: Vec<Border>,
    /// Pieces beside each other that are connected in a way that matters, as indices of the cells.
    pub bonds: Vec<[usize; 2]>,
    /// From where to where a piece went by the last move, as indices of the cells.
    pub way: Option<[usize; 2]>,
    /// The mark of the light pieces; those of the other mark are dark.
    pub light: char,
}

impl Scene {
    /// Whether coordinates beside the board say how its cells are named.
    pub fn has_coordinates(&self) -> bool {
        self.captions.iter().any(|caption| caption.place == CaptionPlace::Free)
    }

    /// Whether the game was won by a cell.
    pub fn is_winning(&self, cell: &Cell) -> bool {
        self.winning.iter().any(|winning| winning.id() == cell.id)
    }
}
