//! Reads events for lists, pages and answers.

use std::cmp::Reverse;

use super::ladder::boards_and_places;
use super::ties::rounds;
use super::views::{EditionRow, EditionView, EventRow, EventView, division_view, game_view};
use crate::clock::TimeControl;
use crate::command::EventKind;
use crate::service::board::clocks;
use crate::service::board::view::game_title;
use crate::service::context::Service;
use crate::store::{self, Edition, Event, EventBoard, Participant, Transaction};

/// The maximum number of results of a ladder to show.
const MOST_RESULTS: usize = 20;

impl Service<'_> {
    /// Lists all events, the newest first.
    ///
    /// # Errors
    /// If the store fails.
    pub fn events(&self, tx: &Transaction<'_>) -> store::Result<Vec<EventRow>> {
        let (last, counts) = (tx.last_editions()?, tx.entrant_counts()?);
        let row = |event: &Event| {
            let last = last.iter().find(|(id, _)| *id == event.id).map(|(_, edition)| edition);
            let next = counts.iter().find(|(id, _)| *id == event.id).map_or(0, |(_, count)| *count as usize);
            row(tx, event, last, next)
        };
        tx.events()?.iter().map(row).collect()
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
        let winners = tx.winners(event.id)?;
        let row_of = |of: &Edition| {
            let winner = winners.iter().find(|(number, _)| *number == of.number).map(|(_, userid)| userid.clone());
            let Edition { number, started_at, ended_at, .. } = *of;
            EditionRow { number, started_at, ended_at, winner }
        };
        let entrants = next_players(tx, &event)?;
        let TimeControl { forfeit, total, fischer, .. } = event.what.terms.time_control;
        Ok(Some(EventView {
            row: row(tx, &event, editions.last(), entrants.len())?,
            move_days: forfeit,
            all_days: total,
            fischer,
            rated: event.what.terms.flags.rated,
            division: event.what.size,
            twice: event.what.twice,
            once: event.what.once,
            entrants,
            editions: editions.iter().rev().map(row_of).collect(),
            shown: shown.map(|of| edition_view(tx, &event, of)).transpose()?,
        }))
    }
}

/// Returns the userids of the players who take part in the next edition of an event.
pub(crate) fn next_players(tx: &Transaction<'_>, event: &Event) -> store::Result<Vec<String>> {
    let entrants = tx.entrants(event.id)?.into_iter().filter(|of| !of.absent);
    Ok(entrants.map(|of| of.player.userid).collect())
}

/// Returns an event for a list, with its last edition. `next` is the number of players in the next edition. If the only
/// edition has begun, the players of that edition are counted instead.
pub(crate) fn row(tx: &Transaction<'_>, event: &Event, last: Option<&Edition>, next: usize) -> store::Result<EventRow> {
    let running = last.is_some_and(|edition| edition.ended_at.is_none());
    let players = match last {
        Some(only) if event.what.once => tx.participants(event.id, only.number)?.len(),
        _ => next,
    };
    Ok(EventRow {
        name: event.what.name.clone(),
        kind: event.what.kind,
        game: event.what.game.clone(),
        title: game_title(&event.what.game).to_owned(),
        options: event.what.options.clone(),
        players,
        edition: last.map(|edition| edition.number),
        running,
        next_at: event.due_at.filter(|_| !running),
    })
}

fn edition_view(tx: &Transaction<'_>, event: &Event, edition: &Edition) -> store::Result<EditionView> {
    let participants = tx.participants(event.id, edition.number)?;
    let seated: Vec<&Participant> = participants.iter().collect();
    let (boards, places) = boards_and_places(tx, event, edition)?;
    let is_league = event.what.kind == EventKind::League;
    let last = participants.iter().map(|of| of.division).max().filter(|_| is_league).unwrap_or(0);
    let view = |board: &EventBoard| game_view(board, &seated);
    let mut latest: Vec<_> =
        boards.iter().filter(|board| event.what.kind == EventKind::Ladder && board.ended_at.is_some()).collect();
    latest.sort_by_key(|board| Reverse((board.ended_at, board.number.0)));
    latest.truncate(MOST_RESULTS);
    let stops = clocks::standstills(tx)?;
    let later = |latest_at| stops.after(edition.started_at, latest_at - edition.started_at).unwrap_or(latest_at);
    Ok(EditionView {
        number: edition.number,
        started_at: edition.started_at,
        latest_at: if edition.ended_at.is_none() { edition.latest_at.map(later) } else { edition.latest_at },
        ended_at: edition.ended_at,
        divisions: (1..=last).map(|division| division_view(division, &participants, &boards)).collect(),
        rounds: if event.what.kind == EventKind::Cup { rounds(&participants, &boards) } else { Vec::new() },
        places,
        results: latest.into_iter().map(view).collect(),
        playing: boards.iter().filter(|board| board.ended_at.is_none()).map(view).collect(),
    })
}
