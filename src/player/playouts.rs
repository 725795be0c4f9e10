//! The knowledge about individual games, mainly the choice of moves in playouts: at random, but without obvious
//! mistakes.

use super::dice::Dice;
use crate::rules::kit::{self, Placed, Placement, Step, Stepped, Stepping};
use crate::rules::{GameState, Position, brique, lazo, marque, tessella, twixt};

/// The number of playouts for a move at each level, from level 1.
pub(crate) type Levels = [u32; 12];

/// The levels of games without measurements. Each level has about 1.8 times as many playouts as the one below.
pub(crate) const LEVELS: Levels = [20, 36, 65, 120, 210, 380, 680, 1_200, 2_200, 4_000, 7_100, 13_000];

/// The interface between the search and a game's positions.
pub(crate) trait Playouts: Position {
    /// The number of playouts for a move at each level. Chosen from the measurements of `benches/robots` so that each
    /// level beats the one below. At low levels, a few more playouts make a larger difference.
    const LEVELS: Levels = LEVELS;

    /// The number of visits at which a move's own results weigh as much as those of games in which it was played
    /// later.
    const LATER_VISITS: f32 = 400.0;

    /// Results of a move that is played more than this many plies after a position are not used for that position.
    const LATER: u32 = u32::MAX;

    /// How strongly a search prefers moves with few visits.
    const EXPLORATION: f32 = 0.25;

    /// Whether a playout draws two moves and takes the one with the better past results.
    const HISTORY: bool = false;

    /// Returns an immediately winning move, or one that blocks the opponent's win, if the game can find it
    /// efficiently.
    fn forced(&self) -> Option<Self::Move> {
        None
    }

    /// Chooses a move of a playout after the last one; `None` if there are no moves.
    fn choose(&self, last: Self::Move, dice: &mut Dice) -> Option<Self::Move> {
        let _ = last;
        self.pick(|count| dice.below(count))
    }
}

/// Returns the number of playouts for a move at each level on a board.
pub(crate) fn levels<P: Playouts>(_: &GameState<P>) -> Levels {
    P::LEVELS
}

impl Playouts for brique::Position {
    const LEVELS: Levels = [20, 32, 44, 68, 110, 175, 290, 540, 1_150, 2_700, 6_500, 16_000];

    /// Of some two hundred moves, few are worth a visit. The results of later moves show which.
    const EXPLORATION: f32 = 0.0;

    /// A player who does not answer a stone between their own stones loses the part that it cuts off.
    fn choose(&self, last: brique::Move, dice: &mut Dice) -> Option<brique::Move> {
        let count = self.answers(last).count();
        match count {
            0 => self.pick(|count| dice.below(count)),
            _ => self.answers(last).nth(dice.below(count)),
        }
    }
}

impl Playouts for lazo::Position {
    /// The third level is the first to check for wins and threats, and hardly needs more playouts to be stronger.
    const LEVELS: Levels = [14, 56, 60, 108, 195, 350, 640, 1_180, 1_900, 3_500, 7_400, 40_000];

    /// With less weight on the results of later moves and a preference for moves with few visits, more than twice as
    /// many playouts won no more games.
    const LATER_VISITS: f32 = 2_000.0;
    const EXPLORATION: f32 = 0.0;

    /// Most stacks are irrelevant to the outcome. The history shows which.
    const HISTORY: bool = true;

    fn forced(&self) -> Option<lazo::Stack> {
        self.forced()
    }
}

impl Playouts for marque::Position {
    const LEVELS: Levels = [20, 32, 44, 68, 110, 175, 290, 520, 1_050, 2_400, 6_000, 16_000];

    /// Playouts have 150 plies. Towards their end, captured cells are filled again.
    const LATER: u32 = 100;

    /// Filling a space that one's own stones surround gives a freedom away and gains nothing.
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

    /// Four captures win, so capturing is nearly always best.
    fn choose(&self, _: tessella::Move, dice: &mut Dice) -> Option<tessella::Move> {
        let capture = if dice.below(4) < 3 { self.pick_capture(|count| dice.below(count)) } else { None };
        capture.or_else(|| self.pick(|count| dice.below(count)))
    }
}

impl Playouts for twixt::Position {}

/// Games of one stone a turn.
impl<G: Placement> Playouts for Placed<G> {
    /// An opponent who is placed between two stones that have two ways to connect takes one of them.
    fn choose(&self, last: kit::Move, dice: &mut Dice) -> Option<kit::Move> {
        self.bridge(last).or_else(|| self.pick(|count| dice.below(count)))
    }
}

/// Games of moved pieces.
impl<G: Stepping> Playouts for Stepped<G> {
    fn choose(&self, _: Step, dice: &mut Dice) -> Option<Step> {
        self.pick_quickly(|count| dice.below(count))
    }
}
