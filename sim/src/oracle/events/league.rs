//! The arithmetic of leagues, written from the rules in `help events` and the FIDE Handbook.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use super::game::Game;
use turnpost::numbers::BoardNumber;
use turnpost::store::Withdrawal;

/// The number of losses on time after which a player is treated as absent.
const LOST_ON_TIME: usize = 2;

/// A division keeps more players than its share only if the divisions below keep at least this size, or their own share
/// if that is smaller.
const FEWEST: usize = 4;

/// Players who were withdrawn from an edition.
pub(crate) type Withdrawn = BTreeMap<usize, Withdrawal>;

/// A row of the crosstable.
#[derive(Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) player: usize,
    pub(crate) points: String,
    pub(crate) berger: f64,
    pub(crate) wins: u32,
    pub(crate) games: u32,
    pub(crate) withdrawn: Option<Withdrawal>,
    pub(crate) cells: Vec<Vec<(BoardNumber, String)>>,
}

/// Divides players, best first, into divisions of nearly equal sizes, each with at most `most` players. `previous`
/// lists the players of each division after promotion. Each division except the last keeps its players if it is not too
/// large and enough players remain for the divisions below.
pub(crate) fn deal(players: &[usize], previous: &[Vec<usize>], most: usize) -> Vec<Vec<usize>> {
    let mut divisions = 1;
    while players.len() > divisions * most {
        divisions += 1;
    }
    let mut rest = players;
    let mut dealt: Vec<Vec<usize>> = Vec::new();
    for open in (1..=divisions).rev() {
        let mut size = rest.len().div_ceil(open);
        let upper = &previous[..previous.len().saturating_sub(1)];
        if dealt.len() < upper.len() {
            let keeps = |player: &usize| upper[..=dealt.len()].iter().any(|division| division.contains(player));
            let kept = rest.iter().filter(|player| keeps(player)).count();
            while size < kept && size < most && (rest.len() - size - 1) >= FEWEST.min(rest.len() / open) * (open - 1) {
                size += 1;
            }
        }
        dealt.push(rest[..size].to_vec());
        rest = &rest[size..];
    }
    dealt
}

/// Returns the games of a division according to the Berger table: the round, the first player and the second player.
pub(crate) fn schedule(players: &[usize], twice: bool) -> Vec<(u32, [usize; 2])> {
    // The table numbers players from 1. If the number of players is odd, the opponent of the last number has a bye.
    let even = players.len() + players.len() % 2;
    let rounds = even - 1;
    let mut games = Vec::new();
    for low in 1..=players.len() {
        for high in low + 1..=players.len() {
            let is_last = high == even;
            let sum = if is_last { low * 2 } else { low + high };
            let round = match (sum - 1) % rounds {
                0 => rounds,
                round => round,
            };
            let low_begins = if is_last { low <= even / 2 } else { sum % 2 == 1 };
            let pair = [players[low - 1], players[high - 1]];
            let [first, second] = if low_begins { pair } else { [pair[1], pair[0]] };
            games.push((round as u32, [first, second]));
            if twice {
                games.push(((round + rounds) as u32, [second, first]));
            }
        }
    }
    games
}

/// Returns the divisions of the next edition, best first: the first two of each division change places with the last
/// two of the division above. In divisions of fewer than four players, at most half of the players move.
pub(crate) fn promoted(ranks: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let movers = |upper: usize, lower: usize| 2.min(ranks[upper].len() / 2).min(ranks[lower].len() / 2);
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); ranks.len()];
    for (at, division) in ranks.iter().enumerate() {
        let up = if at == 0 { 0 } else { movers(at - 1, at) };
        let down = if at + 1 == ranks.len() { 0 } else { movers(at, at + 1) };
        for (rank, player) in division.iter().enumerate() {
            if rank < up {
                next[at - 1].push(*player);
            } else if rank + down >= division.len() {
                next[at + 1].push(*player);
            } else {
                next[at].push(*player);
            }
        }
    }
    next
}

/// Returns the players whom the event must have withdrawn after a step. `players` are ordered by division and sign-up.
/// A game that the event ended in this step is treated as if it were still in progress, unless `is_late` returns true.
pub(crate) fn withdrawals(
    players: &[usize],
    games: &[Game],
    known: &Withdrawn,
    has_left: impl Fn(usize) -> bool,
    (step, is_late): (u64, &impl Fn(&Game) -> bool),
) -> Withdrawn {
    let mut withdrawn = known.clone();
    for player in players {
        if known.contains_key(player) {
            continue;
        }
        let annulled = |other: usize| withdrawn.get(&other) == Some(&Withdrawal::Annulled);
        let own: Vec<&Game> =
            games.iter().filter(|game| game.opponent(*player).is_some_and(|other| !annulled(other))).collect();
        let end_before = |game: &&&Game| {
            let end = game.end.filter(|end| !end.by_event || end.step < step || is_late(game));
            let opponent = game.opponent(*player).filter(|other| withdrawn.contains_key(other));
            (end.is_some() || opponent.is_some(), end.is_some_and(|end| end.on_time && game.loser() == Some(*player)))
        };
        let mut lost: Vec<DateTime<Utc>> =
            own.iter().filter(|game| end_before(game).1).filter_map(|game| Some(game.end?.at)).collect();
        lost.sort_unstable();
        let is_absent = lost.len() >= LOST_ON_TIME;
        let finished = match is_absent {
            // The second loss on time makes the player absent. Counts the losses on time before it, and the other
            // games that ended before it.
            true => {
                let last = lost[LOST_ON_TIME - 1];
                let others = own.iter().filter(|game| !end_before(game).1);
                LOST_ON_TIME - 1 + others.filter(|game| game.end.is_some_and(|end| end.at < last)).count()
            }
            false => own.iter().filter(|game| end_before(game).0).count(),
        };
        if has_left(*player) || is_absent {
            let early = 2 * finished < own.len() || is_absent && lost.len() == own.len();
            withdrawn.insert(*player, if early { Withdrawal::Annulled } else { Withdrawal::Lost });
        }
    }
    withdrawn
}

