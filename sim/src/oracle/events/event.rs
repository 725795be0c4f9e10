//! An event with its sign-ups and editions.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use anyhow::{Context, bail, ensure};
use chrono::{DateTime, TimeDelta, Utc};

use super::edition::Edition;
use super::game::Game;
use super::ladder::{Changes, State};
use super::reports::Reports;
use super::{Step, league};
use crate::mail::Meant;
use crate::oracle::seen::Claim;
use turnpost::command::EventKind;
use turnpost::service::EventView;

/// The time between an edition and the next one.
const WEEK: TimeDelta = TimeDelta::days(7);
/// The fewest players of an edition.
const FEWEST: usize = 3;
/// The rating of a player without a game.
const FIRST_RATING: i64 = 1_500;
/// The maximum number of places between the players of a challenge.
const REACH: usize = 3;

/// A player who has signed up.
pub(crate) struct SignUp {
    pub(crate) player: usize,
    at: DateTime<Utc>,
    /// Whether an event withdrew the player, and they have not signed up again.
    absent: bool,
}

pub(crate) struct Event {
    pub(crate) name: String,
    kind: EventKind,
    /// The players, in the order of their sign-ups.
    sign_ups: Vec<SignUp>,
    /// The time at which the next edition may begin.
    due_at: DateTime<Utc>,
    /// Whether a fault may have delayed the beginning of an edition.
    unsure: bool,
    editions: Vec<Edition>,
    ladder: Vec<State>,
    reports: Reports,
    shown: Option<EventView>,
    /// Whether a fault interrupted the last step.
    failed: bool,
}

impl Event {
    pub(crate) fn new(name: String, kind: EventKind, created_at: DateTime<Utc>) -> Event {
        Event {
            name,
            kind,
            sign_ups: Vec::new(),
            due_at: created_at + WEEK,
            unsure: false,
            editions: Vec::new(),
            ladder: vec![State::new(created_at)],
            reports: Reports::default(),
            shown: None,
            failed: true,
        }
    }

    pub(crate) fn has_ended(&self, editions: usize) -> bool {
        self.kind == EventKind::Ladder || self.complete() >= editions
    }

    pub(crate) fn has_entered(&self, player: usize) -> bool {
        self.sign_ups.iter().any(|of| of.player == player && !of.absent)
    }

    pub(crate) fn editions(&self) -> u32 {
        if self.kind == EventKind::Ladder { 1 } else { self.editions.len() as u32 }
    }

    pub(crate) fn ladder_shown(&self) -> Option<&EventView> {
        self.shown.as_ref().filter(|_| self.kind == EventKind::Ladder)
    }

    /// Returns whether a player is not signed up, because they left or never joined.
    fn has_left(&self, player: usize) -> bool {
        !self.sign_ups.iter().any(|of| of.player == player)
    }

