//! The page of the link in a letter that stops letters.
//!
//! A mail program posts to the link without asking anybody (RFC 8058), which stops letters such as that one; a person who
//! follows it is asked first, since security scanners follow every link in a mail, too, and can choose other letters.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::StatusCode;
use axum::response::Response;
use minijinja::value::Serde;
use minijinja::{Value, context};

use super::extract::Path;
use super::page::Page;
use super::page_request::{PageRequest, Requester, respond};
use super::site::Site;
use crate::service::UnsubscribeChoice;

/// `GET /unsubscribe/TOKEN`: asks for confirmation.
pub(super) async fn form(State(site): State<Arc<Site>>, requester: Requester, Path(token): Path<String>) -> Response {
    respond(site, requester, move |request| {
        let link = request.read(|service, tx| service.unsubscribe_link(tx, &token))?;
        let facts = link.as_ref().map(|link| {
            let (board, plays, follows) = (link.board, link.plays, link.follows);
            context! { stops => Serde(link.stops), board => board.map(Serde), plays, follows }
        });
        page(request, link.is_some(), context! { link => facts, done => () })
    })
    .await
}

/// `POST /unsubscribe/TOKEN`: stops the letters, whoever sends it, since a mail program has nothing but the link. Only a
/// form of the page says in its body that others are meant.
pub(super) async fn unsubscribe(
    State(site): State<Arc<Site>>,
    requester: Requester,
    Path(token): Path<String>,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    respond(site, requester, move |request| {
        // No form of the page has a body that cannot be read.
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

fn page(request: &PageRequest<'_>, known: bool, facts: Value) -> anyhow::Result<Page> {
    let status = if known { StatusCode::OK } else { StatusCode::NOT_FOUND };
    request.page_with(status, "unsubscribe", facts)
}
