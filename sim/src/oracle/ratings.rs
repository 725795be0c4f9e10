//! Recomputes ratings in the order in which boards ended.

use std::collections::BTreeMap;

use anyhow::{Context, ensure};

use turnpost::rating::{self, Rating};
use turnpost::rules::Seat;
use turnpost::rules::catalogue::GAMES;
use turnpost::store::{Board, Entry, EntryKind, PlayerId, ResultReason, Transaction};

/// A player's computed rating and results in one game.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
struct Computed {
    rating: Rating,
    /// The numbers of won, lost and drawn games.
    results: [u32; 3],
}

/// Returns whether a challenger resigned before the opponent had moved.
fn is_resigned_unanswered(tx: &Transaction<'_>, board: &Board) -> bool {
    let resigned = board.result.as_ref().filter(|result| result.reason == ResultReason::Resignation);
    let Some(winner) = resigned.and_then(|result| result.winner) else { return false };
    let is_answer = |entry: &Entry| entry.kind == EntryKind::Move && entry.seat == Some(winner);
    board.challenger == Some(board.players[winner.other().index()].id)
        && tx.entries(board.number).is_ok_and(|entries| !entries.iter().any(is_answer))
}

/// Compares every stored rating with the computed one. Also checks that no rating decreases after a win or increases
/// after a loss.
pub(crate) fn check(tx: &Transaction<'_>) -> anyhow::Result<()> {
    let mut ended = tx.boards(None, None, false)?;
    ended.retain(|board| {
        board.terms.flags.rated && board.result.is_some() && board.players[0].id != board.players[1].id
    });
    // If an absent player loses several boards on time, only the first is rated.
    let by_clock = |board: &Board| board.result.as_ref().is_some_and(|result| result.reason == ResultReason::Time);
    ended.retain(|board| board.rated_as.is_some() || !by_clock(board));
    // A challenger's resignation before the opponent's first move changes no ratings.
    ended.retain(|board| board.rated_as.is_some() || !is_resigned_unanswered(tx, board));
    let unrated = ended.iter().find(|board| board.rated_as.is_none());
    ensure!(unrated.is_none(), "board {} ended without changing a rating", unrated.map_or(0, |board| board.number.0));
    ended.sort_by_key(|board| board.rated_as);
    let mut computed: BTreeMap<(String, PlayerId), Computed> = BTreeMap::new();
    for (place, board) in (1..).zip(&ended) {
        let number = board.number;
        ensure!(board.rated_as == Some(place), "board {number} is not number {place} of the rated boards");
        let winner = board.result.as_ref().and_then(|result| result.winner);
        let key = |seat: Seat| (board.game.clone(), board.players[seat.index()].id);
        let mut both = Seat::BOTH.map(|seat| computed.get(&key(seat)).copied().unwrap_or_default());
        let before = both.map(|standing| standing.rating);
        let after = rating::rate(before, winner);
        for seat in Seat::BOTH {
            let moved = after[seat.index()].rating - before[seat.index()].rating;
            let other = before[seat.other().index()].rating - before[seat.index()].rating;
            let (sense, result) = match winner {
                Some(winner) if winner == seat => (moved >= 0.0, 0),
                Some(_) => (moved <= 0.0, 1),
                None => (moved * other >= 0.0 && moved.abs() <= other.abs() + 1.0, 2),
            };
            ensure!(sense, "board {number} moved a rating by {moved} in the wrong direction");
            both[seat.index()].rating = after[seat.index()];
            both[seat.index()].results[result] += 1;
            computed.insert(key(seat), both[seat.index()]);
        }
    }
    let mut stored = 0;
    for game in GAMES {
        for standing in tx.standings(game.name())? {
            let key = (standing.game.clone(), standing.player.id);
            let expected = computed.get(&key).context("a player with a standing has no rated board")?;
            let found = Computed { rating: standing.rating, results: [standing.wins, standing.losses, standing.draws] };
            ensure!(found == *expected, "{} in {}: {found:?}, not {expected:?}", standing.player.userid, standing.game);
            stored += 1;
        }
    }
    ensure!(stored == computed.len(), "{stored} standings are stored, but {} are expected", computed.len());
    Ok(())
}
