//! What is sent to who waits at a board: a line for every change, over a connection that stays open (`text/event-stream`).

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, Stream};
use serde_json::json;
use tokio::sync::watch;

use super::Site;
use super::hub::{Latest, Place};
use super::pool::with_store;
use super::visit::{Visit, Visitor};
use crate::service::Origin;
use crate::store::{self, Store};

/// A comment is sent so often where nothing else is, so that nobody between takes the connection for dead.
const SIGN_OF_LIFE: Duration = Duration::from_secs(25);
/// Seconds after which whoever found no place may come again.
pub(super) const COME_AGAIN: &str = "30";

/// An answer that goes on.
pub(super) fn streamed(events: impl Stream<Item = Result<Event, Infallible>> + Send + 'static) -> Response {
    let kept = Sse::new(events).keep_alive(KeepAlive::new().interval(SIGN_OF_LIFE));
    // A proxy that waits until it has a buffer full would wait for days.
    ([("X-Accel-Buffering", "no"), ("X-Content-Type-Options", "nosniff")], kept).into_response()
}

/// `GET /boards/{number}/events`
pub(super) async fn board(State(site): State<Arc<Site>>, Path(number): Path<u32>, visitor: Visitor) -> Response {
    let Some(place) = site.hub.place(visitor.client.key()) else {
        let message = "Too many wait for changes already; come again later.\n";
        return (StatusCode::SERVICE_UNAVAILABLE, [("Retry-After", COME_AGAIN)], message).into_response();
    };
    let latest = site.hub.subscribe();
    let begin = with_store(Arc::clone(&site), move |site, store| {
        let from = Visit::open(site, store, visitor)?.origin();
        Ok(present(site, store, from, number)?)
    });
    match begin.await {
        Ok(Some((last, change))) => {
            let first = Some(event("now", number, change));
            streamed(stream::unfold(BoardStream { site, number, seen: last, first, latest, _place: place }, next))
        }
        Ok(None) => (StatusCode::NOT_FOUND, "There is no such board to wait at.\n").into_response(),
        Err(error) => {
            tracing::error!(error = format!("{error:#}"), "a stream failed");
            (StatusCode::SERVICE_UNAVAILABLE, [("Retry-After", COME_AGAIN)]).into_response()
        }
    }
}

/// The last change of all, and that of the board or open challenge, if who asks may see it.
fn present(site: &Site, store: &mut dyn Store, from: Origin, number: u32) -> store::Result<Option<(i64, i64)>> {
    let tx = store.read()?;
    let offered = tx.open_challenge(number)?.is_some_and(|offer| offer.closed_at.is_none());
    let seen = offered || site.config.service(site.world).seen_board(&*tx, from, number, (site.world.now)())?.is_ok();
    if seen { Ok(Some((tx.last_change()?, tx.change_of(number)?))) } else { Ok(None) }
}

struct BoardStream {
    site: Arc<Site>,
    number: u32,
    /// The last change, of any board, that was looked at.
    seen: i64,
    first: Option<Event>,
    latest: watch::Receiver<Latest>,
    _place: Place,
}

async fn next(mut stream: BoardStream) -> Option<(Result<Event, Infallible>, BoardStream)> {
    if let Some(first) = stream.first.take() {
        return Some((Ok(first), stream));
    }
    loop {
        let Latest { seq, stopping } = *stream.latest.borrow_and_update();
        if stopping {
            return None;
        }
        if let Some((last, _)) = seq.filter(|(last, _)| *last > stream.seen) {
            let changed = match stream.site.hub.since(stream.seen) {
                Some(changes) => {
                    stream.seen = changes.last().map_or(last, |change| change.seq);
                    changes.iter().rev().find(|change| change.number == stream.number).map(|change| change.seq)
                }
                // Too much has happened since to say whether it was here: who waits looks once too often.
                None => {
                    stream.seen = last;
                    Some(last)
                }
            };
            if let Some(seq) = changed {
                return Some((Ok(event("change", stream.number, seq)), stream));
            }
            continue;
        }
        stream.latest.changed().await.ok()?;
    }
}

fn event(name: &str, board: u32, change: i64) -> Event {
    Event::default().event(name).id(change.to_string()).data(json!({ "board": board, "change": change }).to_string())
}
