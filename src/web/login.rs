//! Logging in by password or by a link in a letter, logging out, and becoming a player.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use minijinja::context;
use serde::Deserialize;

use super::limits::TOO_OFTEN;
use super::visit::{Fields, Posted, Visit, Visitor};
use super::{Page, Site, at_desk, at_desk_with};
use crate::command::{self, Command, Password};
use crate::service;

/// Where to go afterwards.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Next {
    next: String,
}

/// A path of this site; anything else is the player's boards.
fn local(next: &str) -> &str {
    let plain = next.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    if next.starts_with('/') && !next.starts_with("//") && plain { next } else { "/me" }
}

/// `GET /login`
pub(super) async fn form(State(site): State<Arc<Site>>, visitor: Visitor, Query(next): Query<Next>) -> Response {
    at_desk(site, visitor, move |visit| login_page(visit, StatusCode::OK, local(&next.next), "", None)).await
}

fn login_page(
    visit: &Visit<'_>,
    status: StatusCode,
    next: &str,
    userid: &str,
    refused: Option<&str>,
) -> anyhow::Result<Page> {
    // Without knowing where the world reaches us, no link can be mailed.
    let links = visit.site.config.web.url.is_some();
    visit.page_with(status, "login", context! { next, userid, refused, links, sent => false })
}

/// `POST /login`: a userid and a password; or, without the latter, a letter with a link.
pub(super) async fn log_in(State(site): State<Arc<Site>>, posted: Posted) -> Response {
    at_desk_with(site, posted, |visit, fields| {
        let (userid, next) = (fields.get("userid"), local(fields.get("next")));
        if !visit.site.limits.try_once(visit.client.key(), visit.now) {
            return login_page(visit, StatusCode::TOO_MANY_REQUESTS, next, userid, Some(TOO_OFTEN));
        }
        let service = visit.site.config.service(visit.site.world);
        if fields.get("by") == "letter" && visit.site.config.web.url.is_some() {
            let mut tx = visit.store.write()?;
            service.mail_login_link(&mut *tx, userid, visit.now)?;
            tx.commit()?;
            visit.site.written();
            return visit.page("login", context! { next, userid, refused => (), links => true, sent => true });
        }
        let mut tx = visit.store.write()?;
        let begun = service.log_in(&mut *tx, userid, fields.exact("password"), visit.now)?;
        // A wrong password is counted.
        tx.commit()?;
        match begun {
            Ok(session) => {
                visit.site.limits.forgive(visit.client.key());
                Ok(Page::redirect(next).with("Set-Cookie", visit.cookie(Some(&session))))
            }
            Err(why) => {
                let why = visit.site.composer.message(&why)?;
                login_page(visit, StatusCode::FORBIDDEN, next, userid, Some(&why))
            }
        }
    })
    .await
}

/// `GET /login/TOKEN`: asks, since programs that look for harm follow every link of a letter.
pub(super) async fn link(State(site): State<Arc<Site>>, visitor: Visitor, Path(token): Path<String>) -> Response {
    at_desk(site, visitor, move |visit| {
        let tx = visit.store.read()?;
        let player = visit.site.config.service(visit.site.world).login_link(&*tx, &token, visit.now)?;
        drop(tx);
        let status = if player.is_some() { StatusCode::OK } else { StatusCode::NOT_FOUND };
        visit.page_with(status, "login-link", context! { userid => player.map(|player| player.userid) })
    })
    .await
}

/// `POST /login/TOKEN`
pub(super) async fn by_link(State(site): State<Arc<Site>>, Path(token): Path<String>, posted: Posted) -> Response {
    at_desk_with(site, posted, move |visit, _| {
        let mut tx = visit.store.write()?;
        let begun = visit.site.config.service(visit.site.world).log_in_by_link(&mut *tx, &token, visit.now)?;
        tx.commit()?;
        match begun {
            Some(session) => Ok(Page::redirect("/me").with("Set-Cookie", visit.cookie(Some(&session)))),
            None => visit.page_with(StatusCode::NOT_FOUND, "login-link", context! { userid => () }),
        }
    })
    .await
}

