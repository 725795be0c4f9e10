//! Editions of cups: rounds in which the losers of ties are out.

use chrono::{DateTime, Utc};

use super::absentees::seat_of;
use super::boards::{NewEventBoard, longest_tie};
use super::league::{FEWEST, by_rating};
use super::views::{RoundView, TieView, game_view, half_points};
use crate::event::{Side, Tie, bracket, decide};
use crate::rules::Seat;
use crate::service::context::Service;
use crate::store::{self, BoardPlace, Event, EventBoard, Participant, PlayerId, PlayerRef, Transaction};

/// The division of all boards of a cup.
const ONLY: u32 = 1;

/// A pair of a round, with the state of its tie.
struct Pair<'a> {
    players: (&'a Participant, Option<&'a Participant>),
    state: State<'a>,
}

/// The state of a pair.
enum State<'a> {
    /// No game has begun.
    New,
    /// A game is in progress.
    Playing,
    /// The last game was drawn and is replayed.
    Replay,
    /// The tie has a winner, and a loser unless the winner had a bye.
    Won(&'a Participant, Option<&'a Participant>),
}

/// Returns the number of rounds of a cup. The game for the third place is in the last one.
pub(crate) fn count_rounds(players: usize) -> i32 {
    players.next_power_of_two().trailing_zeros() as i32
}

/// Returns the state of the pair at a place.
fn pair<'a>(
    players: (&'a Participant, Option<&'a Participant>),
    (round, slot): (u32, u32),
    boards: &[EventBoard],
) -> Pair<'a> {
    let (one, Some(other)) = players else { return Pair { players, state: State::Won(players.0, None) } };
    let games: Vec<&EventBoard> =
        boards.iter().filter(|board| (board.place.round, board.place.slot) == (round, slot)).collect();
    let state = match games.first() {
        None => State::New,
        Some(_) if games.iter().any(|board| board.ended_at.is_none()) => State::Playing,
        Some(game) => {
            let (first, second) =
                if seat_of(game, one.player.id) == Some(Seat::First) { (one, other) } else { (other, one) };
            // A game without a result counts as drawn.
            let of_first = |board: &&EventBoard| match half_points(board) {
                Some(points) if seat_of(board, first.player.id) == Some(Seat::Second) => 2 - points,
                points => points.unwrap_or(1),
            };
            let points: Vec<u32> = games.iter().map(of_first).collect();
            let used = |player: PlayerId| -> i64 {
                games.iter().filter_map(|board| Some(board.used[seat_of(board, player)?.index()])).sum()
            };
            match decide(&points, (used(first.player.id), used(second.player.id))) {
                Tie::Replay => State::Replay,
                Tie::Won(Side::First) => State::Won(first, Some(second)),
                Tie::Won(Side::Second) => State::Won(second, Some(first)),
            }
        }
    };
    Pair { players, state }
}

/// Returns the rounds of a cup with all their ties.
pub(crate) fn rounds(participants: &[Participant], boards: &[EventBoard]) -> Vec<RoundView> {
    let seated: Vec<&Participant> = participants.iter().collect();
    let mut pairs: Vec<_> = bracket(participants.len())
        .into_iter()
        .map(|(one, other)| (participants.get(one), other.map(|other| &participants[other])))
        .collect();
    let (mut rounds, mut losers) = (Vec::new(), Vec::new());
    for number in 1.. {
        // Two losers of the semi-finals play for the third place.
        let is_final = pairs.len() <= 1;
        if let ([one, other], true) = (losers.as_slice(), is_final) {
            pairs.push((*one, *other));
        }
        let mut ties = Vec::new();
        let mut winners = Vec::new();
        losers.clear();
        for (slot, players) in (1..).zip(&pairs) {
            let bye = number == 1 && players.1.is_none();
            let state = match *players {
                (Some(one), other) if bye || other.is_some() => pair((one, other), (number, slot), boards).state,
                _ => State::New,
            };
            let (winner, loser) = match state {
                State::Won(winner, loser) => (Some(winner), loser),
                State::New | State::Playing | State::Replay => (None, None),
            };
            let games = boards.iter().filter(|board| (board.place.round, board.place.slot) == (number, slot));
            let userid = |of: Option<&Participant>| of.map(|of| of.player.userid.clone());
            ties.push(TieView {
                players: [userid(players.0), userid(players.1)],
                bye,
                games: games.map(|board| game_view(board, &seated)).collect(),
                winner: userid(winner),
            });
            winners.push(winner);
            if !bye {
                losers.push(loser);
            }
        }
        rounds.push(RoundView { number, ties });
        if is_final {
            break;
        }
        pairs = winners.chunks(2).map(|two| (two[0], two.get(1).copied().flatten())).collect();
    }
    rounds
}