/// Returns the crosstable of a division. `players` are ordered by sign-up.
pub(crate) fn table(players: &[usize], games: &[Game], withdrawn: &Withdrawn) -> Vec<Row> {
    let annulled = |player: &usize| withdrawn.get(player) == Some(&Withdrawal::Annulled);
    let counted: Vec<&Game> =
        games.iter().filter(|game| game.outcome().is_some() && !game.players.iter().any(annulled)).collect();
    let (out, ranked): (Vec<usize>, Vec<usize>) = players.iter().copied().partition(annulled);
    let mut by_points: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for player in ranked {
        by_points.entry(points_of(player, &counted)).or_default().push(player);
    }
    let mut order: Vec<usize> = by_points.into_values().rev().flat_map(|tied| untie(&tied, &counted)).collect();
    order.extend(out);
    let row = |player: &usize| {
        let cells = order.iter().map(|opponent| cell(*player, *opponent, games, &annulled)).collect();
        Row {
            player: *player,
            points: in_words(points_of(*player, &counted)),
            berger: f64::from(berger(*player, &counted)) / 4.0,
            wins: wins(*player, &counted),
            games: counted.iter().filter(|game| game.opponent(*player).is_some()).count() as u32,
            withdrawn: withdrawn.get(player).copied(),
            cells,
        }
    };
    order.iter().map(row).collect()
}

/// Orders tied players by the games between them. Players who are still tied are ordered by the games between only
/// them, and finally by the Sonneborn-Berger score and the number of wins. `tied` is ordered by sign-up.
fn untie(tied: &[usize], games: &[&Game]) -> Vec<usize> {
    let mut groups: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for player in tied {
        let scored: u32 = tied.iter().map(|opponent| between(*player, *opponent, games)).sum();
        groups.entry(scored).or_default().push(*player);
    }
    if groups.len() > 1 {
        return groups.into_values().rev().flat_map(|group| untie(&group, games)).collect();
    }
    let mut order = tied.to_vec();
    order.sort_by_key(|player| std::cmp::Reverse((berger(*player, games), wins(*player, games))));
    order
}

/// Returns twice the average half points of a player against another one.
fn between(player: usize, opponent: usize, games: &[&Game]) -> u32 {
    let scores: Vec<u32> = games
        .iter()
        .filter(|game| game.opponent(player) == Some(opponent))
        .map(|game| game.half_points(player).unwrap_or(0))
        .collect();
    scores.iter().sum::<u32>() * 2 / (scores.len() as u32).max(1)
}

fn points_of(player: usize, games: &[&Game]) -> u32 {
    games.iter().filter_map(|game| game.half_points(player)).sum()
}

fn berger(player: usize, games: &[&Game]) -> u32 {
    let share = |game: &&Game| Some(game.half_points(player)? * points_of(game.opponent(player)?, games));
    games.iter().filter_map(share).sum()
}

fn wins(player: usize, games: &[&Game]) -> u32 {
    games.iter().filter(|game| game.half_points(player) == Some(2)).count() as u32
}

/// Returns a cell of the crosstable: the results of one player's games against another player.
fn cell(
    player: usize,
    opponent: usize,
    games: &[Game],
    annulled: &impl Fn(&usize) -> bool,
) -> Vec<(BoardNumber, String)> {
    let result = |game: &Game| match game.half_points(player) {
        _ if !game.is_over() => ".".to_owned(),
        Some(points) if !annulled(&player) && !annulled(&opponent) => in_words(points),
        _ => "-".to_owned(),
    };
    games
        .iter()
        .filter(|game| game.opponent(player) == Some(opponent))
        .map(|game| (game.number, result(game)))
        .collect()
}

/// Formats half points as the page of an event does.
fn in_words(half_points: u32) -> String {
    let whole = if half_points == 1 { String::new() } else { (half_points / 2).to_string() };
    whole + if half_points % 2 == 1 { "½" } else { "" }
}

impl Game {
    /// Returns the loser, even if the game was annulled later.
    fn loser(&self) -> Option<usize> {
        Some(self.players[self.end?.winner?.other().index()])
    }
}
