//! The 41 spaces of the board, which form a diamond, and each space's neighbours and lines. Sets of spaces are bits
//! in board order, from the top, each row from the left.
//!
//! The board has nine rows and nine columns. A space exists where the distances from the middle row and column add up
//! to less than five. Octagons and squares alternate in a row. Two diagonal neighbours share an edge if
//! they are octagons; two squares never touch.

use crate::rules::notation;

/// The number of spaces.
pub(crate) const COUNT: usize = 41;
/// The number of rows and of columns.
pub(crate) const SIDE: usize = 9;
const MIDDLE: usize = SIDE / 2;

/// The lines through a space: along the row, the column and both diagonals, as steps down and right. Each step leads to
/// a later space in board order; the opposite step leads back.
const LINES: [(isize, isize); 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];

/// One space, with its neighbours and the spaces in line with it.
#[derive(Clone, Copy)]
pub(crate) struct Space {
    /// The row from the top, from 0.
    pub row: usize,
    /// The column from the left, from 0.
    pub column: usize,
    /// The spaces that share an edge with this one.
    pub beside: u64,
    /// On each of [`LINES`], the later spaces in board order.
    after: [u64; 4],
    /// On each of [`LINES`], the earlier spaces in board order.
    before: [u64; 4],
    /// [`before`](Space::before), with the board rotated by 180 degrees.
    turned_before: [u64; 4],
}

/// Every space, in board order.
pub(crate) static SPACES: [Space; COUNT] = build();

const fn is_space(row: isize, column: isize) -> bool {
    let middle = MIDDLE as isize;
    (row - middle).abs() + (column - middle).abs() <= middle
}

/// Returns the number of a space in board order.
const fn number(row: usize, column: usize) -> usize {
    let (mut at, mut count) = ((0, 0), 0);
    while at.0 != row || at.1 != column {
        if is_space(at.0 as isize, at.1 as isize) {
            count += 1;
        }
        at = if at.1 + 1 == SIDE { (at.0 + 1, 0) } else { (at.0, at.1 + 1) };
    }
    count
}

/// Returns the spaces reached by repeating one step: all of them up to the rim or, if `one` is set, only the first.
const fn ray(row: usize, column: usize, step: (isize, isize), one: bool) -> u64 {
    let mut set = 0;
    let (mut down, mut right) = (row as isize + step.0, column as isize + step.1);
    while is_space(down, right) {
        set |= 1 << number(down as usize, right as usize);
        (down, right) = (down + step.0, right + step.1);
        if one {
            break;
        }
    }
    set
}

const fn build() -> [Space; COUNT] {
    let mut board =
        [Space { row: 0, column: 0, beside: 0, after: [0; 4], before: [0; 4], turned_before: [0; 4] }; COUNT];
    let (mut place, mut next) = (0, 0);
    while place < SIDE * SIDE {
        let (row, column) = (place / SIDE, place % SIDE);
        place += 1;
        if !is_space(row as isize, column as isize) {
            continue;
        }
        let mut line = 0;
        while line < LINES.len() {
            let (down, right) = LINES[line];
            board[next].after[line] = ray(row, column, (down, right), false);
            board[next].before[line] = ray(row, column, (-down, -right), false);
            board[next].turned_before[line] = turned(board[next].before[line]);
            // A square shares edges only along the row and the column.
            if (row + column) % 2 == 0 || line < 2 {
                board[next].beside |= ray(row, column, (down, right), true) | ray(row, column, (-down, -right), true);
            }
            line += 1;
        }
        (board[next].row, board[next].column) = (row, column);
        next += 1;
    }
    board
}

impl Space {
    /// Returns whether the space is an octagon. The others are squares.
    pub(crate) const fn is_octagon(&self) -> bool {
        (self.row + self.column).is_multiple_of(2)
    }

    /// Returns the spaces between this one and another in line with it.
    pub(crate) fn between(&self, other: usize) -> Option<u64> {
        let far = &SPACES[other];
        (0..LINES.len()).find_map(|line| match () {
            () if self.after[line] & bit(other) != 0 => Some(self.after[line] & far.before[line]),
            () if self.before[line] & bit(other) != 0 => Some(self.before[line] & far.after[line]),
            () => None,
        })
    }

