//! Login by password or by a mailed link, password reset, logout, and guests.

use axum::http::StatusCode;
use minijinja::context;
use minijinja::value::Serde;
use serde::Deserialize;

use super::lessons::game_facts;
use super::page::{Page, PageResult};
use super::page_request::{Fields, PageRequest, Path, Query, status};
use crate::command::{Command, Password};
use crate::message;
use crate::rules::{Game, catalogue};
use crate::service::{self, Rejection};
use crate::text::Message;

/// The query of the login and signup pages.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct NextQuery {
    /// The path to redirect to after the login or signup.
    next: String,
}

impl NextQuery {
    /// Returns the path to redirect to after the login or signup.
    pub(crate) fn path(&self) -> &str {
        local(&self.next)
    }
}

#[derive(Default)]
struct FormValues<'a> {
    next: &'a str,
    userid: &'a str,
    /// The reason for a failed login.
    error: Option<Message>,
    /// Whether a link was mailed.
    sent: bool,
}

/// Returns `next` if it is a path of this site. Returns the path of the player's boards if it is not, so that a link
/// cannot redirect to another site.
pub(crate) fn local(next: &str) -> &str {
    let plain = next.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    if next.starts_with('/') && !next.starts_with("//") && plain { next } else { "/me" }
}

/// Builds the query string that makes the login and signup pages redirect to `next` when they are done.
pub(crate) fn next_query(next: &str) -> String {
    form_urlencoded::Serializer::new(String::new()).append_pair("next", next).finish()
}

/// `GET /login`
pub(crate) fn form(request: &mut PageRequest<'_>, Query(query): Query<NextQuery>) -> PageResult {
    let values = FormValues { next: query.path(), ..FormValues::default() };
    form_page(request, StatusCode::OK, values)
}

fn form_page(request: &PageRequest<'_>, status: StatusCode, values: FormValues<'_>) -> PageResult {
    // Login links can be mailed only if the public address of the pages is configured.
    let links = request.site.config.web.url.is_some();
    let FormValues { next, userid, error, sent } = values;
    request.page_with(
        status,
        "login",
        context! { next, next_query => next_query(next), userid, error => error.map(Serde), links, sent },
    )
}

/// `POST /login`: logs in with userid and password, or sends a link.
pub(crate) fn log_in(request: &mut PageRequest<'_>, fields: Fields) -> PageResult {
    let (client, now) = (request.client.key(), request.now);
    let values = FormValues { next: local(fields.get("next")), userid: fields.get("userid"), ..FormValues::default() };
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
}

fn too_many_tries(request: &PageRequest<'_>, values: FormValues<'_>) -> PageResult {
    let values = FormValues { error: Some(message!("service.too-many-tries")), ..values };
    form_page(request, StatusCode::TOO_MANY_REQUESTS, values)
}

/// `GET /login/TOKEN`: asks for confirmation, because security scanners follow every link in a letter.
pub(crate) fn link_form(request: &mut PageRequest<'_>, Path(token): Path<String>) -> PageResult {
    let now = request.now;
    let player = request.read(|service, tx| service.login_link(tx, &token, now))?;
    let status = if player.is_some() { StatusCode::OK } else { StatusCode::NOT_FOUND };
    request.page_with(status, "login-link", context! { userid => player.map(|player| player.userid) })
}

/// `POST /login/TOKEN`: logs in with a mailed link.
pub(crate) fn log_in_by_link(request: &mut PageRequest<'_>, Path(token): Path<String>, _: Fields) -> PageResult {
    let now = request.now;
    match request.write(|service, tx| service.log_in_by_link(tx, &token, now))? {
        Some(session) => request.logged_in(&session, "/me"),
        None => request.page_with(StatusCode::NOT_FOUND, "login-link", context! { userid => () }),
    }
}

/// `POST /logout`
pub(crate) fn log_out(request: &mut PageRequest<'_>, _: Fields) -> PageResult {
    request.log_out()?;
    Ok(request.logged_out(Page::redirect("/")))
}

/// The computer player of a guest's first game.
const OPPONENT: &str = "robot1";

/// `GET /games/GAME/play`
pub(crate) fn guest_form(request: &mut PageRequest<'_>, Path(name): Path<String>) -> PageResult {
    match game(request, &name) {
        Some(game) if request.player.is_some() => Ok(challenge_form(game)),
        Some(game) => guest_page(request, game, "", None),
        None => request.not_found(),
    }
}

/// `POST /games/GAME/play`: signs up a guest and starts their first game.
pub(crate) fn play(request: &mut PageRequest<'_>, Path(name): Path<String>, fields: Fields) -> PageResult {
    let Some(game) = game(request, &name) else { return request.not_found() };
    if request.player.is_some() {
        return Ok(challenge_form(game));
    }
    let (userid, client, now) = (fields.get("userid"), request.client.key(), request.now);
    let session = match request.write(|service, tx| service.sign_up_guest(tx, userid, client, now))? {
        Ok(session) => session,
        Err(rejection) => return guest_page(request, game, userid, Some(rejection)),
    };
    request.player = request.read(|service, tx| service.session(tx, &session, now))?;
    let words = [game.name(), "challenge", userid, OPPONENT].map(str::to_owned);
    let path = match request.run_words(&words, None)? {
        Ok(service::Response::Challenged { board }) => format!("/boards/{}", board.number),
        _ => "/me".to_owned(),
    };
    request.logged_in(&session, &path)
}

/// Finds a game by name. Returns `None` if there is no such game, or if this server has no computer players.
fn game(request: &PageRequest<'_>, name: &str) -> Option<&'static dyn Game> {
    catalogue::find(name).filter(|_| request.site.config.policy.robots > 0)
}

fn challenge_form(game: &dyn Game) -> Page {
    Page::redirect(&format!("/games/{}/challenge?opponent={OPPONENT}", game.name()))
}

fn guest_page(request: &PageRequest<'_>, game: &dyn Game, userid: &str, rejection: Option<Rejection>) -> PageResult {
    let status = rejection.as_ref().map_or(StatusCode::OK, |rejection| status(rejection, StatusCode::CONFLICT));
    let error = rejection.map(|rejection| Serde(rejection.message));
    request.page_with(status, "guest", context! { game => game_facts(game), userid, error })
}

/// `GET /password`
pub(crate) fn password_form(request: &mut PageRequest<'_>) -> PageResult {
    asking_page(request, StatusCode::OK, None, false)
}

/// `POST /password`: sends a link if the player exists.
pub(crate) fn ask(request: &mut PageRequest<'_>, fields: Fields) -> PageResult {
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
}

fn asking_page(request: &PageRequest<'_>, status: StatusCode, error: Option<Message>, sent: bool) -> PageResult {
    request.page_with(status, "password", context! { error => error.map(Serde), sent })
}

/// `GET /password/CODE`: asks for the new password.
pub(crate) fn password_link_form(request: &mut PageRequest<'_>, Path(code): Path<String>) -> PageResult {
    link_page(request, &code, None)
}

/// `POST /password/CODE`: sets the new password.
pub(crate) fn set(request: &mut PageRequest<'_>, Path(code): Path<String>, fields: Fields) -> PageResult {
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
}

fn link_page(request: &mut PageRequest<'_>, code: &str, error: Option<Message>) -> PageResult {
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
