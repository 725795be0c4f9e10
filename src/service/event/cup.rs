//! Editions of cups: rounds in which the losers of ties are out.

use super::absentees::seat_of;
use super::boards::{NewEventBoard, Organizer};
use super::league::{FEWEST, by_rating};
use super::views::{RoundView, TieView, game_view, half_points};
use crate::event::{Side, Tie, bracket, decide};
use crate::rules::Seat;
use crate::store::{self, BoardPlace, EventBoard, Participant, PlayerId, PlayerRef};

/// The division of all boards of a cup.
const ONLY: u32 = 1;

/// A tie of a round.
struct CupTie<'a> {
    /// `None` for a player who is not known yet, or the missing opponent of a bye.
    players: [Option<&'a Participant>; 2],
    bye: bool,
    state: State<'a>,
}

/// The state of a tie.
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

impl<'a> CupTie<'a> {
    /// Returns the tie of these players at a place.
    fn of(players: [Option<&'a Participant>; 2], (round, slot): (u32, u32), boards: &[EventBoard]) -> CupTie<'a> {
        let bye = round == 1 && players[1].is_none();
        let state = match players {
            [Some(one), None] if bye => State::Won(one, None),
            [Some(one), Some(other)] => state([one, other], (round, slot), boards),
            _ => State::New,
        };
        CupTie { players, bye, state }
    }

    fn winner(&self) -> Option<&'a Participant> {
        match self.state {
            State::Won(winner, _) => Some(winner),
            State::New | State::Playing | State::Replay => None,
        }
    }

    fn loser(&self) -> Option<&'a Participant> {
        match self.state {
            State::Won(_, loser) => loser,
            State::New | State::Playing | State::Replay => None,
        }
    }
}

/// Returns the number of rounds of a cup. The game for the third place is in the last one.
pub(crate) fn count_rounds(players: usize) -> i32 {
    players.next_power_of_two().trailing_zeros() as i32
}

/// Returns the boards at a place.
fn games_at(boards: &[EventBoard], round: u32, slot: u32) -> impl Iterator<Item = &EventBoard> {
    boards.iter().filter(move |board| (board.place.round, board.place.slot) == (round, slot))
}

/// Returns the state of the tie of two players at a place.
fn state<'a>(players: [&'a Participant; 2], (round, slot): (u32, u32), boards: &[EventBoard]) -> State<'a> {
    let [one, other] = players;
    // Once the next round has begun or the edition has ended, an administrator's decision about a game changes neither.
    let next = games_at(boards, round + 1, slot.div_ceil(2)).next();
    let goes_on = |of: &Participant| next.is_some_and(|board| seat_of(board, of.player.id).is_some());
    let has_won = |(of, opponent): &(&Participant, &Participant)| {
        goes_on(of) || of.rank.zip(opponent.rank).is_some_and(|(own, theirs)| own < theirs)
    };
    if let Some((winner, loser)) = [(one, other), (other, one)].into_iter().find(has_won) {
        return State::Won(winner, Some(loser));
    }
    let games: Vec<&EventBoard> = games_at(boards, round, slot).collect();
    if games.iter().any(|board| board.ended_at.is_none()) {
        return State::Playing;
    }
    if let Some(game) = games.first() {
        let [first, second] = if seat_of(game, one.player.id) == Some(Seat::First) { players } else { [other, one] };
        // A game without a result is treated as drawn.
        let of_first = |board: &&EventBoard| match half_points(board) {
            Some(points) if seat_of(board, first.player.id) == Some(Seat::Second) => 2 - points,
            points => points.unwrap_or(1),
        };
        let points: Vec<u32> = games.iter().map(of_first).collect();
        let used = |player: PlayerId| -> i64 {
            games.iter().filter_map(|board| Some(board.used[seat_of(board, player)?.index()])).sum()
        };
        match decide(&points, (used(first.player.id), used(second.player.id))) {
            Tie::Replay => {}
            Tie::Won(Side::First) => return State::Won(first, Some(second)),
            Tie::Won(Side::Second) => return State::Won(second, Some(first)),
        }
    }
    // A player who has left gets no game. If both have left, the better seed wins.
    if players.iter().any(|of| of.withdrawn.is_some()) {
        let mut players = players;
        players.sort_by_key(|of| (of.withdrawn.is_some(), of.place));
        return State::Won(players[0], Some(players[1]));
    }
    if games.is_empty() { State::New } else { State::Replay }
}

