//! The check of everything that is stored: each difference is a sentence for the administrator.

use chrono::{DateTime, Utc};

use crate::clock::TimeControl;
use crate::numbers::{BoardNumber, EntryNumber, Ply};
use crate::rules::Seat;
use crate::store::chain;
use crate::store::{self, Board, BoardResult, Entry, EntryKind, ResultReason, StoreError, Transaction};

use crate::service::board::replay::ReplayedBoard;
use crate::service::board::views::BoardView;
use crate::service::board::{rate, record, view};

/// What was checked, and what differs.
#[derive(Clone, Debug, Default)]
pub struct CheckReport {
    /// Boards checked.
    pub boards: u32,
    /// Entries of their records.
    pub entries: u32,
    /// Boards that changed ratings.
    pub rated: u32,
    /// A sentence each; none, when all is well.
    pub differences: Vec<String>,
}

/// Checks every board, the ratings and the outbox. It holds one board at a time.
///
/// # Errors
/// The store's.
pub fn check(tx: &dyn Transaction) -> store::Result<CheckReport> {
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
            checked.differences.extend(unrated(&board));
        }
    }
    for (number, place) in tx.rated_boards()?.into_iter().zip(1..) {
        checked.rated = place;
        if tx.board(number)?.is_none_or(|board| board.rated_as != Some(place)) {
            checked
                .differences
                .push(format!("Board {number} is not number {place} of the boards that changed ratings."));
        }
    }
    checked.differences.extend(rate::recompute(tx)?);
    checked.differences.extend(outbox(tx)?);
    Ok(checked)
}

/// What is said of numbers that nothing has, from `next` up to before `number`: none is ever left out, unless somebody
/// has taken boards out of the database. Many in a row are one sentence.
fn gone(next: BoardNumber, number: BoardNumber) -> Vec<String> {
    match number.0.saturating_sub(next.0) {
        0..=1_000 => (next.0..number.0).map(|number| format!("Board {number} is gone.")).collect(),
        _ => vec![format!("Boards {next} to {} are gone.", number.0 - 1)],
    }
}

/// Checks one board: its record replays, is chained from what the board is, and gives all that is stored beside it.
///
/// # Errors
/// The store's.
pub fn check_board(tx: &dyn Transaction, board: &Board) -> store::Result<Vec<String>> {
    Ok(check_replay(tx, board)?.0)
}

/// Checks one board as [`check_board`] does; returns what differs, and the board for a reader to whom every entry is new
/// if its record replays.
///
/// # Errors
/// The store's.
pub fn checked_view(tx: &dyn Transaction, board: &Board) -> store::Result<(Vec<String>, Option<BoardView>)> {
    let (differences, replayed) = check_replay(tx, board)?;
    let view = replayed.map(|replayed| view::whole_view(tx, board, &replayed));
    Ok((differences, view.transpose()?))
}

fn check_replay(tx: &dyn Transaction, board: &Board) -> store::Result<(Vec<String>, Option<ReplayedBoard>)> {
    let entries = tx.entries(board.number)?;
    let mut found = Vec::new();
    let mut say = |what: String| found.push(format!("Board {}{what}", board.number));
    // Without the userid of a player who was removed, the first hash cannot be computed again.
    if let [Some(first), Some(second)] = &board.began_as
        && board.genesis != chain::genesis(&board.game, &board.options, [first, second])
    {
        say(": its first hash is not that of its game, options and players.".to_owned());
    }
    let replayed = match replay(board, &entries, &mut say) {
        Ok((replayed, end)) => {
            compare(board, &replayed, end, &mut say);
            Some(replayed)
        }
        Err(StoreError::Failed(why)) => {
            say(format!(": its record does not replay: {why}."));
            None
        }
        Err(error) => return Err(error),
    };
    let last = entries.last();
    if board.entries.0 as usize != entries.len() || board.plies != last.map_or(Ply::START, |entry| entry.ply) {
        say(": its counts of entries and plies are not those of its record.".to_owned());
    }
    if board.head != *last.map_or(&board.genesis, |entry| &entry.hash) {
        say(": its last hash is not that of its last entry.".to_owned());
    }
    if board.moved_at != last.map_or(board.created_at, |entry| entry.made_at) {
        say(": its last move was not made when it says.".to_owned());
    }
    if board.to_move.is_none() {
        let prepared = board.seats.iter().any(|s| s.plan.is_some() || s.submitted.is_some() || s.resigns);
        if board.clock.is_some() || board.proposal.is_some() || prepared {
            say(" is over, and a clock, a proposal or a plan is left.".to_owned());
        }
    } else if board.clock.is_some() && (board.time_control == TimeControl::default() || alone(board)) {
        say(" has a clock, and no time settings that it could count by.".to_owned());
    }
    if board.seats.iter().any(|seat| seat.used < chrono::TimeDelta::zero()) {
        say(": less than no time was used.".to_owned());
    }
    Ok((found, replayed))
}

/// The end of a board, by an entry or by the rules.
#[derive(PartialEq, Eq)]
struct End {
    winner: Option<Seat>,
    reason: ResultReason,
}

