//! Ratings: updated when a rated board ends, and recomputed from the boards.

use std::collections::BTreeMap;

use chrono::TimeDelta;

use crate::clock::Span;
use crate::message;
use crate::numbers::BoardNumber;
use crate::rating::{Rating, rate as rated};
use crate::rules::Seat;
use crate::store::{
    self, Board, Entry, EntryKind, PlayerId, PlayerRef, RatingChange, ResultReason, Standing, Transaction,
};
use crate::text::Message;

/// If an absent player loses several boards on time within this period, only the first one changes ratings.
const FORFEITS: TimeDelta = TimeDelta::days(30);

/// Updates the players' ratings after a board has ended, if it is rated.
pub(crate) fn rate(tx: &mut Transaction<'_>, board: &Board) -> store::Result<()> {
    let [first, second] = &board.players;
    let Some(result) = board.result.as_ref().filter(|_| board.terms.flags.rated && first.id != second.id) else {
        return Ok(());
    };
    if is_later_forfeit(tx, board)? {
        return Ok(());
    }
    let mut standings = [standing(tx, &board.game, first)?, standing(tx, &board.game, second)?];
    let changes = apply(&mut standings, result.winner);
    for standing in &standings {
        tx.set_standing(standing)?;
    }
    tx.rate_board(board.number, &changes)
}

/// Returns whether a board was lost on time by a player who lost another rated board on time within [`FORFEITS`]
/// before, and did not act on any board in between. One absence changes ratings only once.
fn is_later_forfeit(tx: &Transaction<'_>, board: &Board) -> store::Result<bool> {
    let Some((loser, before)) = forfeit(board) else { return Ok(false) };
    tx.forfeited_before(loser, board.number, &before)
}

/// Returns whether a board may have been lost during an absence that had already changed ratings. Does not check
/// whether the loser acted in between, because a later merge of two accounts may have added such acts.
pub(crate) fn may_be_later_forfeit(tx: &Transaction<'_>, board: &Board) -> store::Result<bool> {
    let Some((loser, before)) = forfeit(board) else { return Ok(false) };
    Ok(tx.last_forfeit(loser, board.number, &before)?.is_some())
}

/// Returns whether the challenger of a board resigned while the challenged player had not moved and could still decline
/// the board. Such an end changes no ratings, because only one of the players has agreed to the game. The boards of
/// events and open challenges were accepted by both.
pub(crate) fn is_resigned_unanswered(tx: &Transaction<'_>, board: &Board) -> store::Result<bool> {
    let resigned = board.result.as_ref().filter(|result| result.reason == ResultReason::Resignation);
    let Some(winner) = resigned.and_then(|result| result.winner) else { return Ok(false) };
    let loser = board.players[winner.other().index()].id;
    if board.challenger != Some(loser) || board.event.is_some() || tx.open_challenge(board.number)?.is_some() {
        return Ok(false);
    }
    let is_answer = |entry: &Entry| entry.kind == EntryKind::Move && entry.seat == Some(winner);
    Ok(!tx.entries(board.number)?.iter().any(is_answer))
}

/// Returns the player who lost a board on time, and the period of [`FORFEITS`] before the loss.
fn forfeit(board: &Board) -> Option<(PlayerId, Span)> {
    let result = board.result.as_ref().filter(|result| result.reason == ResultReason::Time)?;
    let loser = board.players[result.winner?.other().index()].id;
    Some((loser, Span { from: result.ended_at - FORFEITS, until: result.ended_at }))
}

/// Reverts the effect of a board's end on ratings. The boards that ended later are rated again in order, without this
/// board.
pub(crate) fn take_back(tx: &mut Transaction<'_>, board: &Board) -> store::Result<()> {
    let Some(position) = board.rated_as else { return Ok(()) };
    // Find these boards first: afterwards, boards whose changes were reverted look unrated, too.
    let forfeits = forfeits_after(tx, board)?;
    let mut later = un_rate_from(tx, position)?;
    later.retain(|number| *number != board.number);
    for number in forfeits {
        insert_by_end(tx, &mut later, number)?;
    }
    rate_again(tx, &later)
}

/// Returns the boards that the loser of a board lost on time later and that changed no ratings. Without that board,
/// they may change ratings.
fn forfeits_after(tx: &Transaction<'_>, board: &Board) -> store::Result<Vec<BoardNumber>> {
    let Some((loser, before)) = forfeit(board) else { return Ok(Vec::new()) };
    tx.unrated_forfeits(loser, board.number, before.until)
}

/// Inserts a board before the first one that ended later.
fn insert_by_end(tx: &Transaction<'_>, boards: &mut Vec<BoardNumber>, number: BoardNumber) -> store::Result<()> {
    let ended_at = |number: BoardNumber| -> store::Result<_> {
        Ok(tx.board(number)?.and_then(|board| board.result).map(|result| result.ended_at))
    };
    let own = ended_at(number)?;
    for at in 0..boards.len() {
        if ended_at(boards[at])? > own {
            boards.insert(at, number);
            return Ok(());
        }
    }
    boards.push(number);
    Ok(())
}

