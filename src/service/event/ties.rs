//! Computes the ties of a cup from its players and boards.

use super::views::{CupGame, RoundView, TieView, game_view, half_points, seat_of};
use crate::command::EventKind;
use crate::event::{Side, Tie, bracket, decide};
use crate::numbers::BoardNumber;
use crate::rules::Seat;
use crate::store::{self, BoardPlace, EventBoard, Participant, PlayerId, Transaction};

/// A tie of a round.
pub(crate) struct CupTie<'a> {
    /// `None` for a player who is not known yet, or the missing opponent of a bye.
    pub(crate) players: [Option<&'a Participant>; 2],
    pub(crate) bye: bool,
    pub(crate) state: State<'a>,
}

pub(crate) enum State<'a> {
    /// No game has begun.
    New,
    /// A game is in progress.
    Playing,
    /// The first game was drawn, and its replay has not begun.
    Replay,
    /// The tie has a winner, and a loser unless the winner had a bye.
    Won(&'a Participant, Option<&'a Participant>),
}

impl<'a> CupTie<'a> {
    /// Returns the tie of these players, at this slot of a round.
    fn of(players: [Option<&'a Participant>; 2], (round, slot): (u32, u32), boards: &[EventBoard]) -> CupTie<'a> {
        let bye = round == 1 && players[1].is_none();
        let state = match players {
            [Some(one), None] if bye => State::Won(one, None),
            [Some(one), Some(other)] => state([one, other], (round, slot), boards),
            _ => State::New,
        };
        CupTie { players, bye, state }
    }

    pub(crate) fn winner(&self) -> Option<&'a Participant> {
        match self.state {
            State::Won(winner, _) => Some(winner),
            State::New | State::Playing | State::Replay => None,
        }
    }

    pub(crate) fn loser(&self) -> Option<&'a Participant> {
        match self.state {
            State::Won(_, loser) => loser,
            State::New | State::Playing | State::Replay => None,
        }
    }
}

/// Returns the number of rounds of a cup. The third-place game is in the last one.
pub(crate) fn count_rounds(players: usize) -> i32 {
    players.next_power_of_two().trailing_zeros() as i32
}

/// Returns the boards of the tie at this slot of a round.
fn games_at(boards: &[EventBoard], round: u32, slot: u32) -> impl Iterator<Item = &EventBoard> {
    boards.iter().filter(move |board| (board.place.round, board.place.slot) == (round, slot))
}

/// Returns the state of the tie of two players, at this slot of a round.
fn state<'a>(players: [&'a Participant; 2], (round, slot): (u32, u32), boards: &[EventBoard]) -> State<'a> {
    let [one, other] = players;
    // If the winner already plays in the next round, or the loser has a final rank, an administrator's later decision
    // about a game does not change the winner. A winner who has not scored has no rank.
    let next = games_at(boards, round + 1, slot.div_ceil(2)).next();
    let goes_on = |of: &Participant| next.is_some_and(|board| seat_of(board, of.player.id).is_some());
    let has_won = |(of, opponent): &(&Participant, &Participant)| goes_on(of) || of.rank < opponent.rank;
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
    // A withdrawn player does not begin a new game. If both players were withdrawn, the better seed wins.
    if players.iter().any(|of| of.withdrawn.is_some()) {
        let mut players = players;
        players.sort_by_key(|of| (of.withdrawn.is_some(), of.place));
        return State::Won(players[0], Some(players[1]));
    }
    if games.is_empty() { State::New } else { State::Replay }
}

/// Returns the ties of each round of a cup. In the last round, the second tie, if any, is for third place.
pub(crate) fn bracket_of<'a>(participants: &'a [Participant], boards: &[EventBoard]) -> Vec<Vec<CupTie<'a>>> {
    let mut pairs: Vec<[Option<&Participant>; 2]> = bracket(participants.len())
        .into_iter()
        .map(|(one, other)| [participants.get(one), other.map(|other| &participants[other])])
        .collect();
    let (mut rounds, mut losers): (Vec<Vec<CupTie<'_>>>, Vec<Option<&Participant>>) = (Vec::new(), Vec::new());
    for round in 1.. {
        // If neither semi-final is a bye, the two losers play for third place. They may not be known yet.
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

/// Returns the rounds of a cup in the form that answers, letters and pages show.
pub(crate) fn rounds(participants: &[Participant], boards: &[EventBoard]) -> Vec<RoundView> {
    let seated: Vec<&Participant> = participants.iter().collect();
    let userid = |of: Option<&Participant>| of.map(|of| of.player.userid.clone());
    let view = |(number, ties): (u32, Vec<CupTie<'_>>)| {
        let tie = |(slot, tie): (u32, &CupTie<'_>)| TieView {
            players: tie.players.map(userid),
            bye: tie.bye,
            games: games_at(boards, number, slot).map(|board| game_view(board, &seated)).collect(),
            winner: userid(tie.winner()),
            by_time: tie.winner().is_some() && is_drawn_twice(games_at(boards, number, slot)),
        };
        RoundView { number, ties: (1..).zip(&ties).map(tie).collect() }
    };
    (1..).zip(bracket_of(participants, boards)).map(view).collect()
}

/// Returns whether a tie was replayed, and neither game has a winner.
fn is_drawn_twice<'a>(games: impl Iterator<Item = &'a EventBoard>) -> bool {
    let drawn: Vec<bool> =
        games.map(|board| board.ended_at.is_some() && half_points(board).unwrap_or(1) == 1).collect();
    drawn.len() == 2 && drawn.iter().all(|drawn| *drawn)
}

/// Returns the place of a board in its cup, and the winner of the tie if both its games were drawn. Returns `None` for
/// a board outside cups.
pub(crate) fn cup_game(tx: &Transaction<'_>, board: BoardNumber) -> store::Result<Option<CupGame>> {
    let Some((event, edition)) = tx.event_of_board(board)? else { return Ok(None) };
    if tx.event_by_id(event)?.is_none_or(|event| event.what.kind != EventKind::Cup) {
        return Ok(None);
    }
    let (participants, boards) = (tx.participants(event, edition)?, tx.event_boards(event, edition)?);
    let Some(BoardPlace { round, slot, .. }) = boards.iter().find(|of| of.number == board).map(|of| of.place) else {
        return Ok(None);
    };
    let left = count_rounds(participants.len()).cast_unsigned().saturating_sub(round);
    let replay = games_at(&boards, round, slot).any(|of| of.number < board);
    let rounds = rounds(&participants, &boards);
    let tie = rounds.get(round as usize - 1).and_then(|of| of.ties.get(slot as usize - 1));
    let winner = tie.filter(|tie| tie.by_time).and_then(|tie| tie.winner.clone());
    Ok(Some(CupGame { round, left, third: left == 0 && slot == 2, replay, winner }))
}