    /// Checks the effects of a step on this event.
    pub(crate) fn after(&mut self, step: Step<'_>) -> anyhow::Result<()> {
        let now = step.seen.now;
        // If an edition begins in this step, only messages that were processed earlier affect its list of players. The
        // order of the notices shows which messages were processed later. The server processes a player's messages in
        // order, so after one late message, all further messages of that player are late, too.
        let began = step.new.iter().position(|notice| notice.begins(&self.name));
        let mut after_it = BTreeSet::new();
        let (late, early): (Vec<&Claim>, Vec<&Claim>) = step.claims.iter().partition(|claim| {
            let player = claim.intent.player;
            let is_late = began.is_some_and(|began| claim.notice.is_some_and(|notice| notice > began));
            is_late && after_it.insert(player) || after_it.contains(&player)
        });
        let (joined, left) = self.follow_claims(step, &early);
        let is_here = |game: &&crate::oracle::board_model::BoardModel| {
            game.board.event.as_ref().is_some_and(|event| event.name == self.name)
        };
        let changed = step.boards.values().filter(|model| model.step == step.number).any(|model| is_here(&model));
        let running = self.editions.last().is_some_and(|edition| !edition.has_ended());
        let is_ladder = self.kind == EventKind::Ladder;
        let due = if is_ladder {
            self.ladder.iter().any(|state| state.sinks_at() <= now)
        } else {
            !running && self.due_at <= now
        };
        let reports = self.reports.is_due(now) || step.new.iter().any(|notice| notice.is_report_of(&self.name));
        if !(changed || due || reports || self.failed || !joined.is_empty() || !left.is_empty()) {
            self.failed = !step.done;
            return Ok(());
        }
        let view = step.view(&self.name, None)?;
        if is_ladder {
            self.follow_ladder(step, &view, Changes { won: Vec::new(), left, joined })?;
        } else if running {
            self.follow_edition(step, &view)?;
        } else if view.row.edition.unwrap_or(0) as usize > self.editions.len() {
            self.begin(step, &view)?;
            let (_, left) = self.follow_claims(step, &late);
            if !left.is_empty() {
                self.follow_edition(step, &view)?;
            }
        } else if due && step.done {
            let players = self.sign_ups.iter().filter(|of| !of.absent).count();
            ensure!(
                players < FEWEST || self.unsure || !joined.is_empty(),
                "edition {} did not begin on {}",
                self.editions.len() + 1,
                self.due_at
            );
            self.due_at = now + WEEK;
            self.unsure = false;
        } else if due {
            self.unsure = true;
        }
        self.report(step, &view)?;
        self.shown = Some(view);
        self.failed = !step.done;
        Ok(())
    }

    /// Applies sign-ups and departures to the model. Returns the players who have joined, and those who have left.
    fn follow_claims(&mut self, step: Step<'_>, claims: &[&Claim]) -> (Vec<usize>, Vec<usize>) {
        let (mut joined, mut left) = (Vec::new(), Vec::new());
        for claim in claims {
            let player = claim.intent.player;
            match &claim.intent.meant {
                Meant::Join(name) if *name == self.name => {
                    match self.sign_ups.iter_mut().find(|of| of.player == player) {
                        Some(of) => of.absent = false,
                        None if joined.iter().all(|(_, of)| *of != player) => joined.push((claim.notice, player)),
                        None => {}
                    }
                }
                Meant::LeaveEvent(name) if *name == self.name => left.push(player),
                Meant::Leave => left.push(player),
                _ => {}
            }
        }
        // New players of a ladder get places in the order in which their messages were processed.
        joined.sort_unstable();
        let joined: Vec<usize> = joined.into_iter().map(|(_, player)| player).collect();
        self.sign_ups.extend(joined.iter().map(|player| SignUp { player: *player, at: step.seen.now, absent: false }));
        // Players who sign up in the same second are ordered by their player numbers.
        self.sign_ups.sort_by_key(|of| (of.at, step.seen.players[of.player].id.0));
        left.retain(|player| self.sign_ups.iter().any(|of| of.player == *player));
        self.sign_ups.retain(|of| !left.contains(&of.player));
        (joined, left)
    }

    /// Returns the games of an edition.
    fn games(&self, step: Step<'_>, number: u32) -> anyhow::Result<Vec<Game>> {
        let here = step.boards.values().filter(|model| {
            model.board.event.as_ref().is_some_and(|event| event.name == self.name && event.edition == number)
        });
        here.map(|model| Game::read(model, step.seen)).collect()
    }

