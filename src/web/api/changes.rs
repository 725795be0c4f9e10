//! The event stream of a player's boards.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;

use axum::http::HeaderMap;
use axum::response::Response;
use axum::response::sse::Event;
use futures_util::stream;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use tokio::sync::watch;

use super::error::ApiError;
use super::request::Parameters;
use super::request::authenticate;
use super::schemas::ChangeNumber;
use crate::message;
use crate::numbers::{BoardNumber, Ply};
use crate::service::BoardUpdate;
use crate::store::PlayerId;
use crate::web::hub::{Latest, OpenStream, StreamOwner};
use crate::web::page::event_stream;
use crate::web::site::{Site, with_store};

/// A change of one of the player's boards.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Happened")]
pub(crate) struct ChangeEvent {
    /// The number of the change; also the id of the event.
    change: i64,
    /// The number of the board.
    board: BoardNumber,
    /// The name of the game: `marque`.
    game: String,
    /// The current number of plies.
    plies: Ply,
    /// The userid of the player to move; `null` after the end.
    to_move: Option<String>,
    /// Whether the board has ended.
    over: bool,
    /// Whether it is this player's turn.
    your_turn: bool,
}

/// `GET /me/events`
pub(crate) async fn stream(site: Arc<Site>, parameters: Parameters, headers: &HeaderMap) -> Result<Response, ApiError> {
    let after = begin_after(&parameters, headers)?;
    let latest = site.hub.subscribe();
    let token = parameters.token.clone().unwrap_or_default();
    let begin = with_store(Arc::clone(&site), move |site, store| {
        let player = authenticate(site, store, parameters.token.as_deref(), parameters.now);
        Ok((player, site.read(store, |service, tx| service.last_change(tx))?))
    });
    let (player, last) = begin.await?;
    let player = player?.ok_or_else(|| ApiError::unauthenticated(message!("web.token-needed")))?;
    let open = site.hub.open_stream(StreamOwner::Player(player.id))?;
    let now = Event::default().event("now").id(last.to_string()).data(json!({ "change": last }).to_string());
    // Do not send the current number to a client that resumes. If it disconnected again, it would resume from that
    // number, and miss the changes before it.
    let events = if after.is_some() { VecDeque::new() } else { VecDeque::from([now]) };
    let (userid, player, seen) = (player.userid, player.id, after.unwrap_or(last).min(last));
    let events = PlayerEvents { site, token, player, userid, seen, events, latest, _open: open };
    Ok(event_stream(stream::unfold(Some(events), next)))
}

/// Returns the number of the change after which the stream starts. The header takes precedence over the parameter: a
/// reconnecting client repeats its first URL and adds the header.
fn begin_after(parameters: &Parameters, headers: &HeaderMap) -> Result<Option<i64>, ApiError> {
    let Some(id) = headers.get("Last-Event-ID") else {
        let after = parameters.number_in_query::<ChangeNumber>("after")?;
        return Ok(after.map(|ChangeNumber(number)| number));
    };
    let id = id.to_str().ok().and_then(|id| id.parse().ok());
    id.map(|ChangeNumber(number)| Some(number)).ok_or_else(|| ApiError::malformed(message!("web.unknown-event-id")))
}

/// The state of a player's event stream.
struct PlayerEvents {
    site: Arc<Site>,
    token: String,
    player: PlayerId,
    userid: String,
    /// The number of the last examined change of any board.
    seen: i64,
    /// The events to send.
    events: VecDeque<Event>,
    latest: watch::Receiver<Latest>,
    _open: OpenStream,
}

async fn next(events: Option<PlayerEvents>) -> Option<(Result<Event, Infallible>, Option<PlayerEvents>)> {
    let mut events = events?;
    loop {
        if let Some(event) = events.events.pop_front() {
            return Some((Ok(event), Some(events)));
        }
        let Latest { changes, stopping } = *events.latest.borrow_and_update();
        if stopping {
            return None;
        }
        if let Some(changes) = changes.filter(|changes| changes.last > events.seen) {
            match events.take_in(changes.last).await {
                Ok(true) => continue,
                Ok(false) => return None,
                Err(error) => {
                    tracing::error!(error = format!("{error:#}"), "a program's event stream ended");
                    // End the stream. The client reconnects, and sends the id of the last event that it received.
                    return None;
                }
            }
        }
        events.latest.changed().await.ok()?;
    }
}

impl PlayerEvents {
    /// Queues the events up to the change `last`. Returns `false` if there may be events, but the token is not valid
    /// any more.
    async fn take_in(&mut self, last: i64) -> anyhow::Result<bool> {
        let kept = self.site.hub.since(self.seen);
        let far_behind = kept.is_none();
        let mut events = Vec::new();
        if let Some(updates) = kept {
            events.extend(updates.iter().filter_map(|update| self.event(update)));
            self.seen = updates.last().map_or(last, |update| update.change);
            if events.is_empty() {
                return Ok(true);
            }
        }
        let (token, player, after) = (self.token.clone(), self.player, self.seen);
        let looked = with_store(Arc::clone(&self.site), move |site, store| {
            Ok(site.read(store, |service, tx| {
                let valid = service.player_by_token(tx, &token, site.now())?.is_some();
                let missed =
                    if far_behind { service.changes_for_player(tx, player, after)? } else { (after, Vec::new()) };
                Ok((valid, missed))
            })?)
        });
        let (valid, (seen, missed)) = looked.await?;
        if !valid {
            return Ok(false);
        }
        events.extend(missed.iter().filter_map(|update| self.event(update)));
        self.seen = seen.max(self.seen);
        self.events.extend(events);
        Ok(true)
    }

    /// Converts a change to an event if it concerns one of this player's boards.
    fn event(&self, update: &BoardUpdate) -> Option<Event> {
        let board = update.board.as_ref().filter(|board| board.players.contains(&self.userid))?;
        let event = ChangeEvent {
            change: update.change,
            board: update.number,
            game: board.game.clone(),
            plies: board.plies,
            to_move: board.to_move.clone(),
            over: board.to_move.is_none(),
            your_turn: board.to_move.as_ref() == Some(&self.userid),
        };
        let data = serde_json::to_string(&event).ok()?;
        Some(Event::default().event("change").id(update.change.to_string()).data(data))
    }
}
