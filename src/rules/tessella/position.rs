//! Tessella's positions: the pieces and whose turn it is.

use super::board::{BOARD, SPACES, Sight, bit, named, spaces};
use super::{mark, moves, scene, side};
use crate::rules::bits;
use crate::rules::scene::Scene;
use crate::rules::{Outcome, Refusal, Seat};

/// The pieces of a side at the start.
const PIECES: usize = 7;
/// Captures that win.
const WINNING: usize = 4;

/// A move: a piece goes from one space to another, where an enemy piece is captured if one stands there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    pub(super) from: u8,
    pub(super) to: u8,
    pub(super) captures: bool,
}

/// A position of Tessella.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    pieces: [u64; 2],
    mover: Seat,
    outcome: Option<Outcome>,
}

/// The start.
impl Default for Position {
    fn default() -> Self {
        let clear = ["b4", "c3", "d2", "e1", "f2", "g3", "h4"];
        let dark = ["b6", "c7", "d8", "e9", "f8", "g7", "h6"];
        Position::from_names(&clear, &dark, Seat::First).expect("these are spaces")
    }
}

impl Position {
    /// Pieces set up by the names of each seat's spaces; `None` when a name is unknown, a space is named twice, or a
    /// side has more pieces than it began with. For the rules' tests: pieces that are missing count as captured, and end
    /// nothing by themselves.
    pub fn from_names(first: &[&str], second: &[&str], mover: Seat) -> Option<Position> {
        let mut pieces = [0; 2];
        for (seat, names) in Seat::BOTH.into_iter().zip([first, second]) {
            for name in names {
                let piece = bit(named(name)?);
                if (pieces[0] | pieces[1]) & piece != 0 {
                    return None;
                }
                pieces[seat.index()] |= piece;
            }
        }
        let mut position = Position { pieces, mover, outcome: None };
        position.give_turn(mover);
        pieces.iter().all(|set| set.count_ones() as usize <= PIECES).then_some(position)
    }

    pub(super) const fn of(&self, seat: Seat) -> u64 {
        self.pieces[seat.index()]
    }

    pub(super) const fn occupied(&self) -> u64 {
        self.pieces[0] | self.pieces[1]
    }

    /// Who stands on a space.
    pub(super) fn at(&self, space: usize) -> Option<Seat> {
        Seat::BOTH.into_iter().find(|seat| self.of(*seat) & bit(space) != 0)
    }

    /// How many pieces a seat has captured.
    fn captures(&self, seat: Seat) -> usize {
        PIECES - self.of(seat.other()).count_ones() as usize
    }

    /// The pieces as the mover sees them.
    pub(super) const fn sight(&self) -> Sight {
        Sight::new(self.of(self.mover), self.of(self.mover.other()))
    }

    /// The moves of one piece: steps first.
    fn of_piece(&self, from: usize, targets: u64) -> impl Iterator<Item = Move> {
        let occupied = self.occupied();
        let moves = move |set: u64, captures: bool| {
            spaces(set).map(move |to| Move { from: from as u8, to: to as u8, captures })
        };
        moves(targets & !occupied, false).chain(moves(targets & occupied, true))
    }

    /// Gives the turn to `next`; without a legal move of his the game is drawn.
    fn give_turn(&mut self, next: Seat) {
        self.mover = next;
        let empty = !self.occupied();
        // Somebody can step, nearly always, and then captures need not be looked for.
        let can_step = spaces(self.of(next)).any(|from| BOARD[from].beside & empty != 0);
        if !can_step && crate::rules::Position::legal_count(self) == 0 {
            self.outcome = Some(Outcome { winner: None, reason: "no moves" });
        }
    }
}

impl crate::rules::Position for Position {
    type Move = Move;
    type Standing = u128;

    #[inline]
    fn mover(&self) -> Seat {
        self.mover
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn legal(&self) -> impl Iterator<Item = Move> {
        let sight = self.sight();
        spaces(self.of(self.mover)).flat_map(move |from| self.of_piece(from, sight.targets(from)))
    }

    #[inline]
    fn legal_count(&self) -> usize {
        let sight = self.sight();
        spaces(self.of(self.mover)).map(|from| sight.targets(from).count_ones() as usize).sum()
    }

    fn pick(&self, mut below: impl FnMut(usize) -> usize) -> Option<Move> {
        let mut pieces = [(0, 0, 0); PIECES];
        let (mut count, sight) = (0, self.sight());
        for (piece, from) in pieces.iter_mut().zip(spaces(self.of(self.mover))) {
            let targets = sight.targets(from);
            *piece = (from, targets, targets.count_ones());
            count += piece.2;
        }
        let mut number = below(count as usize) as u32;
        for (from, targets, count) in pieces {
            if number < count {
                let (steps, captured) = (targets & !self.occupied(), targets & self.occupied());
                let captures = number >= steps.count_ones();
                let to =
                    if captures { bits::nth(captured, number - steps.count_ones()) } else { bits::nth(steps, number) };
                return Some(Move { from: from as u8, to: to as u8, captures });
            }
            number -= count;
        }
        None
    }

    #[inline]
    fn play_unchecked(&mut self, mv: Move) {
        let seat = self.mover;
        let (from, to) = (bit(usize::from(mv.from)), bit(usize::from(mv.to)));
        self.pieces[seat.index()] ^= from | to;
        if mv.captures {
            self.pieces[seat.other().index()] ^= to;
            if self.captures(seat) == WINNING {
                self.mover = seat.other();
                self.outcome = Some(Outcome { winner: Some(seat), reason: "captures" });
                return;
            }
        }
        self.give_turn(seat.other());
    }

    #[inline]
    fn standing(&self) -> Option<u128> {
        let [first, second] = self.pieces.map(u128::from);
        Some(first | second << SPACES | (self.mover.index() as u128) << (2 * SPACES))
    }

    fn parse(&self, text: &str) -> Result<Move, Refusal> {
        moves::parse(text)
    }

    fn check(&self, mv: Move) -> Result<(), Refusal> {
        moves::check(self, mv)
    }

    fn text(&self, mv: Move) -> String {
        moves::text(mv)
    }

    fn captured(&self, before: &Self) -> Vec<String> {
        let enemy = before.mover.other();
        spaces(before.of(enemy) & !self.of(enemy)).map(|space| BOARD[space].name()).collect()
    }

    fn mark(&self, seat: Seat) -> char {
        mark(seat)
    }

    fn side(&self, seat: Seat) -> &'static str {
        side(seat)
    }

    fn aim(&self) -> String {
        let [clear, dark] = Seat::BOTH.map(|seat| self.captures(seat));
        format!("Capture {WINNING} enemy pieces. Clear (c) has captured {clear}, Dark (d) {dark}.")
    }

    fn scene(&self, last: Option<Move>) -> Scene {
        scene::scene(self, last)
    }
}
