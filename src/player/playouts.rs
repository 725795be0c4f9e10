//! What the search knows of single games, above all how the moves of playouts are chosen: at random, but as hardly any
//! player of the game would leave out.

use super::dice::Dice;
use crate::rules::{Position, brique, lazo, marque, tessella};

/// A game's positions as the search needs them.
pub(super) trait Playouts: Position {
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

impl Playouts for brique::Position {
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
    /// Most stacks lie far from all that is decided, and the history tells which.
    const HISTORY: bool = true;

    fn forced(&self) -> Option<lazo::Stack> {
        self.forced()
    }
}

impl Playouts for marque::Position {
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
    /// Four captures win, so whoever can capture nearly always does.
    fn choose(&self, _: tessella::Move, dice: &mut Dice) -> Option<tessella::Move> {
        let capture = if dice.below(4) < 3 { self.pick_capture(|count| dice.below(count)) } else { None };
        capture.or_else(|| self.pick(|count| dice.below(count)))
    }
}
