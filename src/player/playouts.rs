//! What the search knows of single games, above all how the moves of playouts are chosen: at random, but as hardly any
//! player of the game would leave out.

use super::dice::Dice;
use crate::rules::{GameState, Position, brique, lazo, marque, tessella};

/// How many games each level plays out for a move, from the first.
pub(super) type Levels = [u32; 12];

/// The levels of games of which nothing was measured: each plays out some 1.8 times as many games as the one below.
pub(super) const LEVELS: Levels = [20, 36, 65, 120, 210, 380, 680, 1_200, 2_200, 4_000, 7_100, 13_000];

/// A game's positions as the search needs them.
pub(super) trait Playouts: Position {
    /// How many games each level plays out for a move. Chosen by the measurements of `benches/robots`, so that each level
    /// beats the one below: the fewer playouts there are, the more of a difference some more of them make.
    const LEVELS: Levels = LEVELS;

    /// How many visits of a move count as much as the results of games in which it was made later.
    const LATER_VISITS: f32 = 400.0;

    /// A move that is made later than so many plies after a position says nothing of what it would be worth there.
    const LATER: u32 = u32::MAX;

    /// How strongly a search prefers what was tried little.
    const EXPLORATION: f32 = 0.25;

    /// Whether a playout takes the better of two moves, by what the games came to in which they were made.
    const HISTORY: bool = false;

    /// A move that wins at once, else one that keeps the opponent from it, where the game can tell without trying all.
    fn forced(&self) -> Option<Self::Move> {
        None
    }

    /// A move of a playout after the last one; `None` when there is none.
    fn choose(&self, last: Self::Move, dice: &mut Dice) -> Option<Self::Move> {
        let _ = last;
        self.pick(|count| dice.below(count))
    }
}

/// How many games the levels play out on a board.
pub(super) fn levels<P: Playouts>(_: &GameState<P>) -> Levels {
    P::LEVELS
}

impl Playouts for brique::Position {
    const LEVELS: Levels = [20, 32, 44, 68, 110, 175, 290, 540, 1_150, 2_700, 6_500, 16_000];

    /// Of some two hundred moves few are worth a visit, and the results of later moves tell which.
    const EXPLORATION: f32 = 0.0;

    /// Whoever does not answer a stone between their own loses what it cuts off.
    fn choose(&self, last: brique::Move, dice: &mut Dice) -> Option<brique::Move> {
        let count = self.answers(last).count();
        match count {
            0 => self.pick(|count| dice.below(count)),
            _ => self.answers(last).nth(dice.below(count)),
        }
    }
}

impl Playouts for lazo::Position {
    /// The third level is the first that looks for wins and threats, and hardly needs more playouts to be stronger.
    const LEVELS: Levels = [14, 56, 60, 108, 195, 350, 640, 1_180, 1_900, 3_500, 7_400, 40_000];

    /// With less weight on the results of later moves, and with a preference for what was tried little, more than twice as
    /// many playouts won no more.
    const LATER_VISITS: f32 = 2_000.0;
    const EXPLORATION: f32 = 0.0;

    /// Most stacks lie far from all that is decided, and the history tells which.
    const HISTORY: bool = true;

    fn forced(&self) -> Option<lazo::Stack> {
        self.forced()
    }
}

impl Playouts for marque::Position {
    const LEVELS: Levels = [20, 32, 44, 68, 110, 175, 290, 520, 1_050, 2_400, 6_000, 16_000];

    /// Playouts have 150 plies; towards their end, cells are filled again that were captured before.
    const LATER: u32 = 100;

    /// Whoever fills the space that their own stones surround gives a freedom away and gains nothing.
    fn choose(&self, _: marque::Move, dice: &mut Dice) -> Option<marque::Move> {
        for _ in 0..3 {
            let mv = self.pick(|count| dice.below(count))?;
            if !self.is_surrounded(mv) {
                return Some(mv);
            }
        }
        self.pick(|count| dice.below(count))
    }
}

impl Playouts for tessella::Position {
    const LEVELS: Levels = [20, 35, 55, 100, 180, 320, 600, 1_200, 2_600, 6_000, 14_000, 33_000];

    /// Four captures win, so whoever can capture nearly always does.
    fn choose(&self, _: tessella::Move, dice: &mut Dice) -> Option<tessella::Move> {
        let capture = if dice.below(4) < 3 { self.pick_capture(|count| dice.below(count)) } else { None };
        capture.or_else(|| self.pick(|count| dice.below(count)))
    }
}
