//! Boards as data: the current position, earlier ones, pictures, analyses, previews of moves, and making moves.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response as HttpResponse};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::endpoint::PictureFormat;
use super::error::{ApiError, Problem};
use super::request::{ApiRequest, Parameters};
use crate::command::{self, BoardAction, Command, Flags, GameCommand, ParsedLine};
use crate::compose::Shown;
use crate::draw::png::WIDTH;
use crate::message;
use crate::numbers::{BoardNumber, EntryNumber, Ply};
use crate::service::{
    BoardAnalysis, BoardComment, BoardDrawing, BoardView, ClockView, EditionRef, EntryView, HintView, LegalMoves,
    NoResult, ProposalView, Request, Response, ResultView, SeatView,
};
use crate::text::Message;
use crate::web::board_events::{Subscription, Watched, changes};
use crate::web::board_files::tagged_file;
use crate::web::hub::StreamOwner;
use crate::web::site::{Site, with_store};

/// A board in its current or an earlier position.
// The structure is flat, so that a client needs to read only one object.
#[derive(Serialize, JsonSchema)]
pub(crate) struct BoardAt {
    /// The number of the board.
    number: BoardNumber,
    /// The name of the game: `marque`.
    game: String,
    /// The options in canonical form; may be empty.
    options: String,
    /// The win condition in English.
    aim: String,
    /// The first seat, then the second.
    seats: Vec<SeatView>,
    /// The player who made the challenge or, for an open challenge, the player who accepted it; `null` if the
    /// administrator, a league or a cup created the board.
    challenger: Option<String>,
    /// The number of the board before this rematch; `null` if this is not a rematch.
    rematch_of: Option<BoardNumber>,
    /// The edition of an event to which the board belongs; `null` without one.
    event: Option<EditionRef>,
    /// Whether the result changes ratings, and who can see the board.
    #[serde(flatten)]
    flags: Flags,
    /// Why the board ended without a result: `declined`, `expired` (no first move in time), `void` (by the
    /// administrator, or because a player was withdrawn from the board's event) or `abandoned` (by both players).
    no_result: Option<NoResult>,
    /// The number of plies in the position shown.
    plies: Ply,
    /// The number of entries in the record; greater than `plies` after an undo, a resignation and other entries that
    /// are not moves.
    entries: EntryNumber,
    /// The userid of the player to move; `null` after the end.
    to_move: Option<String>,
    /// The moves up to the position shown, with their effects. Moves that were undone are not included.
    moves: Vec<EntryView>,
    /// The last entry of the record up to this position. For an undo, it lists the moves that it took back. `null`
    /// before the first entry.
    last_entry: Option<EntryView>,
    /// The occupied cells and their pieces: `f3` and `o`. The tiles of a stack are listed from the bottom up.
    pieces: BTreeMap<String, String>,
    /// The result; `null` during play.
    result: Option<ResultView>,
    /// The clock of the player to move; `null` without a clock and for earlier positions.
    clock: Option<ClockView>,
    /// The open proposal; `null` for earlier positions.
    proposal: Option<ProposalView>,
    /// The evaluation by the computer player that moved last; only in the current position, for its opponent, with the
    /// setting `hints=on`.
    hint: Option<HintView>,
    /// The comments up to this position that the client may read, in order.
    comments: Vec<BoardComment>,
    /// The hash of the last entry; before the first entry, the initial hash of the record.
    hash: String,
    /// The number of the board's last change, as in events; 0 if it is older than the stored changes.
    change: i64,
    /// The board drawn in characters, on request.
    #[serde(skip_serializing_if = "Option::is_none")]
    drawing: Option<String>,
    /// The board described in sentences, on request.
    #[serde(skip_serializing_if = "Option::is_none")]
    sentences: Option<String>,
}

impl BoardAt {
    pub(crate) fn number(&self) -> BoardNumber {
        self.number
    }

    /// Builds the answer, with comments, from the service's view and the number of the last change before the view was
    /// read.
    fn of(request: &mut ApiRequest<'_>, change: i64, mut view: BoardView, drawing: bool) -> Result<BoardAt, ApiError> {
        let pieces = view.position()?.pieces().into_iter().collect();
        let aim = request.site.words(&view.aim);
        for seat in &mut view.seats {
            seat.side = Message::verbatim(request.site.words(&seat.side));
        }
        if drawing {
            request.site.composer.draw(&mut view, Shown::Everything)?;
        }
        let (drawing, sentences) = drawn(view.drawn.take());
        let (number, entries) = (view.number, view.entries);
        let from = request.origin();
        let comments = request.read(|service, tx| service.board_comments(tx, &from, number, entries))?;
        Ok(BoardAt {
            comments,
            change,
            number,
            game: view.game,
            options: view.options,
            aim,
            seats: view.seats,
            challenger: view.challenger,
            rematch_of: view.rematch_of,
            event: view.event,
            flags: view.flags,
            no_result: view.no_result,
            plies: view.plies,
            entries,
            to_move: view.to_move,
            moves: view.moves,
            last_entry: view.news.pop(),
            pieces,
            result: view.result,
            clock: view.clock,
            proposal: view.proposal,
            hint: view.hint,
            hash: view.hash,
            drawing,
            sentences,
        })
    }
}

