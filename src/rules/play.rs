//! A board in play, as every layer above the rules sees it.

use std::any::Any;

use super::notation::Effects;
use super::outcome::{Outcome, Seat};
use super::position::{MoveList, Playouts};
use super::refusal::Refusal;
use super::scene::Scene;
use crate::text::Message;

/// A played move with its effects, which a letter describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayedMove {
    /// The seat that made the move.
    pub seat: Seat,
    /// The canonical move text.
    pub text: String,
    /// The move's effects beyond its text.
    pub effects: Effects,
}

/// A board in play: the position, and the number of times that each position has occurred.
pub trait Play: Send {
    /// Returns the seat to move; `None` if the game has ended.
    fn to_move(&self) -> Option<Seat>;
    /// Returns the canonical text of every legal move, in board order and without duplicates. Empty if the game has
    /// ended.
    fn legal_moves(&self) -> Vec<String>;
    /// Returns the legal moves as a list to choose from: as sets of cells in games with too many moves to list,
    /// otherwise as texts.
    fn move_list(&self) -> MoveList;
    /// Returns the number of legal moves. Faster than `legal_moves().len()`.
    fn legal_count(&self) -> usize;
    /// Returns a legal move that shows how to write moves, without recommending one. If possible, the move does not end
    /// the game, capture or fill anything. `None` if the game has ended.
    fn example(&self) -> Option<String>;
    /// Counts the sequences of `depth` plies from this position. A finished game has no continuation.
    fn perft(&self, depth: u32) -> u64;
    /// Plays a move for the player whose turn it is.
    ///
    /// # Errors
    /// [`RefusalKind::NotAMove`](super::RefusalKind::NotAMove) if the text is not a move of this game,
    /// [`RefusalKind::Illegal`](super::RefusalKind::Illegal) if the rules forbid the move here,
    /// [`RefusalKind::GameOver`](super::RefusalKind::GameOver) if the game has ended. An error leaves the position
    /// unchanged.
    fn play(&mut self, text: &str) -> Result<PlayedMove, Refusal>;
    /// Returns the outcome if the game has ended.
    fn outcome(&self) -> Option<Outcome>;
    /// Describes how the winner won with the last move, in words that follow their name: `occupied A and G`. `None`
    /// if the game is not won, or was won because the opponent could not move.
    fn achievement(&self) -> Option<Message>;
    /// Describes why the loser has lost, in words that follow their name: `had no legal move`. `None` if
    /// [`Play::achievement`] explains the end.
    fn failure(&self) -> Option<Message>;
    /// Returns the letter that represents this seat's pieces now: `o` or `x` in Marque. If players can exchange
    /// colours (Brique's `swap`), the pieces keep their letters and the seats exchange theirs.
    fn mark(&self, seat: Seat) -> char;
    /// Returns the current name of a seat's side for a sentence: `White`.
    fn side(&self, seat: Seat) -> Message;
    /// Returns the aim of the game in one or two sentences, including the selected formation.
    fn aim(&self) -> Message;
    /// Returns the aim for a board that has ended: without the choices of the player to move.
    fn aim_after_the_end(&self) -> Message {
        let mut aim = self.aim();
        for (name, choice) in &mut aim.facts {
            if name.starts_with("may_") {
                *choice = false.into();
            }
        }
        aim
    }
    /// Returns the name and content of every occupied cell, in board order: (`f3`, `o`). The content of a stack is
    /// its tiles from the bottom up: (`c5`, `bwb`).
    fn pieces(&self) -> Vec<(String, String)>;
    /// Returns the number of playouts of the computer player at each level.
    fn playouts(&self) -> Playouts;
    /// Describes the board for drawing.
    fn scene(&self) -> Scene;
    /// Returns a copy of the board.
    fn boxed_clone(&self) -> Box<dyn Play>;
    /// Returns the underlying [`GameState`](super::GameState), for programs that search.
    fn as_any(&self) -> &dyn Any;
}
