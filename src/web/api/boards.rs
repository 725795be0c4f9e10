//! A board as a program looks at it, and moves on it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::call::Call;
use super::trouble::Trouble;
use crate::command::{self, BoardAction, Command, GameCommand};
use crate::compose::draw;
use crate::service::{
    BoardDrawing, BoardView, ClockView, EntryView, ProposalView, Rejection, Remark, Response, ResultView, SeatView,
};

/// A board as it is, or as it was after so many plies.
#[derive(Serialize, JsonSchema)]
pub(super) struct BoardAt {
    /// Its number.
    number: u32,
    /// `marque`
    game: String,
    /// Canonical options text, may be empty.
    options: String,
    /// The win condition in words.
    aim: String,
    /// First seat, second seat.
    seats: Vec<SeatView>,
    /// Who made the challenge; `null`: the administrator.
    challenger: Option<String>,
    /// Whether its end changes ratings.
    rated: bool,
    /// Shown to its players only.
    private: bool,
    /// Taken out of play before it had begun.
    declined: bool,
    /// Plies that stand at the moment shown.
    plies: u32,
    /// Entries of the record; more than plies after an undo.
    entries: u32,
    /// The userid whose turn it is; `null` when over.
    to_move: Option<String>,
    /// The moves that stand, in order, with what they captured.
    moves: Vec<EntryView>,
    /// Occupied cells and what is on them: `f3` and `o`. A stack's tiles are told from the bottom up.
    pieces: BTreeMap<String, String>,
    /// The result, when over.
    result: Option<ResultView>,
    /// The clock of the player to move, if it has one; of the board as it is only.
    clock: Option<ClockView>,
    /// The open proposal; of the board as it is only.
    proposal: Option<ProposalView>,
    /// Everything that was said until then, in order.
    comments: Vec<Remark>,
    /// The hash of the last entry, or the record's first.
    hash: String,
    /// The number of the board's last change, which events tell too; 0: it has not changed for long.
    change: i64,
    /// The board in characters, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    drawing: Option<String>,
    /// The board in sentences, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    sentences: Option<String>,
}

impl BoardAt {
    /// What the service shows, with what it does not.
    fn of(call: &mut Call<'_>, mut view: BoardView, drawing: bool) -> Result<BoardAt, Trouble> {
        let pieces = view.position()?.pieces().into_iter().collect();
        if drawing {
            draw(&mut view)?;
        }
        let (drawing, sentences) = drawn(view.drawn);
        let site = call.site;
        let tx = call.store.read()?;
        let board = tx.board(view.number)?;
        let board = board.ok_or_else(|| anyhow::anyhow!("board {} was shown and is not there", view.number))?;
        Ok(BoardAt {
            comments: site.config.service(site.world).remarks(&*tx, &board, view.entries)?,
            change: tx.change_of(view.number)?,
            number: view.number,
            game: view.game,
            options: view.options,
            aim: view.aim,
            seats: view.seats,
            challenger: view.challenger,
            rated: view.rated,
            private: view.private,
            declined: view.declined,
            plies: view.plies,
            entries: view.entries,
            to_move: view.to_move,
            moves: view.moves,
            pieces,
            result: view.result,
            clock: view.clock,
            proposal: view.proposal,
            hash: view.hash,
            drawing,
            sentences,
        })
    }
}

/// The drawing and the sentences of a board that is drawn.
fn drawn(drawn: Option<BoardDrawing>) -> (Option<String>, Option<String>) {
    drawn.map(|drawn| (drawn.drawing, drawn.sentences)).unzip()
}

pub(super) fn show(call: &mut Call<'_>) -> Result<BoardAt, Trouble> {
    let drawing = drawing(call)?;
    let board = call.board()?;
    let which = match call.asked.given_number::<u32>("ply")? {
        Some(ply) => format!("{}#{ply}", board.number),
        None => board.number.to_string(),
    };
    match call.ask(&["show", &which])? {
        Response::Shown { mut boards, .. } if boards.len() == 1 => {
            let view = boards.remove(0);
            BoardAt::of(call, view, drawing)
        }
        _ => Err(Trouble::not_there(format!("There is no board {which}."))),
    }
}

