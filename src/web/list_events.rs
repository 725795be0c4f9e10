//! Event streams for lists that update themselves: a player's boards, and the open challenges.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;

use super::board_events::{Watched, open};
use super::page_request::{PageRequest, Requester};
use super::site::Site;
use crate::service::BoardWatch;

/// `GET /me/events`
pub(crate) async fn my_boards(State(site): State<Arc<Site>>, requester: Requester) -> Response {
    open(site, requester, |request| {
        let Some(player) = request.player.as_ref() else { return Ok(None) };
        let userid = player.userid.clone();
        Ok(Some((Watched::BoardsOf(userid), from_now(request)?)))
    })
    .await
}

/// `GET /challenges/events`
pub(crate) async fn lobby(State(site): State<Arc<Site>>, requester: Requester) -> Response {
    open(site, requester, |request| Ok(Some((Watched::Lobby, from_now(request)?)))).await
}

/// Starts at the last change of any board; a page from before it may be out of date.
fn from_now(request: &mut PageRequest<'_>) -> anyhow::Result<BoardWatch> {
    let last_change = request.read(|service, tx| service.last_change(tx))?;
    Ok(BoardWatch { last_change, board_change: last_change })
}
