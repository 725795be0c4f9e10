//! The home page, and the pages for unknown addresses.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use minijinja::context;
use minijinja::value::Serde;

use super::game_facts::games_by_kind;
use super::lessons;
use super::page_request::{Requester, respond};
use super::site::Site;
use crate::message;

/// The most open challenges on the home page.
const OFFERS: usize = 5;

/// `GET /`
pub(crate) async fn home(State(site): State<Arc<Site>>, requester: Requester) -> Response {
    respond(site, requester, |request| {
        let from = request.origin();
        let (live, mut offers) =
            request.read(|service, tx| Ok((service.latest_board(tx)?, service.lobby(tx, &from)?)))?;
        let taste = if live.is_none() { lessons::taste(request)? } else { None };
        offers.retain(|row| !row.offer.flags.private);
        let open = offers.len();
        offers.truncate(OFFERS);
        let config = &request.site.config;
        let facts = context! {
            kinds => games_by_kind(),
            address => config.address.clone(),
            robots => config.policy.robots,
            live => live.map(Serde),
            offers => Serde(offers),
            open,
            taste,
        };
        request.page("home", facts)
    })
    .await
}

/// The page for requests with a method that the path does not support.
pub(crate) async fn method_not_allowed(State(site): State<Arc<Site>>, requester: Requester) -> Response {
    respond(site, requester, |request| {
        request.message_page(StatusCode::METHOD_NOT_ALLOWED, message!("web.page-takes-no-form"))
    })
    .await
}

/// The page for unknown paths.
pub(crate) async fn not_found(State(site): State<Arc<Site>>, requester: Requester) -> Response {
    respond(site, requester, |request| request.not_found()).await
}