/// Returns the ties of each round of a cup. In the last round, the second tie is for the third place.
fn bracket_of<'a>(participants: &'a [Participant], boards: &[EventBoard]) -> Vec<Vec<CupTie<'a>>> {
    let mut pairs: Vec<[Option<&Participant>; 2]> = bracket(participants.len())
        .into_iter()
        .map(|(one, other)| [participants.get(one), other.map(|other| &participants[other])])
        .collect();
    let (mut rounds, mut losers): (Vec<Vec<CupTie<'_>>>, Vec<Option<&Participant>>) = (Vec::new(), Vec::new());
    for round in 1.. {
        // Two losers of the semi-finals play for the third place.
        let is_final = pairs.len() <= 1;
        if let ([one, other], true) = (losers.as_slice(), is_final) {
            pairs.push([*one, *other]);
        }
        let ties: Vec<CupTie<'_>> =
            (1..).zip(pairs).map(|(slot, players)| CupTie::of(players, (round, slot), boards)).collect();
        let winners: Vec<_> = ties.iter().map(CupTie::winner).collect();
        losers = ties.iter().filter(|tie| !tie.bye).map(CupTie::loser).collect();
        rounds.push(ties);
        if is_final {
            break;
        }
        pairs = winners.chunks(2).map(|two| [two[0], two.get(1).copied().flatten()]).collect();
    }
    rounds
}

/// Returns the rounds of a cup for its readers.
pub(crate) fn rounds(participants: &[Participant], boards: &[EventBoard]) -> Vec<RoundView> {
    let seated: Vec<&Participant> = participants.iter().collect();
    let userid = |of: Option<&Participant>| of.map(|of| of.player.userid.clone());
    let view = |(number, ties): (u32, Vec<CupTie<'_>>)| {
        let tie = |(slot, tie): (u32, &CupTie<'_>)| TieView {
            players: tie.players.map(userid),
            bye: tie.bye,
            games: games_at(boards, number, slot).map(|board| game_view(board, &seated)).collect(),
            winner: userid(tie.winner()),
        };
        RoundView { number, ties: (1..).zip(&ties).map(tie).collect() }
    };
    (1..).zip(bracket_of(participants, boards)).map(view).collect()
}

impl Organizer<'_, '_> {
    /// Begins an edition of a cup. Returns whether there were enough players.
    pub(crate) fn begin_cup(&mut self, number: u32) -> store::Result<bool> {
        let players = by_rating(self.tx, self.event)?;
        if players.len() < FEWEST {
            return Ok(false);
        }
        let latest_at = self.now + self.longest_tie(&players)? * count_rounds(players.len());
        let edition = self.open_edition(number, Some(latest_at))?;
        for (place, entrant) in (1..).zip(players) {
            let of = Participant { player: entrant.player, division: ONLY, place, withdrawn: None, rank: None };
            self.tx.set_participant(self.event.id, number, &of)?;
        }
        self.write_beginning(&edition)?;
        self.advance_cup(number)?;
        Ok(true)
    }

    /// Begins the due games of a cup. Returns whether the final and the game for the third place have ended.
    pub(crate) fn advance_cup(&mut self, edition: u32) -> store::Result<bool> {
        let participants = self.tx.participants(self.event.id, edition)?;
        let boards = self.tx.event_boards(self.event.id, edition)?;
        let rounds = bracket_of(&participants, &boards);
        for (round, ties) in (1..).zip(&rounds) {
            for (slot, tie) in (1..).zip(ties) {
                let place = BoardPlace { division: ONLY, round, slot };
                self.begin_game_of(edition, (tie, place, &boards))?;
            }
            if ties.iter().any(|tie| tie.winner().is_none()) {
                return Ok(false);
            }
        }
        let Some((last, earlier)) = rounds.split_last() else { return Ok(false) };
        let mut ranked: Vec<&Participant> = last.iter().flat_map(|tie| [tie.winner(), tie.loser()]).flatten().collect();
        for ties in earlier.iter().rev() {
            let mut losers: Vec<&Participant> = ties.iter().filter_map(CupTie::loser).collect();
            losers.sort_by_key(|of| of.place);
            ranked.extend(losers);
        }
        let mut done: Vec<PlayerId> = Vec::new();
        for of in ranked {
            if !done.contains(&of.player.id) {
                done.push(of.player.id);
                let rank = Some(done.len() as u32);
                self.tx.set_participant(self.event.id, edition, &Participant { rank, ..of.clone() })?;
            }
        }
        Ok(true)
    }

    /// Begins the first game of a tie, or a replay with swapped sides.
    fn begin_game_of(
        &mut self,
        edition: u32,
        (tie, place, boards): (&CupTie<'_>, BoardPlace, &[EventBoard]),
    ) -> store::Result<()> {
        let [Some(one), Some(other)] = tie.players else { return Ok(()) };
        let was_first = |player: PlayerId| boards.iter().filter(|board| board.players[0].id == player).count();
        let players: [&PlayerRef; 2] = match tie.state {
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
        self.begin_event_board(edition, NewEventBoard { place, players, comment: String::new() })?;
        Ok(())
    }
}
