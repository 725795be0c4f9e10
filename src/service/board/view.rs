//! Builds views from stored boards.

use chrono::{DateTime, Utc};

use crate::command::ChatReaders;
use crate::numbers::{BoardNumber, EntryNumber, Ply};
use crate::rules::{Seat, catalogue};
use crate::store::{self, Board, Comment, OpenChallenge, ShownTo, Transaction};
use crate::token::Invitation;

use crate::service::board::clocks;
use crate::service::board::replay::ReplayedBoard;
use crate::service::board::views::{
    AwayView, BoardRow, BoardView, CommentView, OfferView, ProposalView, RatingView, ResultView,
};

/// The requested state of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AsOf {
    /// The current state.
    Now,
    /// After this many entries of the record.
    Entry(EntryNumber),
    /// After this many of the current plies.
    Ply(Ply),
}

/// Returns a view of the board in the requested state, with the entries after `since` as its news (only the last entry,
/// if `since` is `None`). Returns `None` if the board or the state does not exist. The caller adds the current clock
/// and proposal.
///
/// # Errors
/// If the store fails.
pub fn board_view(
    tx: &Transaction<'_>,
    number: BoardNumber,
    as_of: AsOf,
    since: Option<EntryNumber>,
    plain: bool,
) -> store::Result<Option<BoardView>> {
    let Some(board) = tx.board(number)? else { return Ok(None) };
    let entries = tx.entries(number)?;
    let (replayed, present) = match as_of {
        AsOf::Now => (ReplayedBoard::after(&board, &entries)?, true),
        AsOf::Entry(entry) if entry <= board.entries => {
            (ReplayedBoard::after(&board, &entries[..entry.0 as usize])?, entry == board.entries)
        }
        AsOf::Ply(ply) if ply <= board.plies => {
            (ReplayedBoard::after_plies(&board, &entries, ply)?, ply == board.plies)
        }
        AsOf::Entry(_) | AsOf::Ply(_) => return Ok(None),
    };
    let mut view = replayed_view(tx, &board, &replayed, since, plain)?;
    if present {
        add_end(tx, &board, &mut view)?;
    }
    Ok(Some(view))
}

/// Returns a view of the current board without its clock and proposal, with all entries as its news.
pub(crate) fn whole_view(tx: &Transaction<'_>, board: &Board, replayed: &ReplayedBoard) -> store::Result<BoardView> {
    let mut view = replayed_view(tx, board, replayed, Some(EntryNumber::START), true)?;
    add_end(tx, board, &mut view)?;
    Ok(view)
}

/// Returns a view of the current board with its clock and proposal, and with the entries after `since` as its news
/// (only the last entry, if `since` is `None`).
pub(crate) fn present_view(
    tx: &Transaction<'_>,
    board: &Board,
    replayed: &ReplayedBoard,
    since: Option<EntryNumber>,
    now: DateTime<Utc>,
) -> store::Result<BoardView> {
    let mut view = replayed_view(tx, board, replayed, since, false)?;
    add_end(tx, board, &mut view)?;
    add_present(tx, board, &mut view, now)?;
    Ok(view)
}

/// Replays a stored board, and returns its [`present_view`] with the last entry as its news.
pub(crate) fn stored_view(tx: &Transaction<'_>, board: &Board, now: DateTime<Utc>) -> store::Result<BoardView> {
    present_view(tx, board, &ReplayedBoard::after(board, &tx.entries(board.number)?)?, None, now)
}

/// Adds the parts of the current state that the record does not contain, such as the clock and the proposal.
pub(crate) fn add_present(
    tx: &Transaction<'_>,
    board: &Board,
    view: &mut BoardView,
    now: DateTime<Utc>,
) -> store::Result<()> {
    view.clock = clocks::view(tx, board, now)?;
    view.away = away(tx, board, now)?;
    view.proposal = proposal(board);
    Ok(())
}

