//! Signup, confirmation of a mail address, and the unsubscribe link in letters.
//!
//! Mail programs post to the unsubscribe link without confirmation (RFC 8058), which stops letters of the same kind.
//! People who follow the link must confirm, because security scanners follow links too. They can also choose other
//! kinds of letters.

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::http::StatusCode;
use axum::response::Response;
use minijinja::value::Serde;
use minijinja::{Value, context};

use super::login::{NextQuery, local, next_query};
use super::page::PageResult;
use super::page_request::{Fields, PageRequest, Path, Query, Requester, respond, status};
use super::settings::zones;
use crate::command::{self, Command, Password};
use crate::message;
use crate::service::{self, UnsubscribeChoice};
use crate::text::Message;

/// `GET /signup`
pub(crate) fn form(request: &mut PageRequest<'_>, Query(query): Query<NextQuery>) -> PageResult {
    let (next, next_query) = (query.path(), next_query(query.path()));
    let facts = context! {
        userid => guest(request), address => "", chosen => "", zones => zones(""), next, next_query, error => (),
    };
    request.page("signup", facts)
}

/// Returns the userid of the guest who sent the request; empty if the requester is not a guest. The guest's boards will
/// belong to the new player.
fn guest(request: &PageRequest<'_>) -> String {
    if request.is_guest() { request.userid().to_owned() } else { String::new() }
}

/// `POST /signup`: creates a player and logs them in. Letters start after the address is confirmed.
pub(crate) fn sign_up(request: &mut PageRequest<'_>, fields: Fields) -> PageResult {
    let userid = Some(guest(request)).filter(|guest| !guest.is_empty());
    let userid = userid.unwrap_or_else(|| fields.get("userid").to_owned());
    let (address, next) = (fields.get("address"), local(fields.get("next")));
    match new_session(request, &userid, &fields)? {
        Ok(session) => {
            set_zone(request, &session, fields.get("zone"))?;
            request.logged_in(&session, next)
        }
        Err(message) => {
            let (chosen, next_query) = (fields.get("zone"), next_query(next));
            let zones = zones(chosen);
            let facts = context! { userid, address, chosen, zones, next, next_query, error => Serde(message) };
            request.page_with(StatusCode::CONFLICT, "signup", facts)
        }
    }
}

/// Sets the time zone of a new player. Ignores an unknown zone, because the browser chose it, not the player.
fn set_zone(request: &mut PageRequest<'_>, session: &str, zone: &str) -> anyhow::Result<()> {
    if zone.is_empty() {
        return Ok(());
    }
    let now = request.now;
    request.player = request.read(|service, tx| service.session(tx, session, now))?;
    let words = ["set", request.userid(), "-", &format!("zone={zone}")].map(str::to_owned);
    request.run_words(&words, None)?.ok();
    Ok(())
}

/// Signs up and logs in; returns the value of the session cookie.
fn new_session(
    request: &mut PageRequest<'_>,
    userid: &str,
    fields: &Fields,
) -> anyhow::Result<Result<String, Message>> {
    let password = fields.exact("password");
    if [userid, password, fields.get("address")].iter().any(|field| field.is_empty()) {
        return Ok(Err(message!("web.signup-incomplete")));
    }
    // Parse the fields as a command, because the parser validates the userid and the password.
    let words = ["signup".to_owned(), userid.to_owned(), password.to_owned(), fields.get("address").to_owned()];
    let line = match command::parse_words(&words) {
        Ok(line) => line,
        Err(error) => return Ok(Err(request.not_understood(error)?.message)),
    };
    // Check the parsed command: a field that starts with "-" would be parsed as an option.
    match &line.command {
        Command::Signup { userid: same, password: Password::Given(_), addresses }
            if same == userid && addresses.len() == 1 => {}
        _ => return Ok(Err(message!("web.signup-hyphen"))),
    }
    match request.run(line, None)? {
        Ok(_) => Ok(request.log_in(userid, password)?.map_err(|rejection| rejection.message)),
        Err(rejection) => Ok(Err(rejection.message)),
    }
}

/// `GET /confirm/USERID/CODE`: asks for confirmation, because security scanners follow every link in a letter.
pub(crate) fn confirm_form(request: &mut PageRequest<'_>, Path((userid, code)): Path<(String, String)>) -> PageResult {
    let works = request.read(|service, tx| service.awaits_code(tx, &userid, &code))?;
    let status = if works { StatusCode::OK } else { StatusCode::NOT_FOUND };
    request.page_with(status, "confirm", context! { userid, works, done => false, error => () })
}

/// `POST /confirm/USERID/CODE`: confirms the address, which receives letters from now on.
pub(crate) fn confirm(
    request: &mut PageRequest<'_>,
    Path((userid, code)): Path<(String, String)>,
    _: Fields,
) -> PageResult {
    match request.run_command(Command::ConfirmAddress { userid: userid.clone(), code }, None)? {
        Ok(service::Response::AddressConfirmed { userid, address, .. }) => {
            request.page("confirm", context! { userid, works => true, done => true, address, error => () })
        }
        Ok(_) => request.not_found(),
        Err(rejection) => {
            let status = status(&rejection, StatusCode::NOT_FOUND);
            let works = rejection.message != message!("service.no-such-code");
            let facts = context! { userid, works, done => false, error => Serde(rejection.message) };
            request.page_with(status, "confirm", facts)
        }
    }
}

/// `GET /unsubscribe/TOKEN`: asks for confirmation.
pub(crate) fn unsubscribe_form(request: &mut PageRequest<'_>, Path(token): Path<String>) -> PageResult {
    let link = request.read(|service, tx| service.unsubscribe_link(tx, &token))?;
    let facts = link.as_ref().map(|link| {
        let (board, plays, follows) = (link.board, link.plays, link.follows);
        context! { stops => Serde(link.stops), board => board.map(Serde), plays, follows }
    });
    page(request, link.is_some(), context! { link => facts, done => () })
}

/// `POST /unsubscribe/TOKEN`: stops letters. Needs no session, because a mail program has only the link. The page's
/// form can select other kinds of letters in its body.
pub(crate) async fn unsubscribe(
    requester: Requester,
    Path(token): Path<String>,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    respond(requester, move |request| {
        // The forms of the page always have a valid body, so an invalid one is from another program and is treated as
        // empty.
        let choice = choice(&body.unwrap_or_default());
        let now = request.now;
        let done = request.write(|service, tx| service.unsubscribe_by_link(tx, &token, choice, now))?;
        page(request, done.is_some(), context! { link => (), done => done.map(Serde) })
    })
    .await
}

fn choice(body: &[u8]) -> UnsubscribeChoice {
    match form_urlencoded::parse(body).find(|(key, _)| key == "letters").as_ref().map(|(_, value)| value.as_ref()) {
        Some("followed") => UnsubscribeChoice::Followed,
        Some("all") => UnsubscribeChoice::All,
        _ => UnsubscribeChoice::Link,
    }
}

fn page(request: &PageRequest<'_>, known: bool, facts: Value) -> PageResult {
    let status = if known { StatusCode::OK } else { StatusCode::NOT_FOUND };
    request.page_with(status, "unsubscribe", facts)
}
