//! The typed core of a game: what it must say of a position so that a board under play follows from it.

use std::fmt::Debug;
use std::hash::Hash;

use super::outcome::Outcome;
use super::refusal::Refusal;
use super::scene::Scene;
use super::seat::Seat;

/// A position of one game, with everything but repetition that decides its moves and its end: a small value, made of
/// bit sets, which is copied rather than changed back. [`GameState`](super::GameState) makes a board of it.
///
/// A text becomes a move in two steps with two errors: [`parse`](Position::parse) understands it, whatever stands on
/// the board; [`check`](Position::check) asks whether the rules allow it here. [`legal`](Position::legal) and `check`
/// must say the same.
pub trait Position: Clone + Send + 'static {
    /// A move that fits the board: a small value, without its text.
    type Move: Copy + Debug + PartialEq + Send;

    /// What stands the same when a position is repeated, the player to move included; `()` where it cannot be.
    type RepetitionKey: Copy + Eq + Hash + Send;

    /// Whose turn it is, or would be were the game not over.
    fn mover(&self) -> Seat;

    /// The end, if the position shows it: all but a draw by repetition, which is [`GameState`](super::GameState)'s to see.
    fn outcome(&self) -> Option<Outcome>;

    /// Every legal move, in board order, each once; what it gives after the end means nothing. Allocates nothing.
    fn legal(&self) -> impl Iterator<Item = Self::Move>;

    /// How many moves [`legal`](Position::legal) gives: for games that can count them faster than list them.
    fn legal_count(&self) -> usize {
        self.legal().count()
    }

    /// One of the [`legal`](Position::legal) moves by chance: each is as likely as any other when `below` gives each
    /// number below the one it is told, from 0, equally often. It may be asked again, for games that find out only of
    /// the move they chose whether it is legal. `None` when there is none.
    fn pick(&self, mut below: impl FnMut(usize) -> usize) -> Option<Self::Move> {
        match self.legal_count() {
            0 => None,
            count => self.legal().nth(below(count)),
        }
    }

    /// Makes a move, with all that follows from it: captures, the end, whose turn it is then. A player who must be
    /// passed over is left out of the turn here.
    ///
    /// Trusts that the game is not over and that the move is one of [`legal`](Position::legal); of any other move it
    /// makes a position that the rules do not know. Allocates nothing.
    fn play_unchecked(&mut self, mv: Self::Move);

    /// What a third time of makes the game drawn, where the game has that rule.
    fn repetition_key(&self) -> Option<Self::RepetitionKey> {
        None
    }

    /// The move that a text names, in any case, whether or not it is legal here.
    ///
    /// # Errors
    /// [`RefusalKind::NotAMove`](super::RefusalKind::NotAMove) when it names none, with the nearest cell, say.
    /// [`RefusalKind::Illegal`](super::RefusalKind::Illegal) when it names real cells that no position lets go
    /// together.
    fn parse(&self, text: &str) -> Result<Self::Move, Refusal>;

    /// Whether the rules allow a move here.
    ///
    /// # Errors
    /// [`RefusalKind::Illegal`](super::RefusalKind::Illegal), with the rule it is against in words.
    fn check(&self, mv: Self::Move) -> Result<(), Refusal>;

    /// A move's one canonical text, which is stored, mailed and hashed; parsing it gives the move back.
    fn text(&self, mv: Self::Move) -> String;

    /// The names of the cells whose pieces were captured when the position before became this one, in board order.
    fn captured(&self, before: &Self) -> Vec<String>;

    /// The letter that a seat's pieces are drawn with. It is the position that says, since players can exchange colours.
    fn mark(&self, seat: Seat) -> char;

    /// What a seat's pieces are called in a sentence: `White (o)`.
    fn side(&self, seat: Seat) -> &'static str;

    /// What is aimed at here, in one or two sentences.
    fn aim(&self) -> String;

    /// The board to look at, with the last move marked.
    fn scene(&self, last: Option<Self::Move>) -> Scene;
}
