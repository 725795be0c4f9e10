//! Event streams of pages: an event for every change of a board, of a player's boards, or of the open challenges.

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
use crate::numbers::{BoardNumber, Ply};
use crate::service::{BoardUpdate, BoardWatch};

/// `GET /boards/N/events`
pub(super) async fn stream(
    State(site): State<Arc<Site>>,
    Path(number): Path<BoardNumber>,
    requester: Requester,
) -> Response {
    let watched = move |request: &mut PageRequest<'_>| {
        let (from, now) = (request.origin(), request.now);
        let watch = request.read(|service, tx| service.watch_board(tx, from, number, now))?;
        Ok(watch.map(|watch| (Watched::Board(number), watch)))
    };
    open(site, requester, watched).await
}

/// Opens the stream that `find` chooses; `None`: the sender may not see it.
pub(super) async fn open(
    site: Arc<Site>,
    requester: Requester,
    find: impl FnOnce(&mut PageRequest<'_>) -> anyhow::Result<Option<(Watched, BoardWatch)>> + Send + 'static,
) -> Response {
    let client = requester.client.key();
    let latest = site.hub.subscribe();
    let begin = with_store(Arc::clone(&site), move |site, store| {
        let mut request = PageRequest::open(site, store, requester)?;
        let owner =
            request.player.as_ref().map_or(StreamOwner::Client(client), |player| StreamOwner::Player(player.id));
        let found = find(&mut request)?;
        Ok(found.map(|(what, watch)| Subscription { what, watch, owner, token: None }))
    });
    match begin.await {
        Ok(Some(subscription)) => {
            let stream = changes(Arc::clone(&site), latest, subscription);
            stream.unwrap_or_else(|| unavailable(&site.words(&message!("web.too-many-streams"))))
        }
        Ok(None) => {
            let words = site.words(&message!("web.no-board-to-watch"));
            Page::text(StatusCode::NOT_FOUND, &words).into_response()
        }
        Err(error) => {
            tracing::error!(error = format!("{error:#}"), "a stream failed");
            unavailable(&site.words(&message!("web.server-failed")))
        }
    }
}

/// What a stream reports changes of.
pub(super) enum Watched {
    /// A board or an open challenge.
    Board(BoardNumber),
    /// All boards of the player of this userid.
    BoardsOf(String),
    /// The open challenges of all games.
    Lobby,
}

impl Watched {
    fn includes(&self, update: &BoardUpdate) -> bool {
        match self {
            Watched::Board(number) => update.number == *number,
            Watched::BoardsOf(userid) => update.board.as_ref().is_some_and(|board| board.players.contains(userid)),
            // An accepted challenge is a board without a move.
            Watched::Lobby => update.board.as_ref().is_none_or(|board| board.plies == Ply::START),
        }
    }

    /// The data of an event. That of a list names no board, which may be private.
    fn event(&self, name: &str, change: i64) -> Event {
        let data = match self {
            Watched::Board(board) => json!({ "board": board, "change": change }),
            Watched::BoardsOf(_) | Watched::Lobby => json!({ "change": change }),
        };
        Event::default().event(name).id(change.to_string()).data(data.to_string())
    }
}

/// A request for the changes of something.
pub(super) struct Subscription {
    pub(super) what: Watched,
    pub(super) watch: BoardWatch,
    /// Who hears of them.
    pub(super) owner: StreamOwner,
    /// The token by which they may; the stream ends when it is no longer valid.
    pub(super) token: Option<String>,
}

/// The stream of changes; `None` when its owner has too many streams open.
pub(super) fn changes(
    site: Arc<Site>,
    latest: watch::Receiver<Latest>,
    subscription: Subscription,
) -> Option<Response> {
    let Subscription { what, watch: BoardWatch { last_change, board_change }, owner, token } = subscription;
    let open = site.hub.open_stream(owner)?;
    let first = Some(what.event("now", board_change));
    let events = Events { site, what, token, seen: last_change, first, latest, _open: open };
    Some(event_stream(stream::unfold(events, next)))
}

fn unavailable(words: &str) -> Response {
    let page = Page::text(StatusCode::SERVICE_UNAVAILABLE, words);
    page.with("Retry-After", RETRY_AFTER.to_owned()).into_response()
}

/// The state of one event stream.
struct Events {
    site: Arc<Site>,
    what: Watched,
    token: Option<String>,
    /// The number of the last change, of any board, that was looked at.
    seen: i64,
    /// The event that tells where the stream begins.
    first: Option<Event>,
    latest: watch::Receiver<Latest>,
    _open: OpenStream,
}

async fn next(mut events: Events) -> Option<(Result<Event, Infallible>, Events)> {
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
                    return Some((Ok(events.what.event("change", change)), events));
                }
            }
            None => events.latest.changed().await.ok()?,
        }
    }
}

impl Events {
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

    /// The number of the last change up to this number, if there was one since the stream looked.
    fn change_up_to(&mut self, last: i64) -> Option<i64> {
        match self.site.hub.since(self.seen) {
            Some(updates) => {
                self.seen = updates.last().map_or(last, |update| update.change);
                updates.iter().rev().find(|update| self.what.includes(update)).map(|update| update.change)
            }
            // Too much has happened to say whether it was here, so whoever waits looks once too often.
            None => {
                self.seen = last;
                Some(last)
            }
        }
    }
}
