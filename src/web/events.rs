//! Pages of events: the list, and the tables and games of an edition.

use minijinja::context;

use super::page::{Page, PageResult};
use super::page_request::{Fields, PageRequest, Path};
use crate::command::{AccountAction, Command, Password};

/// `GET /events`
pub(crate) fn all(request: &mut PageRequest<'_>) -> PageResult {
    let answer = request.run_command(Command::Events, None)?;
    request.answer_page("events", context! {}, answer)
}

/// `GET /events/NAME/EDITION`
pub(crate) fn edition(request: &mut PageRequest<'_>, Path((name, edition)): Path<(String, u32)>) -> PageResult {
    shown(request, name, Some(edition))
}

/// Renders the page of an event with this edition, or with the last edition if `edition` is `None`.
pub(crate) fn shown(request: &mut PageRequest<'_>, name: String, edition: Option<u32>) -> PageResult {
    let answer = request.run_command(Command::Event { name, edition }, None)?;
    request.answer_page("event", context! {}, answer)
}

/// `POST /events/NAME`: the player joins the event, leaves it, or challenges a player of a ladder.
pub(crate) fn act(request: &mut PageRequest<'_>, Path(name): Path<String>, fields: Fields) -> PageResult {
    if request.player.is_none() {
        return request.unsent_page(&fields);
    }
    let (userid, password) = (request.userid().to_owned(), Password::FromContext);
    let action = match (fields.get("do"), fields.get("challenge")) {
        ("leave", _) => AccountAction::Leave(name.clone()),
        (_, "") => AccountAction::Join(name.clone()),
        (_, opponent) => AccountAction::ChallengeInEvent { event: name.clone(), opponent: opponent.to_owned() },
    };
    match request.run_command(Command::Account { userid, password, action }, fields.some("say"))? {
        Ok(answer) => {
            request.site.changed();
            let board = answer.boards().first().map(|board| format!("/boards/{}", board.number));
            Ok(Page::redirect(&board.unwrap_or_else(|| format!("/events/{name}"))))
        }
        Err(rejection) => request.rejection_page(rejection),
    }
}
