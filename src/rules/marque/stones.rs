//! The stones on the board, and what a placement does to them.

use super::board::{BOARD, Board, LETTERS, Placement, bit, cells};
use crate::rules::Seat;
use std::fmt;

/// A set of bases: those that a chain, or a player, occupies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bases(pub(super) u8);

impl Bases {
    /// How many.
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether all of `others` are among these.
    pub(super) const fn include(self, others: u8) -> bool {
        self.0 & others == others
    }
}

/// The letters together: `AEF`.
impl fmt::Display for Bases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        LETTERS.iter().enumerate().filter(|(base, _)| self.0 & (1 << base) != 0).try_for_each(|(_, c)| write!(f, "{c}"))
    }
}

/// A connected chain of one player's pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chain {
    /// How many pieces.
    pub pieces: u32,
    /// The bases it occupies by itself: three of its pieces stand on consecutive triangles there.
    pub bases: Bases,
}

/// The stones on the board: two sets of bits, copied rather than changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Stones {
    sets: [u128; 2],
}

impl Stones {
    /// Stones set up by the names of each seat's cells; `None` when a name is unknown or a cell is named twice.
    ///
    /// A board is otherwise reached by moves alone. This is for the rules' tests: the figure of the help text, a
    /// player without a move and the like lie at the end of no short line of play.
    pub fn from_names(first: &[&str], second: &[&str]) -> Option<Stones> {
        let mut set_up = Stones::default();
        for (seat, names) in Seat::BOTH.into_iter().zip([first, second]) {
            for name in names {
                let stone = bit(BOARD.cell(name)?);
                if set_up.occupied() & stone != 0 {
                    return None;
                }
                set_up.sets[seat.index()] |= stone;
            }
        }
        Some(set_up)
    }

    /// The seat's chains, by their first cells in board order.
    pub fn chains(&self, seat: Seat) -> Vec<Chain> {
        let board = &*BOARD;
        let mut rest = self.of(seat);
        let mut chains = Vec::new();
        while rest != 0 {
            let chain = board.chain(rest & rest.wrapping_neg(), rest);
            rest &= !chain;
            chains.push(Chain { pieces: chain.count_ones(), bases: bases(board, chain) });
        }
        chains
    }

    /// The bases that the seat occupies, by whatever chains.
    pub fn occupies(&self, seat: Seat) -> Bases {
        bases(&BOARD, self.of(seat))
    }

    pub(super) const fn of(&self, seat: Seat) -> u128 {
        self.sets[seat.index()]
    }

    pub(super) const fn occupied(&self) -> u128 {
        self.sets[0] | self.sets[1]
    }

    /// Who stands on a cell.
    pub(super) fn at(&self, cell: usize) -> Option<Seat> {
        Seat::BOTH.into_iter().find(|seat| self.of(*seat) & bit(cell) != 0)
    }

    /// Whether these empty cells may be filled by the seat: the new group has a freedom, once it has captured.
    pub(super) fn has_freedom(&self, board: &Board, seat: Seat, placement: Placement) -> bool {
        let Placement { cells: placed, around } = placement;
        let occupied = self.occupied() | placed;
        // Nearly every placement is let through here, without following any chain.
        if around & !occupied != 0 {
            return true;
        }
        let (own, enemy) = (self.of(seat), self.of(seat.other()));
        cells(around).any(|cell| {
            let stones = if own & bit(cell) != 0 { own } else { enemy };
            let free = board.around(board.chain(bit(cell), stones)) & !occupied != 0;
            // An own chain lends its freedom; an enemy chain without one is captured and leaves its cells.
            free == (stones == own)
        })
    }

    /// Fills these empty cells and removes the enemy chains left without a freedom, which it returns.
    ///
    /// Trusts that the cells are empty and that [`Stones::has_freedom`] holds.
    pub(super) fn place(&mut self, board: &Board, seat: Seat, placement: Placement) -> u128 {
        self.sets[seat.index()] |= placement.cells;
        let enemy = self.of(seat.other());
        let mut captured = 0;
        let mut touched = placement.around & enemy;
        while touched != 0 {
            let chain = board.chain(touched & touched.wrapping_neg(), enemy);
            touched &= !chain;
            if board.around(chain) & !self.occupied() == 0 {
                captured |= chain;
            }
        }
        self.sets[seat.other().index()] &= !captured;
        captured
    }

    /// The bases occupied by the seat's chain through these cells.
    pub(super) fn held_through(&self, board: &Board, seat: Seat, placed: u128) -> Bases {
        bases(board, board.chain(placed, self.of(seat)))
    }
}

fn bases(board: &Board, chain: u128) -> Bases {
    let held = |triples: &[u128; 6]| triples.iter().any(|triple| chain & triple == *triple);
    Bases(board.triples.iter().enumerate().fold(0, |set, (base, triples)| set | (u8::from(held(triples)) << base)))
}
