//! Editions of leagues: divisions in which each player meets each other player.

use std::cmp::Reverse;

use chrono::{DateTime, Utc};

use super::boards::{NewEventBoard, longest_tie};
use super::views::ranked;
use crate::event::{divide, games, promote};
use crate::rating::Rating;
use crate::service::context::Service;
use crate::store::{self, BoardPlace, Entrant, Event, Participant, PlayerId, Transaction};

/// The fewest players of an edition.
pub(crate) const FEWEST: usize = 3;

/// Returns the players of the next edition by strength: rating, and then the earlier sign-up.
pub(crate) fn by_rating(tx: &Transaction<'_>, event: &Event) -> store::Result<Vec<Entrant>> {
    let mut rated = Vec::new();
    for entrant in tx.entrants(event.id)?.into_iter().filter(|entrant| !entrant.absent) {
        let standing = tx.standing(&event.what.game, entrant.player.id)?;
        let rating = standing.map_or_else(Rating::default, |standing| standing.rating);
        rated.push((Reverse(rating.rating.round() as i64), entrant));
    }
    rated.sort_by_key(|(rating, _)| *rating);
    Ok(rated.into_iter().map(|(_, entrant)| entrant).collect())
}

impl Service<'_> {
    /// Begins an edition of a league. Returns whether there were enough players.
    pub(crate) fn begin_league(
        &self,
        tx: &mut Transaction<'_>,
        event: &Event,
        number: u32,
        now: DateTime<Utc>,
    ) -> store::Result<bool> {
        let players = self.league_players(tx, event, number)?;
        if players.len() < FEWEST {
            return Ok(false);
        }
        let latest_at = now + longest_tie(self, tx, event, &players, now)?;
        let edition = self.open_edition(tx, event, number, Some(latest_at), now)?;
        let mut rest = players.as_slice();
        let mut rounds = Vec::new();
        for (division, size) in (1..).zip(divide(players.len(), event.what.size as usize)) {
            let (own, below) = rest.split_at(size);
            rest = below;
            let mut own = own.to_vec();
            own.sort_by_key(|entrant| (entrant.joined_at, entrant.player.id.0));
            for (place, entrant) in (1..).zip(&own) {
                let player = entrant.player.clone();
                let of = Participant { player, division, place, withdrawn: None, rank: None };
                tx.set_participant(event.id, number, &of)?;
            }
            rounds.push((division, own));
        }
        self.write_beginning(tx, event, &edition, now)?;
        for (division, own) in rounds {
            for (round, pairs) in (1..).zip(games(own.len(), event.what.twice)) {
                for (slot, (first, second)) in (1..).zip(pairs) {
                    let players = [&own[first].player, &own[second].player];
                    let place = BoardPlace { division, round, slot };
                    let new = NewEventBoard { place, players, comment: String::new() };
                    self.begin_event_board(tx, event, number, new, now)?;
                }
            }
        }
        Ok(true)
    }

    /// Returns the players of an edition, best first: the previous edition after promotion, then new players by rating.
    fn league_players(&self, tx: &Transaction<'_>, event: &Event, number: u32) -> store::Result<Vec<Entrant>> {
        let mut rest = by_rating(tx, event)?;
        let mut previous = tx.participants(event.id, number.saturating_sub(1))?;
        previous.sort_by_key(|of| (of.division, of.rank));
        let divisions: Vec<Vec<PlayerId>> = previous
            .chunk_by(|a, b| a.division == b.division)
            .map(|division| division.iter().map(|of| of.player.id).collect())
            .collect();
        let mut players = Vec::new();
        for player in promote(&divisions) {
            if let Some(at) = rest.iter().position(|entrant| entrant.player.id == player) {
                players.push(rest.remove(at));
            }
        }
        players.extend(rest);
        Ok(players)
    }

    /// Ranks the players of a league if all its games have ended. Returns whether they have.
    pub(crate) fn rank_league(&self, tx: &mut Transaction<'_>, event: &Event, edition: u32) -> store::Result<bool> {
        let boards = tx.event_boards(event.id, edition)?;
        if boards.iter().any(|board| board.ended_at.is_none()) {
            return Ok(false);
        }
        let participants = tx.participants(event.id, edition)?;
        let last = participants.iter().map(|of| of.division).max().unwrap_or(0);
        for division in 1..=last {
            for (rank, (of, _)) in (1..).zip(ranked(division, &participants, &boards)) {
                tx.set_participant(event.id, edition, &Participant { rank: Some(rank), ..of.clone() })?;
            }
        }
        Ok(true)
    }
}
