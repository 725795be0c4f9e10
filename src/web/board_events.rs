//! The event stream of a board: an event for every change, for those who look at its page.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::sse::Event;
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde_json::json;
use tokio::sync::watch;

use super::event_stream::{RETRY_AFTER, event_stream};
use super::extract::Path;
use super::hub::{Latest, OpenStream, StreamOwner};
use super::page::Page;
use super::page_request::{PageRequest, Requester};
use super::site::{Site, with_store};
use crate::message;
use crate::numbers::BoardNumber;
use crate::service::BoardWatch;

/// `GET /boards/N/events`
pub(super) async fn stream(
    State(site): State<Arc<Site>>,
    Path(number): Path<BoardNumber>,
    requester: Requester,
) -> Response {
    let client = requester.client.key();
    let latest = site.hub.subscribe();
    let begin = with_store(Arc::clone(&site), move |site, store| {
        let mut request = PageRequest::open(site, store, requester)?;
        let (from, now) = (request.origin(), request.now);
        let owner =
            request.player.as_ref().map_or(StreamOwner::Client(client), |player| StreamOwner::Player(player.id));
        Ok((owner, request.read(|service, tx| service.watch_board(tx, from, number, now))?))
    });
    match begin.await {
        Ok((owner, Some(watch))) => {
            let board = WatchedBoard { number, watch, owner, token: None };
            let stream = watched(Arc::clone(&site), latest, board);
            stream.unwrap_or_else(|| unavailable(&site.words(&message!("web.too-many-streams"))))
        }
        Ok((_, None)) => {
            let words = site.words(&message!("web.no-board-to-watch"));
            Page::text(StatusCode::NOT_FOUND, &words).into_response()
        }
        Err(error) => {
            tracing::error!(error = format!("{error:#}"), "a stream failed");
            unavailable(&site.words(&message!("web.server-failed")))
        }
    }
}

/// A board whose changes somebody may hear of.
pub(super) struct WatchedBoard {
    pub(super) number: BoardNumber,
    pub(super) watch: BoardWatch,
    /// Who hears of them.
    pub(super) owner: StreamOwner,
    /// The token by which they may; the stream ends when it is no longer valid.
    pub(super) token: Option<String>,
}

/// The stream of a board's changes; `None` when its owner has too many streams open.
pub(super) fn watched(site: Arc<Site>, latest: watch::Receiver<Latest>, board: WatchedBoard) -> Option<Response> {
    let WatchedBoard { number, watch: BoardWatch { last_change, board_change }, owner, token } = board;
    let open = site.hub.open_stream(owner)?;
    let first = Some(event("now", number, board_change));
    let events = BoardEvents { site, number, token, seen: last_change, first, latest, _open: open };
    Some(event_stream(stream::unfold(events, next)))
}

fn unavailable(words: &str) -> Response {
    let page = Page::text(StatusCode::SERVICE_UNAVAILABLE, words);
    page.with("Retry-After", RETRY_AFTER.to_owned()).into_response()
}

/// The state of one board's event stream.
struct BoardEvents {
    site: Arc<Site>,
    number: BoardNumber,
    token: Option<String>,
    /// The number of the last change, of any board, that was looked at.
    seen: i64,
    /// The event that tells where the stream begins.
    first: Option<Event>,
    latest: watch::Receiver<Latest>,
    _open: OpenStream,
}

async fn next(mut events: BoardEvents) -> Option<(Result<Event, Infallible>, BoardEvents)> {
    if let Some(first) = events.first.take() {
        return Some((Ok(first), events));
    }
    loop {
        let Latest { changes, stopping } = *events.latest.borrow_and_update();
        if stopping {
            return None;
        }
        match changes.filter(|changes| changes.last > events.seen) {
            Some(changes) => {
                if let Some(change) = events.change_up_to(changes.last) {
                    if !events.is_allowed().await {
                        return None;
                    }
                    return Some((Ok(event("change", events.number, change)), events));
                }
            }
            None => events.latest.changed().await.ok()?,
        }
    }
}

impl BoardEvents {
    /// Whether the token by which the stream was opened, if one was, is still valid.
    async fn is_allowed(&self) -> bool {
        let Some(token) = self.token.clone() else { return true };
        let looked = with_store(Arc::clone(&self.site), move |site, store| {
            Ok(site.read(store, |service, tx| service.player_by_token(tx, &token, site.now()))?.is_some())
        });
        looked.await.unwrap_or_else(|error| {
            tracing::error!(error = format!("{error:#}"), "a stream failed");
            false
        })
    }

    /// The number of the board's last change up to this number, if it has changed since it was looked at.
    fn change_up_to(&mut self, last: i64) -> Option<i64> {
        match self.site.hub.since(self.seen) {
            Some(updates) => {
                self.seen = updates.last().map_or(last, |update| update.change);
                updates.iter().rev().find(|update| update.number == self.number).map(|update| update.change)
            }
            // Too much has happened to say whether it was here, so whoever waits looks once too often.
            None => {
                self.seen = last;
                Some(last)
            }
        }
    }
}

fn event(name: &str, board: BoardNumber, change: i64) -> Event {
    Event::default().event(name).id(change.to_string()).data(json!({ "board": board, "change": change }).to_string())
}
