//! Event streams for pages: the changes of a board, of a player's boards, or of the open challenges.

use std::convert::Infallible;
use std::sync::Arc;

use axum::http::StatusCode;
use axum::response::sse::Event;
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde_json::json;
use tokio::sync::watch;

use super::hub::{Latest, OpenStream, StreamOwner, TooManyStreams};
use super::page::{Page, RETRY_AFTER, event_stream};
use super::page_request::{PageRequest, Path, Requester};
use super::site::{Site, with_store};
use crate::message;
use crate::numbers::{BoardNumber, Ply};
use crate::service::{BoardUpdate, BoardWatch};

/// `GET /boards/N/events`
pub(crate) async fn stream(Path(number): Path<BoardNumber>, requester: Requester) -> Response {
    let watched = move |request: &mut PageRequest<'_>| {
        let (from, now) = (request.origin(), request.now);
        let watch = request.read(|service, tx| service.watch_board(tx, from, number, now))?;
        Ok(watch.map(|watch| (Watched::Board(number), watch)))
    };
    open(requester, watched).await
}

/// Opens an event stream. `find` chooses the subject of the stream, and returns `None` if the requester is not allowed
/// to see it.
pub(crate) async fn open(
    requester: Requester,
    find: impl FnOnce(&mut PageRequest<'_>) -> anyhow::Result<Option<(Watched, BoardWatch)>> + Send + 'static,
) -> Response {
    let (site, client) = (Arc::clone(&requester.site), requester.client.key());
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
            stream.unwrap_or_else(|limit| unavailable(&site.words(&limit.message())))
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

/// The subject of a stream.
pub(crate) enum Watched {
    Board(BoardNumber),
    /// All boards of the player with this userid.
    BoardsOf(String),
    /// The open challenges of all games.
    Lobby,
}

impl Watched {
    fn includes(&self, update: &BoardUpdate) -> bool {
        match self {
            Watched::Board(number) => update.number == *number,
            Watched::BoardsOf(userid) => update.board.as_ref().is_some_and(|board| board.players.contains(userid)),
            // A board without moves may be a newly accepted challenge.
            Watched::Lobby => update.board.as_ref().is_none_or(|board| board.plies == Ply::START),
        }
    }

    /// Builds an event. Events about lists contain no board number, because the board may be private.
    fn event(&self, name: &str, change: i64) -> Event {
        let data = match self {
            Watched::Board(board) => json!({ "board": board, "change": change }),
            Watched::BoardsOf(_) | Watched::Lobby => json!({ "change": change }),
        };
        Event::default().event(name).id(change.to_string()).data(data.to_string())
    }
}

/// A subscription to changes.
pub(crate) struct Subscription {
    pub(crate) what: Watched,
    pub(crate) watch: BoardWatch,
    /// The owner, for the limit on open streams.
    pub(crate) owner: StreamOwner,
    /// The token that authorized the stream. The stream ends when the token is no longer valid.
    pub(crate) token: Option<String>,
}

/// Opens a stream of changes.
pub(crate) fn changes(
    site: Arc<Site>,
    latest: watch::Receiver<Latest>,
    subscription: Subscription,
) -> Result<Response, TooManyStreams> {
    let Subscription { what, watch: BoardWatch { last_change, board_change }, owner, token } = subscription;
    let open = site.hub.open_stream(owner)?;
    let first = Some(what.event("now", board_change));
    let events = Events { site, what, token, seen: last_change, first, latest, _open: open };
    Ok(event_stream(stream::unfold(events, next)))
}

fn unavailable(words: &str) -> Response {
    let page = Page::text(StatusCode::SERVICE_UNAVAILABLE, words);
    page.with("Retry-After", RETRY_AFTER.to_owned()).into_response()
}

/// The state of an open stream.
struct Events {
    site: Arc<Site>,
    what: Watched,
    token: Option<String>,
    /// The number of the last examined change of any board.
    seen: i64,
    /// The first event, with the starting point of the stream.
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
    /// Returns whether the stream's token, if any, is still valid.
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

    /// Returns the number of the latest change of the subject, if it has changed since the last call of this function.
    /// Ignores changes after `last`.
    fn change_up_to(&mut self, last: i64) -> Option<i64> {
        match self.site.hub.since(self.seen) {
            Some(updates) => {
                self.seen = updates.last().map_or(last, |update| update.change);
                updates.iter().rev().find(|update| self.what.includes(update)).map(|update| update.change)
            }
            // The hub no longer has all changes since the last call, so report a change, even if the subject has not
            // changed.
            None => {
                self.seen = last;
                Some(last)
            }
        }
    }
}

/// `GET /me/events`
pub(crate) async fn my_boards(requester: Requester) -> Response {
    open(requester, |request| {
        let Some(player) = request.player.as_ref() else { return Ok(None) };
        let userid = player.userid.clone();
        Ok(Some((Watched::BoardsOf(userid), from_now(request)?)))
    })
    .await
}

/// `GET /challenges/events`
pub(crate) async fn lobby(requester: Requester) -> Response {
    open(requester, |request| Ok(Some((Watched::Lobby, from_now(request)?)))).await
}

/// Starts a stream at the last change of any board. If a page was loaded before that change, its script updates the
/// page.
fn from_now(request: &mut PageRequest<'_>) -> anyhow::Result<BoardWatch> {
    let last_change = request.read(|service, tx| service.last_change(tx))?;
    Ok(BoardWatch { last_change, board_change: last_change })
}
