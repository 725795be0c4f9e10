//! Finds winning placements without trying each move. For programs that search.

use super::position::Position;
use super::pyramid::Stack;
use crate::rules::seat::Seat;

impl Position {
    /// Returns a move that is practically forced: one that wins immediately, or else one that blocks the opponent's
    /// immediate win. `None` if neither player can win with the next tile.
    ///
    /// Tiles never leave the board, so the only way to block a stack is to place one's own tile on it.
    pub(crate) fn forced(&self) -> Option<Stack> {
        self.winning_for(self.seat()).or_else(|| self.winning_for(self.seat().other()))
    }

    /// Returns a legal move with which this seat, if it were to move, would complete a loop.
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
    use super::super::position::stacks;
    use super::super::pyramid::PYRAMIDS;
    use super::*;
    use crate::rules::Position as _;

    #[test]
    fn forced_moves_agree_with_trying_all() {
        let (mut dice, mut wins, mut parried, mut free) = (1_u64, 0, 0, 0);
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
                    dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    (dice >> 33) as usize % count
                };
                // Every other game reacts to threats, so that it lasts longer.
                let seen = forced.filter(|_| round % 2 == 0);
                position.play_unchecked(seen.unwrap_or_else(|| position.pick(&mut below).unwrap()));
            }
        }
        assert!(wins > 100 && parried > 100 && free > 100, "{wins}, {parried}, {free}");
    }
}