/// Returns the players on vacation; none if the board has ended or has more than one ply.
pub(crate) fn away(tx: &Transaction<'_>, board: &Board, now: DateTime<Utc>) -> store::Result<Vec<AwayView>> {
    let mut away = Vec::new();
    if board.to_move.is_none() || board.plies > Ply(1) {
        return Ok(away);
    }
    for seated in &board.players {
        let vacations = tx.vacations(seated.id)?.into_iter();
        let until = vacations.filter(|span| span.contains(now)).map(|span| span.until).max();
        away.extend(until.map(|until| AwayView { userid: seated.userid.clone(), until }));
    }
    Ok(away)
}

fn replayed_view(
    tx: &Transaction<'_>,
    board: &Board,
    replayed: &ReplayedBoard,
    since: Option<EntryNumber>,
    plain: bool,
) -> store::Result<BoardView> {
    let last = replayed.record().last();
    let mut view = replayed.view(plain);
    view.number = board.number;
    view.flags = board.terms.flags;
    view.rematch_of = board.rematch_of;
    view.event.clone_from(&board.event);
    view.no_result = board.no_result;
    view.entries = last.map_or(EntryNumber::START, |entry| entry.entry);
    let challenger = board.players.iter().find(|seated| Some(seated.id) == board.challenger);
    view.challenger = challenger.map(|seated| seated.userid.clone());
    view.hash = last.map_or_else(|| board.genesis.clone(), |entry| entry.hash.clone());
    let since = since.unwrap_or(view.entries.previous());
    view.news = replayed.record().iter().filter(|entry| entry.entry > since).cloned().collect();
    view.comments = comments(tx, board, Some(since), view.entries)?;
    Ok(view)
}

/// Sets the player to move, the aim after the end, and the result with its rating changes, from the stored board.
pub(crate) fn add_end(tx: &Transaction<'_>, board: &Board, view: &mut BoardView) -> store::Result<()> {
    view.to_move = board.to_move.map(|seat| board.players[seat.index()].userid.clone());
    view.result = result_view(tx, board)?;
    if view.to_move.is_none() {
        view.aim = view.position()?.aim_after_the_end();
    }
    Ok(())
}

/// Returns the comments on the entries after `since` up to `entry`; on all entries up to `entry` if `since` is `None`.
/// If `entry` is 0, returns the comments on the challenge.
pub(crate) fn comments(
    tx: &Transaction<'_>,
    board: &Board,
    since: Option<EntryNumber>,
    entry: EntryNumber,
) -> store::Result<Vec<CommentView>> {
    let after = |comment: &Comment| since.is_none_or(|since| comment.entry > since || entry == EntryNumber::START);
    let new = |comment: &Comment| comment.entry <= entry && after(comment);
    let view = |comment: Comment| {
        let writer = board.players.iter().find(|seated| seated.id == comment.player);
        let userid = writer.map_or_else(String::new, |seated| seated.userid.clone());
        CommentView { userid, text: comment.text, said_at: Some(comment.said_at) }
    };
    Ok(tx.comments(board.number)?.into_iter().filter(new).map(view).collect())
}

/// Returns whether only the players and the administrator may read a board's chat.
pub(crate) fn has_private_chat(tx: &Transaction<'_>, board: &Board) -> store::Result<bool> {
    let mut private = board.terms.flags.private;
    for seated in &board.players {
        let player = tx.player_by_id(seated.id)?;
        private |= player.is_some_and(|player| player.settings.chat == ChatReaders::Players);
    }
    Ok(private)
}

/// Returns whether a board's chat is hidden from this reader.
pub(crate) fn hides_chat(tx: &Transaction<'_>, board: &Board, reader: ShownTo) -> store::Result<bool> {
    match reader {
        ShownTo::Administrator => Ok(false),
        ShownTo::Player(reader) if board.plays(reader) => Ok(false),
        ShownTo::Player(_) | ShownTo::Everybody => has_private_chat(tx, board),
    }
}