/// `POST /logout`
pub(super) async fn log_out(State(site): State<Arc<Site>>, posted: Posted) -> Response {
    at_desk_with(site, posted, |visit, _| {
        visit.log_out()?;
        Ok(Page::redirect("/").with("Set-Cookie", visit.cookie(None)))
    })
    .await
}

/// `GET /signup`
pub(super) async fn signup_form(State(site): State<Arc<Site>>, visitor: Visitor) -> Response {
    at_desk(site, visitor, |visit| visit.page("signup", context! { userid => "", address => "", refused => () })).await
}

/// `POST /signup`: a new player, who is logged in at once; letters come when he has confirmed his address.
pub(super) async fn sign_up(State(site): State<Arc<Site>>, posted: Posted) -> Response {
    at_desk_with(site, posted, |visit, fields| {
        let (userid, address) = (fields.get("userid"), fields.get("address"));
        let refused = match signed_up(visit, &fields)? {
            Ok(session) => return Ok(Page::redirect("/me").with("Set-Cookie", visit.cookie(Some(&session)))),
            Err(refused) => refused,
        };
        visit.page_with(StatusCode::CONFLICT, "signup", context! { userid, address, refused })
    })
    .await
}

fn signed_up(visit: &mut Visit<'_>, fields: &Fields) -> anyhow::Result<Result<String, String>> {
    let (userid, password) = (fields.get("userid").to_owned(), fields.exact("password"));
    if !visit.site.limits.try_once(visit.client.key(), visit.now) {
        return Ok(Err(TOO_OFTEN.to_owned()));
    }
    if [userid.as_str(), password, fields.get("address")].iter().any(|field| field.is_empty()) {
        return Ok(Err("A userid, a password and a mail address are needed.".to_owned()));
    }
    // The language's own words for what a userid and a password are.
    let words = ["signup".to_owned(), userid.clone(), password.to_owned(), fields.get("address").to_owned()];
    let line = match command::parse_words(&words) {
        Ok(line) => line,
        Err(error) => return Ok(Err(visit.site.composer.message(&error.message)?)),
    };
    // What is an option to the language is no word of these.
    match &line.command {
        Command::Signup { userid: same, password: Password::Given(_), addresses }
            if *same == userid && addresses.len() == 1 => {}
        _ => return Ok(Err("None of the three begins with \"-\".".to_owned())),
    }
    match visit.request(line, None)? {
        Ok(_) => {
            let mut tx = visit.store.write()?;
            let service = visit.site.config.service(visit.site.world);
            let begun = service.log_in(&mut *tx, &userid, password, visit.now)?;
            tx.commit()?;
            Ok(match begun {
                Ok(session) => Ok(session),
                Err(why) => Err(visit.site.composer.message(&why)?),
            })
        }
        Err(refused) => Ok(Err(visit.site.composer.message(&refused.message)?)),
    }
}

/// `GET /confirm/USERID/CODE`: asks, as a login link does.
pub(super) async fn confirm_form(
    State(site): State<Arc<Site>>,
    visitor: Visitor,
    Path((userid, _)): Path<(String, String)>,
) -> Response {
    at_desk(site, visitor, move |visit| visit.page("confirm", context! { userid, address => (), refused => () })).await
}

/// `POST /confirm/USERID/CODE`: letters go to this address from now on.
pub(super) async fn confirm(
    State(site): State<Arc<Site>>,
    Path((userid, code)): Path<(String, String)>,
    posted: Posted,
) -> Response {
    at_desk_with(site, posted, move |visit, _| {
        if !visit.site.limits.try_once(visit.client.key(), visit.now) {
            return visit.no(StatusCode::TOO_MANY_REQUESTS, TOO_OFTEN);
        }
        match visit.obey(Command::ConfirmAddress { userid: userid.clone(), code }, None)? {
            Ok(service::Response::AddressConfirmed { userid, address }) => {
                visit.page("confirm", context! { userid, address, refused => () })
            }
            Ok(_) => visit.nowhere(),
            Err(refused) => {
                let facts =
                    context! { userid, address => (), refused => visit.site.composer.message(&refused.message)? };
                visit.page_with(StatusCode::NOT_FOUND, "confirm", facts)
            }
        }
    })
    .await
}
