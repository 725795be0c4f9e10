//! The games. Pure: no clock, no randomness, no I/O, and no knowledge of players, mail or SQL.
//!
//! Each game is a file or folder here and one line in [`catalogue`]. Every layer above sees it as a [`Game`], which
//! starts a [`Play`]: a board that accepts moves as text. For each game, a type implements [`Position`], a fast
//! interface for programs that search, and [`Described`], which describes positions for readers. [`GameState`] turns
//! any game's positions into a `Play`.

pub mod amazons;
mod bits;
pub mod breakthrough;
pub mod brique;
pub mod catalogue;
pub mod catchup;
mod game_state;
pub mod gonnect;
pub mod havannah;
pub mod hex;
pub mod kit;
pub mod lazo;
pub mod lesson;
pub mod loa;
pub mod marque;
mod notation;
mod options;
mod outcome;
pub mod pente;
mod play;
mod position;
mod refusal;
mod repetition;
pub mod replay;
pub mod scene;
pub mod tessella;
pub mod twixt;
pub mod y;
pub mod yavalath;

pub use catalogue::{Game, GameInfo, Kind};
pub use game_state::GameState;
pub use lesson::only_win;
pub use notation::{Effects, Notation, WinningCell};
pub use options::{OptionSpec, Options};
pub use outcome::{EndReason, Outcome, Seat, Side};
pub use play::{Play, PlayedMove};
pub use position::{Described, MoveList, Playouts, Position, Sets};
pub use refusal::{Refusal, RefusalKind};
