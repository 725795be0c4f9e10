//! Finds winning placements without trying each move, and the tiles of the winning loop.

use super::loops::RING;
use super::position::Position;
use super::pyramid::{Pyramid, Stack};
use super::tiles::Tiles;
use crate::rules::notation;
use crate::rules::outcome::Seat;

/// A space of the pyramid. Spaces are ordered as on the drawn board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Space {
    pub(crate) level: usize,
    pub(crate) row: usize,
    /// Counts from 1, unlike the other fields.
    pub(crate) number: usize,
}

impl Space {
    /// Returns the highest tile of a stack, which must have a tile.
    fn top(tiles: &Tiles, stack: Stack) -> Space {
        let (row, number) = tiles.pyramid().place(stack);
        Space { level: tiles.height(stack) - 1, row, number }
    }

    /// Returns the space at these steps from this one: levels up, change of row, change of number. `None` outside the
    /// pyramid.
    fn step(self, pyramid: &Pyramid, (up, rows, numbers): (isize, isize, isize)) -> Option<Space> {
        let level = self.level.checked_add_signed(up)?;
        let row = self.row.checked_add_signed(rows)?;
        let number = self.number.checked_add_signed(numbers)?;
        let inside = row + level < pyramid.rows && (1..=pyramid.length(row)).contains(&number);
        inside.then_some(Space { level, row, number })
    }
}

/// The steps from a tile to its supports: the spaces that it touches on the level below.
const SUPPORTS: [(isize, isize, isize); 3] = [(-1, 0, 0), (-1, 1, 0), (-1, 1, 1)];

/// The steps from a tile to spaces on the level below that it does not touch, but that can join parts of an arch.
const ACROSS: [(isize, isize, isize); 3] = [(-1, 0, -1), (-1, 0, 1), (-1, 2, 1)];

/// The tiles of one seat.
struct Own<'a> {
    tiles: &'a Tiles,
    seat: Seat,
}

impl Own<'_> {
    fn has(&self, space: &Space) -> bool {
        let stack = self.tiles.pyramid().stack(space.row, space.number);
        self.tiles.at(space.level, stack) == Some(self.seat)
    }

    /// Returns the seat's tiles at these steps from a space.
    fn at(&self, from: Space, steps: impl IntoIterator<Item = (isize, isize, isize)>) -> Vec<Space> {
        let spaces = steps.into_iter().filter_map(|step| from.step(self.tiles.pyramid(), step));
        spaces.filter(|space| self.has(space)).collect()
    }

    /// Returns the seat's tiles next to a space, on the same level.
    fn beside(&self, space: Space) -> Vec<Space> {
        self.at(space, RING.map(|(rows, numbers)| (0, rows, numbers)))
    }

    /// Returns the seat's tiles that touch a space.
    fn touching(&self, space: Space) -> Vec<Space> {
        let above = SUPPORTS.map(|(up, rows, numbers)| (-up, -rows, -numbers));
        [self.beside(space), self.at(space, SUPPORTS), self.at(space, above)].concat()
    }
}

/// Returns the tiles of a shortest loop of a seat around a space of level 1, which the last tile completed.
pub(crate) fn surface_loop(tiles: &Tiles, seat: Seat, last: Stack) -> Vec<Space> {
    let own = Own { tiles, seat };
    let last = Space::top(tiles, last);
    let around = own.beside(last);
    let runs = parts(&around, |space| own.beside(space));
    let ways = runs.iter().map(|run| {
        let is_end = |space: Space| around.contains(&space) && !run.contains(&space);
        notation::shortest(run.iter().copied(), is_end, |space| without(own.beside(space), last))
    });
    let way = ways.filter(|way| !way.is_empty()).min_by_key(Vec::len).unwrap_or_default();
    in_order(way, last)
}

/// Returns the tiles of a seat's arch: the last tile, and a shortest path down to the board from each part that it
/// joins.
pub(crate) fn arch(tiles: &Tiles, seat: Seat, last: Stack) -> Vec<Space> {
    let own = Own { tiles, seat };
    let last = Space::top(tiles, last);
    let touching: Vec<Space> = own.touching(last).into_iter().filter(|space| space.level <= last.level).collect();
    let around = [touching.clone(), own.at(last, ACROSS)].concat();
    let parts = parts(&around, |space| own.touching(space));
    let legs = parts.iter().flat_map(|part| {
        let feet = part.iter().copied().filter(|space| touching.contains(space));
        notation::shortest(feet, |space| space.level == 0, |space| without(own.touching(space), last))
    });
    in_order(legs.collect(), last)
}

