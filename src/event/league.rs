//! Leagues: pairings by Berger tables, divisions, and promotion.

/// The maximum number of players promoted to a division from the one below, and relegated in return.
const MOVED: usize = 2;
/// The minimum number of players in a division below a larger one, unless divisions of equal size would be even
/// smaller.
const FEWEST: usize = 4;

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
        // In each round, the players advance by half of the cycle. The last player stays in place, and alternates
        // between moving first and second.
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

/// Divides players into divisions of at most `most` players, with sizes as equal as possible. `kept` lists the sizes
/// of the existing divisions after promotion, without new players. A division larger than an equal share, except the
/// last existing one, keeps its players, as long as each lower one has at least [`FEWEST`] players or an equal share.
pub(crate) fn sizes(kept: &[usize], players: usize, most: usize) -> Vec<usize> {
    let divisions = players.div_ceil(most.max(1));
    let (mut sizes, mut placed, mut end) = (Vec::new(), 0, 0);
    for open in (1..=divisions).rev() {
        let rest = players - placed;
        let share = rest.div_ceil(open);
        // The last of the existing divisions, and new ones, get an equal share of the remaining players.
        let own = kept.get(sizes.len()).filter(|_| sizes.len() + 1 < kept.len());
        end += own.copied().unwrap_or(0);
        let fewest = FEWEST.min(rest / open) * (open - 1);
        let size = own.map_or(share, |_| share.max(end.saturating_sub(placed)));
        sizes.push(size.min(most).min(rest - fewest));
        placed += sizes[sizes.len() - 1];
    }
    sizes
}

/// Returns the players of each division for the next edition, best first. At most two players of each division are
/// promoted, and as many of the division above are relegated. `divisions` lists players by rank.
pub(crate) fn promote<P: Copy>(divisions: &[Vec<P>]) -> Vec<Vec<P>> {
    let moved = |upper: &[P], lower: &[P]| MOVED.min(upper.len() / 2).min(lower.len() / 2);
    let next = |(at, division): (usize, &Vec<P>)| {
        let above = at.checked_sub(1).map(|above| &divisions[above]);
        let below = divisions.get(at + 1);
        let up = above.map_or(0, |above| moved(above, division));
        let down = below.map_or(0, |below| moved(division, below));
        let relegated = above.into_iter().flat_map(|above| &above[above.len() - up..]);
        let stayed = &division[up..division.len() - down];
        let promoted = below.into_iter().flat_map(|below| &below[..down]);
        relegated.chain(stayed).chain(promoted).copied().collect()
    };
    divisions.iter().enumerate().map(next).collect()
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
            let sizes = sizes(&[], players, most);
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
            let mut order = promote(&divisions).concat();
            order.sort_unstable();
            prop_assert_eq!(order, (0..sizes.iter().sum()).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_larger_division_keeps_its_players_if_the_others_are_large_enough() {
        // Of thirteen players, the last two have left the league.
        assert_eq!(sizes(&[7, 4], 11, 10), [7, 4]);
        assert_eq!(sizes(&[7, 4], 13, 10), [7, 6]);
        // The free places of a smaller division are filled from below.
        assert_eq!(sizes(&[5, 6], 11, 10), [6, 5]);
        assert_eq!(sizes(&[10, 1], 11, 10), [7, 4]);
        assert_eq!(sizes(&[10, 10], 23, 10), [10, 7, 6]);
        assert_eq!(sizes(&[10], 14, 10), [7, 7]);
        assert_eq!(sizes(&[7, 2], 9, 10), [9]);
        assert_eq!(sizes(&[6, 1, 5], 12, 6), [6, 6]);
        assert_eq!(sizes(&[4, 3], 7, 6), [4, 3]);
    }

    proptest! {
        #[test]
        fn divisions_are_never_too_large(kept in prop::collection::vec(0_usize..11, 0..6), new in 0_usize..20, most in 6_usize..11) {
            let kept: Vec<usize> = kept.into_iter().map(|size| size.min(most)).collect();
            let players = kept.iter().sum::<usize>() + new;
            let sizes = sizes(&kept, players, most);
            prop_assert_eq!(sizes.iter().sum::<usize>(), players);
            let equal = players.checked_div(sizes.len()).unwrap_or(0);
            prop_assert!(sizes.iter().all(|size| *size <= most && *size >= FEWEST.min(equal)), "{sizes:?}");
        }
    }

    #[test]
    fn two_players_are_promoted_and_two_relegated() {
        let divisions = [vec![1, 2, 3, 4, 5, 6], vec![11, 12, 13, 14, 15, 16], vec![21, 22, 23]];
        let expected = [vec![1, 2, 3, 4, 11, 12], vec![5, 6, 13, 14, 15, 21], vec![16, 22, 23]];
        assert_eq!(promote(&divisions), expected);
    }
}
