//! The typed core of a game: the definition of its positions. [`GameState`](super::GameState) turns it into a board.

use crate::text::Message;
use std::fmt::Debug;
use std::hash::Hash;

use super::effects::{Effects, WinningCell};
use super::outcome::Outcome;
use super::refusal::Refusal;
use super::scene::Scene;
use super::seat::Seat;

/// A position of one game, with everything except repetition that determines its moves and its end. It is a value of
/// at most three kilobytes, and is copied instead of undoing moves.
///
/// A text becomes a move in two steps with two errors: [`parse`](Position::parse) reads it independently of the
/// position, and [`check`](Position::check) decides whether the rules allow it here. [`legal`](Position::legal) and
/// `check` must agree.
pub trait Position: Clone + Send + Sync + 'static {
    /// A move that fits the board: a small value, without its text.
    type Move: Copy + Debug + Eq + Hash + Send + Sync;

    /// A key that is equal for repeated positions. It includes the player to move. `()` if repetition is impossible.
    type RepetitionKey: Copy + Eq + Hash + Send + Sync;

    /// Returns the seat to move, or that would move if the game had not ended.
    fn mover(&self) -> Seat;

    /// Returns the outcome if the game has ended. Only [`GameState`](super::GameState) detects a draw by repetition.
    fn outcome(&self) -> Option<Outcome>;

    /// Iterates over every legal move, in board order and without duplicates. The result is meaningless after the
    /// end. Allocates no memory.
    fn legal(&self) -> impl Iterator<Item = Self::Move>;

    /// Returns the number of [`legal`](Position::legal) moves. For games that count moves faster than they list them.
    fn legal_count(&self) -> usize {
        self.legal().count()
    }

    /// Picks one of the [`legal`](Position::legal) moves at random; `None` if there are none. All are equally likely
    /// if `below` returns each number below its argument equally often. It may be called several times, because in
    /// some games the legality of a move is checked only after it is picked.
    fn pick(&self, mut below: impl FnMut(usize) -> usize) -> Option<Self::Move> {
        match self.legal_count() {
            0 => None,
            count => self.legal().nth(below(count)),
        }
    }

    /// Plays a move with all its consequences: captures, the outcome, the next turn. Passes over a player who cannot
    /// move.
    ///
    /// The game must not have ended, and the move must be one of [`legal`](Position::legal). Any other move leads to
    /// an impossible position. Allocates no memory.
    fn play_unchecked(&mut self, mv: Self::Move);

    /// Returns the key of this position, in games where the third repetition is a draw.
    fn repetition_key(&self) -> Option<Self::RepetitionKey> {
        None
    }

    /// Reads a move text, ignoring case. The move need not be legal here.
    ///
    /// # Errors
    /// [`RefusalKind::NotAMove`](super::RefusalKind::NotAMove) if the text is not a move; suggests the
    /// nearest cell if it is close. [`RefusalKind::Illegal`](super::RefusalKind::Illegal) if the named cells cannot
    /// be combined in any position.
    fn parse(&self, text: &str) -> Result<Self::Move, Refusal>;

    /// Checks whether the rules allow a move here.
    ///
    /// # Errors
    /// [`RefusalKind::Illegal`](super::RefusalKind::Illegal), with the rule that forbids it.
    fn check(&self, mv: Self::Move) -> Result<(), Refusal>;

    /// Returns the canonical text of a move, which is stored, mailed and hashed. Parsing it returns the same move.
    fn text(&self, mv: Self::Move) -> String;

    /// Returns the effects, beyond its text, of the move that led from the previous position to this one.
    /// [`GameState`](super::GameState) adds the passed-over player and the winning cells.
    fn effects(&self, before: &Self, mv: Self::Move) -> Effects {
        let _ = (before, mv);
        Effects::default()
    }

    /// Returns the cells with which the last move won, in board order. Empty in games whose wins are not visible on
    /// the board.
    fn winning_cells(&self, last: Self::Move) -> Vec<WinningCell> {
        let _ = last;
        Vec::new()
    }

    /// Describes the winning achievement of the last move, in words that follow the winner's name: `occupied A and
    /// G`. `None` if the rules ended the game because the opponent could not move.
    fn achievement(&self, last: Self::Move) -> Option<Message> {
        let _ = last;
        None
    }

    /// Returns the letter that represents a seat's pieces. It depends on the position, because players can exchange
    /// colours.
    fn mark(&self, seat: Seat) -> char;

    /// Returns the name of a seat's side for a sentence: `White`.
    fn side(&self, seat: Seat) -> Message;

    /// Returns the aim of the game in one or two sentences.
    fn aim(&self) -> Message;

    /// Describes the board for drawing, with the last move marked. [`GameState`](super::GameState) marks the winning
    /// cells.
    fn scene(&self, last: Option<Self::Move>) -> Scene;
}
