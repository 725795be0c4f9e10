//! Checks the stored boards, ratings and letters. Each difference between the records of the boards and other stored
//! data becomes a message for the administrator.

use crate::clock::TimeControl;
use crate::message;
use crate::numbers::{BoardNumber, EntryNumber, Ply};
use crate::store::{
    self, Board, BoardResult, Entry, EntryKind, NoResult, ResultReason, StoreError, Transaction, genesis_hash,
    next_hash,
};
use crate::text::Message;

use crate::service::board::clocks::NEVER;
use crate::service::board::replay::{End, ReplayedBoard, end_of};
use crate::service::board::views::BoardView;
use crate::service::board::{rate, view};

/// The result of a check.
#[derive(Clone, Debug, Default)]
pub struct CheckReport {
    /// The number of checked boards.
    pub boards: u32,
    /// The total number of entries of the checked boards.
    pub entries: u32,
    /// The number of boards that changed ratings.
    pub rated: u32,
    /// The differences; empty if everything is correct.
    pub differences: Vec<Message>,
}

/// Checks every board, the ratings and the outbox. Holds only one board in memory.
///
/// # Errors
/// If the store fails.
pub fn check(tx: &Transaction<'_>) -> store::Result<CheckReport> {
    let mut checked = CheckReport::default();
    let mut next = BoardNumber(1);
    for item in store::numbered(tx)? {
        let store::Numbered { number, board, .. } = item?;
        checked.differences.extend(gone(next, number));
        next = BoardNumber(number.0.saturating_add(1));
        if let Some(board) = board {
            checked.boards += 1;
            checked.entries += board.entries.0;
            checked.differences.extend(check_board(tx, &board)?);
            checked.differences.extend(unrated(tx, &board)?);
        }
    }
    for (number, place) in tx.rated_boards()?.into_iter().zip(1..) {
        checked.rated = place;
        if tx.board(number)?.is_none_or(|board| board.rated_as != Some(place)) {
            checked.differences.push(message!("check.rated-order", board = number, place));
        }
    }
    checked.differences.extend(rate::recompute(tx)?);
    checked.differences.extend(outbox(tx)?);
    Ok(checked)
}

/// Reports the board numbers from `next` that are missing before `number`. The server never skips a number, so these
/// boards were removed from the database. More than 1,000 missing numbers become one message.
fn gone(next: BoardNumber, number: BoardNumber) -> Vec<Message> {
    match number.0.saturating_sub(next.0) {
        0..=1_000 => (next.0..number.0).map(|board| message!("check.gone", board)).collect(),
        _ => vec![message!("check.many-gone", first = next, last = number.0 - 1)],
    }
}

/// Checks one board: it must be possible to replay its record, the hash chain must be valid, and all other stored data
/// must agree with the record.
///
/// # Errors
/// If the store fails.
pub fn check_board(tx: &Transaction<'_>, board: &Board) -> store::Result<Vec<Message>> {
    Ok(check_replay(tx, board)?.0)
}

/// Checks one board like [`check_board`]. Returns the differences and, if the record can be replayed, a view of the
/// board with all entries as its news.
///
/// # Errors
/// If the store fails.
pub fn checked_view(tx: &Transaction<'_>, board: &Board) -> store::Result<(Vec<Message>, Option<BoardView>)> {
    let (differences, replayed) = check_replay(tx, board)?;
    let view = replayed.map(|replayed| view::whole_view(tx, board, &replayed));
    Ok((differences, view.transpose()?))
}

fn check_replay(tx: &Transaction<'_>, board: &Board) -> store::Result<(Vec<Message>, Option<ReplayedBoard>)> {
    let entries = tx.entries(board.number)?;
    let mut found = Vec::new();
    let mut say = |difference: Message| found.push(difference.with("board", board.number));
    // Without the userid of a removed player, the first hash cannot be recomputed.
    if let [Some(first), Some(second)] = &board.began_as
        && board.genesis != genesis_hash(&board.game, &board.options, [first, second])
    {
        say(message!("check.first-hash"));
    }
    let replayed = match replay(board, &entries, &mut say) {
        Ok(replayed) => {
            compare(board, &replayed, &mut say);
            Some(replayed)
        }
        Err(StoreError::WrongRecord(why)) => {
            say(message!("check.no-replay", why));
            None
        }
        Err(error) => return Err(error),
    };
    let last = entries.last();
    if board.entries.0 as usize != entries.len() || board.plies != last.map_or(Ply::START, |entry| entry.ply) {
        say(message!("check.counts"));
    }
    if board.head != *last.map_or(&board.genesis, |entry| &entry.hash) {
        say(message!("check.last-hash"));
    }
    if board.moved_at != last.map_or(board.created_at, |entry| entry.made_at) {
        say(message!("check.last-time"));
    }
    if board.to_move.is_none() {
        let prepared = board.seats.iter().any(|s| s.plan.is_some() || s.submitted.is_some());
        if board.clock.is_some() || board.proposal.is_some() || prepared {
            say(message!("check.left-over"));
        }
    } else if board.clock.is_some() && (board.terms.time_control == TimeControl::default() || board.is_alone()) {
        say(message!("check.clock-without-limits"));
    }
    if board.seats.iter().any(|seat| seat.used < chrono::TimeDelta::zero()) {
        say(message!("check.negative-time"));
    }
    Ok((found, replayed))
}

