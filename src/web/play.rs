//! What a player does at a board: each form of its page names an act of the command language.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;

use super::board::{Spot, Undone, shown, typed};
use super::visit::{Fields, Posted, Visit};
use super::{Page, Site, at_desk_with};
use crate::command::{BoardAction, Command, FollowMode, FollowTarget, GameCommand, GamePreference, Password, Plan};
use crate::rules::catalogue;
use crate::service::Rejection;

/// `POST /boards/N`
pub(super) async fn act(State(site): State<Arc<Site>>, Path(number): Path<u32>, posted: Posted) -> Response {
    at_desk_with(site, posted, move |visit, fields| {
        if visit.player.is_none() {
            return Ok(Page::redirect(&format!("/login?next=/boards/{number}")));
        }
        let Some(game) = game_of(visit, number)? else { return visit.nowhere() };
        let refused = match commands(visit, number, &fields)? {
            Ok(commands) => all_done(visit, game, commands, fields.some("say"))?,
            Err(refused) => Some(refused),
        };
        let Some(refused) = refused else { return Ok(Page::redirect(&format!("/boards/{number}"))) };
        let spot = Spot { number, pick: typed(fields.get("move")), ..Spot::default() };
        shown(visit, &spot, Some(Undone { refused: &refused, say: fields.get("say") }))
    })
    .await
}

/// The game of a board or an open challenge.
fn game_of(visit: &mut Visit<'_>, number: u32) -> anyhow::Result<Option<&'static str>> {
    let tx = visit.store.read()?;
    let game = match tx.board(number)? {
        Some(board) => Some(board.game),
        None => tx.open_challenge(number)?.map(|offer| offer.game),
    };
    Ok(game.and_then(|game| catalogue::find(&game)).map(|game| game.name()))
}

/// Does one thing after the other; why it stopped, if it did. What was said goes with the first.
fn all_done(
    visit: &mut Visit<'_>,
    game: &'static str,
    commands: Vec<GameCommand>,
    mut say: Option<String>,
) -> anyhow::Result<Option<Rejection>> {
    for command in commands {
        if let Err(refused) = visit.obey(Command::Game { game, command }, say.take())? {
            return Ok(Some(refused));
        }
    }
    Ok(None)
}

/// What a form asks for.
fn commands(
    visit: &mut Visit<'_>,
    number: u32,
    fields: &Fields,
) -> anyhow::Result<Result<Vec<GameCommand>, Rejection>> {
    let userid = visit.userid().to_owned();
    let at = |action: BoardAction| GameCommand::AtBoard {
        board: number,
        userid: userid.clone(),
        password: Password::FromContext,
        action,
    };
    let line: Vec<&str> = fields.get("line").split_whitespace().collect();
    let act = match fields.get("do") {
        "move" => {
            let mv = BoardAction::Move { text: typed(fields.get("move")), ply: fields.get("ply").parse().ok() };
            return Ok(Ok(vec![at(mv)]));
        }
        // The first of a line that was tried, and the rest of it as replies.
        "move-and-prepare" if !line.is_empty() => {
            let mut commands =
                vec![at(BoardAction::Move { text: line[0].to_owned(), ply: fields.get("ply").parse().ok() })];
            if line.len() > 2 {
                let mut plan = Plan::default();
                plan.add(&line[1..]);
                commands.push(at(BoardAction::If(Some(plan))));
            }
            return Ok(Ok(commands));
        }
        "prepare" => {
            let mut plan = prepared(visit, number)?;
            plan.add(&line);
            BoardAction::If(Some(plan))
        }
        "if" => match fields.get("plan").parse::<Plan>() {
            _ if fields.get("plan").is_empty() => BoardAction::If(None),
            Ok(plan) => BoardAction::If(Some(plan)),
            Err(error) => return Ok(Err(Rejection { message: error.message, ..Rejection::default() })),
        },
        "queue" => BoardAction::Queue(Some(typed(fields.get("move")))),
        "resign" => BoardAction::Resign,
        "decline" => BoardAction::Decline,
        "propose" => BoardAction::Propose,
        "undo" => BoardAction::Undo,
        "accept" => BoardAction::Accept,
        "reject" => BoardAction::Reject,
        "chat" => BoardAction::Chat,
        // An empty note is none.
        "note" => {
            let text = fields.some("say").unwrap_or_else(|| "-".to_owned());
            let command = at(BoardAction::Note);
            let game = game_of(visit, number)?.unwrap_or_default();
            let done = visit.obey(Command::Game { game, command }, Some(text))?;
            return Ok(done.map(|_| Vec::new()));
        }
        "follow" => {
            let how = match fields.get("how") {
                "moves" => FollowMode::Moves,
                "ends" => FollowMode::Ends,
                _ => FollowMode::Off,
            };
            let preference = GamePreference::Follow { what: FollowTarget::Board(number), how };
            return Ok(Ok(vec![GameCommand::Preference { userid, password: Password::FromContext, preference }]));
        }
        other => {
            let message = format!("\"{other}\" is nothing that can be done at a board.");
            return Ok(Err(Rejection { message: message.into(), ..Rejection::default() }));
        }
    };
    Ok(Ok(vec![at(act)]))
}

/// What is prepared already.
fn prepared(visit: &mut Visit<'_>, number: u32) -> anyhow::Result<Plan> {
    let Some(player) = visit.player.clone() else { return Ok(Plan::default()) };
    let service = visit.site.config.service(visit.site.world);
    let place = service.place(&*visit.store.read()?, number, &player)?;
    Ok(place.plan.and_then(|(text, _)| text.parse().ok()).unwrap_or_default())
}
