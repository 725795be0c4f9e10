//! Ladders: players win places by challenges, and lose them by idleness. Places are indexes from the top.

use std::ops::Range;

/// A player may challenge the players on this many places directly above.
const REACH: usize = 3;

/// Returns the places that the player at this place may challenge.
pub(crate) fn in_reach(place: usize) -> Range<usize> {
    place.saturating_sub(REACH)..place
}

/// Moves the winner to the loser's place if that place is higher. The loser, and the players between them, then move
/// down by one place.
pub(crate) fn take_place<P: PartialEq>(players: &mut [P], winner: &P, loser: &P) {
    let place = |player: &P| players.iter().position(|of| of == player);
    if let (Some(from), Some(to)) = (place(winner), place(loser))
        && to < from
    {
        players[to..=from].rotate_right(1);
    }
}

/// Moves each idle player down by one place, if a player below is not idle.
pub(crate) fn sink<P>(players: &mut [P], is_idle: impl Fn(&P) -> bool) {
    for place in (1..players.len()).rev() {
        if is_idle(&players[place - 1]) && !is_idle(&players[place]) {
            players.swap(place - 1, place);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_player_may_challenge_three_places_up() {
        assert_eq!((in_reach(0), in_reach(1), in_reach(7)), (0..0, 0..1, 4..7));
    }

    #[test]
    fn the_winner_takes_the_place() {
        let mut players = ['a', 'b', 'c', 'd', 'e'];
        take_place(&mut players, &'d', &'b');
        assert_eq!(players, ['a', 'd', 'b', 'c', 'e']);
        // A player who defends their place keeps it. A player missing from the list is ignored.
        take_place(&mut players, &'a', &'d');
        take_place(&mut players, &'e', &'x');
        assert_eq!(players, ['a', 'd', 'b', 'c', 'e']);
    }

    #[test]
    fn idle_players_sink_together() {
        let mut players = ['A', 'B', 'c', 'D', 'e', 'F'];
        sink(&mut players, char::is_ascii_uppercase);
        assert_eq!(players, ['c', 'A', 'B', 'e', 'D', 'F']);
    }

    proptest! {
        #[test]
        fn no_player_is_lost(steps in prop::collection::vec((0_usize..12, 0_usize..12, any::<u16>()), 0..60)) {
            let mut players: Vec<usize> = (0..12).collect();
            for (winner, loser, idle) in steps {
                let place = |players: &[usize], player| players.iter().position(|of| *of == player).unwrap();
                let before = players.clone();
                take_place(&mut players, &winner, &loser);
                prop_assert_eq!(place(&players, winner), place(&before, winner).min(place(&before, loser)));
                for player in (0..12).filter(|player| *player != winner) {
                    let (from, to) = (place(&before, player), place(&players, player));
                    prop_assert!((from..=from + 1).contains(&to), "{player} moved from {from} to {to}");
                }
                let before = players.clone();
                let is_idle = |player: &usize| idle >> player & 1 == 1;
                sink(&mut players, is_idle);
                for player in (0..12).filter(is_idle) {
                    let (from, to) = (place(&before, player), place(&players, player));
                    prop_assert!((from..=from + 1).contains(&to), "{player} sinks from {from} to {to}");
                }
                let mut all = players.clone();
                all.sort_unstable();
                prop_assert_eq!(all, (0..12).collect::<Vec<_>>());
            }
        }
    }
}
