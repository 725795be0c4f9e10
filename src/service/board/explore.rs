//! Explores a board: the position after any ply, and after unplayed moves.

use crate::message;
use crate::numbers::{BoardNumber, Ply};
use crate::rules::scene::Scene;
use crate::rules::{MoveList, Play, Refusal, Seat};
use crate::store::{self, Board, Entry, NoResult, Player, PlayerId, Transaction};
use crate::text::Message;

use super::robots::hint_for;
use crate::service::board::find::{may_see_challenge, shown_to};
use crate::service::board::open::has_moved;
use crate::service::board::players::standing_row;
use crate::service::board::replay::{ReplayedBoard, standing_moves};
use crate::service::board::views::{BoardView, EntryView, PlanLine, StandingRow};
use crate::service::board::{plans, view};
use crate::service::context::{ReadContext, Service};
use crate::service::rejection::{Rejection, RequestResult, split_rejection_without_password};
use crate::service::request::{Origin, Request};

/// The position of a board to explore.
#[derive(Clone, Debug, Default)]
pub struct ExploreQuery {
    /// The board's number.
    pub number: BoardNumber,
    /// The number of moves played before the position; `None` for all.
    pub ply: Option<Ply>,
    /// Moves to try from this position, in order.
    pub line: Vec<String>,
    /// An additional, possibly incomplete move that the player is picking.
    pub pick: Option<String>,
}

/// An explored position of a board.
// This struct is long, because it contains everything that the page of a board shows.
#[derive(Debug)]
pub struct Exploration {
    /// The board at this position, as if the tried moves were played; with all comments up to `base`.
    pub board: BoardView,
    /// All current moves of the board.
    pub moves: Vec<EntryView>,
    /// The ply after which the tried moves follow.
    pub base: Ply,
    /// The legal moves in the position before the picked move.
    pub legal: MoveList,
    /// The userid of the player to move in the position before the picked move.
    pub to_move: Option<String>,
    /// The picked move, if it is complete and legal.
    pub picked: Option<EntryView>,
    /// Why the picked move is not legal.
    pub refusal: Option<Refusal>,
    /// The scene to draw.
    pub scene: Scene,
    /// How the winner won, if the rules ended the game: words that follow the winner's name, such as `occupied A and
    /// G`.
    pub achievement: Option<Message>,
    /// Why the loser lost, if the rules ended the game: words that follow the loser's name, such as `had no legal
    /// move`.
    pub failure: Option<Message>,
    /// The standings of the players in this game, first seat first.
    pub standings: [Option<StandingRow>; 2],
    /// Whether only the players may read the chat.
    pub private_chat: bool,
    /// The newest rematch of an ended board, except those that were removed from play.
    pub rematch: Option<BoardNumber>,
    /// The player's role on the board.
    pub role: BoardRole,
}

/// A player's role on a board, and their possible actions.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct BoardRole {
    /// Whether the board is in progress, and the player is one of its players.
    pub plays: bool,
    /// Whether the board has ended with a result or by agreement, and the player was one of its players.
    pub played: bool,
    /// Whether it is the player's turn.
    pub turn: bool,
    /// Whether the player plays both sides.
    pub alone: bool,
    /// The userid of the opponent.
    pub opponent: String,
    /// The player's prepared replies, as one text and as lines.
    pub plan: Option<(String, Vec<PlanLine>)>,
    /// The player's private note.
    pub note: Option<String>,
    /// Whether the player can still decline the board.
    pub may_decline: bool,
    /// Whether the player has made a move that can be undone.
    pub may_undo: bool,
    /// Whether the player gets letters only about the board's end, not about each move; `None` if they do not follow
    /// the board.
    pub follows: Option<bool>,
    /// Whether the player has stopped the letters about the board.
    pub muted: bool,
}

