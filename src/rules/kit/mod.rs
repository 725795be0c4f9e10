//! What games on grids share: cells and their neighbours, sets of them, chains, a turn of one stone, and the drawing.

mod chains;
mod colour;
mod grid;
mod placement;
mod scene;
mod set;
mod stones;
mod ways;

pub use colour::Colour;
pub use grid::{Cell, Grid, Shape};
pub use placement::{End, Move, Placed, Placement, size_option};
pub use set::CellSet;
pub use stones::Stones;

pub(super) use scene::rim;
