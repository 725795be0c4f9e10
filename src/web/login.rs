//! Login by password or by a mailed link, and logout.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use minijinja::context;
use minijinja::value::Serde;
use serde::Deserialize;

use super::extract::{Path, Query};
use super::page::Page;
use super::page_request::{PageRequest, PostedForm, Requester, respond, respond_to_form, status};
use super::site::Site;
use crate::message;
use crate::text::Message;

/// The query of the login and signup pages.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct NextQuery {
    /// The path to redirect to afterwards.
    next: String,
}

impl NextQuery {
    /// Returns the path to redirect to afterwards.
    pub(crate) fn path(&self) -> &str {
        local(&self.next)
    }
}

/// The values in the form.
#[derive(Default)]
struct FormValues<'a> {
    next: &'a str,
    userid: &'a str,
    /// The reason for a failed login.
    error: Option<Message>,
    /// Whether a link was mailed.
    sent: bool,
}

/// Returns a path of this site unchanged; replaces everything else by the page of the player's boards.
pub(crate) fn local(next: &str) -> &str {
    let plain = next.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    if next.starts_with('/') && !next.starts_with("//") && plain { next } else { "/me" }
}

/// Builds the query of the login and signup pages, for redirecting to a path afterwards.
pub(crate) fn next_query(next: &str) -> String {
    form_urlencoded::Serializer::new(String::new()).append_pair("next", next).finish()
}

/// `GET /login`
pub(crate) async fn form(
    State(site): State<Arc<Site>>,
    requester: Requester,
    Query(query): Query<NextQuery>,
) -> Response {
    respond(site, requester, move |request| {
        let values = FormValues { next: query.path(), ..FormValues::default() };
        form_page(request, StatusCode::OK, values)
    })
    .await
}

fn form_page(request: &PageRequest<'_>, status: StatusCode, values: FormValues<'_>) -> anyhow::Result<Page> {
    // Mailed links require a configured public address of the pages.
    let links = request.site.config.web.url.is_some();
    let FormValues { next, userid, error, sent } = values;
    request.page_with(
        status,
        "login",
        context! { next, next_query => next_query(next), userid, error => error.map(Serde), links, sent },
    )
}

/// `POST /login`: logs in with userid and password, or mails a link.
pub(crate) async fn log_in(State(site): State<Arc<Site>>, form: PostedForm) -> Response {
    respond_to_form(site, form, |request, fields| {
        let (client, now) = (request.client.key(), request.now);
        let values =
            FormValues { next: local(fields.get("next")), userid: fields.get("userid"), ..FormValues::default() };
        if request.client_waits()? {
            return too_many_tries(request, values);
        }
        if fields.get("by") == "letter" && request.site.config.web.url.is_some() {
            if !request.write(|service, tx| service.mail_login_link(tx, values.userid, client, now))? {
                return too_many_tries(request, values);
            }
            request.site.changed();
            return form_page(request, StatusCode::OK, FormValues { sent: true, ..values });
        }
        let (userid, password) = (values.userid, fields.exact("password"));
        match request.log_in(userid, password)? {
            Ok(session) => request.logged_in(&session, values.next),
            Err(rejection) => {
                let status = status(&rejection, StatusCode::FORBIDDEN);
                form_page(request, status, FormValues { error: Some(rejection.message), ..values })
            }
        }
    })
    .await
}

fn too_many_tries(request: &PageRequest<'_>, values: FormValues<'_>) -> anyhow::Result<Page> {
    let values = FormValues { error: Some(message!("service.too-many-tries")), ..values };
    form_page(request, StatusCode::TOO_MANY_REQUESTS, values)
}

/// `GET /login/TOKEN`: asks for confirmation, because security scanners follow every link in a letter.
pub(crate) async fn link_form(
    State(site): State<Arc<Site>>,
    requester: Requester,
    Path(token): Path<String>,
) -> Response {
    respond(site, requester, move |request| {
        let now = request.now;
        let player = request.read(|service, tx| service.login_link(tx, &token, now))?;
        let status = if player.is_some() { StatusCode::OK } else { StatusCode::NOT_FOUND };
        request.page_with(status, "login-link", context! { userid => player.map(|player| player.userid) })
    })
    .await
}

/// `POST /login/TOKEN`: logs in with a mailed link.
pub(crate) async fn log_in_by_link(
    State(site): State<Arc<Site>>,
    Path(token): Path<String>,
    form: PostedForm,
) -> Response {
    respond_to_form(site, form, move |request, _| {
        let now = request.now;
        match request.write(|service, tx| service.log_in_by_link(tx, &token, now))? {
            Some(session) => request.logged_in(&session, "/me"),
            None => request.page_with(StatusCode::NOT_FOUND, "login-link", context! { userid => () }),
        }
    })
    .await
}

/// `POST /logout`
pub(crate) async fn log_out(State(site): State<Arc<Site>>, form: PostedForm) -> Response {
    respond_to_form(site, form, |request, _| {
        request.log_out()?;
        Ok(request.logged_out("/"))
    })
    .await
}
