//! Actions on a board: each form of its page corresponds to commands of the command language.

use super::board::{FailedAction, board_page, typed_move};
use super::page::{Page, PageResult};
use super::page_request::{Fields, PageRequest, Path};
use crate::command::{
    self, BoardAction, Command, FollowMode, FollowTarget, GameCommand, GamePreference, Password, Plan, VerbSpec,
};
use crate::message;
use crate::numbers::BoardNumber;
use crate::rules::{Game, catalogue};
use crate::service::{self, ExploreQuery, Rejection, Service};
use crate::store::Transaction;
use crate::text::{self, Message};

/// A command of a form, with its comment.
struct FormCommand {
    command: GameCommand,
    comment: Option<String>,
}

/// `POST /boards/N`
pub(crate) fn act(request: &mut PageRequest<'_>, Path(number): Path<BoardNumber>, fields: Fields) -> PageResult {
    if request.player.is_none() {
        return request.unsent_page(&fields);
    }
    let Some(game) = game_of(request, number)? else { return request.not_found() };
    let done = match fields.get("do") {
        "analyse" => request.run_command(Command::Analyse { board: number }, None)?.map(|_| number),
        _ => match commands(request, number, &fields)? {
            Ok(commands) => run_all(request, game, number, commands, fields.some("proposal"))?,
            Err(message) => Err(Rejection { message, ..Rejection::default() }),
        },
    };
    let rejection = match done {
        Ok(next) => return Ok(Page::redirect(&format!("/boards/{next}"))),
        Err(rejection) => rejection,
    };
    let pick = Some(typed_move(fields.get("move"))).filter(|pick| !pick.is_empty());
    let query = ExploreQuery { number, pick, ..ExploreQuery::default() };
    board_page(request, &query, Some(FailedAction { rejection: &rejection, fields: &fields }))
}

/// Returns the game of a board or challenge.
fn game_of(request: &mut PageRequest<'_>, number: BoardNumber) -> anyhow::Result<Option<&'static str>> {
    let game = request.read(|service, tx| service.game_of(tx, number))?;
    Ok(game.and_then(|game| catalogue::find(&game)).map(Game::name))
}

/// Runs the commands in order. Stops if one is rejected, or if the open proposal is not the one that the page showed.
/// Returns the number of the board to show next; after `rematch`, this is the new board.
fn run_all(
    request: &mut PageRequest<'_>,
    game: &'static str,
    number: BoardNumber,
    commands: Vec<FormCommand>,
    shown: Option<String>,
) -> anyhow::Result<Result<BoardNumber, Rejection>> {
    let mut next = number;
    let other_proposal = |service: Service<'_>, tx: &Transaction<'_>| {
        let Some(shown) = &shown else { return Ok(None) };
        let is_other = service.open_proposal(tx, number)?.is_some_and(|open| text::word(&open) != *shown);
        Ok(is_other.then(|| message!("web.other-proposal")))
    };
    for FormCommand { command, comment } in commands {
        match request.run_unless(Command::Game { game: Some(game), command }, comment, other_proposal)? {
            Ok(service::Response::Challenged { board }) => next = board.number,
            Ok(_) => {}
            Err(rejection) => return Ok(Err(rejection)),
        }
    }
    Ok(Ok(next))
}

/// Converts a form to commands. The form's comment belongs to the first command.
fn commands(
    request: &mut PageRequest<'_>,
    number: BoardNumber,
    fields: &Fields,
) -> anyhow::Result<Result<Vec<FormCommand>, Message>> {
    let line: Vec<&str> = fields.get("line").split_whitespace().collect();
    let (action, replies) = match fields.get("do") {
        "follow" => {
            let userid = request.userid().to_owned();
            let how = follow_mode(fields.get("how"));
            let preference = GamePreference::Follow { what: FollowTarget::Board(number), how };
            let command = GameCommand::Preference { userid, password: Password::FromContext, preference };
            return Ok(Ok(vec![FormCommand { command, comment: fields.some("say") }]));
        }
        "move" => (make_move(fields, &typed_move(fields.get("move"))), None),
        // Send the first of the tried moves, and prepare the remaining ones as replies.
        "move-and-prepare" if !line.is_empty() => {
            let replies = (line.len() > 2).then(|| {
                let mut plan = Plan::default();
                plan.add(&line[1..]);
                BoardAction::If(Some(plan))
            });
            (make_move(fields, line[0]), replies)
        }
        "prepare" => {
            let mut plan = prepared(request, number)?;
            plan.add(&line);
            (BoardAction::If(Some(plan)), None)
        }
        "if" => match fields.get("plan").parse::<Plan>() {
            _ if fields.get("plan").is_empty() => (BoardAction::If(None), None),
            Ok(plan) => (BoardAction::If(Some(plan)), None),
            Err(error) => return Ok(Err(error.message)),
        },
        "queue" => (BoardAction::Queue(Some(typed_move(fields.get("move")))), None),
        other => match command::board_verb(other).and_then(VerbSpec::board_action) {
            Some(action) => (action, None),
            None => return Ok(Err(message!("web.unknown-board-action", action = other))),
        },
    };
    // If the field for the note is empty, remove the note.
    let comment = fields.some("say").or_else(|| matches!(action, BoardAction::Note).then(|| "-".to_owned()));
    let at_board = |action| GameCommand::AtBoard {
        board: number,
        userid: request.userid().to_owned(),
        password: Password::FromContext,
        action,
    };
    let mut commands = vec![FormCommand { command: at_board(action), comment }];
    commands.extend(replies.map(|action| FormCommand { command: at_board(action), comment: None }));
    Ok(Ok(commands))
}

fn make_move(fields: &Fields, text: &str) -> BoardAction {
    BoardAction::Move { text: text.to_owned(), ply: fields.get("ply").parse().ok() }
}

fn follow_mode(how: &str) -> FollowMode {
    match how {
        "moves" => FollowMode::Moves,
        "ends" => FollowMode::Ends,
        _ => FollowMode::Off,
    }
}

/// Returns the player's prepared replies.
fn prepared(request: &mut PageRequest<'_>, number: BoardNumber) -> anyhow::Result<Plan> {
    let Some(player) = request.player.clone() else { return Ok(Plan::default()) };
    let plan = request.read(|service, tx| service.prepared_plan(tx, number, &player))?;
    Ok(plan.and_then(|text| text.parse().ok()).unwrap_or_default())
}
