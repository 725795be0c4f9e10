//! The typed core of a game: what it must define for a position. A board under play follows from that.

use crate::text::Message;
use std::fmt::Debug;
use std::hash::Hash;

use super::effects::{Effects, WinningCell};
use super::outcome::Outcome;
use super::refusal::Refusal;
use super::scene::Scene;
use super::seat::Seat;

/// A position of one game, with everything but repetition that decides its moves and its end. It is a value of at
/// most three kilobytes, and is copied rather than changed back. [`GameState`](super::GameState) makes a board of it.
///
/// A text becomes a move in two steps with two errors: [`parse`](Position::parse) reads it, whatever stands on the
/// board; [`check`](Position::check) says whether the rules allow it here. [`legal`](Position::legal) and `check`
/// must say the same.
pub trait Position: Clone + Send + Sync + 'static {
    /// A move that fits the board: a small value, without its text.
    type Move: Copy + Debug + Eq + Hash + Send + Sync;

    /// What is equal when a position is repeated, the player to move included; `()` where repetition is impossible.
    type RepetitionKey: Copy + Eq + Hash + Send + Sync;

    /// The seat to move, or that would move if the game were not over.
    fn mover(&self) -> Seat;

    /// The outcome, if the game is over; except for a draw by repetition, which only [`GameState`](super::GameState)
    /// sees.
    fn outcome(&self) -> Option<Outcome>;

    /// Every legal move, in board order, each once; after the end the result means nothing. Allocates nothing.
    fn legal(&self) -> impl Iterator<Item = Self::Move>;

    /// The number of [`legal`](Position::legal) moves, for games that count them faster than they list them.
    fn legal_count(&self) -> usize {
        self.legal().count()
    }

    /// Picks one of the [`legal`](Position::legal) moves at random; `None` when there is none. All are equally likely
    /// if `below` returns each number below its argument equally often. It may be called again, since some games see
    /// only after the choice whether a move is legal.
    fn pick(&self, mut below: impl FnMut(usize) -> usize) -> Option<Self::Move> {
        match self.legal_count() {
            0 => None,
            count => self.legal().nth(below(count)),
        }
    }

    /// Makes a move, with everything that follows from it: captures, the outcome, the next turn. A player who cannot
    /// move is passed over here.
    ///
    /// Trusts that the game is not over and that the move is one of [`legal`](Position::legal); any other move leads to
    /// a position that the rules do not know. Allocates nothing.
    fn play_unchecked(&mut self, mv: Self::Move);

    /// The key of this position in games where the third repetition is a draw.
    fn repetition_key(&self) -> Option<Self::RepetitionKey> {
        None
    }

    /// Reads a move text, in any case, whether or not the move is legal here.
    ///
    /// # Errors
    /// [`RefusalKind::NotAMove`](super::RefusalKind::NotAMove) when it names none, with the nearest cell if one is near.
    /// [`RefusalKind::Illegal`](super::RefusalKind::Illegal) when it names cells that no position lets go
    /// together.
    fn parse(&self, text: &str) -> Result<Self::Move, Refusal>;

    /// Checks whether the rules allow a move here.
    ///
    /// # Errors
    /// [`RefusalKind::Illegal`](super::RefusalKind::Illegal), with the rule that forbids it.
    fn check(&self, mv: Self::Move) -> Result<(), Refusal>;

    /// The canonical text of a move, which is stored, mailed and hashed; parsing it returns the move.
    fn text(&self, mv: Self::Move) -> String;

    /// What the move that led here from the position before did besides what its text says. Who was passed over and
    /// which cells have won is found by [`GameState`](super::GameState).
    fn effects(&self, before: &Self, mv: Self::Move) -> Effects {
        let _ = (before, mv);
        Effects::default()
    }

    /// The cells by which the last move, which has won, did so, in board order; none in games whose wins do not stand
    /// on the board.
    fn winning_cells(&self, last: Self::Move) -> Vec<WinningCell> {
        let _ = last;
        Vec::new()
    }

    /// What the last move, which has won, achieved, to follow the winner's name: `occupied A and G`. None where the rules
    /// end a game for want of something: of a move, say.
    fn achievement(&self, last: Self::Move) -> Option<Message> {
        let _ = last;
        None
    }

    /// The letter that a seat's pieces are drawn with. The position decides it, since players can exchange colours.
    fn mark(&self, seat: Seat) -> char;

    /// The name of a seat's side in a sentence: `White`.
    fn side(&self, seat: Seat) -> Message;

    /// The aim of the game in one or two sentences.
    fn aim(&self) -> Message;

    /// The board to be drawn, with the last move marked; [`GameState`](super::GameState) marks the winning cells.
    fn scene(&self, last: Option<Self::Move>) -> Scene;
}
