//! The page of the link in a letter that stops letters.
//!
//! A mail program posts to the link without asking anybody (RFC 8058); a person who follows it is asked first, since
//! security scanners follow every link in a mail, too.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use minijinja::{Value, context};

use super::page::Page;
use super::page_request::{PageRequest, Requester, respond};
use super::site::Site;

/// `GET /unsubscribe/TOKEN`: asks for confirmation.
pub(super) async fn form(State(site): State<Arc<Site>>, requester: Requester, Path(token): Path<String>) -> Response {
    respond(site, requester, move |request| {
        let followed = request.read(|service, tx| service.unsubscribe_link(tx, &token))?;
        page(request, followed.is_some(), context! { done => false, followed })
    })
    .await
}

/// `POST /unsubscribe/TOKEN`: stops the letters, whoever sends it and whatever the body says, since a mail program has
/// nothing but the link.
pub(super) async fn unsubscribe(
    State(site): State<Arc<Site>>,
    requester: Requester,
    Path(token): Path<String>,
) -> Response {
    respond(site, requester, move |request| {
        let result = request.write(|service, tx| service.unsubscribe_by_link(tx, &token))?;
        let done = result.userid.is_some();
        page(request, done, context! { done, userid => result.userid, followed => result.followed })
    })
    .await
}

fn page(request: &PageRequest<'_>, known: bool, facts: Value) -> anyhow::Result<Page> {
    let status = if known { StatusCode::OK } else { StatusCode::NOT_FOUND };
    request.page_with(status, "unsubscribe", context! { known, ..facts })
}