impl Service<'_> {
    /// Returns a position of a board, after trying the moves of the query, for a player or visitor.
    ///
    /// # Errors
    /// If the store fails. A [`Rejection`] if the requester may not see the board, the ply does not exist, or a move of
    /// the line is not legal.
    pub fn explore(
        &self,
        tx: &Transaction<'_>,
        request: &Request,
        at: &ExploreQuery,
        player: Option<&Player>,
    ) -> store::Result<Result<Exploration, Rejection>> {
        split_rejection_without_password(explore(&ReadContext { tx, request }, at, player))
    }

    /// Returns whether a challenge with this number is still open.
    ///
    /// # Errors
    /// If the store fails.
    pub fn is_open_challenge(&self, tx: &Transaction<'_>, number: BoardNumber) -> store::Result<bool> {
        Ok(tx.open_challenge(number)?.is_some_and(|challenge| challenge.closed_at.is_none()))
    }

    /// Returns whether a challenge with this number is still open, and the requester may see it.
    ///
    /// # Errors
    /// If the store fails.
    pub fn shows_open_challenge(
        &self,
        tx: &Transaction<'_>,
        from: &Origin,
        number: BoardNumber,
    ) -> store::Result<bool> {
        match tx.open_challenge(number)?.filter(|challenge| challenge.closed_at.is_none()) {
            Some(challenge) => may_see_challenge(tx, shown_to(tx, from)?, &challenge),
            None => Ok(false),
        }
    }

    /// Returns whether a player plays on the board with this number.
    ///
    /// # Errors
    /// If the store fails.
    pub fn is_board_of(&self, tx: &Transaction<'_>, number: BoardNumber, player: PlayerId) -> store::Result<bool> {
        Ok(tx.board(number)?.is_some_and(|board| board.plays(player)))
    }

    /// Returns the name of the game of a board or challenge.
    ///
    /// # Errors
    /// If the store fails.
    pub fn game_of(&self, tx: &Transaction<'_>, number: BoardNumber) -> store::Result<Option<String>> {
        match tx.board(number)? {
            Some(board) => Ok(Some(board.game)),
            None => Ok(tx.open_challenge(number)?.map(|challenge| challenge.game)),
        }
    }

    /// Returns a player's prepared replies on a board in progress, as stored.
    ///
    /// # Errors
    /// If the store fails.
    pub fn prepared_plan(
        &self,
        tx: &Transaction<'_>,
        number: BoardNumber,
        player: &Player,
    ) -> store::Result<Option<String>> {
        let Some(board) = tx.board(number)?.filter(|board| board.to_move.is_some()) else { return Ok(None) };
        Ok(board.seats_of(player.id).first().and_then(|seat| board.seats[seat.index()].plan.clone()))
    }
}

/// Returns a player's role on a board. `present` is the board's current position.
fn role(
    tx: &Transaction<'_>,
    board: &Board,
    entries: &[Entry],
    present: &dyn Play,
    player: &Player,
) -> store::Result<BoardRole> {
    let seats = board.seats_of(player.id);
    let followed = tx.following(player.id)?;
    let follows = followed.iter().find(|followed| followed.what == store::Followed::Board(board.number));
    let mut role = BoardRole { follows: follows.map(|followed| followed.ends_only), ..BoardRole::default() };
    role.note = tx.note(board.number, player.id)?;
    role.muted = tx.is_muted(player.id, board.number)?;
    let was_played = board.result.is_some() || board.no_result == Some(NoResult::Abandoned);
    role.played = !seats.is_empty() && was_played;
    let (Some(seat), Some(to_move)) = (seats.first(), board.to_move) else { return Ok(role) };
    let state = &board.seats[seat.index()];
    role.plays = true;
    role.alone = seats.len() == 2;
    role.turn = seats.contains(&to_move);
    role.opponent = board.players[seat.other().index()].userid.clone();
    if let Some(text) = &state.plan {
        role.plan = Some((text.clone(), plans::lines(present, &plans::stored(board, text)?)));
    }
    let challenged = board.challenger != Some(player.id) || role.alone;
    role.may_decline = challenged && board.event.is_none() && !has_moved(entries, &seats);
    role.may_undo = standing_moves(entries).iter().any(|entry| entry.seat.is_some_and(|seat| seats.contains(&seat)));
    Ok(role)
}