/// Replays a record entry by entry, with the hash chain.
fn replay(
    board: &Board,
    entries: &[Entry],
    say: &mut impl FnMut(String),
) -> store::Result<(ReplayedBoard, Option<End>)> {
    let mut replayed = ReplayedBoard::before(board, entries)?;
    let mut ended = None;
    let (mut head, mut plies) = (&board.genesis, Ply::START);
    for (entry, place) in entries.iter().zip((1..).map(EntryNumber)) {
        let mut say = |what: &str| say(format!(", entry {place}: {what}"));
        if entry.entry != place {
            say("the record leaves one out.");
        }
        if entry.hash != chain::next(head, entry.ply, &entry.text) {
            say("the hash is not that of the hash before it and of what the entry says: it was changed.");
        }
        if ended.is_some() || replayed.position().to_move().is_none() {
            say("it comes after the end.");
        }
        let fits = match entry.kind {
            EntryKind::Move => entry.seat == replayed.position().to_move() && entry.ply == plies.next(),
            EntryKind::Undo => entry.seat.is_some() && entry.ply < plies && entry.text == "undo",
            _ => {
                ended = end_of(entry);
                ended.is_some() && entry.ply == plies
            }
        };
        if !fits {
            say("it is not what could have come there.");
        }
        replayed.append(entry)?;
        (head, plies) = (&entry.hash, entry.ply);
    }
    Ok((replayed, ended))
}

/// The end that an entry records.
fn end_of(entry: &Entry) -> Option<End> {
    let (word, rest) = entry.text.split_once(' ').unwrap_or((&entry.text, ""));
    let seat = |text: &str| text.parse().ok().and_then(record::seat);
    let loser = || seat(rest).filter(|seat| Some(*seat) == entry.seat);
    match (entry.kind, word) {
        (EntryKind::Resign, "resign") => {
            Some(End { winner: Some(loser()?.other()), reason: ResultReason::Resignation })
        }
        (EntryKind::Forfeit, "forfeit") => Some(End { winner: Some(loser()?.other()), reason: ResultReason::Time }),
        (EntryKind::Draw, "draw") => entry.seat.map(|_| End { winner: None, reason: ResultReason::Agreement }),
        (EntryKind::Adjudge, "adjudge") => {
            let (who, why) = rest.split_once(' ')?;
            let winner = if who == "draw" { None } else { Some(seat(who)?) };
            Some(End { winner, reason: ResultReason::Adjudication(why.to_owned()) })
        }
        _ => None,
    }
}

/// Compares what is stored with where the record has led.
fn compare(board: &Board, replayed: &ReplayedBoard, ended: Option<End>, say: &mut impl FnMut(String)) {
    let by_rules = replayed.position().outcome().map(|outcome| {
        let reason = ResultReason::Rules(outcome.reason.as_str().to_owned());
        End { winner: outcome.winner, reason }
    });
    let end = ended.or(by_rules);
    let stored = board.result.clone().map(|BoardResult { winner, reason, .. }| End { winner, reason });
    // Before turnpost kept entries, a resignation was none; nothing was rated then.
    let before_entries =
        !board.rated && matches!(&stored, Some(End { winner: Some(_), reason: ResultReason::Resignation }));
    if stored != end && !(end.is_none() && before_entries) {
        say(match end {
            Some(End { winner, reason }) => format!(
                ": its record ends with {} ({reason}), and its result is another one.",
                winner.map_or("a draw", |seat| if seat == Seat::First {
                    "the first seat's win"
                } else {
                    "the second seat's win"
                })
            ),
            None => " has a result, and neither its rules nor its last entry end it.".to_owned(),
        });
    }
    if board.declined && stored.is_some() {
        say(" was taken out of play and has a result.".to_owned());
    }
    let to_move = replayed.position().to_move().filter(|_| stored.is_none() && !board.declined);
    if board.to_move != to_move {
        say(": it is not the turn of whose turn it says it is.".to_owned());
    }
}

/// Whether the end of a board must have changed ratings.
pub(in crate::service) fn counts(board: &Board) -> bool {
    board.rated && board.result.is_some() && !board.declined && !alone(board)
}

/// Whether it is a board against oneself.
fn alone(board: &Board) -> bool {
    board.players[0].id == board.players[1].id
}

fn unrated(board: &Board) -> Option<String> {
    match (counts(board), board.rated_as) {
        (true, None) => Some(format!("Board {} is rated and over, and changed no ratings.", board.number)),
        (false, Some(_)) => Some(format!("Board {} changed ratings, and must not.", board.number)),
        _ => None,
    }
}

fn outbox(tx: &dyn Transaction) -> store::Result<Vec<String>> {
    let ever: DateTime<Utc> = DateTime::from_timestamp(253_402_300_799, 0).unwrap_or(DateTime::<Utc>::MAX_UTC);
    let mut due = tx.loose_notices(ever, u32::MAX)?;
    due.extend(tx.due_letters(ever, u32::MAX)?.into_iter().flatten());
    let both = due.iter().filter(|notice| notice.due_at.is_some() && notice.sent_at.is_some());
    Ok(both.map(|notice| format!("Letter {} is due, and sent already.", notice.id.0)).collect())
}
