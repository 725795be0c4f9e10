//! Leagues: pairings by Berger tables, divisions, and promotion.

/// The number of players who are promoted, and relegated, between two divisions.
const MOVED: usize = 2;

/// Returns the rounds of a Berger table for `players` players, as pairs of indexes; the first of a pair moves first.
/// With an odd number of players, one of them pauses in each round.
///
/// Source: FIDE Handbook C.05, annex 1.
fn berger(players: usize) -> Vec<Vec<(usize, usize)>> {
    let even = players + players % 2;
    if even < 2 {
        return Vec::new();
    }
    let (last, cycle) = (even - 1, even - 1);
    let round = |round: usize| {
        // In each round, the players advance by half of the cycle; the last player remains and alternates the colours.
        let shift = round * (even / 2) % cycle;
        let at = |place: usize| (place + shift) % cycle;
        let against_last = if round.is_multiple_of(2) { (at(0), last) } else { (last, at(0)) };
        let others = (1..even / 2).map(|place| (at(place), at(cycle - place)));
        let pairs = std::iter::once(against_last).chain(others);
        pairs.filter(|(first, second)| *first < players && *second < players).collect()
    };
    (0..cycle).map(round).collect()
}

/// Returns the rounds of a division in which each player meets each other player once, or twice with swapped sides.
pub(crate) fn games(players: usize, twice: bool) -> Vec<Vec<(usize, usize)>> {
    let mut rounds = berger(players);
    if twice {
        let swapped = |round: &Vec<(usize, usize)>| round.iter().map(|&(first, second)| (second, first)).collect();
        let second: Vec<_> = rounds.iter().map(swapped).collect();
        rounds.extend(second);
    }
    rounds
}

/// Divides a number of players into divisions of at most `most` players, whose sizes differ by at most one. The first
/// divisions are the larger ones.
pub(crate) fn divide(players: usize, most: usize) -> Vec<usize> {
    let divisions = players.div_ceil(most.max(1));
    (0..divisions).map(|at| players / divisions + usize::from(at < players % divisions)).collect()
}

/// Returns the players of all divisions for the next edition, best first: two of each division are promoted, and two of
/// the division above are relegated. The players of a division are listed by rank.
pub(crate) fn promote<P: Copy>(divisions: &[Vec<P>]) -> Vec<P> {
    let moved = |upper: &[P], lower: &[P]| MOVED.min(upper.len() / 2).min(lower.len() / 2);
    let mut order = Vec::new();
    for (at, division) in divisions.iter().enumerate() {
        let above = at.checked_sub(1).map(|above| &divisions[above]);
        let below = divisions.get(at + 1);
        let up = above.map_or(0, |above| moved(above, division));
        let down = below.map_or(0, |below| moved(division, below));
        order.extend(above.into_iter().flat_map(|above| &above[above.len() - up..]));
        order.extend(&division[up..division.len() - down]);
        order.extend(below.into_iter().flat_map(|below| &below[..down]));
    }
    order
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn rounds_equal_the_berger_tables_of_the_handbook() {
        let one_based = |players| -> Vec<Vec<(usize, usize)>> {
            berger(players).iter().map(|round| round.iter().map(|(a, b)| (a + 1, b + 1)).collect()).collect()
        };
        assert_eq!(one_based(4), [[(1, 4), (2, 3)], [(4, 3), (1, 2)], [(2, 4), (3, 1)]]);
        let six = [
            [(1, 6), (2, 5), (3, 4)],
            [(6, 4), (5, 3), (1, 2)],
            [(2, 6), (3, 1), (4, 5)],
            [(6, 5), (1, 4), (2, 3)],
            [(3, 6), (4, 2), (5, 1)],
        ];
        assert_eq!(one_based(6), six);
        assert_eq!(one_based(3), [[(2, 3)], [(1, 2)], [(3, 1)]]);
    }

    proptest! {
        #[test]
        fn all_pairs_meet_with_balanced_sides(players in 2_usize..17, twice: bool) {
            let rounds = games(players, twice);
            let mut first = vec![0_usize; players];
            let mut met = BTreeSet::new();
            for round in &rounds {
                let mut seated = BTreeSet::new();
                for &(a, b) in round {
                    first[a] += 1;
                    prop_assert!(seated.insert(a) && seated.insert(b), "a player has two games in a round");
                    let pair = if twice { (a, b) } else { (a.min(b), a.max(b)) };
                    prop_assert!(met.insert(pair), "{pair:?} meet again");
                }
            }
            let pairs = players * (players - 1) / if twice { 1 } else { 2 };
            prop_assert_eq!(met.len(), pairs);
            for count in first {
                let share = (players - 1) * if twice { 2 } else { 1 };
                prop_assert!(count == share / 2 || count == share.div_ceil(2));
            }
        }

        #[test]
        fn divisions_differ_by_at_most_one(players in 0_usize..300, most in 2_usize..12) {
            let sizes = divide(players, most);
            prop_assert_eq!(sizes.iter().sum::<usize>(), players);
            prop_assert!(sizes.is_sorted_by(|a, b| a >= b) && sizes.iter().all(|size| *size <= most));
            if let (Some(most), Some(least)) = (sizes.first(), sizes.last()) {
                prop_assert!(most - least <= 1);
            }
        }

        #[test]
        fn promotion_loses_no_player(sizes in prop::collection::vec(1_usize..11, 0..6)) {
            let mut next = 0..;
            let divisions: Vec<Vec<usize>> = sizes.iter().map(|size| next.by_ref().take(*size).collect()).collect();
            let mut order = promote(&divisions);
            order.sort_unstable();
            prop_assert_eq!(order, (0..sizes.iter().sum()).collect::<Vec<_>>());
        }
    }

    #[test]
    fn two_players_are_promoted_and_two_relegated() {
        let divisions = [vec![1, 2, 3, 4, 5, 6], vec![11, 12, 13, 14, 15, 16], vec![21, 22, 23]];
        let expected = [1, 2, 3, 4, 11, 12, 5, 6, 13, 14, 15, 21, 16, 22, 23];
        assert_eq!(promote(&divisions), expected);
    }
}
