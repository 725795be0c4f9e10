//! The two traits that a game implements, and the list of a position's legal moves. [`Position`] is for searches,
//! [`Described`] for readers. [`GameState`](super::GameState) turns both into a board.

use std::fmt::Debug;
use std::hash::Hash;

use schemars::JsonSchema;
use serde::Serialize;

use super::notation::{Effects, Notation, WinningCell};
use super::options::Options;
use super::outcome::{Outcome, Seat, Side};
use super::refusal::Refusal;
use super::scene::Scene;
use crate::text::Message;

/// The number of playouts for a move at each level of the computer player, from level 1.
pub type Playouts = [u32; 12];

/// A position of one game. It determines the legal moves and the end of the game, except for draws by repetition. A
/// position takes up to about five kilobytes, and a search copies it instead of undoing moves.
pub trait Position: Clone + Send + Sync + 'static {
    /// A move, which need not be legal: a small value without its text.
    type Move: Copy + Debug + Eq + Hash + Send + Sync;

    /// A key that is equal for repeated positions. It includes the player to move. `()` if repetition is impossible.
    type RepetitionKey: Copy + Eq + Hash + Send + Sync;

    /// The number of playouts for a move at each level, chosen from the measurements of `benches/robots` so that each
    /// level beats the one below. At low levels, a few more playouts make a larger difference. The default is for games
    /// without measurements: each level has about 1.8 times as many playouts as the one below.
    const PLAYOUTS: Playouts = [20, 36, 65, 120, 210, 380, 680, 1_200, 2_200, 4_000, 7_100, 13_000];

    /// The number of visits at which a move's own results weigh as much as the results of playouts in which the move
    /// was played later (RAVE).
    const LATER_VISITS: f32 = 400.0;

    /// The maximum number of plies between a position and a later move. Moves played even later do not affect the
    /// position's results.
    const LATER: u32 = u32::MAX;

    /// How strongly a search prefers moves with few visits.
    const EXPLORATION: f32 = 0.25;

    /// Whether a playout picks two random moves and plays the one with the better past results.
    const HISTORY: bool = false;

    /// Returns the seat to move, or the one that would move if the game had not ended.
    fn to_move(&self) -> Seat;

    /// Returns the outcome if the game has ended. Only [`GameState`](super::GameState) detects a draw by repetition.
    fn outcome(&self) -> Option<Outcome>;

    /// Iterates over every legal move, in board order and without duplicates. The result is meaningless after
    /// the game has ended. Allocates no memory.
    fn legal(&self) -> impl Iterator<Item = Self::Move>;

    /// Returns the number of [`legal`](Position::legal) moves. Some games count moves faster than they list them.
    fn legal_count(&self) -> usize {
        self.legal().count()
    }

    /// Picks one of the [`legal`](Position::legal) moves at random; `None` if there are none. All are equally likely if
    /// `below` returns each number below its argument equally often. `below` may be called several times, because some
    /// games check whether a move is legal only after they have picked it.
    fn pick(&self, mut below: impl FnMut(usize) -> usize) -> Option<Self::Move> {
        match self.legal_count() {
            0 => None,
            count => self.legal().nth(below(count)),
        }
    }

    /// Plays a move with all its consequences: captures, the outcome, the next turn. Passes over a player who cannot
    /// move, if this is a rule of the game.
    ///
    /// The game must not have ended, and the move must be one of [`legal`](Position::legal). Any other move leads to
    /// an impossible position. Allocates no memory.
    fn play_unchecked(&mut self, mv: Self::Move);

    /// Returns the key of this position, in games where its third occurrence is a draw.
    fn repetition_key(&self) -> Option<Self::RepetitionKey> {
        None
    }

    /// Iterates over the moves that a search compares. In games with very many moves, these are steps that together
    /// form a move.
    fn steps(&self) -> impl Iterator<Item = Self::Move> {
        self.legal()
    }

    /// Returns whether a move has begun with a step, but is not complete.
    fn has_begun(&self) -> bool {
        false
    }

    /// Returns the move formed by the steps up to `last`.
    fn so_far(&self, last: Self::Move) -> Self::Move {
        last
    }

    /// Returns an immediately winning move, or one that blocks the opponent's win, if the game can find it
    /// efficiently.
    fn forced(&self) -> Option<Self::Move> {
        None
    }

    /// Returns the number of wins that a search credits to a move in advance, as if they were results of playouts in
    /// which the move was played later. `last` is the move before `mv`.
    fn prior(&self, last: Self::Move, mv: Self::Move) -> f32 {
        let _ = (last, mv);
        0.0
    }

    /// Returns whether a legal move might end the game. A search checks only these moves for an end of the game.
    fn may_end(&self, mv: Self::Move) -> bool {
        let _ = mv;
        true
    }

    /// Chooses a playout's answer to the last move: at random, but without obvious mistakes. `None` if there are no
    /// moves.
    fn choose(&self, last: Self::Move, below: impl FnMut(usize) -> usize) -> Option<Self::Move> {
        let _ = last;
        self.pick(below)
    }
}

