//! The ground floor: the games. Pure: no clock, no randomness, no I/O, no idea of players' names, mail or SQL.
//!
//! A game is one file (or folder) here and one line in [`catalogue`]. To every other room it is a [`Game`], which
//! starts a [`Play`]: a board under play, which is nothing but its moves replayed. A game itself writes a [`Position`],
//! typed and fast; [`InPlay`] makes the `Play` of it, for all games alike.

mod bits;
pub mod brique;
pub mod catalogue;
mod in_play;
pub mod lazo;
pub mod marque;
mod names;
mod options;
mod position;
mod refusal;
mod repetition;
pub mod replay;
pub mod scene;
pub mod tessella;

pub use in_play::InPlay;
pub use options::{OptionSpec, Options};
pub use position::Position;
pub use refusal::{Refusal, RefusalKind};

use scene::Scene;

/// A player's side of a board: the first seat moves first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Seat {
    /// Who moves first.
    First,
    /// Who answers.
    Second,
}

impl Seat {
    /// Both seats, in order.
    pub const BOTH: [Seat; 2] = [Seat::First, Seat::Second];

    /// The seat across the board.
    pub const fn other(self) -> Seat {
        match self {
            Seat::First => Seat::Second,
            Seat::Second => Seat::First,
        }
    }

    /// 0 for the first seat, 1 for the second.
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// How a game ended by its own rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Who won; `None` is a draw.
    pub winner: Option<Seat>,
    /// One lower-case word or two for the record: `formation`, `repetition`, `no moves`.
    pub reason: &'static str,
}

/// What one ply did, for the letter that tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// Who made it.
    pub seat: Seat,
    /// The canonical move text.
    pub text: String,
    /// The cells whose pieces were captured, in board order.
    pub captured: Vec<String>,
    /// The player who would move next had no legal move and was passed over.
    pub passed_over: bool,
}

/// A game of the catalogue.
pub trait Game: Sync {
    /// The word of the command language: `marque`. Lower case.
    fn name(&self) -> &'static str;
    /// The name as written in letters: `Marque`.
    fn title(&self) -> &'static str;
    /// Who designed it, and when: `Cameron Browne, 2008`.
    fn designer(&self) -> &'static str;
    /// The options a challenge can carry.
    fn options(&self) -> &'static [OptionSpec];
    /// An empty board under these options, which the command room has checked against [`Game::options`].
    ///
    /// # Errors
    /// A refusal when the options contradict each other: two formations, say.
    fn start(&self, options: &Options) -> Result<Box<dyn Play>, Refusal>;
}

/// A board under play: the position and what of its past the rules ask for.
pub trait Play: Send {
    /// Whose turn; `None` when the game is over.
    fn to_move(&self) -> Option<Seat>;
    /// Every legal move's canonical text, in board order, each once. Empty when the game is over.
    fn legal_moves(&self) -> Vec<String>;
    /// `legal_moves().len()`, faster.
    fn legal_count(&self) -> usize;
    /// The number of sequences of so many plies from here; a finished game has no continuation.
    fn perft(&self, depth: u32) -> u64;
    /// Plays a move for the player whose turn it is.
    ///
    /// # Errors
    /// [`RefusalKind::NotAMove`] when the text names no move of this game, [`RefusalKind::Illegal`] when the rules
    /// forbid it here, [`RefusalKind::GameOver`] after the end. The position is then untouched.
    fn play(&mut self, text: &str) -> Result<Played, Refusal>;
    /// The end by the rules, if it has come.
    fn outcome(&self) -> Option<Outcome>;
    /// The letter that this seat's pieces are drawn with now: `o` or `x` in Marque. Where players can exchange colours
    /// (Brique's `swap`), the board keeps its letters and the seats change theirs.
    fn mark(&self, seat: Seat) -> char;
    /// What a seat's pieces are called in a sentence now: `White (o)`.
    fn side(&self, seat: Seat) -> &'static str;
    /// What is aimed at here, in words, with the formation in force: one or two sentences.
    fn aim(&self) -> String;
    /// Every occupied cell's name with its content, in board order: (`f3`, `o`). A stack's content is its tiles from
    /// the bottom up: (`c5`, `bwb`).
    fn pieces(&self) -> Vec<(String, String)>;
    /// The board to look at.
    fn scene(&self) -> Scene;
    /// A copy.
    fn boxed_clone(&self) -> Box<dyn Play>;
}