/// Returns the connected parts of some tiles.
fn parts(of: &[Space], beside: impl Fn(Space) -> Vec<Space>) -> Vec<Vec<Space>> {
    let mut parts: Vec<Vec<Space>> = Vec::new();
    for space in of {
        if parts.iter().any(|part| part.contains(space)) {
            continue;
        }
        let mut part = vec![*space];
        let mut next = 0;
        while let Some(reached) = part.get(next) {
            let fresh = beside(*reached).into_iter().filter(|other| of.contains(other) && !part.contains(other));
            let fresh: Vec<Space> = fresh.collect();
            part.extend(fresh);
            next += 1;
        }
        parts.push(part);
    }
    parts
}

fn without(mut spaces: Vec<Space>, last: Space) -> Vec<Space> {
    spaces.retain(|space| *space != last);
    spaces
}

/// Returns these tiles and the last one, in board order, without duplicates.
fn in_order(mut tiles: Vec<Space>, last: Space) -> Vec<Space> {
    tiles.push(last);
    tiles.sort();
    tiles.dedup();
    tiles
}

impl Position {
    /// Returns a practically forced move: one that wins immediately, or otherwise one that blocks the
    /// opponent's immediate win. `None` if there is no such move.
    ///
    /// Tiles never leave the board, so the only way to block a stack is to place one's own tile on it.
    pub(crate) fn forced(&self) -> Option<Stack> {
        self.winning_for(self.seat()).or_else(|| self.winning_for(self.seat().other()))
    }

    /// Returns a legal move of the player to move, with which a tile of this seat would complete a loop.
    fn winning_for(&self, seat: Seat) -> Option<Stack> {
        let (tiles, pyramid) = (self.tiles(), self.pyramid());
        for level in 0..pyramid.rows {
            for row in 0..pyramid.rows - level {
                let mut numbers = match level {
                    0 => tiles.between(seat, row),
                    _ => tiles.open(level, row) & pyramid.numbers(self.open().set(), row),
                };
                while numbers != 0 {
                    let number = numbers.trailing_zeros() as usize;
                    numbers &= numbers - 1;
                    if tiles.completes(seat, level, row, number) {
                        return Some(pyramid.stack(row, number));
                    }
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Position as _;
    use crate::rules::lazo::position::stacks;
    use crate::rules::lazo::pyramid::PYRAMIDS;

    #[test]
    fn forced_moves_equal_those_of_an_exhaustive_search() {
        let (mut random, mut wins, mut parried, mut free) = (1_u64, 0, 0, 0);
        for (round, pyramid) in (0..300).zip(PYRAMIDS.iter().cycle()) {
            let mut position = Position::new(pyramid);
            while position.outcome().is_none() {
                let tried = |seat: Seat| -> Vec<Stack> {
                    let completes = |stack: &Stack| position.tiles().clone().place(seat, *stack).is_some();
                    stacks(*position.open().set()).filter(completes).collect()
                };
                let (forced, own, others) = (position.forced(), tried(position.seat()), tried(position.seat().other()));
                let expected = if own.is_empty() { &others } else { &own };
                assert_eq!(forced.is_some(), !expected.is_empty(), "round {round}");
                assert!(forced.is_none_or(|stack| expected.contains(&stack)), "round {round}");
                wins += usize::from(!own.is_empty());
                parried += usize::from(own.is_empty() && !others.is_empty());
                free += usize::from(forced.is_none());
                let mut below = |count: usize| {
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    (random >> 33) as usize % count
                };
                // Every other game reacts to threats, so that it lasts longer.
                let seen = forced.filter(|_| round % 2 == 0);
                position.play_unchecked(seen.unwrap_or_else(|| position.pick(&mut below).unwrap()));
            }
        }
        assert!(wins > 100 && parried > 100 && free > 100, "{wins}, {parried}, {free}");
    }
}
