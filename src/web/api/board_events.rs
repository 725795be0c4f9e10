//! The event stream of a board. A private board requires a token of one of its players.

use std::sync::Arc;

use axum::response::Response;
use schemars::JsonSchema;
use serde::Serialize;

use super::error::ApiError;
use super::problem::Problem;
use super::request::{ApiRequest, Parameters};
use crate::message;
use crate::numbers::BoardNumber;
use crate::web::board_events::{Subscription, Watched, changes};
use crate::web::hub::StreamOwner;
use crate::web::site::{Site, with_store};

/// A change of a board, or of an open challenge.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Changed")]
pub(crate) struct BoardChange {
    /// The number of the board.
    board: BoardNumber,
    /// The number of the change, as in the board's `change`; also the id of the event.
    change: i64,
}

/// `GET /boards/N/events`
pub(crate) async fn stream(site: Arc<Site>, parameters: Parameters) -> Result<Response, ApiError> {
    let number = parameters.board_number()?;
    let token = parameters.token.clone();
    let latest = site.hub.subscribe();
    let begin = with_store(Arc::clone(&site), move |site, store| {
        Ok(ApiRequest::open(site, store, &parameters).and_then(|mut request| {
            let (from, now, client) = (request.origin(), request.now, request.client);
            let owner = request.player.as_ref();
            let owner = owner.map_or(StreamOwner::Client(client), |player| StreamOwner::Player(player.id));
            match request.read(|service, tx| service.watch_board(tx, from, number, now))? {
                Some(watch) => Ok((owner, watch)),
                // The service's rejection explains why the client may not watch the board.
                None => Err(match request.board() {
                    Err(error) => error,
                    Ok(_) => ApiError::not_there(message!("web.no-board-to-watch")),
                }),
            }
        }))
    });
    let (owner, watch) = begin.await??;
    let stream = changes(site, latest, Subscription { what: Watched::Board(number), watch, owner, token });
    stream.ok_or_else(|| ApiError::new(Problem::Busy, message!("web.too-many-streams")))
}