/// Splits a drawing into its characters and its sentences.
fn drawn(drawn: Option<BoardDrawing>) -> (Option<String>, Option<String>) {
    drawn.map(|drawn| (drawn.drawing, drawn.sentences)).unzip()
}

/// `GET /boards/N`
pub(crate) fn show(request: &mut ApiRequest<'_>) -> Result<BoardAt, ApiError> {
    let drawing = wants_drawing(request)?;
    let (number, _) = request.board()?;
    board_at(request, number, drawing)
}

/// Returns the board that the path names, in the position after the ply in the query.
pub(crate) fn shown(request: &mut ApiRequest<'_>) -> Result<BoardView, ApiError> {
    let (number, _) = request.board()?;
    view(request, number)
}

/// Returns the board that the path names, in its current position.
pub(crate) fn present(request: &mut ApiRequest<'_>) -> Result<BoardAt, ApiError> {
    let (number, _) = request.board()?;
    present_board(request, number)
}

/// Returns a board in its current position.
pub(crate) fn present_board(request: &mut ApiRequest<'_>, number: BoardNumber) -> Result<BoardAt, ApiError> {
    board_at(request, number, false)
}

fn board_at(request: &mut ApiRequest<'_>, number: BoardNumber, drawing: bool) -> Result<BoardAt, ApiError> {
    // Read the change first, so that its number is never newer than the view. If the number were newer, a client that
    // compares numbers would take an old view for the current one.
    let change = request.read(|service, tx| service.change_of_board(tx, number))?;
    let view = view(request, number)?;
    BoardAt::of(request, change, view, drawing)
}

fn view(request: &mut ApiRequest<'_>, number: BoardNumber) -> Result<BoardView, ApiError> {
    let which = at_ply(request, number)?;
    match request.run_words(&["show", &which])? {
        Response::Shown { mut boards, .. } if boards.len() == 1 => Ok(boards.remove(0)),
        _ => Err(ApiError::not_there(message!("web.no-such-board", board = which))),
    }
}

/// Formats a board number and the ply in the query for the command language.
fn at_ply(request: &ApiRequest<'_>, number: BoardNumber) -> Result<String, ApiError> {
    let ply = request.parameters.number_in_query::<Ply>("ply")?;
    Ok(ply.map_or_else(|| number.to_string(), |ply| format!("{number}#{ply}")))
}

fn wants_drawing(request: &ApiRequest<'_>) -> Result<bool, ApiError> {
    match request.parameters.in_query("drawing") {
        None | Some("0") => Ok(false),
        Some("1") => Ok(true),
        Some(other) => Err(ApiError::malformed(message!("web.drawing-flag", value = other)).about(other)),
    }
}

/// `GET /boards/N/legal`
pub(crate) fn legal(request: &mut ApiRequest<'_>) -> Result<LegalMoves, ApiError> {
    let (number, from, now) = (request.parameters.board_number()?, request.origin(), request.parameters.now);
    Ok(request.read(|service, tx| service.legal_moves(tx, from, number, now))??)
}

/// A board as it would be after some moves.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Previewed")]
pub(crate) struct Preview {
    /// The number of plies, including the tried moves.
    plies: Ply,
    /// The userid of the player whose turn it would be; `null` if the moves end the game.
    to_move: Option<String>,
    /// The moves up to the starting position, followed by the tried moves.
    moves: Vec<EntryView>,
    /// The occupied cells and their pieces.
    pieces: BTreeMap<String, String>,
    /// The result, if the tried moves end the game.
    result: Option<ResultView>,
    /// The board drawn in characters, on request.
    #[serde(skip_serializing_if = "Option::is_none")]
    drawing: Option<String>,
    /// The board described in sentences, on request.
    #[serde(skip_serializing_if = "Option::is_none")]
    sentences: Option<String>,
}

/// `GET /boards/N/preview`
pub(crate) fn preview(request: &mut ApiRequest<'_>) -> Result<Preview, ApiError> {
    let drawing = wants_drawing(request)?;
    let mut board = previewed(request)?;
    let pieces = board.position()?.pieces().into_iter().collect();
    if drawing {
        request.site.composer.draw(&mut board, Shown::Everything)?;
    }
    let (drawing, sentences) = drawn(board.drawn.take());
    Ok(Preview {
        plies: board.plies,
        to_move: board.to_move,
        moves: board.moves,
        pieces,
        result: board.result,
        drawing,
        sentences,
    })
}

/// Returns the board that the path names, in the position after the ply and the moves in the query.
pub(crate) fn previewed(request: &mut ApiRequest<'_>) -> Result<BoardView, ApiError> {
    let (number, game) = request.board()?;
    let from = at_ply(request, number)?;
    preview_from(request, &game, &[&from])
}