/// A position with everything that its readers need: move texts, messages and a scene.
///
/// A text becomes a move in two steps with two errors: [`parse`](Described::parse) reads it without checking its
/// legality, and [`check`](Described::check) decides whether the rules allow it here. [`legal`](Position::legal) and
/// `check` must agree.
pub trait Described: Position {
    /// How players write moves.
    const NOTATION: Notation = Notation { ordered: &[], words: &[] };

    /// Returns the first position of a board with these options.
    ///
    /// # Errors
    /// A refusal if the game has no board with these options, for example if they name two formations.
    fn start(options: &Options) -> Result<Self, Refusal>;

    /// Describes the legal moves in games where every set of certain cells, up to a maximum size, is a move. `None` for
    /// other games.
    fn sets(&self) -> Option<Sets> {
        None
    }

    /// Reads a move text, ignoring case. The move need not be legal here.
    ///
    /// # Errors
    /// [`RefusalKind::NotAMove`](super::RefusalKind::NotAMove) if the text is not a move, with the nearest cell if one
    /// is close. [`RefusalKind::Illegal`](super::RefusalKind::Illegal) if the named cells cannot be combined in any
    /// position.
    fn parse(&self, text: &str) -> Result<Self::Move, Refusal>;

    /// Checks whether the rules allow a move here.
    ///
    /// # Errors
    /// [`RefusalKind::Illegal`](super::RefusalKind::Illegal), with the rule that forbids it.
    fn check(&self, mv: Self::Move) -> Result<(), Refusal>;

    /// Returns the canonical text of a move, which is stored, mailed and hashed. Parsing it returns the same move.
    fn text(&self, mv: Self::Move) -> String;

    /// Returns the effects, beyond its text, of the move that led from the previous position to this one.
    /// [`GameState`](super::GameState) adds the winning cells, and whether the next player is passed over.
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

    /// Describes how the last move won, in words that follow the winner's name: `occupied A and G`. `None` if the rules
    /// ended the game because the opponent could not move.
    fn achievement(&self, last: Self::Move) -> Option<Message> {
        let _ = last;
        None
    }

    /// Describes the mistake by which the player of the last move has lost, in words that follow their name.
    fn mistake(&self, last: Self::Move) -> Option<Message> {
        let _ = last;
        None
    }

    /// Returns the side of a seat. It depends on the position, because players can exchange colours.
    fn side(&self, seat: Seat) -> Side;

    /// Returns the aim of the game in one or two sentences. Facts whose names begin with `may_` are choices of the
    /// player to move. [`Play::aim_after_the_end`](super::Play::aim_after_the_end) removes them.
    fn aim(&self) -> Message;

    /// Describes the board for drawing, with the last move marked. [`GameState`](super::GameState) marks the winning
    /// cells.
    fn scene(&self, last: Option<Self::Move>) -> Scene;
}

/// The legal moves of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveList {
    /// The text of every move, in board order and without duplicates.
    Texts(Vec<String>),
    /// The cells that form the moves, in games with too many moves to list.
    Sets(Sets),
}

/// Moves of several cells. Each set of 1 to `most` of the cells is a legal move: its text is their names in board
/// order, separated by commas.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Sets {
    /// The cells to choose from, in board order.
    pub cells: Vec<String>,
    /// The maximum number of cells of a move.
    pub most: usize,
}

impl Sets {
    /// Returns the text of a move of these cells, given in any order and without duplicates; `None` if this is not a
    /// legal move.
    pub fn text(&self, chosen: &[&str]) -> Option<String> {
        let is_known = chosen.iter().all(|cell| self.cells.iter().any(|known| known == cell));
        (is_known && (1..=self.most).contains(&chosen.len())).then(|| self.in_order(chosen))
    }

    /// Joins the names of the chosen cells in board order, with commas.
    pub fn in_order(&self, chosen: &[&str]) -> String {
        let in_order = self.cells.iter().map(String::as_str).filter(|cell| chosen.contains(cell));
        in_order.collect::<Vec<_>>().join(",")
    }
}
