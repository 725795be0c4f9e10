//! Pages of events: the list, and the tables and games of an edition.

use axum::response::Response;
use minijinja::context;

use super::extract::Path;
use super::page::Page;
use super::page_request::{PageRequest, PostedForm, Requester, respond, respond_to_form};
use crate::command::{AccountAction, Command, Password};

/// `GET /events`
pub(crate) async fn all(requester: Requester) -> Response {
    respond(requester, |request| {
        let answer = request.run_command(Command::Events, None)?;
        request.answer_page("events", context! {}, answer)
    })
    .await
}

/// `GET /events/NAME`: the last edition of an event.
pub(crate) async fn event(requester: Requester, Path(name): Path<String>) -> Response {
    event_page(requester, name, None).await
}

/// `GET /events/NAME/EDITION`
pub(crate) async fn edition(requester: Requester, Path((name, edition)): Path<(String, u32)>) -> Response {
    event_page(requester, name, Some(edition)).await
}

async fn event_page(requester: Requester, name: String, edition: Option<u32>) -> Response {
    respond(requester, move |request| shown(request, name, edition)).await
}

pub(crate) fn shown(request: &mut PageRequest<'_>, name: String, edition: Option<u32>) -> anyhow::Result<Page> {
    let answer = request.run_command(Command::Event { name, edition }, None)?;
    request.answer_page("event", context! {}, answer)
}

/// `POST /events/NAME`: the player joins the event, leaves it, or challenges a player of a ladder.
pub(crate) async fn act(Path(name): Path<String>, form: PostedForm) -> Response {
    respond_to_form(form, move |request, fields| {
        if request.player.is_none() {
            return Ok(Page::redirect("/login?next=/events"));
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
    })
    .await
}
