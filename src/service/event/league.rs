//! Editions of leagues: divisions in which each player meets each other player.

use std::cmp::Reverse;

use super::boards::{NewEventBoard, Organizer};
use super::views::{has_scored, ranked};
use crate::event::{games, promote, sizes};
use crate::rating::Rating;
use crate::store::{self, BoardPlace, Entrant, Event, Participant, PlayerId, Transaction};

/// The minimum number of players of an edition.
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

impl Organizer<'_, '_> {
    /// Begins an edition of a league. Returns whether there were enough players.
    pub(crate) fn begin_league(&mut self, number: u32) -> store::Result<bool> {
        let (kept, players) = self.league_players(number)?;
        if players.len() < FEWEST {
            return Ok(false);
        }
        let latest_at = self.now + self.longest_tie(&players)?;
        let edition = self.open_edition(number, Some(latest_at))?;
        let mut rest = players.as_slice();
        let mut rounds = Vec::new();
        for (division, size) in (1..).zip(sizes(&kept, players.len(), self.event.what.size as usize)) {
            let (own, below) = rest.split_at(size);
            rest = below;
            let mut own = own.to_vec();
            own.sort_by_key(|entrant| (entrant.joined_at, entrant.player.id.0));
            for (place, entrant) in (1..).zip(&own) {
                let player = entrant.player.clone();
                let of = Participant { player, division, place, withdrawn: None, rank: None };
                self.tx.set_participant(self.event.id, number, &of)?;
            }
            rounds.push((division, own));
        }
        self.write_beginning(&edition)?;
        for (division, own) in rounds {
            for (round, pairs) in (1..).zip(games(own.len(), self.event.what.twice)) {
                for (slot, (first, second)) in (1..).zip(pairs) {
                    let players = [&own[first].player, &own[second].player];
                    let place = BoardPlace { division, round, slot };
                    let new = NewEventBoard { place, players, comment: String::new() };
                    self.begin_event_board(number, new)?;
                }
            }
        }
        Ok(true)
    }

    /// Returns the players of an edition, best first: those of the previous edition in their order after promotion, then
    /// new players by rating. Also returns the size of each division after promotion, without new players.
    fn league_players(&self, number: u32) -> store::Result<(Vec<usize>, Vec<Entrant>)> {
        let mut rest = by_rating(self.tx, self.event)?;
        let mut previous = self.tx.participants(self.event.id, number.saturating_sub(1))?;
        previous.sort_by_key(|of| (of.division, of.rank));
        let divisions: Vec<Vec<PlayerId>> = previous
            .chunk_by(|a, b| a.division == b.division)
            .map(|division| division.iter().map(|of| of.player.id).collect())
            .collect();
        let (mut kept, mut players) = (Vec::new(), Vec::new());
        for division in promote(&divisions) {
            let before = players.len();
            for player in division {
                if let Some(at) = rest.iter().position(|entrant| entrant.player.id == player) {
                    players.push(rest.remove(at));
                }
            }
            kept.push(players.len() - before);
        }
        players.extend(rest);
        Ok((kept, players))
    }

    /// Ranks the players of a league if all its games have ended. Returns `false` if a game is in progress.
    pub(crate) fn rank_league(&mut self, edition: u32) -> store::Result<bool> {
        let boards = self.tx.event_boards(self.event.id, edition)?;
        if boards.iter().any(|board| board.ended_at.is_none()) {
            return Ok(false);
        }
        let participants = self.tx.participants(self.event.id, edition)?;
        let last = participants.iter().map(|of| of.division).max().unwrap_or(0);
        for division in 1..=last {
            for (rank, (of, _)) in (1..).zip(ranked(division, &participants, &boards)) {
                // A player in first place who has not scored does not win the edition, and gets no rank.
                let is_ranked = (division, rank) != (1, 1) || has_scored(of.player.id, &participants, &boards);
                let rank = Some(rank).filter(|_| is_ranked);
                self.tx.set_participant(self.event.id, edition, &Participant { rank, ..of.clone() })?;
            }
        }
        Ok(true)
    }
}
