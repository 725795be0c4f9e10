//! Implements the common traits for Lazo's positions.

use super::position::{ARCH, Position, SIDES, SURFACE_LOOP, stacks};
use super::pyramid::{PYRAMIDS, Stack};
use super::winning::{self, Space};
use super::{moves, scene};
use crate::message;
use crate::rules::effects::{Effects, WinningCell};
use crate::rules::options::Options;
use crate::rules::outcome::Outcome;
use crate::rules::position::{Described, Playouts};
use crate::rules::refusal::{Refusal, RefusalKind};
use crate::rules::scene::Scene;
use crate::rules::seat::{Seat, Side};
use crate::text::Message;

impl crate::rules::position::Position for Position {
    type Move = Stack;
    /// Tiles never leave the board, so positions never repeat.
    type RepetitionKey = ();

    /// The third level is the first to check for wins and threats, and hardly needs more playouts to be stronger.
    const PLAYOUTS: Playouts = [14, 56, 60, 108, 195, 350, 640, 1_180, 1_900, 3_500, 7_400, 40_000];

    /// With less weight on the results of later moves and a preference for moves with few visits, more than twice as
    /// many playouts won no more games.
    const LATER_VISITS: f32 = 2_000.0;
    const EXPLORATION: f32 = 0.0;

    /// Most stacks are irrelevant to the outcome. The history shows which.
    const HISTORY: bool = true;

    fn mover(&self) -> Seat {
        self.seat()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn legal(&self) -> impl Iterator<Item = Stack> {
        stacks(*self.open().set())
    }

    #[inline]
    fn legal_count(&self) -> usize {
        self.open().count()
    }

    fn pick(&self, choose: impl FnOnce(usize) -> usize) -> Option<Stack> {
        match self.legal_count() {
            0 => None,
            count => self.open().get(choose(count)),
        }
    }

    fn play_unchecked(&mut self, stack: Stack) {
        let seat = self.seat();
        let completed = self.tiles.place(seat, stack);
        self.plies += 1;
        self.outcome = self.end(seat, completed);
    }

    fn forced(&self) -> Option<Stack> {
        self.forced()
    }
}

impl Described for Position {
    fn start(options: &Options) -> Result<Position, Refusal> {
        let Some((_, size)) = options.iter().next() else { return Ok(Position::default()) };
        let size = size.unwrap_or_default();
        let pyramid = PYRAMIDS.iter().find(|pyramid| pyramid.holes.to_string() == size);
        pyramid.map(Position::new).ok_or_else(|| {
            let message = message!("lazo.no-such-size", size);
            Refusal::new(RefusalKind::Options, format!("-size={size}"), message)
        })
    }

    fn parse(&self, text: &str) -> Result<Stack, Refusal> {
        moves::parse(self.pyramid(), text)
    }

    fn check(&self, stack: Stack) -> Result<(), Refusal> {
        moves::check(self, stack)
    }

    fn text(&self, stack: Stack) -> String {
        self.pyramid().name(stack)
    }

    fn effects(&self, _: &Position, stack: Stack) -> Effects {
        Effects { level: Some(self.tiles.height(stack)), ..Effects::default() }
    }

    fn winning_cells(&self, last: Stack) -> Vec<WinningCell> {
        let loop_ = match self.outcome {
            Some(Outcome { winner: Some(seat), reason: SURFACE_LOOP }) => {
                winning::surface_loop(&self.tiles, seat, last)
            }
            Some(Outcome { winner: Some(seat), reason: ARCH }) => winning::arch(&self.tiles, seat, last),
            _ => Vec::new(),
        };
        let cell = |space: Space| {
            let stack = self.pyramid().stack(space.row, space.number);
            WinningCell { cell: self.pyramid().name(stack), level: Some(space.level + 1) }
        };
        loop_.into_iter().map(cell).collect()
    }

    fn achievement(&self, _: Stack) -> Option<Message> {
        match self.outcome?.reason {
            SURFACE_LOOP => Some(message!("lazo.achievement-loop")),
            ARCH => Some(message!("lazo.achievement-arch")),
            _ => None,
        }
    }

    fn side(&self, seat: Seat) -> Side {
        SIDES[seat.index()]
    }

    fn aim(&self) -> Message {
        message!("lazo.aim")
    }

    fn scene(&self, last: Option<Stack>) -> Scene {
        scene::scene(&self.tiles, last)
    }
}
