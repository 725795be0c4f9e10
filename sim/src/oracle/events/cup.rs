//! The bracket of a cup, written from the rules in `help events`.

use std::cmp::Reverse;

use super::game::Game;

/// A game that a bracket requires: the round, the place in the round, and the two players. The first of them moves
/// first.
pub(crate) type Required = (u32, u32, [usize; 2]);

pub(crate) struct Bracket {
    /// All games that must have begun.
    pub(crate) required: Vec<Required>,
    /// The players by rank; `None` until the cup has ended.
    pub(crate) ranks: Option<Vec<usize>>,
}

/// Computes the bracket of a cup from its games. `seeds` lists the players, the strongest first. `played` returns the
/// games of a tie in the order in which they began. `has_left` returns whether a player has left the cup. The opponent
/// of such a player wins the tie without a new game. If both players have left, the better seed wins.
pub(crate) fn follow(
    seeds: &[usize],
    played: impl Fn(u32, u32) -> Vec<Game>,
    has_left: impl Fn(usize) -> bool,
) -> Bracket {
    let size = seeds.len().next_power_of_two();
    let lines = lines(0, 1, size);
    let at = |line: usize| seeds.get(lines[line]).copied();
    let mut ties: Vec<[Option<usize>; 2]> = (0..size / 2).map(|tie| [at(2 * tie), at(2 * tie + 1)]).collect();
    let (mut required, mut out): (Vec<Required>, Vec<usize>) = (Vec::new(), Vec::new());
    let seed = |player: usize| seeds.iter().position(|of| *of == player).unwrap_or(usize::MAX);
    for round in 1.. {
        let (mut winners, mut losers) = (Vec::new(), Vec::new());
        let earlier = required.clone();
        for (slot, tie) in (1..).zip(&ties) {
            let [Some(one), Some(other)] = *tie else {
                winners.extend(tie.iter().flatten());
                continue;
            };
            // The player with fewer first moves so far moves first. If the numbers are equal, the weaker
            // seed moves first.
            let key = |player: usize| {
                (earlier.iter().filter(|(.., players)| players[0] == player).count(), Reverse(seed(player)))
            };
            let mut players = [one, other];
            players.sort_by_key(|player| key(*player));
            let games = played(round, slot);
            let is_due = match games.as_slice() {
                [] => true,
                [game] => is_drawn(game),
                _ => false,
            };
            let walkover = is_due && (has_left(one) || has_left(other));
            if !(walkover && games.is_empty()) {
                required.push((round, slot, players));
            }
            if games.first().is_some_and(is_drawn) && !walkover {
                required.push((round, slot, [players[1], players[0]]));
            }
            let remains = players
                .into_iter()
                .filter(|player| walkover && (has_left(one) && has_left(other) || !has_left(*player)));
            if let Some(winner) = winner(players, &games).or(remains.min_by_key(|player| seed(*player))) {
                winners.push(winner);
                losers.push(if winner == one { other } else { one });
            }
        }
        if winners.len() < ties.len() {
            break;
        }
        // The first tie of the last round is the final, and the second one is for third place.
        if size >> round == 1 {
            let mut ranks: Vec<usize> =
                winners.iter().zip(&losers).flat_map(|(winner, loser)| [*winner, *loser]).collect();
            ranks.extend(out.into_iter().rev().filter(|player| !ranks.contains(player)).collect::<Vec<_>>());
            return Bracket { required, ranks: Some(ranks) };
        }
        ties = winners.chunks(2).map(|two| [Some(two[0]), Some(two[1])]).collect();
        losers.sort_by_key(|player| Reverse(seed(*player)));
        if let ([_], [one, other]) = (ties.as_slice(), losers.as_slice()) {
            ties.push([Some(*one), Some(*other)]);
        }
        out.extend(losers);
    }
    Bracket { required, ranks: None }
}

/// Returns the seeds from the top to the bottom of the bracket. If the stronger players always win, the seeds of the
/// two players have the same sum in every tie of a round.
fn lines(seed: usize, round: usize, size: usize) -> Vec<usize> {
    if round == size {
        return vec![seed];
    }
    [lines(seed, 2 * round, size), lines(2 * round - 1 - seed, 2 * round, size)].concat()
}

fn is_drawn(game: &Game) -> bool {
    game.is_over() && game.half_points(game.players[0]).is_none_or(|points| points == 1)
}

/// Returns the winner of a tie: the winner of its first game or, after a draw, of the replay. If both games were drawn,
/// the player who used less time wins.
fn winner(players: [usize; 2], games: &[Game]) -> Option<usize> {
    let decided = games.iter().find_map(|game| players.into_iter().find(|of| game.half_points(*of) == Some(2)));
    if decided.is_some() {
        return decided;
    }
    let used = |player: usize| -> i64 {
        let of = |game: &Game| if game.players[0] == player { game.used[0] } else { game.used[1] };
        games.iter().map(of).sum()
    };
    let is_over = games.len() == 2 && games.iter().all(Game::is_over);
    is_over.then(|| if used(players[1]) < used(players[0]) { players[1] } else { players[0] })
}
