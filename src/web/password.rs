//! Password reset: requesting a link by mail, and using it to set a new password.

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
use crate::command::{Command, Password};
use crate::message;
use crate::text::Message;

/// `GET /password`
pub(crate) async fn form(State(site): State<Arc<Site>>, requester: Requester) -> Response {
    respond(site, requester, |request| asking_page(request, StatusCode::OK, None, false)).await
}

/// `POST /password`: mails a link if the player exists.
pub(crate) async fn ask(State(site): State<Arc<Site>>, form: PostedForm) -> Response {
    respond_to_form(site, form, |request, fields| {
        let (client, now) = (request.client.key(), request.now);
        let (userid, source) = (fields.get("userid"), client.to_string());
        let asked = !request.read(|service, tx| service.asked_for_passwords_too_often(tx, &source, now))?
            && request.write(|service, tx| service.mail_password_link(tx, userid, &source, now))?;
        if !asked {
            let error = message!("service.too-many-password-requests");
            return asking_page(request, StatusCode::TOO_MANY_REQUESTS, Some(error), false);
        }
        request.site.changed();
        asking_page(request, StatusCode::OK, None, true)
    })
    .await
}

fn asking_page(
    request: &PageRequest<'_>,
    status: StatusCode,
    error: Option<Message>,
    sent: bool,
) -> anyhow::Result<Page> {
    request.page_with(status, "password", context! { error => error.map(Serde), sent })
}

/// `GET /password/CODE`: asks for the new password.
pub(crate) async fn link_form(
    State(site): State<Arc<Site>>,
    requester: Requester,
    Path(code): Path<String>,
) -> Response {
    respond(site, requester, move |request| link_page(request, &code, None)).await
}

/// `POST /password/CODE`: sets the new password.
pub(crate) async fn set(State(site): State<Arc<Site>>, Path(code): Path<String>, form: PostedForm) -> Response {
    respond_to_form(site, form, move |request, fields| {
        let now = request.now;
        let Some(player) = request.read(|service, tx| service.password_link(tx, &code, now))? else {
            return link_page(request, &code, None);
        };
        let new = fields.exact("new").to_owned();
        if let Some(flaw) = Password::flaw(&new) {
            return link_page(request, &code, Some(flaw));
        }
        let new = Password::Given(new);
        let command = Command::NewPassword { userid: player.userid.clone(), code: code.clone(), new };
        match request.run_command(command, None)? {
            Ok(_) => request.page("password-link", context! { userid => player.userid, done => true, error => () }),
            Err(rejection) => link_page(request, &code, Some(rejection.message)),
        }
    })
    .await
}

fn link_page(request: &mut PageRequest<'_>, code: &str, error: Option<Message>) -> anyhow::Result<Page> {
    let now = request.now;
    let player = request.read(|service, tx| service.password_link(tx, code, now))?;
    let status = match (&player, &error) {
        (None, _) => StatusCode::NOT_FOUND,
        (Some(_), Some(_)) => StatusCode::CONFLICT,
        (Some(_), None) => StatusCode::OK,
    };
    let userid = player.map(|player| player.userid);
    request.page_with(status, "password-link", context! { userid, done => false, error => error.map(Serde) })
}