/// Returns a board of this game after the moves in the query, starting from the position that `from` names.
pub(crate) fn preview_from(request: &mut ApiRequest<'_>, game: &str, from: &[&str]) -> Result<BoardView, ApiError> {
    let moves = request.parameters.in_query("moves").unwrap_or_default().split_whitespace();
    let words: Vec<&str> = [game, "preview"].into_iter().chain(from.iter().copied()).chain(moves).collect();
    match request.run_words(&words)? {
        Response::Previewed { board } => Ok(board),
        _ => Err(anyhow::anyhow!("unexpected answer to `preview`").into()),
    }
}

/// A move to make.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewMove {
    /// The move, as in the command language: `f3`, or `f3,f4`.
    #[serde(rename = "move")]
    #[schemars(length(min = 1))]
    text: String,
    /// The ply that the move is meant for. The move is rejected if the board is at another ply.
    ply: Option<Ply>,
    /// A comment on the move.
    say: Option<String>,
}

/// `POST /boards/N/moves`
pub(crate) fn make_move(request: &mut ApiRequest<'_>, new: NewMove) -> Result<BoardAt, ApiError> {
    let (player, (number, game)) = (request.player()?, request.board()?);
    let words = [&game, "move", &number.to_string(), &player.userid, "-", &new.text].map(str::to_owned);
    let mut line = request.understood(command::parse_words(&words))?;
    match &mut line.command {
        Command::Game { command: GameCommand::AtBoard { action: BoardAction::Move { ply, .. }, .. }, .. } => {
            *ply = new.ply.or(*ply);
        }
        // In the command language, a move can be `resign` or another word. The API has separate endpoints for these.
        _ => return Err(ApiError::not_understood(message!("web.not-a-move", text = new.text))),
    }
    match request.run(line, new.say)? {
        Response::Moved { .. } => present(request),
        _ => Err(anyhow::anyhow!("unexpected answer to `move`").into()),
    }
}

/// A change of a board, or of an open challenge.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Changed")]
pub(crate) struct BoardChange {
    /// The number of the board.
    board: BoardNumber,
    /// The number of the change, as in the board's `change`; also the id of the event.
    change: i64,
}

/// `GET /boards/N/events`
pub(crate) async fn stream(site: Arc<Site>, parameters: Parameters) -> Result<HttpResponse, ApiError> {
    let number = parameters.board_number()?;
    let token = parameters.token.clone();
    let latest = site.hub.subscribe();
    let begin = with_store(Arc::clone(&site), move |site, store| {
        Ok(ApiRequest::open(site, store, &parameters).and_then(|mut request| {
            let (from, now, client) = (request.origin(), request.now, request.client);
            let owner = request.player.as_ref();
            let owner = owner.map_or(StreamOwner::Client(client), |player| StreamOwner::Player(player.id));
            match request.read(|service, tx| service.watch_board(tx, from, number, now))? {
                Some(watch) => Ok((owner, watch)),
                // The error of `request.board()` explains why the client cannot watch the board.
                None => Err(match request.board() {
                    Err(error) => error,
                    Ok(_) => ApiError::not_there(message!("web.no-board-to-watch")),
                }),
            }
        }))
    });
    let (owner, watch) = begin.await??;
    Ok(changes(site, latest, Subscription { what: Watched::Board(number), watch, owner, token })?)
}

/// `GET /boards/N/analysis`
pub(crate) fn show_analysis(request: &mut ApiRequest<'_>) -> Result<BoardAnalysis, ApiError> {
    let board = request.parameters.board_number()?;
    let line = ParsedLine::of(Command::Analyse { board });
    let asked = Request { line, from: request.origin(), comment: None, client: Some(request.client), now: request.now };
    Ok(request.read(|service, tx| service.board_analysis(tx, &asked, board))??)
}

/// `POST /boards/N/analysis`
pub(crate) fn ask(request: &mut ApiRequest<'_>) -> Result<BoardAnalysis, ApiError> {
    let board = request.parameters.board_number()?;
    match request.run(ParsedLine::of(Command::Analyse { board }), None)? {
        Response::Analysed(known) => Ok(known),
        _ => Err(anyhow::anyhow!("unexpected answer to `analyse`").into()),
    }
}

/// `GET /boards/N/board.svg`, `GET /boards/N/board.png`
pub(crate) async fn picture(
    site: Arc<Site>,
    parameters: Parameters,
    format: PictureFormat,
    headers: &HeaderMap,
) -> Result<HttpResponse, ApiError> {
    let found = with_store(Arc::clone(&site), move |site, store| {
        Ok(ApiRequest::open(site, store, &parameters).and_then(|mut request| shown(&mut request)))
    });
    let board = found.await??;
    let drawing = Arc::clone(&site);
    let drawn = site.drawing.draw(move || {
        Ok(match format {
            PictureFormat::Svg => drawing.composer.svg(&board)?.into_bytes(),
            PictureFormat::Png => drawing.composer.png(&board, WIDTH)?.to_vec(),
        })
    });
    match drawn.await? {
        Some(file) => Ok(tagged_file(format.content_type(), &file, headers).into_response()),
        None => Err(ApiError::new(Problem::Busy, message!("web.server-busy"))),
    }
}
