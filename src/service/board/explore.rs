//! A board to try moves on: what a page shows of a position, and of moves that nobody has made.

use crate::message;
use crate::rules::scene::Scene;
use crate::rules::{Refusal, Seat};
use crate::store::{self, Board, Player, Transaction};

use crate::service::board::open::has_moved;
use crate::service::board::replay::{ReplayedBoard, standing_moves};
use crate::service::board::views::{BoardView, EntryView, PlanLine};
use crate::service::board::{plans, view};
use crate::service::context::{ReadContext, Service};
use crate::service::rejection::{Rejection, RequestResult, settled};
use crate::service::request::Request;

/// Where somebody looks.
#[derive(Clone, Debug, Default)]
pub struct Exploring {
    /// The board's number.
    pub number: u32,
    /// After so many of the moves that stand; `None`: as it is.
    pub ply: Option<u32>,
    /// Moves tried from there.
    pub line: Vec<String>,
    /// One more that is about to be chosen; it need not be a whole one.
    pub pick: Option<String>,
}

/// What he sees.
#[derive(Debug)]
pub struct Explored {
    /// The board there, with the moves tried as if they were made; what is said there is all that was said so far.
    pub board: BoardView,
    /// The moves of the board that stand.
    pub moves: Vec<EntryView>,
    /// After how many of these the moves tried begin.
    pub base: u32,
    /// Everything legal before the pick.
    pub legal: Vec<String>,
    /// Whose turn it was before the pick.
    pub to_move: Option<String>,
    /// The pick as a move, if it is one.
    pub picked: Option<EntryView>,
    /// Why it is none.
    pub refusal: Option<Refusal>,
    /// To be drawn.
    pub scene: Scene,
}

/// What a player has to do with a board.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct Place {
    /// He plays on it, and it is in progress.
    pub plays: bool,
    /// It is his turn.
    pub turn: bool,
    /// He plays against himself.
    pub alone: bool,
    /// Who plays against him.
    pub opponent: String,
    /// The replies that he has prepared, as they are typed, and as understood.
    pub plan: Option<(String, Vec<PlanLine>)>,
    /// His private note.
    pub note: Option<String>,
    /// He resigns when his turn comes.
    pub resigns: bool,
    /// He may still decline the board.
    pub may_decline: bool,
    /// He has made a move that could be taken back.
    pub may_undo: bool,
    /// He follows the board: for its end only, or for each move.
    pub follows: Option<bool>,
}

impl Service<'_> {
    /// What somebody sees who looks at a board and tries moves on it; the request says who he is.
    ///
    /// # Errors
    /// The store's; a [`Rejection`] when there is nothing to see, or a move of the line is not legal.
    pub fn explore(
        &self,
        tx: &dyn Transaction,
        request: &Request,
        at: &Exploring,
    ) -> store::Result<Result<Explored, Rejection>> {
        settled(explore(&ReadContext { tx, request }, at))
    }

    /// What a player has to do with a board.
    ///
    /// # Errors
    /// The store's.
    pub fn place(&self, tx: &dyn Transaction, number: u32, player: &Player) -> store::Result<Place> {
        let Some(board) = tx.board(number)? else { return Ok(Place::default()) };
        let seats: Vec<Seat> =
            Seat::BOTH.into_iter().filter(|seat| board.players[seat.index()].id == player.id).collect();
        let followed = tx.following(player.id)?;
        let follows = followed.iter().find(|followed| followed.what == store::Followed::Board(number));
        let mut place = Place { follows: follows.map(|followed| followed.ends_only), ..Place::default() };
        place.note = tx.note(number, player.id)?;
        let (Some(seat), Some(to_move)) = (seats.first(), board.to_move) else { return Ok(place) };
        let state = &board.seats[seat.index()];
        let entries = tx.entries(number)?;
        place.plays = true;
        place.alone = seats.len() == 2;
        place.turn = seats.contains(&to_move);
        place.opponent = board.players[seat.other().index()].userid.clone();
        if let Some(text) = &state.plan {
            let replayed = ReplayedBoard::after(&board, &entries)?;
            let lines = plans::lines(replayed.position(), &plans::stored(&board, text)?);
            place.plan = Some((text.clone(), lines));
        }
        place.resigns = state.resigns;
        let challenged = board.challenger != Some(player.id) || place.alone;
        place.may_decline = challenged && !has_moved(&entries, &seats);
        place.may_undo =
            standing_moves(&entries).iter().any(|entry| entry.seat.is_some_and(|seat| seats.contains(&seat)));
        Ok(place)
    }
}

fn explore(context: &ReadContext<'_>, at: &Exploring) -> RequestResult<Explored> {
    let ReadContext { tx, request } = *context;
    let board: Board = context.board(None, at.number)?;
    let entries = tx.entries(at.number)?;
    let base = at.ply.unwrap_or(board.plies);
    let present = base == board.plies;
    if base > board.plies {
        let (number, plies) = (at.number, board.plies);
        return request.refuse(&format!("{number}#{base}"), message!("service.no-such-ply", number, plies));
    }
    // What ended a board otherwise than by its rules is seen at its last move; to try moves, it goes on from there.
    let ended = present && at.line.is_empty() && at.pick.is_none();
    let mut replayed = ReplayedBoard::after_keeping(&board, &entries, base)?;
    let moves = replayed.moves().to_vec();
    if !ended {
        replayed.go_back(base)?;
    }
    for text in &at.line {
        replayed.try_move(text).map_err(|refusal| request.rejection_by_rules(refusal))?;
    }
    let to_move = replayed.position().to_move().filter(|_| !(ended && board.to_move.is_none()));
    let to_move = to_move.map(|seat| board.players[seat.index()].userid.clone());
    let legal = if to_move.is_some() { replayed.position().legal_moves() } else { Vec::new() };
    let (chosen, refusal) = match at.pick.as_ref().map(|pick| replayed.try_move(pick)) {
        Some(Ok(_)) => (true, None),
        Some(Err(why)) => (false, Some(why)),
        None => (false, None),
    };
    let mut view = replayed.view(false);
    view.number = at.number;
    (view.private, view.rated, view.declined, view.entries) =
        (board.private, board.rated, board.declined, board.entries);
    let reached = entries.iter().filter(|entry| entry.ply <= base).map(|entry| entry.entry).max().unwrap_or_default();
    let reached = if present { board.entries } else { reached };
    view.comments = view::comments(tx, &board, 0, reached)?;
    if present {
        view::add_present(tx, &board, &mut view, request.now)?;
    }
    if ended {
        view::add_end(tx, &board, &mut view)?;
    }
    let picked = view.moves.last().filter(|_| chosen).cloned();
    let scene = replayed.position().scene();
    Ok(Explored { board: view, moves, base, legal, to_move, picked, refusal, scene })
}
