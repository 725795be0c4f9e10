//! Marque's positions: the stones, the effects of a placement, the seat to move, and each seat's last move.

use super::formation::{Bases, Formation};
use super::tiling::{self, PAIRS, PLACES, Placement, Rings, TILING, Tiling, bit, cells, in_bases};
use crate::rules::bits;
use crate::rules::outcome::{EndReason, Outcome, Seat, Side};

/// A move: the number of its placement in board order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move(pub(crate) u8);

impl Move {
    #[inline]
    pub(crate) fn placement(self) -> &'static Placement {
        &TILING.placements[usize::from(self.0)]
    }
}

/// The sides of the first and the second seat.
pub(crate) const SIDES: [Side; 2] = [Side::new('o', "marque.white"), Side::new('x', "marque.black")];

/// A position of Marque.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    pub(crate) formation: Formation,
    pub(crate) stones: Stones,
    /// The seat to move, or the one that would move if the game had not ended.
    pub(crate) to_move: Seat,
    /// Each seat's last move, `None` before the first. It is unchanged when the player is passed over.
    pub(crate) last: [Option<Move>; 2],
    /// Whether this is the empty board before the first ply.
    pub(crate) opening: bool,
    pub(crate) outcome: Option<Outcome>,
}

/// The empty board, with the formation of a challenge without options.
impl Default for Position {
    fn default() -> Self {
        Position::new(Formation::default(), Stones::default(), Seat::First)
    }
}

impl Position {
    /// Creates a position with these stones and this seat to move. The restriction of the first move applies only to an
    /// empty board.
    pub fn new(formation: Formation, stones: Stones, to_move: Seat) -> Position {
        let opening = stones == Stones::default();
        let mut position = Position { formation, stones, to_move, last: [None; 2], opening, outcome: None };
        position.give_turn(to_move);
        position
    }

    /// Returns whether a move fills a single cell that is surrounded by the player's stones.
    pub fn is_surrounded(&self, mv: Move) -> bool {
        let Placement { around, place, .. } = mv.placement();
        usize::from(*place) < PAIRS && around & !self.stones.of(self.to_move) == 0
    }

    /// Returns every move that fits on empty cells and does not repeat the player's last one. Nearly all of them are
    /// legal.
    #[inline]
    pub(crate) fn candidates(&self, tiling: &Tiling) -> Moves {
        if self.opening {
            return Moves::new(tiling.triangles, 0);
        }
        let empty = self.stones.empty(tiling);
        let mut moves = Moves::new(empty, tiling::ring_pairs(in_bases(empty)));
        if let Some(last) = self.last[self.to_move.index()] {
            moves.remove(tiling.placements[usize::from(last.0)].place.into());
        }
        moves
    }

    pub(crate) fn moves(&self) -> Moves {
        let tiling = &*TILING;
        let mut moves = self.candidates(tiling);
        if self.opening {
            return moves;
        }
        let lenders = self.stones.lenders(tiling, self.to_move);
        for cell in cells(moves.singles()).filter(|cell| tiling.adjacent[*cell] & lenders == 0) {
            moves.remove(cell);
        }
        // A pair with an empty triangle next to it in its base has a freedom.
        let empty = in_bases(self.stones.empty(tiling));
        let doubtful = moves.pairs() & !(tiling::on(empty) | tiling::back(tiling::back(empty)));
        for place in cells(doubtful.into()).map(|pair| PAIRS + pair) {
            let placement = &tiling.placements[usize::from(tiling.numbers[place])];
            if !self.stones.has_freedom(tiling, self.to_move, placement) {
                moves.remove(place);
            }
        }
        moves
    }

    /// Passes the turn to `next`, or to the other seat if `next` has no legal move.
    pub(crate) fn give_turn(&mut self, next: Seat) {
        self.to_move = next;
        if !self.has_move() {
            self.to_move = next.other();
            if !self.has_move() {
                self.outcome = Some(Outcome { winner: None, reason: EndReason::NO_MOVES });
            }
        }
    }

    fn has_move(&self) -> bool {
        let tiling = &*TILING;
        let lenders = self.stones.lenders(tiling, self.to_move);
        let last = self.last[self.to_move.index()];
        let can_place = |cell: usize| tiling.adjacent[cell] & lenders != 0 && last != Some(Move(tiling.numbers[cell]));
        // The first cell nearly always suffices, even for the first move of the game, which may fill only triangles.
        cells(self.stones.empty(tiling)).any(can_place) || self.moves().count() > 0
    }
}

/// A set of moves, indexed by the places of their placements: single cells first, then pairs.
#[derive(Clone, Copy)]
pub(crate) struct Moves([u64; PLACES / 64]);

impl Moves {
    const fn new(singles: u128, pairs: Rings) -> Moves {
        Moves([singles as u64, (singles >> 64) as u64, pairs])
    }

    const fn singles(&self) -> u128 {
        self.0[0] as u128 | (self.0[1] as u128) << 64
    }

    const fn pairs(&self) -> Rings {
        self.0[2]
    }

    #[inline]
    pub(crate) fn remove(&mut self, place: usize) {
        // Indexing by `place` would write the words to memory, and the next count would have to wait for that write.
        // This loop keeps them in registers.
        for (at, word) in self.0.iter_mut().enumerate() {
            *word &= !(u64::from(at == place / 64) << (place % 64));
        }
    }

    pub(crate) const fn has(&self, place: usize) -> bool {
        self.0[place / 64] >> (place % 64) & 1 == 1
    }

    #[inline]
    pub(crate) fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones()).sum::<u32>() as usize
    }

    /// Returns the place of the `number`th move of the set, counted from 0.
    ///
    /// The set must have more than `number` moves.
    #[inline]
    pub(crate) fn nth(&self, number: usize) -> usize {
        bits::nth_of_words(&self.0, number as u32) as usize
    }
}

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
    /// For tests of the rules. No short game reaches some of their positions, such as the figure in the help, or one in
    /// which a player has no legal move.
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

    /// Returns the cells that give a freedom to an adjacent stone of this seat: empty cells, the seat's stones whose
    /// chain has another freedom, and enemy stones whose chain has no other freedom and is captured.
    ///
    /// An "other" freedom is one besides the empty cell that the placement fills, so the result is correct only for
    /// placements of one cell.
    pub(crate) fn lenders(&self, tiling: &Tiling, seat: Seat) -> u128 {
        self.empty(tiling) | (self.of(seat) & !self.atari) | (self.of(seat.other()) & self.atari)
    }

    /// Returns whether the seat may fill these empty cells: the new group must have a freedom after its captures.
    pub(crate) fn has_freedom(&self, tiling: &Tiling, seat: Seat, placement: &Placement) -> bool {
        let Placement { cells: placed, around, .. } = *placement;
        let empty = self.empty(tiling) & !placed;
        // Nearly every placement is accepted here, without following any chain.
        if around & empty != 0 {
            return true;
        }
        let (own, enemy) = (self.of(seat), self.of(seat.other()));
        cells(around).any(|cell| {
            let stones = if own & bit(cell) != 0 { own } else { enemy };
            let (_, free) = tiling.chain_to_freedoms(bit(cell), stones, empty);
            // The new stone shares the freedoms of its own chains. An enemy chain without freedoms is captured, which
            // empties its cells.
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
        // Follow the chain only in the few positions where the seat occupies enough bases in total.
        formation.is_made_by(bases(self.of(seat))) && formation.is_made_by(bases(tiling.chain(placed, self.of(seat))))
    }
}

fn bases(chain: u128) -> Bases {
    Bases(tiling::held(in_bases(chain)))
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
