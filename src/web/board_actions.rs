//! What a player does at a board: each form of its page stands for commands of the command language.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;

use super::board::{FailedAction, board_page, typed_move};
use super::page::Page;
use super::page_request::{Fields, PageRequest, PostedForm, respond_to_form};
use super::site::Site;
use crate::command::{Act, Command, Followed, Following, Password, Plan, Verb, Wish};
use crate::message;
use crate::rules::catalogue;
use crate::service::{ExploreQuery, Rejection};
use crate::text::Message;

/// One command of a form, with the comment that goes with it.
struct Action {
    verb: Verb,
    comment: Option<String>,
}

/// `POST /boards/N`
pub(super) async fn act(State(site): State<Arc<Site>>, Path(number): Path<u32>, form: PostedForm) -> Response {
    respond_to_form(site, form, move |request, fields| {
        if request.player.is_none() {
            return Ok(Page::redirect(&format!("/login?next=/boards/{number}")));
        }
        let Some(game) = game_of(request, number)? else { return request.not_found() };
        let rejection = match actions(request, number, &fields)? {
            Ok(actions) => run_all(request, game, actions)?,
            Err(message) => Some(Rejection { message, ..Rejection::default() }),
        };
        let Some(rejection) = rejection else { return Ok(Page::redirect(&format!("/boards/{number}"))) };
        let pick = Some(typed_move(fields.get("move"))).filter(|pick| !pick.is_empty());
        let query = ExploreQuery { number, pick, ..ExploreQuery::default() };
        board_page(request, &query, Some(FailedAction { rejection: &rejection, say: fields.get("say") }))
    })
    .await
}

/// The game of a board or challenge.
fn game_of(request: &mut PageRequest<'_>, number: u32) -> anyhow::Result<Option<&'static str>> {
    let game = request.read(|service, tx| service.game_of(tx, number))?;
    Ok(game.and_then(|game| catalogue::find(&game)).map(|game| game.name()))
}

/// Runs the commands in order until one is rejected; returns that rejection.
fn run_all(
    request: &mut PageRequest<'_>,
    game: &'static str,
    actions: Vec<Action>,
) -> anyhow::Result<Option<Rejection>> {
    for Action { verb, comment } in actions {
        if let Err(rejection) = request.run_command(Command::Game { game, verb }, comment)? {
            return Ok(Some(rejection));
        }
    }
    Ok(None)
}

/// The commands that a form stands for. The comment goes with the first.
fn actions(
    request: &mut PageRequest<'_>,
    number: u32,
    fields: &Fields,
) -> anyhow::Result<Result<Vec<Action>, Message>> {
    let line: Vec<&str> = fields.get("line").split_whitespace().collect();
    let (act, replies) = match fields.get("do") {
        "follow" => {
            let userid = request.userid().to_owned();
            let wish = Wish::Follow { what: Followed::Board(number), how: following(fields.get("how")) };
            let verb = Verb::Wish { userid, password: Password::FromContext, wish };
            return Ok(Ok(vec![Action { verb, comment: fields.some("say") }]));
        }
        "move" => (make_move(fields, &typed_move(fields.get("move"))), None),
        // The first move of the tried line is sent, and the rest of it are replies.
        "move-and-prepare" if !line.is_empty() => {
            let replies = (line.len() > 2).then(|| {
                let mut plan = Plan::default();
                plan.add(&line[1..]);
                Act::If(Some(plan))
            });
            (make_move(fields, line[0]), replies)
        }
        "prepare" => {
            let mut plan = prepared(request, number)?;
            plan.add(&line);
            (Act::If(Some(plan)), None)
        }
        "if" => match fields.get("plan").parse::<Plan>() {
            _ if fields.get("plan").is_empty() => (Act::If(None), None),
            Ok(plan) => (Act::If(Some(plan)), None),
            Err(error) => return Ok(Err(error.to_string().into())),
        },
        other => match plain_act(other, fields) {
            Some(act) => (act, None),
            None => return Ok(Err(message!("web.unknown-board-action", action = other))),
        },
    };
    // An empty note removes the note.
    let comment = fields.some("say").or_else(|| matches!(act, Act::Note).then(|| "-".to_owned()));
    let verb =
        |act| Verb::At { board: number, userid: request.userid().to_owned(), password: Password::FromContext, act };
    let mut actions = vec![Action { verb: verb(act), comment }];
    actions.extend(replies.map(|act| Action { verb: verb(act), comment: None }));
    Ok(Ok(actions))
}

/// An act that depends on nothing but the form.
fn plain_act(name: &str, fields: &Fields) -> Option<Act> {
    match name {
        "queue" => Some(Act::Queue(Some(typed_move(fields.get("move"))))),
        "resign" => Some(Act::Resign),
        "decline" => Some(Act::Decline),
        "propose" => Some(Act::Propose),
        "undo" => Some(Act::Undo),
        "accept" => Some(Act::Accept),
        "reject" => Some(Act::Reject),
        "chat" => Some(Act::Chat),
        "note" => Some(Act::Note),
        _ => None,
    }
}

fn make_move(fields: &Fields, text: &str) -> Act {
    Act::Move { text: text.to_owned(), ply: fields.get("ply").parse().ok() }
}

fn following(how: &str) -> Following {
    match how {
        "moves" => Following::Moves,
        "ends" => Following::Ends,
        _ => Following::Not,
    }
}

/// The replies that the player has prepared already.
fn prepared(request: &mut PageRequest<'_>, number: u32) -> anyhow::Result<Plan> {
    let Some(player) = request.player.clone() else { return Ok(Plan::default()) };
    let role = request.read(|service, tx| service.board_role(tx, number, &player))?;
    Ok(role.plan.and_then(|(text, _)| text.parse().ok()).unwrap_or_default())
}
