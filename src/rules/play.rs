//! A board under play, as every layer above the rules knows it.

use super::outcome::Outcome;
use super::refusal::Refusal;
use super::scene::Scene;
use super::seat::Seat;

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
