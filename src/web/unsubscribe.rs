//! The page for the unsubscribe link in letters.
//!
//! Mail programs post to the link without confirmation (RFC 8058), which stops letters of the same kind. People who
//! follow the link must confirm, because security scanners follow links too, and they can also choose other kinds of
//! letters.

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
pub(crate) async fn form(State(site): State<Arc<Site>>, requester: Requester, Path(token): Path<String>) -> Response {
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

/// `POST /unsubscribe/TOKEN`: stops letters. Needs no session, because a mail program has only the link. The page's
/// form can select other kinds of letters in its body.
pub(crate) async fn unsubscribe(
    State(site): State<Arc<Site>>,
    requester: Requester,
    Path(token): Path<String>,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    respond(site, requester, move |request| {
        // The page's forms always have readable bodies.
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
