//! The common parts of games on grids: cells and their neighbours, sets of them, chains, turns of one stone or one
//! moved piece, and the drawing.

mod grid;
mod pieces;
mod placement;
mod scene;
mod set;
mod size;
mod stepping;
mod stones;

pub use grid::{Cell, Grid, Shape};
pub use pieces::Pieces;
pub use placement::{Move, Placed, Placement};
pub use set::CellSet;
pub use size::{size, size_option};
pub use stepping::{Step, Stepped, Stepping};
pub use stones::Colour;
pub use stones::End;
pub use stones::{Stone, Stones};

pub(crate) use scene::{borders, scene, sides};