/// Reverts the rating changes of all rated boards from this position in their order onwards. Returns these boards in
/// order.
pub(crate) fn un_rate_from(tx: &mut Transaction<'_>, position: u32) -> store::Result<Vec<BoardNumber>> {
    let from: Vec<BoardNumber> = tx.rated_boards()?.into_iter().skip(position as usize - 1).collect();
    for number in from.iter().rev() {
        un_rate(tx, *number)?;
    }
    tx.unrate_from(position)?;
    Ok(from)
}

/// Rates boards again, in order, after their changes were reverted.
pub(crate) fn rate_again(tx: &mut Transaction<'_>, boards: &[BoardNumber]) -> store::Result<()> {
    for number in boards {
        if let Some(board) = tx.board(*number)? {
            rate(tx, &board)?;
        }
    }
    Ok(())
}

/// Restores the standings that the players had before a board. No later board may have changed them.
fn un_rate(tx: &mut Transaction<'_>, number: BoardNumber) -> store::Result<()> {
    let (board, changes) = (tx.board(number)?, tx.rating_changes(number)?);
    let Some(((board, result), changes)) = board.and_then(|board| Some((board.clone(), board.result?))).zip(changes)
    else {
        return Ok(());
    };
    for seat in Seat::BOTH {
        let player = &board.players[seat.index()];
        let mut standing = standing(tx, &board.game, player)?;
        standing.rating = changes[seat.index()].before;
        let count = match result.winner {
            None => &mut standing.draws,
            Some(winner) if winner == seat => &mut standing.wins,
            Some(_) => &mut standing.losses,
        };
        *count = count.saturating_sub(1);
        match standing.wins + standing.losses + standing.draws {
            0 => tx.remove_standing(&board.game, player.id)?,
            _ => tx.set_standing(&standing)?,
        }
    }
    Ok(())
}

fn standing(tx: &Transaction<'_>, game: &str, player: &PlayerRef) -> store::Result<Standing> {
    Ok(tx.standing(game, player.id)?.unwrap_or_else(|| fresh(game, player)))
}

fn fresh(game: &str, player: &PlayerRef) -> Standing {
    Standing { game: game.to_owned(), player: player.clone(), rating: Rating::default(), wins: 0, losses: 0, draws: 0 }
}

fn apply(standings: &mut [Standing; 2], winner: Option<Seat>) -> [RatingChange; 2] {
    let before = [standings[0].rating, standings[1].rating];
    let after = rated(before, winner);
    for seat in Seat::BOTH {
        let standing = &mut standings[seat.index()];
        standing.rating = after[seat.index()];
        match winner {
            None => standing.draws += 1,
            Some(winner) if winner == seat => standing.wins += 1,
            Some(_) => standing.losses += 1,
        }
    }
    Seat::BOTH.map(|seat| RatingChange { before: before[seat.index()], after: after[seat.index()] })
}

/// Recomputes every rating from the rated boards, in the order in which they ended. Returns the differences from the
/// stored ratings.
///
/// # Errors
/// If the store fails.
pub fn recompute(tx: &Transaction<'_>) -> store::Result<Vec<Message>> {
    let mut standings: BTreeMap<(String, PlayerId), Standing> = BTreeMap::new();
    let mut differences = Vec::new();
    for number in tx.rated_boards()? {
        let board = tx.board(number)?;
        let Some((board, result)) = board.and_then(|board| Some((board.clone(), board.result?))) else {
            differences.push(message!("check.rated-not-ended", board = number));
            continue;
        };
        let of = |standings: &BTreeMap<(String, PlayerId), Standing>, seat: usize| {
            let player = &board.players[seat];
            let known = standings.get(&(board.game.clone(), player.id)).cloned();
            known.unwrap_or_else(|| fresh(&board.game, player))
        };
        let mut both = [of(&standings, 0), of(&standings, 1)];
        let changes = apply(&mut both, result.winner);
        if tx.rating_changes(number)? != Some(changes) {
            differences.push(message!("check.rated-otherwise", board = number));
        }
        for standing in both {
            standings.insert((standing.game.clone(), standing.player.id), standing);
        }
    }
    let mut stored = BTreeMap::new();
    for game in crate::rules::catalogue::GAMES {
        for standing in tx.standings(game.name())? {
            stored.insert((standing.game.clone(), standing.player.id), standing);
        }
    }
    for (key, standing) in &standings {
        if stored.get(key) != Some(standing) {
            differences.push(message!("check.rating", userid = &standing.player.userid, game = &standing.game));
        }
    }
    for (key, standing) in &stored {
        if !standings.contains_key(key) {
            differences.push(message!(
                "check.rating-without-board",
                userid = &standing.player.userid,
                game = &standing.game
            ));
        }
    }
    differences.extend(tx.miscounted_ratings()?.iter().map(|game| message!("check.miscounted-ratings", game = game)));
    Ok(differences)
}