    /// Returns the name of the space: the column's letter, then the row from the bottom.
    pub(crate) fn name(&self) -> String {
        format!("{}{}", char::from(b'a' + self.column as u8), SIDE - self.row)
    }
}

/// The move generator of a position. It holds the pieces of the player to move and of the opponent, and the same pieces
/// with the board rotated by 180 degrees. The rotation turns earlier spaces into later ones, so in both directions the
/// nearest piece is the lowest bit, which is found faster than the highest.
#[derive(Clone, Copy)]
pub(crate) struct MoveGenerator {
    own: u64,
    enemy: u64,
    turned_own: u64,
    turned_enemy: u64,
}

impl MoveGenerator {
    pub(crate) const fn new(own: u64, enemy: u64) -> MoveGenerator {
        MoveGenerator { own, enemy, turned_own: turned(own), turned_enemy: turned(enemy) }
    }

    /// Returns the targets of the player's piece on this space: empty neighbours, and enemy pieces that it can capture.
    /// A capture takes the next piece on a line if the next piece in the opposite direction is the player's.
    #[inline]
    pub(crate) fn targets(&self, from: usize) -> Targets {
        let MoveGenerator { own, enemy, turned_own, turned_enemy } = *self;
        let here = &SPACES[from];
        let (mut found, mut turned_found) = (0, 0);
        for (after, turned_before) in here.after.iter().zip(&here.turned_before) {
            let next = lowest((own | enemy) & after);
            let back = lowest((turned_own | turned_enemy) & turned_before);
            // A piece of the player on one side backs the capture of an enemy piece on the other. Avoid branches,
            // which would be unpredictable.
            let backed = all_if(next & own | back & turned_own);
            found |= next & backed;
            turned_found |= back & backed;
        }
        Targets { here: here.beside & !(own | enemy) | found & enemy, turned: turned_found & turned_enemy }
    }
}

/// The targets of a piece. Some captures are stored for the rotated board, because rotating them back takes longer than
/// finding them, and is not necessary for counting.
#[derive(Clone, Copy, Default)]
pub(crate) struct Targets {
    here: u64,
    turned: u64,
}

impl Targets {
    #[inline]
    pub(crate) const fn count(self) -> u32 {
        self.here.count_ones() + self.turned.count_ones()
    }

    #[inline]
    pub(crate) const fn set(self) -> u64 {
        self.here | turned(self.turned)
    }
}

/// Rotates a set of spaces by 180 degrees around the middle of the board.
const fn turned(set: u64) -> u64 {
    set.reverse_bits() >> (64 - COUNT)
}

/// Returns all bits if the set is not empty, otherwise no bits. Uses the sign of the negated set, because the compiler
/// may turn a comparison into a branch.
const fn all_if(set: u64) -> u64 {
    (set.wrapping_neg().cast_signed() >> 63).cast_unsigned()
}

const fn lowest(set: u64) -> u64 {
    set & set.wrapping_neg()
}

/// Returns the set that contains only this space.
#[inline]
pub(crate) const fn bit(space: usize) -> u64 {
    1 << space
}

/// Iterates over the spaces of a set in board order.
#[inline]
pub(crate) fn spaces(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let space = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(space)
    })
}

/// Finds a space by its name, ignoring case.
pub(crate) fn named(word: &str) -> Option<usize> {
    let (letter, digit) = notation::split(word)?;
    let column = usize::from(letter as u8 - b'a');
    let row = SIDE.checked_sub(digit)?;
    is_space(row as isize, column as isize).then(|| number(row, column))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_have_the_neighbours_of_their_kind() {
        let count = |wanted: bool| SPACES.iter().filter(|space| space.is_octagon() == wanted).count();
        assert_eq!((count(true), count(false)), (25, 16));
        for space in &SPACES {
            let beside = space.beside.count_ones();
            assert!(if space.is_octagon() { [3, 5, 8].contains(&beside) } else { beside == 4 }, "{}", space.name());
            assert_eq!(named(&space.name()).map(|at| &SPACES[at].beside), Some(&space.beside));
        }
    }

    #[test]
    fn adjacency_has_no_direction() {
        for (at, space) in SPACES.iter().enumerate() {
            assert!(spaces(space.beside).all(|other| SPACES[other].beside & bit(at) != 0));
        }
    }
}
