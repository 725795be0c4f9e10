//! A board under play, as every layer above the rules knows it.

use std::any::Any;

use super::effects::Effects;
use super::outcome::Outcome;
use super::refusal::Refusal;
use super::scene::Scene;
use super::seat::Seat;
use crate::text::Message;

/// A move as it was played: what it did, for the letter about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayedMove {
    /// The seat that made the move.
    pub seat: Seat,
    /// The canonical move text.
    pub text: String,
    /// What it did besides what its text says.
    pub effects: Effects,
}

/// A board under play: the position, and how often each position has stood.
pub trait Play: Send {
    /// The seat to move; `None` when the game is over.
    fn to_move(&self) -> Option<Seat>;
    /// The canonical text of every legal move, in board order, each once. Empty when the game is over.
    fn legal_moves(&self) -> Vec<String>;
    /// `legal_moves().len()`, faster.
    fn legal_count(&self) -> usize;
    /// A legal move that shows how moves are written and recommends none: where there is one, it neither ends the game
    /// nor captures or fills anything. `None` when the game is over.
    fn example(&self) -> Option<String>;
    /// The number of sequences of so many plies from here; a finished game has no continuation.
    fn perft(&self, depth: u32) -> u64;
    /// Plays a move for the player whose turn it is.
    ///
    /// # Errors
    /// [`RefusalKind::NotAMove`](super::RefusalKind::NotAMove) when the text names no move of this game,
    /// [`RefusalKind::Illegal`](super::RefusalKind::Illegal) when the rules forbid it here,
    /// [`RefusalKind::GameOver`](super::RefusalKind::GameOver) after the end. The position is then untouched.
    fn play(&mut self, text: &str) -> Result<PlayedMove, Refusal>;
    /// The outcome, if the game is over.
    fn outcome(&self) -> Option<Outcome>;
    /// What the winner achieved by the last move, to follow their name: `occupied A and G`. None when nobody has won, or for
    /// want of something.
    fn achievement(&self) -> Option<Message>;
    /// The letter that this seat's pieces are drawn with now: `o` or `x` in Marque. Where players can exchange colours
    /// (Brique's `swap`), the pieces keep their letters and the seats exchange theirs.
    fn mark(&self, seat: Seat) -> char;
    /// The name of a seat's side in a sentence now: `White`.
    fn side(&self, seat: Seat) -> Message;
    /// The aim of the game in one or two sentences, with the formation in force.
    fn aim(&self) -> Message;
    /// The name and content of every occupied cell, in board order: (`f3`, `o`). The content of a stack is its tiles
    /// from the bottom up: (`c5`, `bwb`).
    fn pieces(&self) -> Vec<(String, String)>;
    /// The board, to be drawn.
    fn scene(&self) -> Scene;
    /// A copy of the board.
    fn boxed_clone(&self) -> Box<dyn Play>;
    /// The [`GameState`](super::GameState) that it is, for programs that search.
    fn as_any(&self) -> &dyn Any;
}
