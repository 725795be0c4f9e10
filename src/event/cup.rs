//! Cups: a knock-out bracket with seeds, byes and ties of one or two games.

/// A player's side of a tie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// The player who moves first in the first game.
    First,
    /// The player who moves second in the first game.
    Second,
}

/// The state of a tie after its finished games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tie {
    /// Another game, with swapped sides, must be played.
    Replay,
    /// This side has won.
    Won(Side),
}

/// Returns the pairs of the first round, in the order of the bracket, as indexes of players listed by strength; `None`
/// is a bye. The two strongest players can meet only in the final. The winners of neighbouring pairs meet in the next
/// round.
pub(crate) fn bracket(players: usize) -> Vec<(usize, Option<usize>)> {
    let mut order = vec![0];
    while order.len() < players {
        let all = order.len() * 2;
        order = order.iter().flat_map(|&seed| [seed, all - 1 - seed]).collect();
    }
    let there = |seed: usize| (seed < players).then_some(seed);
    order.chunks_exact(2).map(|pair| (pair[0], there(pair[1]))).collect()
}

/// Decides a tie by its finished games. `half_points` lists the half points of the first side in each game, and
/// `seconds` are the thinking times of both sides in all games. A drawn game is replayed once. If the replay is drawn
/// too, the side with the shorter thinking time wins or, with equal times, the first side.
pub(crate) fn decide(half_points: &[u32], seconds: (i64, i64)) -> Tie {
    let [first, second] = [half_points.iter().sum::<u32>(), half_points.iter().map(|points| 2 - points).sum()];
    match first.cmp(&second) {
        std::cmp::Ordering::Greater => Tie::Won(Side::First),
        std::cmp::Ordering::Less => Tie::Won(Side::Second),
        std::cmp::Ordering::Equal if half_points.len() < 2 => Tie::Replay,
        std::cmp::Ordering::Equal => Tie::Won(if seconds.1 < seconds.0 { Side::Second } else { Side::First }),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn seeds_meet_as_late_as_possible() {
        assert_eq!(bracket(2), [(0, Some(1))]);
        assert_eq!(bracket(5), [(0, None), (3, Some(4)), (1, None), (2, None)]);
        let eight = [(0, Some(7)), (3, Some(4)), (1, Some(6)), (2, Some(5))];
        assert_eq!(bracket(8), eight);
    }

    #[test]
    fn draws_are_replayed_once() {
        assert_eq!(decide(&[2], (9, 1)), Tie::Won(Side::First));
        assert_eq!(decide(&[0], (1, 9)), Tie::Won(Side::Second));
        assert_eq!(decide(&[1], (1, 9)), Tie::Replay);
        assert_eq!(decide(&[1, 2], (9, 1)), Tie::Won(Side::First));
        assert_eq!(decide(&[1, 1], (9, 1)), Tie::Won(Side::Second));
        assert_eq!(decide(&[1, 1], (5, 5)), Tie::Won(Side::First));
    }

    proptest! {
        #[test]
        fn a_bracket_has_every_player_once_and_a_winner(players in 2_usize..200) {
            let mut pairs = bracket(players);
            let mut seeds: Vec<usize> = pairs.iter().flat_map(|pair| [Some(pair.0), pair.1]).flatten().collect();
            seeds.sort_unstable();
            prop_assert_eq!(seeds, (0..players).collect::<Vec<_>>());
            // Play all rounds. The better seed always wins.
            while pairs.len() > 1 {
                prop_assert!(pairs.iter().all(|pair| pair.1.is_none_or(|other| pair.0 < other)));
                pairs = pairs.chunks_exact(2).map(|two| (two[0].0.min(two[1].0), Some(two[0].0.max(two[1].0)))).collect();
            }
            prop_assert_eq!(pairs[0], (0, Some(1)));
        }
    }
}
