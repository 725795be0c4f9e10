//! Finds the tiles of the winning loop.

use super::loops::RING;
use super::pyramid::{Pyramid, Stack};
use super::tiles::Tiles;
use crate::rules::path;
use crate::rules::seat::Seat;

/// A space of the pyramid. Spaces are ordered as on the drawn board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Space {
    pub(crate) level: usize,
    pub(crate) row: usize,
    /// Counts from 1, unlike the other fields.
    pub(crate) number: usize,
}

impl Space {
    /// Returns the highest tile of a stack that has one.
    fn top(tiles: &Tiles, stack: Stack) -> Space {
        let (row, number) = tiles.pyramid().place(stack);
        Space { level: tiles.height(stack) - 1, row, number }
    }

    /// Returns the space at these steps: levels up, rows on and numbers on. `None` outside the pyramid.
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

/// The steps to the spaces on the level below that the tile does not touch but whose tiles still join parts of an
/// arch.
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

    /// Returns the own tiles at these steps from a space.
    fn at(&self, from: Space, steps: impl IntoIterator<Item = (isize, isize, isize)>) -> Vec<Space> {
        let spaces = steps.into_iter().filter_map(|step| from.step(self.tiles.pyramid(), step));
        spaces.filter(|space| self.has(space)).collect()
    }

    /// Returns the own tiles next to a space, on its level.
    fn beside(&self, space: Space) -> Vec<Space> {
        self.at(space, RING.map(|(rows, numbers)| (0, rows, numbers)))
    }

    /// Returns the own tiles that touch a space.
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
        path::shortest(run.iter().copied(), is_end, |space| without(own.beside(space), last))
    });
    let way = ways.filter(|way| !way.is_empty()).min_by_key(Vec::len).unwrap_or_default();
    in_order(way, last)
}

/// Returns the tiles of a seat's arch: the last tile, and from each part that it joins a shortest path down to the
/// board.
pub(crate) fn arch(tiles: &Tiles, seat: Seat, last: Stack) -> Vec<Space> {
    let own = Own { tiles, seat };
    let last = Space::top(tiles, last);
    let touching: Vec<Space> = own.touching(last).into_iter().filter(|space| space.level <= last.level).collect();
    let around = [touching.clone(), own.at(last, ACROSS)].concat();
    let parts = parts(&around, |space| own.touching(space));
    let legs = parts.iter().flat_map(|part| {
        let feet = part.iter().copied().filter(|space| touching.contains(space));
        path::shortest(feet, |space| space.level == 0, |space| without(own.touching(space), last))
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

/// Returns the tiles and the last one, in board order, without duplicates.
fn in_order(mut tiles: Vec<Space>, last: Space) -> Vec<Space> {
    tiles.push(last);
    tiles.sort();
    tiles.dedup();
    tiles
}
