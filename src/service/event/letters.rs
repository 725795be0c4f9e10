//! Letters about events: the beginning of an edition, a week's results, the end, and a player's absence.

use chrono::{DateTime, Utc};

use super::boards::Organizer;
use super::ladder::boards_and_places;
use super::ties::{count_rounds, rounds};
use super::views::{EventFacts, Moved, PlaceView, RoundView, division_view, game_view};
use crate::clock::TimeControl;
use crate::command::EventKind;
use crate::event::bracket;
use crate::service::board::view::game_title;
use crate::service::notice::facts::Notice;
use crate::store::{self, Edition, Entrant, Event, EventBoard, Participant, Transaction};

/// The letter about the end of a cup shows this many of the last rounds.
const SHOWN_ROUNDS: u32 = 3;

/// The players and boards of an edition.
struct State<'a> {
    event: &'a Event,
    edition: &'a Edition,
    participants: Vec<Participant>,
    boards: Vec<EventBoard>,
    entrants: Vec<Entrant>,
    places: Vec<PlaceView>,
}

impl<'a> State<'a> {
    fn read(tx: &Transaction<'_>, event: &'a Event, edition: &'a Edition) -> store::Result<State<'a>> {
        let participants = tx.participants(event.id, edition.number)?;
        let (boards, places) = boards_and_places(tx, event, edition)?;
        Ok(State { event, edition, participants, boards, places, entrants: tx.entrants(event.id)? })
    }

    /// Returns the rounds of a cup, starting with round `from`; empty for other events.
    fn rounds(&self, from: u32) -> Vec<RoundView> {
        let rounds =
            if self.event.what.kind == EventKind::Cup { rounds(&self.participants, &self.boards) } else { Vec::new() };
        rounds.into_iter().filter(|round| round.number >= from).collect()
    }

    /// Returns the facts of a letter to this player of the edition.
    fn facts(&self, of: &Participant) -> EventFacts {
        let State { event, edition, participants, boards, places, entrants } = self;
        let TimeControl { forfeit, total, fischer, .. } = event.what.terms.time_control;
        let is_league = event.what.kind == EventKind::League;
        let own = participants.iter().filter(|other| other.division == of.division);
        let seed = of.place as usize - 1;
        EventFacts {
            name: event.what.name.clone(),
            edition: edition.number,
            kind: event.what.kind,
            title: game_title(&event.what.game).to_owned(),
            latest_at: edition.latest_at,
            next_at: None,
            move_days: forfeit,
            all_days: total,
            fischer,
            players: own.map(|other| other.player.userid.clone()).collect(),
            once: event.what.once,
            bye: event.what.kind == EventKind::Cup && bracket(participants.len()).contains(&(seed, None)),
            divisions: participants.iter().map(|other| other.division).max().unwrap_or(0),
            division: is_league.then(|| division_view(of.division, participants, boards)),
            places: places.clone(),
            news: Vec::new(),
            rounds: Vec::new(),
            moved: None,
            rank: of.rank,
            winner: participants
                .iter()
                .find(|other| other.division == 1 && other.rank == Some(1))
                .map(|winner| winner.player.userid.clone()),
            withdrawn: of.withdrawn,
            joined: entrants.iter().any(|entrant| entrant.player.id == of.player.id && !entrant.absent),
        }
    }
}

impl Organizer<'_, '_> {
    /// Announces an edition to its players.
    pub(crate) fn write_beginning(&mut self, edition: &Edition) -> store::Result<()> {
        let state = State::read(self.tx, self.event, edition)?;
        let previous = self.tx.participants(self.event.id, edition.number.saturating_sub(1))?;
        for of in &state.participants {
            let before = previous.iter().find(|other| other.player.id == of.player.id).map(|other| other.division);
            let moved = before.and_then(|before| Moved::between(before, of.division));
            let facts = EventFacts { moved, ..state.facts(of) };
            self.service.write_to(self.tx, &Notice::EventBegin(facts), of.player.id, self.now)?;
        }
        Ok(())
    }

    /// Sends the results since the last report to the players of each division. Further games may end in the present
    /// second, so the next report contains all results of this second.
    pub(crate) fn write_report(&mut self, edition: &Edition) -> store::Result<()> {
        let state = State::read(self.tx, self.event, edition)?;
        let participants: Vec<&Participant> = state.participants.iter().collect();
        for of in state.participants.iter().filter(|of| of.withdrawn.is_none()) {
            let is_new = |board: &&EventBoard| {
                board.place.division == of.division
                    && board.ended_at.is_some_and(|at| edition.reported_at <= at && at < self.now)
            };
            let mut new: Vec<&EventBoard> = state.boards.iter().filter(is_new).collect();
            new.sort_by_key(|board| (board.ended_at, board.number.0));
            let news: Vec<_> = new.into_iter().map(|board| game_view(board, &participants)).collect();
            if let Some(first) = news.iter().map(|game| game.round).min() {
                let facts = EventFacts { news, rounds: state.rounds(first), ..state.facts(of) };
                self.service.write_to(self.tx, &Notice::EventReport(facts), of.player.id, self.now)?;
            }
        }
        Ok(())
    }

    /// Reports the end of an edition to its players.
    pub(crate) fn write_end(&mut self, edition: &Edition, next_at: Option<DateTime<Utc>>) -> store::Result<()> {
        let state = State::read(self.tx, self.event, edition)?;
        let first = count_rounds(state.participants.len()).cast_unsigned().saturating_sub(SHOWN_ROUNDS) + 1;
        for of in &state.participants {
            let facts = EventFacts { next_at, rounds: state.rounds(first), ..state.facts(of) };
            self.service.write_to(self.tx, &Notice::EventEnd(facts), of.player.id, self.now)?;
        }
        Ok(())
    }

    /// Asks a withdrawn or absent player whether they take part in the next edition.
    pub(crate) fn write_absence(&mut self, edition: &Edition, of: &Participant) -> store::Result<()> {
        let facts = State::read(self.tx, self.event, edition)?.facts(of);
        self.service.write_to(self.tx, &Notice::EventAbsence(facts), of.player.id, self.now)
    }
}