    /// Checks the edition that has begun in this step.
    fn begin(&mut self, step: Step<'_>, view: &EventView) -> anyhow::Result<()> {
        let number = self.editions.len() as u32 + 1;
        let shown = view.shown.as_ref().context("a new edition is not shown")?;
        ensure!(shown.number == number, "edition {} began after edition {}", shown.number, number - 1);
        let (began_at, due_at) = (shown.started_at, self.due_at);
        ensure!(began_at >= due_at, "edition {number} began on {began_at}, before {due_at}");
        ensure!(began_at == step.seen.now, "edition {number} began on {began_at}, but is shown only later");
        let mut rest = self.by_rating(step, &view.row.game)?;
        let (mut players, mut previous) = (Vec::new(), Vec::new());
        if let (EventKind::League, Some(last)) = (self.kind, self.editions.last()) {
            previous = league::promoted(&last.ranks);
            players = previous.concat();
            players.retain(|player| rest.contains(player));
            rest.retain(|player| !players.contains(player));
        }
        players.extend(rest);
        ensure!(players.len() >= FEWEST, "edition {number} began with {} players", players.len());
        let mut divisions = vec![players];
        if self.kind == EventKind::League {
            divisions = league::deal(&divisions[0], &previous, view.division as usize);
            let sign_up = |player: &usize| self.sign_ups.iter().position(|of| of.player == *player);
            divisions.iter_mut().for_each(|division| division.sort_by_key(sign_up));
        }
        let edition =
            Edition::begin(step, view, (self.kind, divisions), &self.games(step, number)?, self.editions.last())?;
        self.reports.begin(step.seen.now);
        self.editions.push(edition);
        Ok(())
    }

    /// Returns the players of the next edition by rating, and then by sign-up.
    fn by_rating(&self, step: Step<'_>, game: &str) -> anyhow::Result<Vec<usize>> {
        let mut rated = Vec::new();
        for of in self.sign_ups.iter().filter(|of| !of.absent) {
            let standing = step.seen.tx.standing(game, step.seen.players[of.player].id)?;
            rated.push((standing.map_or(FIRST_RATING, |standing| standing.rating.rating.round() as i64), of.player));
        }
        rated.sort_by_key(|(rating, _)| Reverse(*rating));
        Ok(rated.into_iter().map(|(_, player)| player).collect())
    }

    fn follow_edition(&mut self, step: Step<'_>, view: &EventView) -> anyhow::Result<()> {
        let number = self.editions.len() as u32;
        let games = self.games(step, number)?;
        let left: BTreeSet<usize> = (0..step.seen.players.len()).filter(|player| self.has_left(*player)).collect();
        let edition = self.editions.last_mut().context("no edition is in progress")?;
        let withdrawn = edition.follow(step, view, &games, &left)?;
        if let Some(ended_at) = edition.ended_at {
            self.due_at = ended_at + WEEK;
            let next_at = view.row.next_at;
            ensure!(next_at == Some(self.due_at), "the next edition begins on {next_at:?}, not on {}", self.due_at);
        }
        for of in self.sign_ups.iter_mut().filter(|of| withdrawn.contains(&of.player)) {
            of.absent = true;
            let player = step.seen.players[of.player].id;
            let has_letter =
                step.new.iter().any(|notice| notice.player == Some(player) && notice.kind == "event-absence");
            ensure!(has_letter, "{} was withdrawn without a letter", step.userid(of.player));
        }
        Ok(())
    }