impl Service<'_> {
    /// Begins an edition of a cup. Returns whether there were enough players.
    pub(crate) fn begin_cup(
        &self,
        tx: &mut Transaction<'_>,
        event: &Event,
        number: u32,
        now: DateTime<Utc>,
    ) -> store::Result<bool> {
        let players = by_rating(tx, event)?;
        if players.len() < FEWEST {
            return Ok(false);
        }
        let latest_at = now + longest_tie(self, tx, event, &players, now)? * count_rounds(players.len());
        let edition = self.open_edition(tx, event, number, Some(latest_at), now)?;
        for (place, entrant) in (1..).zip(players) {
            let of = Participant { player: entrant.player, division: ONLY, place, withdrawn: None, rank: None };
            tx.set_participant(event.id, number, &of)?;
        }
        self.write_beginning(tx, event, &edition, now)?;
        self.advance_cup(tx, event, number, now)?;
        Ok(true)
    }

    /// Begins the due games of a cup. Returns whether the final and the game for the third place have ended.
    pub(crate) fn advance_cup(
        &self,
        tx: &mut Transaction<'_>,
        event: &Event,
        edition: u32,
        now: DateTime<Utc>,
    ) -> store::Result<bool> {
        let participants = tx.participants(event.id, edition)?;
        let boards = tx.event_boards(event.id, edition)?;
        let mut pairs: Vec<_> = bracket(participants.len())
            .into_iter()
            .map(|(one, other)| (&participants[one], other.map(|other| &participants[other])))
            .collect();
        let mut out: Vec<&Participant> = Vec::new();
        for round in 1.. {
            let round_pairs: Vec<Pair<'_>> =
                (1..).zip(&pairs).map(|(slot, players)| pair(*players, (round, slot), &boards)).collect();
            for (slot, pair) in (1..).zip(&round_pairs) {
                let place = BoardPlace { division: ONLY, round, slot };
                self.begin_game_of(tx, event, edition, (pair, place, &boards), now)?;
            }
            let decided: Vec<_> = round_pairs
                .iter()
                .filter_map(|pair| match pair.state {
                    State::Won(winner, loser) => Some((winner, loser)),
                    State::New | State::Playing | State::Replay => None,
                })
                .collect();
            if decided.len() < round_pairs.len() {
                return Ok(false);
            }
            let is_final = pairs.len() == 1 || round > 1 && pairs.len() == 2 && is_final(&pairs, &out);
            if is_final {
                let last = decided.iter().flat_map(|(winner, loser)| std::iter::once(*winner).chain(*loser));
                let ranked: Vec<&Participant> = last.chain(out.iter().rev().copied()).collect();
                let mut done: Vec<PlayerId> = Vec::new();
                for of in ranked {
                    if !done.contains(&of.player.id) {
                        done.push(of.player.id);
                        let rank = Some(done.len() as u32);
                        tx.set_participant(event.id, edition, &Participant { rank, ..of.clone() })?;
                    }
                }
                return Ok(true);
            }
            let mut losers: Vec<&Participant> = decided.iter().filter_map(|(_, loser)| *loser).collect();
            let next: Vec<_> = decided.chunks(2).map(|two| (two[0].0, two.get(1).map(|(winner, _)| *winner))).collect();
            pairs = next;
            if let [_] = pairs.as_slice() {
                // The losers of the semi-finals play for the third place.
                if let [one, other] = losers.as_slice() {
                    pairs.push((one, Some(other)));
                }
            }
            losers.sort_by_key(|of| std::cmp::Reverse(of.place));
            out.extend(losers);
        }
        Ok(false)
    }

    /// Begins the first game of a pair, or a replay with swapped sides.
    fn begin_game_of(
        &self,
        tx: &mut Transaction<'_>,
        event: &Event,
        edition: u32,
        (pair, place, boards): (&Pair<'_>, BoardPlace, &[EventBoard]),
        now: DateTime<Utc>,
    ) -> store::Result<()> {
        let (one, Some(other)) = pair.players else { return Ok(()) };
        let was_first = |player: PlayerId| boards.iter().filter(|board| board.players[0].id == player).count();
        let players: [&PlayerRef; 2] = match pair.state {
            State::New => {
                // The player who moved first less often, or the lower seed.
                let key = |of: &Participant| (was_first(of.player.id), std::cmp::Reverse(of.place));
                if key(one) < key(other) { [&one.player, &other.player] } else { [&other.player, &one.player] }
            }
            State::Replay => {
                let game = boards.iter().find(|board| board.place == place);
                let first = game.map(|game| game.players[0].id);
                if first == Some(one.player.id) { [&other.player, &one.player] } else { [&one.player, &other.player] }
            }
            State::Playing | State::Won(..) => return Ok(()),
        };
        self.begin_event_board(tx, event, edition, NewEventBoard { place, players, comment: String::new() }, now)?;
        Ok(())
    }
}

/// Returns whether the second of two pairs plays for the third place: both its players have lost.
fn is_final(pairs: &[(&Participant, Option<&Participant>)], out: &[&Participant]) -> bool {
    pairs.get(1).is_some_and(|(one, _)| out.iter().any(|of| of.player.id == one.player.id))
}
