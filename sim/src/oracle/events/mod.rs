//! Checks events as their players see them: sign-ups, the ends of games, pages and letters.
//!
//! - `event`: an event with its sign-ups and editions. `edition`: an edition of a league or cup. `game`: a game.
//! - `league`, `cup`, `ladder`: the rules of each kind of event. `reports`: the weekly letters.

mod cup;
mod edition;
mod event;
mod game;
mod ladder;
mod league;
mod reports;

use std::collections::BTreeMap;

use anyhow::{Context, ensure};
use chrono::TimeDelta;

use super::board_model::BoardModel;
use super::notices::NewNotice;
use super::seen::{Claim, Seen};
use crate::setup::configuration;
use crate::world::WORLD;
use event::Event;
use turnpost::clock::Span;
use turnpost::command::EventKind;
use turnpost::compose::Composer;
use turnpost::config::Config;
use turnpost::numbers::BoardNumber;
use turnpost::service::{EventView, Response};

/// The maximum length of a line in a response.
const COLUMNS: usize = 78;

/// The models of a run's leagues, cups and ladders.
pub(crate) struct Events {
    config: Config,
    events: Vec<Event>,
}

/// What the model of the events knows about a step.
#[derive(Clone, Copy)]
pub(crate) struct Step<'a> {
    pub(crate) seen: Seen<'a>,
    pub(crate) boards: &'a BTreeMap<BoardNumber, BoardModel>,
    pub(crate) claims: &'a [Claim],
    pub(crate) new: &'a [NewNotice],
    /// All standstills so far.
    pub(crate) standstills: &'a [Span],
    /// The number of the step.
    pub(crate) number: u64,
    /// Whether the step succeeded, so that no due work may remain.
    pub(crate) done: bool,
    config: &'a Config,
}

impl Step<'_> {
    /// Returns an event with one of its editions, by default the last one, as players see it.
    pub(crate) fn view(&self, name: &str, edition: Option<u32>) -> anyhow::Result<EventView> {
        let shown = self.config.service(WORLD).event_view(self.seen.tx, name, edition)?;
        shown.with_context(|| format!("event {name} or its edition {edition:?} does not exist"))
    }

    /// Returns the index of the player with a userid.
    pub(crate) fn player(&self, userid: &str) -> anyhow::Result<usize> {
        let found = self.seen.players.iter().position(|player| player.userid == userid);
        found.with_context(|| format!("{userid} plays in an event but is not a player"))
    }

    pub(crate) fn userid(&self, player: usize) -> &str {
        &self.seen.players[player].userid
    }
}

impl Events {
    /// Creates models of the events in the database.
    pub(crate) fn new(seen: Seen<'_>) -> anyhow::Result<Events> {
        let (config, _) = configuration()?;
        let rows = config.service(WORLD).events(seen.tx)?;
        let events = rows.iter().map(|row| Event::new(row.name.clone(), row.kind, seen.now)).collect();
        Ok(Events { config, events })
    }

    /// Checks the effects of a step on all events.
    pub(crate) fn after(
        &mut self,
        boards: &BTreeMap<BoardNumber, BoardModel>,
        (seen, standstills): (Seen<'_>, &[Span]),
        (claims, new): (&[Claim], &[NewNotice]),
        (number, done): (u64, bool),
    ) -> anyhow::Result<()> {
        let Events { config, events } = self;
        let step = Step { seen, boards, claims, new, standstills, number, done, config };
        events.iter_mut().try_for_each(|event| {
            let name = event.name.clone();
            event.after(step).with_context(|| format!("event {name}"))
        })
    }

    /// Returns whether all leagues and cups have completed this many editions.
    pub(crate) fn have_ended(&self, editions: usize) -> bool {
        self.events.iter().all(|event| event.has_ended(editions))
    }

    /// Returns whether a player is signed up for the next edition of an event.
    pub(crate) fn has_entered(&self, name: &str, player: usize) -> bool {
        self.events.iter().any(|event| event.name == name && event.has_entered(player))
    }

    /// Returns the name of each ladder, and its page at the last check.
    pub(crate) fn ladders(&self) -> impl Iterator<Item = (&str, &EventView)> {
        self.events.iter().filter_map(|event| Some((event.name.as_str(), event.ladder_shown()?)))
    }

    /// Returns the number of complete editions of an event.
    pub(crate) fn complete_of(&self, name: &str) -> usize {
        self.events.iter().find(|event| event.name == name).map_or(0, Event::complete)
    }

    /// Returns the number of complete editions of all events.
    pub(crate) fn complete(&self) -> usize {
        self.events.iter().map(Event::complete).sum()
    }

    /// Checks all editions again at the end of the run.
    pub(crate) fn finish(
        &self,
        boards: &BTreeMap<BoardNumber, BoardModel>,
        seen: Seen<'_>,
        composer: &Composer,
    ) -> anyhow::Result<()> {
        let Events { config, events } = self;
        let step = Step { seen, boards, claims: &[], new: &[], standstills: &[], number: 0, done: true, config };
        for event in events {
            event.finish(step).with_context(|| format!("event {}", event.name))?;
            for number in 1..=event.editions() {
                let view = step.view(&event.name, Some(number))?;
                let text = composer.answer(&Response::EventShown { event: Box::new(view) })?;
                let wide = text.lines().find(|line| line.chars().count() > COLUMNS);
                ensure!(
                    wide.is_none(),
                    "edition {number} of {} has a line of more than {COLUMNS}: {wide:?}",
                    event.name
                );
            }
        }
        Ok(())
    }
}

/// Returns the maximum duration of a game or, in a cup, of a game and its replay. It consists of the thinking time of
/// both players on five days a week, the time after the last reminders, and both players' vacations of a year.
pub(crate) fn longest_tie(view: &EventView) -> TimeDelta {
    let games = if view.row.kind == EventKind::Cup { 2 } else { 1 };
    TimeDelta::days((i64::from(view.all_days) * 14 / 5 + 4) * games + 2 * 30)
}
