//! The common parts of games on grids: cells and sets of cells, chains of stones, turns that place a stone or move a
//! piece, and the drawing.

mod grid;
mod pieces;
mod placement;
mod scene;
mod set;
mod stepping;
mod stones;

pub use grid::{Cell, Grid, Shape, size, size_option};
pub use pieces::Pieces;
pub use placement::{Move, Placed, Placement};
pub(crate) use scene::{borders, scene, sides};
pub use set::CellSet;
pub use stepping::{Step, Stepped, Stepping};
pub use stones::{Colour, End, Stone, Stones};