fn drawing(call: &Call<'_>) -> Result<bool, Trouble> {
    match call.asked.given("drawing") {
        None | Some("0") => Ok(false),
        Some("1") => Ok(true),
        Some(other) => Err(Trouble::not_understood(format!("drawing is 0 or 1, not {other:?}."))),
    }
}

/// What can be played.
#[derive(Serialize, JsonSchema)]
pub(super) struct Legal {
    /// Plies made so far; what is played now is the next.
    plies: u32,
    /// Every legal move, as it would be recorded, in board order; none when the game is over.
    moves: Vec<String>,
}

pub(super) fn legal(call: &mut Call<'_>) -> Result<Legal, Trouble> {
    let (board, site) = (call.board()?, call.site);
    let tx = call.store.read()?;
    Ok(Legal { plies: board.plies, moves: site.config.service(site.world).legal_moves(&*tx, &board)? })
}

/// A board as it would be.
#[derive(Serialize, JsonSchema)]
pub(super) struct Previewed {
    /// Plies with those tried.
    plies: u32,
    /// Whose turn it would be; `null`: the game would be over.
    to_move: Option<String>,
    /// The moves that stand, and then those tried.
    moves: Vec<EntryView>,
    /// Occupied cells and what is on them.
    pieces: BTreeMap<String, String>,
    /// The result, if the moves tried end the game.
    result: Option<ResultView>,
    /// The board in characters, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    drawing: Option<String>,
    /// The board in sentences, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    sentences: Option<String>,
}

pub(super) fn preview(call: &mut Call<'_>) -> Result<Previewed, Trouble> {
    let drawing = drawing(call)?;
    let board = call.board()?;
    let from = match call.asked.given_number::<u32>("ply")? {
        Some(ply) => format!("{}#{ply}", board.number),
        None => board.number.to_string(),
    };
    let moves = call.asked.given("moves").unwrap_or_default().to_owned();
    let words: Vec<&str> =
        [board.game.as_str(), "preview", &from].into_iter().chain(moves.split_whitespace()).collect();
    let Response::Previewed { mut board } = call.ask(&words)? else {
        return Err(anyhow::anyhow!("a preview was answered otherwise").into());
    };
    let pieces = board.position()?.pieces().into_iter().collect();
    if drawing {
        draw(&mut board)?;
    }
    let (drawing, sentences) = drawn(board.drawn);
    Ok(Previewed {
        plies: board.plies,
        to_move: board.to_move,
        moves: board.moves,
        pieces,
        result: board.result,
        drawing,
        sentences,
    })
}

/// A move to be made.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewMove {
    /// As in the command language: `f3`, or `f3,f4`.
    #[serde(rename = "move")]
    text: String,
    /// Only if this is the ply that it would be: whoever has looked at an older board does not move on this one.
    ply: Option<u32>,
    /// What is said with it.
    say: Option<String>,
}

pub(super) fn make_move(call: &mut Call<'_>, new: NewMove) -> Result<BoardAt, Trouble> {
    let (player, board) = (call.me()?, call.board()?);
    let number = board.number.to_string();
    let words = [&board.game, "move", &number, &player.userid, "-", &new.text].map(str::to_owned);
    let mut line = command::parse_words(&words).map_err(Rejection::from)?;
    match &mut line.command {
        Command::Game { command: GameCommand::AtBoard { action: BoardAction::Move { ply, .. }, .. }, .. } => {
            *ply = new.ply.or(*ply)
        }
        // `resign` and the like may stand in the place of a move in a mail; a program says what it means.
        _ => {
            let message = format!("{:?} is no move; POST /api/v1/commands takes other commands.", new.text);
            return Err(Trouble::not_understood(message));
        }
    }
    match call.answer(line, new.say)? {
        Response::Moved { board } => BoardAt::of(call, board, false),
        _ => Err(anyhow::anyhow!("a move was answered otherwise").into()),
    }
}
