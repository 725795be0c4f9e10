//! What happens on a player's boards, told to his program as it happens.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;

use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::response::sse::Event;
use futures_util::stream;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use tokio::sync::watch;

use super::call::Asked;
use super::trouble::Trouble;
use crate::store::PlayerId;
use crate::web::Site;
use crate::web::events::streamed;
use crate::web::hub::{self, Change, Latest, Place};
use crate::web::pool::with_store;

/// A change of one of the player's boards.
#[derive(Serialize, JsonSchema)]
pub(super) struct Happened {
    /// The number of the change, which is the event's id.
    change: i64,
    /// The board's number.
    board: u32,
    /// `marque`
    game: String,
    /// Plies that stand.
    plies: u32,
    /// Whose turn; `null` when over.
    to_move: Option<String>,
    /// The board has ended.
    over: bool,
    /// It waits for this player.
    your_turn: bool,
}

pub(super) async fn stream(site: Arc<Site>, asked: Asked, headers: &HeaderMap) -> Result<Response, Trouble> {
    let Some(place) = site.hub.place(asked.client.key()) else {
        let message = "Too many streams are open already; come again later.";
        return Err(Trouble::new(StatusCode::SERVICE_UNAVAILABLE, message));
    };
    let last_heard = headers.get("Last-Event-ID").map(|id| {
        let id = id.to_str().ok().and_then(|id| id.parse::<i64>().ok());
        id.ok_or_else(|| Trouble::not_understood("Last-Event-ID is the id of an event that came from here."))
    });
    // The header is newer: a client that comes again shows it with the address that it began with.
    let after = last_heard.transpose()?.map_or_else(|| asked.given_number("after"), |id| Ok(Some(id)))?;
    let latest = site.hub.subscribe();
    let token = asked.token.clone().unwrap_or_default();
    let begin = with_store(Arc::clone(&site), move |site, store| {
        let player = super::player(site, store, &asked)?;
        Ok((player, store.read()?.last_change()?))
    });
    let (player, last) = begin.await?;
    let player = player?.ok_or_else(|| Trouble::unknown("This needs a token."))?;
    let now = Event::default().event("now").id(last.to_string()).data(json!({ "change": last }).to_string());
    // Whoever goes on from somewhere is not told where we are: he would go on from there if the connection broke now.
    let events = if after.is_some() { VecDeque::new() } else { VecDeque::from([now]) };
    let (userid, player, seen) = (player.userid, player.id, after.unwrap_or(last).min(last));
    let mine = Mine { site, token, player, userid, seen, events, latest, _place: place };
    Ok(streamed(stream::unfold(Some(mine), next)))
}

struct Mine {
    site: Arc<Site>,
    token: String,
    player: PlayerId,
    userid: String,
    /// The last change, of any board, that was looked at.
    seen: i64,
    /// What is to be told.
    events: VecDeque<Event>,
    latest: watch::Receiver<Latest>,
    _place: Place,
}

async fn next(mine: Option<Mine>) -> Option<(Result<Event, Infallible>, Option<Mine>)> {
    let mut mine = mine?;
    loop {
        if let Some(event) = mine.events.pop_front() {
            return Some((Ok(event), Some(mine)));
        }
        let Latest { seq, stopping } = *mine.latest.borrow_and_update();
        if stopping {
            return None;
        }
        if let Some((last, _)) = seq.filter(|(last, _)| *last > mine.seen) {
            match mine.take_in(last).await {
                Ok(true) => continue,
                Ok(false) => return None,
                Err(error) => {
                    tracing::error!(error = format!("{error:#}"), "a program's events ended");
                    // It comes again with the last it has heard.
                    return None;
                }
            }
        }
        mine.latest.changed().await.ok()?;
    }
}

impl Mine {
    /// Takes in what lies between what was seen and the last change; false: the token counts no more.
    async fn take_in(&mut self, last: i64) -> anyhow::Result<bool> {
        let kept = self.site.hub.since(self.seen);
        let far_behind = kept.is_none();
        let mut told = Vec::new();
        if let Some(changes) = kept {
            told.extend(changes.iter().filter_map(|change| self.event(change)));
            self.seen = changes.last().map_or(last, |change| change.seq);
            if told.is_empty() {
                return Ok(true);
            }
        }
        let (token, player, after) = (self.token.clone(), self.player, self.seen);
        let looked = with_store(Arc::clone(&self.site), move |site, store| {
            let tx = store.read()?;
            let counts = site.config.service(site.world).player_by_token(&*tx, &token, (site.world.now)())?.is_some();
            let missed = if far_behind { hub::missed(&*tx, player, after)? } else { (after, Vec::new()) };
            Ok((counts, missed))
        });
        let (counts, (seen, missed)) = looked.await?;
        if !counts {
            return Ok(false);
        }
        told.extend(missed.iter().filter_map(|change| self.event(change)));
        self.seen = seen.max(self.seen);
        self.events.extend(told);
        Ok(true)
    }

    /// The event of a change, if it is of a board of this player's.
    fn event(&self, change: &Change) -> Option<Event> {
        let board = change.board.as_ref().filter(|board| board.players.contains(&self.userid))?;
        let happened = Happened {
            change: change.seq,
            board: change.number,
            game: board.game.clone(),
            plies: board.plies,
            to_move: board.to_move.clone(),
            over: board.to_move.is_none(),
            your_turn: board.to_move.as_ref() == Some(&self.userid),
        };
        let data = serde_json::to_string(&happened).ok()?;
        Some(Event::default().event("change").id(change.seq.to_string()).data(data))
    }
}
