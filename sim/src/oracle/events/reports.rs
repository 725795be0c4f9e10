//! Checks the weekly letters of events: each result must be reported once, within a week.

use std::collections::BTreeMap;

use anyhow::{Context, ensure};
use chrono::{DateTime, TimeDelta, Utc};

use super::Step;
use super::game::Game;
use turnpost::numbers::BoardNumber;
use turnpost::service::{EventView, Notice};

/// The recipients of reports with their divisions, and the times at which they signed up.
type Readers<'a> = (&'a [(usize, usize)], &'a BTreeMap<usize, DateTime<Utc>>);

/// The minimum time between two reports to a player.
const WEEK: TimeDelta = TimeDelta::days(7);
/// The time between two checks for unreported results.
const CHECK: TimeDelta = TimeDelta::days(1);

/// The reports of an edition.
#[derive(Default)]
pub(crate) struct Reports {
    /// The time at which a player last received the result of a board.
    read: BTreeMap<(usize, BoardNumber), DateTime<Utc>>,
    /// The time at which a player received the last report.
    last: BTreeMap<usize, DateTime<Utc>>,
    check_at: DateTime<Utc>,
}

impl Reports {
    pub(crate) fn begin(&mut self, now: DateTime<Utc>) {
        *self = Reports { check_at: now, ..Reports::default() };
    }

    /// Returns whether the next check for unreported results is due.
    pub(crate) fn is_due(&self, now: DateTime<Utc>) -> bool {
        self.check_at <= now
    }

    /// Checks the reports of a step. `division` returns the division of a game. `readers` lists the players who must
    /// receive the results of their division, each with that division. `since` contains the times at which players
    /// signed up.
    pub(crate) fn follow(
        &mut self,
        step: Step<'_>,
        (name, view): (&str, &EventView),
        games: &[Game],
        division: impl Fn(&Game) -> usize,
        (readers, since): Readers<'_>,
    ) -> anyhow::Result<()> {
        let now = step.seen.now;
        for notice in step.new.iter().filter(|notice| notice.is_report_of(name)) {
            let (Some(Notice::EventReport(facts)), Some(id)) = (&notice.event, notice.player) else { continue };
            ensure!(Some(facts.edition) == view.row.edition, "a report is about edition {}", facts.edition);
            let player = step.seen.index(id)?;
            if let Some(last) = self.last.insert(player, now) {
                ensure!(
                    now - last >= WEEK,
                    "{} received two reports within a week, on {last} and {now}",
                    step.userid(player)
                );
            }
            for news in &facts.news {
                let game =
                    games.iter().find(|game| game.number == news.board).context("a report names an unknown board")?;
                let ended_at = ended_at(game).with_context(|| format!("board {} has not ended", news.board))?;
                let read = self.read.insert((player, news.board), now);
                // A player receives a result twice only if the game was annulled after, or in the same second as, the
                // first report.
                let again = read.is_some_and(|read| read > ended_at);
                ensure!(
                    !again,
                    "{} received the result of board {} on {read:?} and again now",
                    step.userid(player),
                    news.board
                );
            }
        }
        if !step.done || now < self.check_at {
            return Ok(());
        }
        self.check_at = now + CHECK;
        for (player, own) in readers {
            for game in games.iter().filter(|game| division(game) == *own) {
                let Some(ended_at) = ended_at(game).filter(|at| *at + WEEK <= now) else { continue };
                if since.get(player).is_some_and(|since| *since > ended_at) {
                    continue;
                }
                let read = self.read.get(&(*player, game.number)).is_some_and(|read| *read > ended_at);
                ensure!(
                    read,
                    "{} did not receive the result of board {}, which ended on {ended_at}",
                    step.userid(*player),
                    game.number
                );
            }
        }
        Ok(())
    }
}

fn ended_at(game: &Game) -> Option<DateTime<Utc>> {
    game.annulled_at.or(game.end.map(|end| end.at))
}