    fn follow_ladder(&mut self, step: Step<'_>, view: &EventView, mut changes: Changes) -> anyhow::Result<()> {
        let (now, games) = (step.seen.now, self.games(step, 1)?);
        let longest = super::longest_tie(view);
        for game in games.iter().filter(|game| game.end.is_some_and(|end| end.step == step.number)) {
            let winner = game.players.into_iter().find(|player| game.half_points(*player) == Some(2));
            let loser = winner.and_then(|winner| game.opponent(winner));
            changes.won.extend(winner.zip(loser));
            let explained =
                loser.is_some_and(|loser| self.has_left(loser)) || game.latest_end(longest, step.standstills) <= now;
            ensure!(
                !game.end.is_some_and(|end| end.by_event) || explained,
                "board {} was ended without a reason",
                game.number
            );
        }
        let joined_at = |player: usize| self.sign_ups.iter().find(|of| of.player == player).map(|of| of.at);
        let is_idle = |player: usize, since: DateTime<Utc>| {
            let played = |game: &Game| {
                game.opponent(player).is_some() && game.end.is_none_or(|end| end.at > since || end.step == step.number)
            };
            joined_at(player).is_none_or(|at| at <= since) && !games.iter().any(played)
        };
        let shown = view.shown.as_ref().context("a ladder has no edition")?;
        let places: Vec<usize> =
            shown.places.iter().map(|place| step.player(&place.userid)).collect::<anyhow::Result<_>>()?;
        let before: Vec<usize> = self.ladder.first().map(|state| state.places.clone()).unwrap_or_default();
        for game in games.iter().filter(|game| game.step == step.number && !game.is_over()) {
            let [challenged, challenger] = game.players;
            let fits = |places: &[usize]| {
                let place = |player| places.iter().position(|of| *of == player);
                let both = place(challenger).zip(place(challenged));
                both.is_some_and(|(from, to)| to < from && from - to <= REACH)
            };
            ensure!(fits(&before) || fits(&places), "board {} is a challenge over too many places", game.number);
        }
        let states = std::mem::take(&mut self.ladder);
        let mut next: Vec<State> =
            states.into_iter().flat_map(|state| state.next(&changes, &is_idle, (now, step.done))).collect();
        let expected: Vec<Vec<usize>> = next.iter().map(|state| state.places.clone()).take(1).collect();
        next.retain(|state| state.places == places);
        let all = std::mem::take(&mut next);
        for state in all {
            if !next.contains(&state) {
                next.push(state);
            }
        }
        ensure!(!next.is_empty(), "the places are {places:?}, not {expected:?} after {changes:?} of {before:?}");
        self.ladder = next;
        let free = |player: usize| !games.iter().any(|game| game.opponent(player).is_some() && !game.is_over());
        for (at, place) in shown.places.iter().enumerate() {
            let may: Vec<&str> = places[at.saturating_sub(REACH)..at]
                .iter()
                .filter(|above| free(places[at]) && free(**above))
                .map(|above| step.userid(*above))
                .collect();
            ensure!(
                place.may_challenge == may,
                "{} may challenge {:?}, not {may:?}",
                place.userid,
                place.may_challenge
            );
        }
        Ok(())
    }

    /// Checks the weekly letters of this event.
    fn report(&mut self, step: Step<'_>, view: &EventView) -> anyhow::Result<()> {
        let number = if self.kind == EventKind::Ladder { 1 } else { self.editions.len() as u32 };
        let games = self.games(step, number)?;
        let readers: Vec<(usize, usize)> = match self.editions.last() {
            Some(edition) if !edition.has_ended() => edition.readers(),
            Some(_) => Vec::new(),
            None => {
                let old = self.sign_ups.iter().filter(|of| of.at + WEEK < step.seen.now);
                old.map(|of| (of.player, 0)).collect()
            }
        };
        let division = |game: &Game| match self.editions.last() {
            Some(edition) => edition.division(game.players[0]).unwrap_or(0),
            None => 0,
        };
        let since = self.sign_ups.iter().map(|of| (of.player, of.at)).collect();
        self.reports.follow(step, (&self.name, view), &games, division, (&readers, &since))
    }

    /// Returns the number of complete editions.
    pub(crate) fn complete(&self) -> usize {
        self.editions.iter().filter(|edition| edition.has_ended()).count()
    }

    /// Checks all tables again.
    pub(crate) fn finish(&self, step: Step<'_>) -> anyhow::Result<()> {
        for (number, edition) in (1..).zip(&self.editions) {
            let games = self.games(step, number)?;
            if edition.has_ended() {
                let view = step.view(&self.name, Some(number))?;
                edition
                    .compare(step, &view, &games)
                    .with_context(|| format!("the check of edition {number} at the end of the run"))?;
            } else if games.iter().all(Game::is_over) {
                bail!("edition {number} has not ended, and no game is in progress");
            }
        }
        Ok(())
    }
}
