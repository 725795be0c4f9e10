//! Ranks players by points, then by direct encounter, Sonneborn-Berger score, wins, and the earlier sign-up.
//!
//! Source: FIDE Handbook C.07, articles 6 and 9.1. `tests/it/standings.rs` compares the results with those of another
//! program.

/// A finished game: the indexes of two players, and the half points of the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Score {
    pub(crate) players: (usize, usize),
    /// The half points of the first player: 0, 1 or 2.
    pub(crate) half_points: u32,
}

/// A row of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Standing {
    /// The index of the player.
    pub(crate) player: usize,
    /// The points, doubled: two for each win and one for each draw.
    pub(crate) half_points: u32,
    /// The Sonneborn-Berger score, in quarters of a point.
    pub(crate) berger: u32,
    pub(crate) wins: u32,
    pub(crate) games: u32,
    /// The place among players with equal points, by their games against each other.
    encounter: usize,
}

/// Ranks players, listed in the order of their sign-up, by their finished games.
pub(crate) fn standings(players: usize, games: &[Score]) -> Vec<Standing> {
    let mut rows: Vec<Standing> = (0..players).map(|player| Standing { player, ..Standing::default() }).collect();
    for (player, _, half_points) in sides(games) {
        rows[player].half_points += half_points;
        rows[player].wins += u32::from(half_points == 2);
        rows[player].games += 1;
    }
    for (player, opponent, half_points) in sides(games) {
        rows[player].berger += half_points * rows[opponent].half_points;
    }
    rows.sort_by_key(|row| (std::cmp::Reverse(row.half_points), row.player));
    for tied in rows.chunk_by_mut(|a, b| a.half_points == b.half_points) {
        break_ties(tied, games, 0);
    }
    rows.sort_by_key(|row| {
        let Standing { player, half_points, berger, wins, encounter, .. } = *row;
        (std::cmp::Reverse(half_points), encounter, std::cmp::Reverse((berger, wins)), player)
    });
    rows
}

/// Returns each game from both sides: player, opponent, half points of the player.
fn sides(games: &[Score]) -> impl Iterator<Item = (usize, usize, u32)> + '_ {
    games.iter().flat_map(|game| {
        let (first, second) = game.players;
        [(first, second, game.half_points), (second, first, 2 - game.half_points)]
    })
}

/// Sets the places of tied players by their games against each other, starting with `place`. Players who remain tied
/// are compared again without the others.
fn break_ties(tied: &mut [Standing], games: &[Score], place: usize) {
    let score = |player: usize| -> u32 {
        let against = |opponent: usize| {
            let met = sides(games).filter(|side| (side.0, side.1) == (player, opponent));
            let (sum, count) = met.fold((0, 0), |(sum, count), side| (sum + side.2, count + 1));
            // Twice the average over one or two games is an integer.
            (sum * 2).checked_div(count).unwrap_or(0)
        };
        tied.iter().filter(|row| row.player != player).map(|row| against(row.player)).sum()
    };
    let scores: Vec<(usize, u32)> = tied.iter().map(|row| (row.player, score(row.player))).collect();
    let of = |row: &Standing| scores.iter().find(|(player, _)| *player == row.player).map_or(0, |(_, score)| *score);
    tied.iter_mut().for_each(|row| row.encounter = place);
    if scores.iter().all(|(_, score)| *score == scores[0].1) {
        return;
    }
    tied.sort_by_key(|row| std::cmp::Reverse(of(row)));
    let mut next = place;
    for equal in tied.chunk_by_mut(|a, b| of(a) == of(b)) {
        break_ties(equal, games, next);
        next += equal.len();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_points_of_a_table_equal_its_games(results in prop::collection::vec((0_usize..8, 1_usize..8, 0_u32..3), 0..60)) {
            let games: Vec<Score> = results
                .iter()
                .map(|&(first, step, half_points)| Score { players: (first, (first + step) % 8), half_points })
                .collect();
            let rows = standings(8, &games);
            prop_assert_eq!(rows.iter().map(|row| row.half_points).sum::<u32>() as usize, 2 * games.len());
            prop_assert!(rows.is_sorted_by(|a, b| a.half_points >= b.half_points));
            let mut players: Vec<usize> = rows.iter().map(|row| row.player).collect();
            players.sort_unstable();
            prop_assert_eq!(players, (0..8).collect::<Vec<_>>());
        }
    }
}