/// Replays a record entry by entry, and verifies the hash chain.
fn replay(board: &Board, entries: &[Entry], say: &mut impl FnMut(Message)) -> store::Result<ReplayedBoard> {
    let mut replayed = ReplayedBoard::before(board, entries)?;
    let (mut head, mut plies) = (&board.genesis, Ply::START);
    for (entry, place) in entries.iter().zip((1..).map(EntryNumber)) {
        let mut say = |difference: Message| say(difference.with("entry", place));
        if entry.entry != place {
            say(message!("check.entry-left-out"));
        }
        if entry.hash != next_hash(head, entry.ply, &entry.text) {
            say(message!("check.entry-changed"));
        }
        let is_over = replayed.ended().is_some() || replayed.position().to_move().is_none();
        if is_over && !matches!(entry.kind, EntryKind::Reopen | EntryKind::Void) {
            say(message!("check.entry-after-end"));
        }
        let fits = match entry.kind {
            EntryKind::Move => entry.seat == replayed.position().to_move() && entry.ply == plies.next(),
            EntryKind::Undo => entry.seat.is_some() && entry.ply < plies && entry.text == "undo",
            EntryKind::Reopen => entry.ply == plies && entry.text.starts_with("reopen "),
            _ => entry.ply == plies && end_of(entry).is_some(),
        };
        if !fits {
            say(message!("check.entry-misfit"));
        }
        replayed.append(entry)?;
        (head, plies) = (&entry.hash, entry.ply);
    }
    Ok(replayed)
}

/// Compares the stored data with the result of the replay.
fn compare(board: &Board, replayed: &ReplayedBoard, say: &mut impl FnMut(Message)) {
    let end = replayed.result();
    let stored = board.result.clone().map(|BoardResult { winner, reason, .. }| (winner, reason));
    // Early versions of turnpost stored no entries. Their boards have no entry for a resignation, and are not rated.
    let before_entries = !board.terms.flags.rated && matches!(&stored, Some((Some(_), ResultReason::Resignation)));
    if stored != end && !(end.is_none() && before_entries) {
        say(match end {
            Some((winner, reason)) => {
                // The number of the winning seat; 0 for a draw.
                let seat = winner.map_or(0, |seat| seat.index() + 1);
                message!("check.another-result", seat, reason = reason.to_string())
            }
            None => message!("check.result-without-end"),
        });
    }
    if board.no_result.is_some() && stored.is_some() {
        say(message!("check.declined-with-result"));
    }
    if (board.no_result == Some(NoResult::Void)) != (replayed.ended() == Some(&End::Void)) {
        say(message!("check.void"));
    }
    if (board.no_result == Some(NoResult::Abandoned)) != (replayed.ended() == Some(&End::Abandoned)) {
        say(message!("check.abandoned"));
    }
    let open = stored.is_none() && board.no_result.is_none();
    if board.to_move != replayed.position().to_move().filter(|_| open) {
        say(message!("check.turn"));
    }
}

/// Returns whether the end of a board changes ratings, unless it is a later forfeit or an unanswered resignation.
pub(crate) fn counts(board: &Board) -> bool {
    board.terms.flags.rated && board.result.is_some() && board.no_result.is_none() && !board.is_alone()
}

fn unrated(tx: &Transaction<'_>, board: &Board) -> store::Result<Option<Message>> {
    Ok(match (counts(board), board.rated_as) {
        (true, None) if !rate::may_be_later_forfeit(tx, board)? && !rate::is_resigned_unanswered(tx, board)? => {
            Some(message!("check.changed-no-ratings", board = board.number))
        }
        (false, Some(_)) => Some(message!("check.changed-ratings", board = board.number)),
        _ => None,
    })
}

fn outbox(tx: &Transaction<'_>) -> store::Result<Vec<Message>> {
    let mut due = tx.loose_notices(NEVER, u32::MAX)?;
    due.extend(tx.due_letters(NEVER, u32::MAX, None)?.into_iter().flatten());
    let both = due.iter().filter(|notice| notice.due_at.is_some() && notice.sent_at.is_some());
    Ok(both.map(|notice| message!("check.sent-and-due", letter = notice.id.0)).collect())
}