/// Returns the userids whose comments on a board a reader does not see: those of all writers if the chat is hidden, or
/// else those of the players whom the reader has blocked.
pub(crate) fn hidden_writers(tx: &Transaction<'_>, board: &Board, reader: ShownTo) -> store::Result<Vec<String>> {
    if hides_chat(tx, board, reader)? {
        let writers = board.players.iter().map(|seated| seated.userid.clone());
        return Ok(writers.chain([String::new()]).collect());
    }
    let ShownTo::Player(reader) = reader else { return Ok(Vec::new()) };
    Ok(tx.blocked_by(reader)?.into_iter().map(|blocked| blocked.userid).collect())
}

/// Removes the comments that a reader does not see.
pub(crate) fn hide_comments(
    tx: &Transaction<'_>,
    board: &Board,
    reader: ShownTo,
    comments: &mut Vec<CommentView>,
) -> store::Result<()> {
    if !comments.is_empty() {
        let hidden = hidden_writers(tx, board, reader)?;
        comments.retain(|comment| !hidden.contains(&comment.userid));
    }
    Ok(())
}

/// Returns a board as a row of a list.
pub(crate) fn row(tx: &Transaction<'_>, board: &Board) -> store::Result<BoardRow> {
    Ok(BoardRow {
        number: board.number,
        game: board.game.clone(),
        title: game_title(&board.game).to_owned(),
        options: board.options.clone(),
        players: board.players.clone().map(|seated| seated.userid),
        plies: board.plies,
        to_move: board.to_move.map(|seat| board.players[seat.index()].userid.clone()),
        result: result_view(tx, board)?,
        no_result: board.no_result,
        moved_at: board.moved_at,
    })
}

fn result_view(tx: &Transaction<'_>, board: &Board) -> store::Result<Option<ResultView>> {
    let Some(result) = &board.result else { return Ok(None) };
    let userid = |seat: Seat| board.players[seat.index()].userid.clone();
    let mut ratings = Vec::new();
    for (seat, change) in Seat::BOTH.into_iter().zip(tx.rating_changes(board.number)?.into_iter().flatten()) {
        ratings.push(RatingView {
            userid: userid(seat),
            before: change.before.rating.round() as i64,
            after: change.after.rating.round() as i64,
            deviation: change.after.deviation.round() as i64,
            provisional: change.after.provisional(),
        });
    }
    Ok(Some(ResultView {
        winner: result.winner.map(userid),
        loser: result.winner.map(Seat::other).map(userid),
        reason: result.reason.clone(),
        ratings,
    }))
}

pub(crate) fn proposal(board: &Board) -> Option<ProposalView> {
    let proposal = board.proposal?;
    Some(ProposalView { kind: proposal.kind, by: board.players[proposal.by.index()].userid.clone() })
}

/// Returns the view of an open challenge, without its invitation.
pub(crate) fn offer_view(challenge: &OpenChallenge) -> OfferView {
    OfferView {
        number: challenge.number,
        game: challenge.game.clone(),
        title: game_title(&challenge.game).to_owned(),
        options: challenge.options.clone(),
        challenger: challenge.challenger.userid.clone(),
        first: challenge.seat == Seat::First,
        flags: challenge.terms.flags,
        invitation: None,
        nag_days: challenge.terms.time_control.nag,
        forfeit_days: challenge.terms.time_control.forfeit,
        total_days: challenge.terms.time_control.total,
        fischer: challenge.terms.time_control.fischer,
        comment: challenge.comment.clone(),
        created_at: challenge.created_at,
        closed: challenge.closed_at.is_some(),
    }
}

/// Returns the view of an open challenge, with the invitation if the challenge is private. Only the creator and the
/// administrator may see that.
pub(crate) fn own_offer_view(tx: &Transaction<'_>, challenge: &OpenChallenge) -> store::Result<OfferView> {
    let invitation = match challenge.terms.flags.private {
        true => Some(Invitation { challenge: challenge.number }.sign(&tx.reply_key()?)),
        false => None,
    };
    Ok(OfferView { invitation, ..offer_view(challenge) })
}

/// Returns the title of a game by its name in the catalogue.
pub(crate) fn game_title(name: &str) -> &str {
    catalogue::find(name).map_or(name, |game| game.title())
}
