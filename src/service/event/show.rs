//! Reads events for lists, pages and answers.

use std::cmp::Reverse;

use super::ladder::boards_and_places;
use super::views::{EditionRow, EditionView, EventRow, EventView, RoundView, division_view, game_view};
use crate::command::EventKind;
use crate::service::board::view::game_title;
use crate::service::context::Service;
use crate::store::{self, Edition, Event, EventBoard, Transaction};

/// The most results of a ladder to show.
const MOST_RESULTS: usize = 20;

impl Service<'_> {
    /// Lists all events, the newest first.
    ///
    /// # Errors
    /// If the store fails.
    pub fn events(&self, tx: &Transaction<'_>) -> store::Result<Vec<EventRow>> {
        tx.events()?.iter().map(|event| row(tx, event, &tx.editions(event.id)?)).collect()
    }

    /// Returns an event with one of its editions, by default the last one; `None` if there is no such event or edition.
    ///
    /// # Errors
    /// If the store fails.
    pub fn event_view(
        &self,
        tx: &Transaction<'_>,
        name: &str,
        edition: Option<u32>,
    ) -> store::Result<Option<EventView>> {
        let Some(event) = tx.event(name)? else { return Ok(None) };
        let editions = tx.editions(event.id)?;
        let shown = match edition {
            Some(number) => editions.iter().find(|of| of.number == number),
            None => editions.last(),
        };
        if edition.is_some() && shown.is_none() {
            return Ok(None);
        }
        let mut rows = Vec::new();
        for of in editions.iter().rev() {
            let winner = match of.ended_at {
                Some(_) => {
                    let mut players = tx.participants(event.id, of.number)?.into_iter();
                    players.find(|of| of.division == 1 && of.rank == Some(1)).map(|of| of.player.userid)
                }
                None => None,
            };
            let Edition { number, started_at, ended_at, .. } = *of;
            rows.push(EditionRow { number, started_at, ended_at, winner });
        }
        let entrants = tx.entrants(event.id)?.into_iter().filter(|of| !of.absent);
        Ok(Some(EventView {
            row: row(tx, &event, &editions)?,
            move_days: event.what.terms.time_control.forfeit,
            all_days: event.what.terms.time_control.total,
            rated: event.what.terms.flags.rated,
            division: event.what.size,
            twice: event.what.twice,
            once: event.what.once,
            entrants: entrants.map(|of| of.player.userid).collect(),
            editions: rows,
            shown: shown.map(|of| edition_view(tx, &event, of)).transpose()?,
        }))
    }
}

pub(crate) fn row(tx: &Transaction<'_>, event: &Event, editions: &[Edition]) -> store::Result<EventRow> {
    let running = editions.last().is_some_and(|edition| edition.ended_at.is_none());
    Ok(EventRow {
        name: event.what.name.clone(),
        kind: event.what.kind,
        game: event.what.game.clone(),
        title: game_title(&event.what.game).to_owned(),
        options: event.what.options.clone(),
        players: tx.entrants(event.id)?.iter().filter(|of| !of.absent).count(),
        edition: editions.last().map(|edition| edition.number),
        running,
        next_at: event.due_at.filter(|_| !running),
    })
}

fn edition_view(tx: &Transaction<'_>, event: &Event, edition: &Edition) -> store::Result<EditionView> {
    let participants = tx.participants(event.id, edition.number)?;
    let (boards, places) = boards_and_places(tx, event, edition)?;
    let (is_league, is_cup) = (event.what.kind == EventKind::League, event.what.kind == EventKind::Cup);
    let last = participants.iter().map(|of| of.division).max().filter(|_| is_league).unwrap_or(0);
    let view = |board: &EventBoard| game_view(board, &participants);
    let rounds = boards.iter().map(|board| board.place.round).max().filter(|_| is_cup).unwrap_or(0);
    let half = participants.len().next_power_of_two() / 2;
    let mut latest: Vec<_> =
        boards.iter().filter(|board| event.what.kind == EventKind::Ladder && board.ended_at.is_some()).collect();
    latest.sort_by_key(|board| Reverse((board.ended_at, board.number.0)));
    latest.truncate(MOST_RESULTS);
    Ok(EditionView {
        number: edition.number,
        started_at: edition.started_at,
        latest_at: edition.latest_at,
        ended_at: edition.ended_at,
        divisions: (1..=last).map(|division| division_view(division, &participants, &boards)).collect(),
        rounds: (1..=rounds)
            .map(|number| RoundView {
                number,
                ties: half >> (number - 1),
                games: boards.iter().filter(|board| board.place.round == number).map(view).collect(),
            })
            .collect(),
        places,
        results: latest.into_iter().map(view).collect(),
        playing: boards.iter().filter(|board| board.ended_at.is_none()).map(view).collect(),
    })
}
