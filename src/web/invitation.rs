//! Invitations: links that players send to an opponent of their choice.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use minijinja::context;
use minijinja::value::Serde;

use super::extract::Path;
use super::page::Page;
use super::page_request::{PageRequest, PostedForm, Requester, respond, respond_to_form};
use super::site::Site;
use crate::command::{BoardAction, Command, GameCommand, Password};
use crate::message;
use crate::rules::{Game, catalogue};
use crate::service::{self, InvitationView};
use crate::text::Message;

/// `GET /invite/CODE`: shows the challenge. Changes nothing, because programs follow links too.
pub(crate) async fn page(State(site): State<Arc<Site>>, requester: Requester, Path(code): Path<String>) -> Response {
    respond(site, requester, move |request| show(request, &code, None)).await
}

/// `POST /invite/CODE`: accepts the challenge.
pub(crate) async fn take(State(site): State<Arc<Site>>, Path(code): Path<String>, form: PostedForm) -> Response {
    respond_to_form(site, form, move |request, fields| {
        if request.player.is_none() {
            return Ok(Page::redirect(&format!("/login?next=/invite/{code}")));
        }
        let Some(InvitationView::Open { offer }) = find(request, &code)? else { return show(request, &code, None) };
        let Some(game) = catalogue::find(&offer.game).map(Game::name) else { return request.not_found() };
        let action = BoardAction::Accept(Some(code.clone()));
        let (userid, password) = (request.userid().to_owned(), Password::FromContext);
        let command = GameCommand::AtBoard { board: offer.number, userid, password, action };
        match request.run_command(Command::Game { game: Some(game), command }, fields.some("say"))? {
            Ok(service::Response::Challenged { board }) => Ok(Page::redirect(&format!("/boards/{}", board.number))),
            Ok(_) => request.not_found(),
            Err(rejection) => show(request, &code, Some(rejection.message)),
        }
    })
    .await
}

fn find(request: &mut PageRequest<'_>, code: &str) -> anyhow::Result<Option<InvitationView>> {
    let player = request.player.clone();
    Ok(request.read(|service, tx| service.invitation(tx, code, player.as_ref()))?)
}

/// Makes the page of an invitation; `error` explains why the challenge was not accepted.
fn show(request: &mut PageRequest<'_>, code: &str, error: Option<Message>) -> anyhow::Result<Page> {
    let status = if error.is_some() { StatusCode::CONFLICT } else { StatusCode::OK };
    match find(request, code)? {
        None => request.message_page(StatusCode::NOT_FOUND, message!("web.no-such-invitation")),
        Some(InvitationView::Taken { number, plays: true }) => Ok(Page::redirect(&format!("/boards/{number}"))),
        Some(InvitationView::Open { offer }) if offer.challenger == request.userid() => {
            Ok(Page::redirect(&format!("/boards/{}", offer.number)))
        }
        Some(invitation) => {
            let facts = context! { invitation => Serde(invitation), code, error => error.map(Serde) };
            request.page_with(status, "invitation", facts)
        }
    }
}
