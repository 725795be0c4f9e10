//! The news of an event for its feed: the beginnings and ends of editions, and results.

use std::cmp::Reverse;

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::ladder::boards_and_places;
use super::show::{next_players, row};
use super::views::{EventRow, GameView, game_view};
use crate::command::EventKind;
use crate::service::context::Service;
use crate::store::{self, Participant, Transaction};

/// The feed of an event.
#[derive(Clone, Debug, Serialize)]
pub struct EventFeed {
    /// The event.
    pub event: EventRow,
    /// When the event was created.
    pub created_at: DateTime<Utc>,
    /// The news of the event, the newest first.
    pub news: Vec<EventNews>,
}

/// A news item of an event.
#[derive(Clone, Debug, Serialize)]
pub struct EventNews {
    /// The edition's number.
    pub edition: u32,
    /// When the reported event happened.
    pub at: DateTime<Utc>,
    /// The kind of this news item, with its facts.
    #[serde(flatten)]
    pub what: EventNewsKind,
}

/// The kind of a news item, with its facts.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum EventNewsKind {
    /// An edition began.
    Begin {
        /// The number of players of the edition.
        players: usize,
    },
    /// A game has ended.
    Result {
        /// The game.
        game: GameView,
    },
    /// An edition has ended.
    End {
        /// The winner; `null` if nobody has won it.
        winner: Option<String>,
    },
}

impl Service<'_> {
    /// Returns an event with the news of its latest editions. Reads older editions until there are at least `most`
    /// items. Returns `None` if there is no such event.
    ///
    /// # Errors
    /// If the store fails.
    pub fn event_feed(&self, tx: &Transaction<'_>, name: &str, most: usize) -> store::Result<Option<EventFeed>> {
        let Some(event) = tx.event(name)? else { return Ok(None) };
        let editions = tx.editions(event.id)?;
        let mut news: Vec<EventNews> = Vec::new();
        for edition in editions.iter().rev() {
            if news.len() >= most {
                break;
            }
            let participants = tx.participants(event.id, edition.number)?;
            let (boards, _) = boards_and_places(tx, &event, edition)?;
            let seated: Vec<&Participant> = participants.iter().collect();
            let mut add = |at, what| news.push(EventNews { edition: edition.number, at, what });
            if let Some(at) = edition.ended_at {
                let is_winner = |of: &&Participant| of.division == 1 && of.rank == Some(1);
                let winner = participants.iter().find(is_winner).map(|of| of.player.userid.clone());
                add(at, EventNewsKind::End { winner });
            }
            for board in &boards {
                if let Some(at) = board.ended_at {
                    add(at, EventNewsKind::Result { game: game_view(board, &seated) });
                }
            }
            // A ladder's only edition begins when the ladder is created.
            if event.what.kind != EventKind::Ladder {
                add(edition.started_at, EventNewsKind::Begin { players: participants.len() });
            }
        }
        // The sort is stable: if an edition ended at the time of its last result, the end remains the newer item.
        news.sort_by_key(|news| Reverse(news.at));
        let created_at = event.what.created_at;
        let players = next_players(tx, &event)?.len();
        Ok(Some(EventFeed { event: row(tx, &event, editions.last(), players)?, created_at, news }))
    }
}
