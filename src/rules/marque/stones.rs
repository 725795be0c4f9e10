//! The stones on the board, and the effects of a placement.

use super::bases::Bases;
use super::formation::Formation;
use super::rings;
use super::tiling::{Placement, TILING, Tiling, bit, cells, in_bases};
use crate::rules::seat::Seat;

/// A connected chain of one player's pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chain {
    /// The number of pieces.
    pub pieces: u32,
    /// The bases that the chain occupies: three of its pieces are on consecutive triangles of the base.
    pub bases: Bases,
}

/// The stones on the board: two sets of bits, cheap to copy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stones {
    sets: [u128; 2],
    /// The stones of chains with a single freedom. They can be derived from the sets, but are cached because every
    /// move needs them and changes few of them.
    atari: u128,
}

impl Stones {
    /// Sets up stones by the names of each seat's cells; `None` if a name is unknown or a cell is named twice.
    ///
    /// For tests of the rules, whose positions (the help's figure, a player without a move) no short game reaches.
    pub fn from_names(first: &[&str], second: &[&str]) -> Option<Stones> {
        let mut set_up = Stones::default();
        for (seat, names) in Seat::BOTH.into_iter().zip([first, second]) {
            for name in names {
                let stone = bit(TILING.cell(name)?);
                if set_up.occupied() & stone != 0 {
                    return None;
                }
                set_up.sets[seat.index()] |= stone;
            }
        }
        for seat in Seat::BOTH {
            for chain in set_up.sets_of_chains(seat) {
                if (TILING.around(chain) & set_up.empty(&TILING)).count_ones() == 1 {
                    set_up.atari |= chain;
                }
            }
        }
        Some(set_up)
    }

    /// Returns the seat's chains.
    pub fn chains(&self, seat: Seat) -> Vec<Chain> {
        let chains = self.sets_of_chains(seat).into_iter();
        chains.map(|chain| Chain { pieces: chain.count_ones(), bases: bases(chain) }).collect()
    }

    fn sets_of_chains(&self, seat: Seat) -> Vec<u128> {
        let mut rest = self.of(seat);
        let mut chains = Vec::new();
        while rest != 0 {
            let chain = TILING.chain(lowest(rest), rest);
            rest &= !chain;
            chains.push(chain);
        }
        chains
    }

    /// Returns the cells of each of the seat's chains that occupies several bases.
    pub(crate) fn connecting(&self, seat: Seat) -> impl Iterator<Item = u128> {
        self.sets_of_chains(seat).into_iter().filter(|chain| bases(*chain).count() > 1)
    }

    /// Returns the bases that the seat's stones occupy, in any of its chains.
    pub fn occupies(&self, seat: Seat) -> Bases {
        bases(self.of(seat))
    }

    pub(crate) const fn of(&self, seat: Seat) -> u128 {
        self.sets[seat.index()]
    }

    pub(crate) const fn occupied(&self) -> u128 {
        self.sets[0] | self.sets[1]
    }

    /// Returns the seat whose stone is on a cell.
    pub(crate) fn at(&self, cell: usize) -> Option<Seat> {
        Seat::BOTH.into_iter().find(|seat| self.of(*seat) & bit(cell) != 0)
    }

    /// Returns every cell without a stone.
    pub(crate) fn empty(&self, tiling: &Tiling) -> u128 {
        tiling.all & !self.occupied()
    }

    /// Returns the cells that give a freedom to an adjacent stone of this seat: empty cells, own stones whose chain
    /// has another freedom, and enemy stones whose chain has no other freedom and is captured.
    ///
    /// "Other" ignores one empty cell next to that chain, so the result is correct for placements of one cell.
    pub(crate) fn lenders(&self, tiling: &Tiling, seat: Seat) -> u128 {
        self.empty(tiling) | (self.of(seat) & !self.atari) | (self.of(seat.other()) & self.atari)
    }

    /// Returns whether the seat may fill these empty cells: the new group must have a freedom after its captures.
    pub(crate) fn has_freedom(&self, tiling: &Tiling, seat: Seat, placement: &Placement) -> bool {
        let Placement { cells: placed, around, .. } = *placement;
        let empty = self.empty(tiling) & !placed;
        // Accept nearly every placement here, without following any chain.
        if around & empty != 0 {
            return true;
        }
        let (own, enemy) = (self.of(seat), self.of(seat.other()));
        cells(around).any(|cell| {
            let stones = if own & bit(cell) != 0 { own } else { enemy };
            let (_, free) = tiling.chain_to_freedoms(bit(cell), stones, empty);
            // An own chain shares its freedom. An enemy chain without one is captured, which empties its cells.
            (free != 0) == (stones == own)
        })
    }

    /// Fills these empty cells and removes the enemy chains without a freedom.
    ///
    /// The cells must be empty, and [`Stones::has_freedom`] must hold. Follows only chains next to placed or removed
    /// stones, and only until it finds two freedoms.
    pub(crate) fn place(&mut self, tiling: &Tiling, seat: Seat, placement: &Placement) {
        let Placement { cells: placed, around, .. } = *placement;
        self.sets[seat.index()] |= placed;
        let enemy = self.of(seat.other());
        let mut empty = self.empty(tiling);
        let (mut touched, mut captured) = (around & enemy, 0);
        while touched != 0 {
            let (chain, free) = tiling.chain_to_freedoms(lowest(touched), enemy, empty);
            touched &= !chain;
            if free == 0 {
                captured |= chain;
            } else if free == lowest(free) {
                self.atari |= chain;
            }
        }
        let own = self.of(seat);
        // Stones that were in atari here now belong to the new chain, or gain the captured cells as freedoms.
        let mut relieved = around;
        if captured != 0 {
            self.sets[seat.other().index()] &= !captured;
            empty |= captured;
            self.atari &= !captured;
            relieved |= tiling.around(captured);
        }
        let saved = relieved & own & self.atari;
        if saved != 0 {
            self.atari &= !tiling.chain(saved, own & self.atari);
        }
        let (chain, free) = tiling.chain_to_freedoms(placed, own, empty);
        if free == lowest(free) {
            self.atari |= chain;
        }
    }

    /// Returns the bases that the seat's chain through these cells occupies.
    pub(crate) fn bases_of_chain(&self, seat: Seat, placed: u128) -> Bases {
        bases(TILING.chain(placed, self.of(seat)))
    }

    /// Returns whether the seat's chain through these cells completes the formation.
    pub(crate) fn makes(&self, tiling: &Tiling, formation: Formation, seat: Seat, placed: u128) -> bool {
        // Follow the chain only in the few positions where it can suffice.
        formation.is_made_by(bases(self.of(seat))) && formation.is_made_by(bases(tiling.chain(placed, self.of(seat))))
    }
}

fn bases(chain: u128) -> Bases {
    Bases(rings::held(in_bases(chain)))
}

const fn lowest(set: u128) -> u128 {
    set & set.wrapping_neg()
}

impl Formation {
    /// Returns whether one of the seat's chains completes the formation.
    pub fn is_held_by(self, stones: &Stones, seat: Seat) -> bool {
        stones.chains(seat).iter().any(|chain| self.is_made_by(chain.bases))
    }
}