fn explore(context: &ReadContext<'_>, at: &ExploreQuery, player: Option<&Player>) -> RequestResult<Exploration> {
    let ReadContext { tx, request } = *context;
    let board: Board = context.board(None, at.number)?;
    let entries = tx.entries(at.number)?;
    let base = at.ply.unwrap_or(board.plies);
    let present = base == board.plies;
    if base > board.plies {
        let (number, plies) = (at.number, board.plies);
        return request.refuse(&format!("{number}#{base}"), message!("service.no-such-ply", number, plies));
    }
    // A resignation, or another end that the rules did not cause, is shown at the last position, unless moves are tried
    // from there.
    let ended = present && at.line.is_empty() && at.pick.is_none();
    let mut replayed = ReplayedBoard::after_keeping(&board, &entries, base)?;
    let moves = replayed.moves().to_vec();
    let role = match player {
        Some(player) => role(tx, &board, &entries, replayed.position(), player)?,
        None => BoardRole::default(),
    };
    if !ended {
        replayed.go_back(base)?;
    }
    for text in &at.line {
        replayed.try_move(text).map_err(|refusal| request.rejection_by_rules(refusal))?;
    }
    let to_move = replayed.position().to_move().filter(|_| !(ended && board.to_move.is_none()));
    let to_move = to_move.map(|seat| board.players[seat.index()].userid.clone());
    let legal = match to_move {
        Some(_) => replayed.position().move_list(),
        None => MoveList::Texts(Vec::new()),
    };
    let (chosen, refusal) = match at.pick.as_ref().map(|pick| replayed.try_move(pick)) {
        Some(Ok(_)) => (true, None),
        Some(Err(why)) => (false, Some(why)),
        None => (false, None),
    };
    let view = view_at(context, player, (&board, &entries), &replayed, (base, ended))?;
    let picked = view.moves.last().filter(|_| chosen).cloned();
    let position = replayed.position();
    let (scene, achievement, failure) = (position.scene(), position.achievement(), position.failure());
    let standing = |seat: Seat| tx.standing(&board.game, board.players[seat.index()].id);
    let standings = [standing(Seat::First)?, standing(Seat::Second)?].map(|row| row.as_ref().map(standing_row));
    let rematch = if board.to_move.is_none() { tx.rematch(at.number)? } else { None };
    Ok(Exploration {
        board: view,
        moves,
        base,
        legal,
        to_move,
        picked,
        refusal,
        scene,
        achievement,
        failure,
        standings,
        private_chat: view::has_private_chat(tx, &board)?,
        rematch,
        role,
    })
}

/// Returns the view of the position after `base` plies of the record and the tried moves. If `ended`, it shows the
/// current position without tried moves, and the end of the board, if it has ended.
fn view_at(
    context: &ReadContext<'_>,
    player: Option<&Player>,
    (board, entries): (&Board, &[Entry]),
    replayed: &ReplayedBoard,
    (base, ended): (Ply, bool),
) -> store::Result<BoardView> {
    let ReadContext { tx, request } = *context;
    let is_present = base == board.plies;
    let mut view = replayed.view(false);
    view.number = board.number;
    (view.flags, view.no_result, view.entries) = (board.terms.flags, board.no_result, board.entries);
    view.rematch_of = board.rematch_of;
    view.event.clone_from(&board.event);
    let reached = entries.iter().filter(|entry| entry.ply <= base).map(|entry| entry.entry).max().unwrap_or_default();
    let reached = if is_present { board.entries } else { reached };
    view.comments = view::comments(tx, board, None, reached)?;
    view::hide_comments(tx, board, shown_to(tx, &request.from)?, &mut view.comments)?;
    if is_present {
        view::add_present(tx, board, &mut view, request.now)?;
    }
    if ended {
        view::add_end(tx, board, &mut view)?;
        view.news = replayed.record().last().cloned().into_iter().collect();
        view.hint = player.map_or(Ok(None), |player| hint_for(tx, board.number, player))?;
    }
    Ok(view)
}
