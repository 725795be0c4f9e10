//! An edition of a league or cup.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use anyhow::{Context, ensure};
use chrono::{DateTime, TimeDelta, Utc};

use super::game::Game;
use super::ladder::orders;
use super::league::{self, Withdrawn};
use super::{Step, cup, longest_tie};
use turnpost::command::EventKind;
use turnpost::service::{EventFacts, EventView, Moved, Notice};
use turnpost::store::Withdrawal;

/// The maximum delay before a running server processes due work.
const PASS: TimeDelta = TimeDelta::days(1);

pub(crate) struct Edition {
    number: u32,
    kind: EventKind,
    began_at: DateTime<Utc>,
    latest_at: DateTime<Utc>,
    pub(crate) ended_at: Option<DateTime<Utc>>,
    /// The players of each division, in the order of their sign-ups. A cup has one division, in the order of the seeds.
    divisions: Vec<Vec<usize>>,
    withdrawn: Withdrawn,
    /// The players of each division in the order of their ranks. Empty until the edition has ended.
    pub(crate) ranks: Vec<Vec<usize>>,
}

impl Edition {
    /// Checks the beginning of an edition with these players.
    pub(crate) fn begin(
        step: Step<'_>,
        view: &EventView,
        (kind, divisions): (EventKind, Vec<Vec<usize>>),
        games: &[Game],
        previous: Option<&Edition>,
    ) -> anyhow::Result<Edition> {
        let shown = view.shown.as_ref().context("a new edition is not shown")?;
        let number = shown.number;
        let mut span = longest_tie(view);
        if kind == EventKind::Cup {
            span = span * divisions[0].len().next_power_of_two().ilog2() as i32;
        }
        let latest_at = shown.latest_at.context("an edition has no latest day")?;
        ensure!(latest_at == shown.started_at + span, "edition {number} has the wrong latest day {latest_at}");
        if kind == EventKind::League {
            let found: Vec<Vec<usize>> = shown
                .divisions
                .iter()
                .map(|division| division.rows.iter().map(|row| step.player(&row.userid)).collect())
                .collect::<anyhow::Result<_>>()?;
            let sorted = |divisions: &[Vec<usize>]| -> Vec<BTreeSet<usize>> {
                divisions.iter().map(|division| division.iter().copied().collect()).collect()
            };
            ensure!(
                sorted(&found) == sorted(&divisions),
                "edition {number} has the divisions {found:?}, not {divisions:?}"
            );
            let mut expected: Vec<[usize; 2]> = Vec::new();
            for (division, players) in (1..).zip(&divisions) {
                for (round, players) in league::schedule(players, view.twice) {
                    let userids = players.map(|player| step.userid(player));
                    let mut same = shown.playing.iter().filter(|game| game.players == userids);
                    let placed = same.all(|game| (game.division, game.round) == (division, round));
                    ensure!(placed, "edition {number}: {userids:?} do not play in round {round} of {division}");
                    expected.push(players);
                }
            }
            let mut found: Vec<[usize; 2]> = games.iter().map(|game| game.players).collect();
            expected.sort_unstable();
            found.sort_unstable();
            ensure!(found == expected, "edition {number} has the pairs {found:?}, not {expected:?}");
        }
        let edition = Edition {
            number,
            kind,
            began_at: shown.started_at,
            latest_at,
            ended_at: None,
            divisions,
            withdrawn: Withdrawn::new(),
            ranks: Vec::new(),
        };
        edition.letters(step, &view.row.name, "event-begin", |player, facts| {
            let own = edition.division(player).context("a player has no division")?;
            let userids: Vec<&str> = edition.divisions[own].iter().map(|player| step.userid(*player)).collect();
            ensure!(facts.players == userids, "a letter lists {:?}, not {userids:?}", facts.players);
            ensure!(
                facts.latest_at == Some(latest_at),
                "a letter gives the latest day as {:?}, not {latest_at}",
                facts.latest_at
            );
            let plays = games.iter().any(|game| game.opponent(player).is_some());
            let moved =
                previous.and_then(|previous| previous.division(player)).and_then(|before| match own.cmp(&before) {
                    Ordering::Less => Some(Moved::Up),
                    Ordering::Equal => None,
                    Ordering::Greater => Some(Moved::Down),
                });
            ensure!(facts.moved == moved, "a letter says that {} moved {:?}", step.userid(player), facts.moved);
            ensure!(facts.bye != plays, "{} has both a bye and a game, or neither: {}", step.userid(player), facts.bye);
            Ok(())
        })?;
        Ok(edition)
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended_at.is_some()
    }

    /// Returns the division of a player as an index.
    pub(crate) fn division(&self, player: usize) -> Option<usize> {
        self.divisions.iter().position(|division| division.contains(&player))
    }

    /// Returns the players who receive reports, with their divisions.
    pub(crate) fn readers(&self) -> Vec<(usize, usize)> {
        let numbered = self.divisions.iter().enumerate();
        let all = numbered.flat_map(|(at, division)| division.iter().map(move |player| (*player, at)));
        all.filter(|(player, _)| !self.withdrawn.contains_key(player)).collect()
    }

    /// Checks a step of this edition. Returns the players who were withdrawn in the step and, at the end of the
    /// edition, those who lost a game on time and never acted. In a cup, returns only the latter.
    pub(crate) fn follow(
        &mut self,
        step: Step<'_>,
        view: &EventView,
        games: &[Game],
        left: &BTreeSet<usize>,
    ) -> anyhow::Result<Vec<usize>> {
        let number = self.number;
        let shown = view.shown.as_ref().context("the current edition is not shown")?;
        ensure!(shown.number == number, "edition {} began during edition {number}", shown.number);
        let mut new = match self.kind {
            EventKind::League => self.withdraw(step, view, games, left)?,
            _ => {
                self.withdrawn.extend(left.iter().map(|player| (*player, Withdrawal::Lost)));
                Vec::new()
            }
        };
        let (now, longest) = (step.seen.now, longest_tie(view));
        // Both games of a tie must end within the same limit. Extra time in either game extends it.
        let is_late = |game: &Game| {
            let is_tie = |of: &&Game| game.players.iter().all(|player| of.players.contains(player));
            let tie: Vec<&Game> = games.iter().filter(|of| self.kind == EventKind::Cup && is_tie(of)).collect();
            let first = tie.iter().min_by_key(|of| of.created_at).copied().unwrap_or(game);
            let given: TimeDelta = tie.iter().filter(|of| of.number != first.number).map(|of| of.given).sum();
            first.latest_end(longest + given, step.standstills) <= now
        };
        for game in games {
            let annulled = game.players.iter().any(|of| self.withdrawn.get(of) == Some(&Withdrawal::Annulled));
            ensure!(game.annulled_at.is_none() || annulled, "board {} is annulled without a reason", game.number);
            let Some(end) = game.end.filter(|end| end.by_event && end.step == step.number) else { continue };
            let winner = end.winner.with_context(|| format!("board {} has no winner", game.number))?;
            let loser = game.players[winner.other().index()];
            let explained = self.withdrawn.contains_key(&loser) || is_late(game);
            ensure!(explained, "board {} was ended without a reason", game.number);
        }
        let is_over = match self.kind {
            EventKind::League => games.iter().all(Game::is_over),
            _ => self.follow_bracket(step, view, games)?,
        };
        ensure!(!(is_over && step.done) || shown.ended_at.is_some(), "edition {number} did not end");
        if let Some(ended_at) = shown.ended_at {
            ensure!(is_over, "edition {number} ended while games were in progress");
            self.end(step, view, games, ended_at)?;
            new.extend(self.silent(games));
        }
        Ok(new)
    }

    /// Checks the withdrawals of a step. Returns the withdrawn players.
    fn withdraw(
        &mut self,
        step: Step<'_>,
        view: &EventView,
        games: &[Game],
        left: &BTreeSet<usize>,
    ) -> anyhow::Result<Vec<usize>> {
        let mut shown = Withdrawn::new();
        for row in view.shown.iter().flat_map(|shown| &shown.divisions).flat_map(|division| &division.rows) {
            if let Some(withdrawn) = row.withdrawn {
                shown.insert(step.player(&row.userid)?, withdrawn);
            }
        }
        if shown == self.withdrawn && !step.done {
            return Ok(Vec::new());
        }
        let (longest, now) = (longest_tie(view), step.seen.now);
        let is_late = |game: &Game| game.latest_end(longest, step.standstills) <= now;
        let plays = |player: usize| games.iter().any(|game| game.opponent(player).is_some() && !game.is_over());
        let players = self.divisions.concat();
        let expect = |players: &[usize]| {
            let mut all = league::withdrawals(
                players,
                games,
                &self.withdrawn,
                |player| left.contains(&player),
                (step.number, &is_late),
            );
            // If a player who has left has no game in progress, the server may record the withdrawal later. After a
            // fault, it may record any withdrawal later.
            all.retain(|player, _| {
                let waits = left.contains(player) && !plays(*player) || !step.done;
                shown.contains_key(player) || !waits
            });
            all
        };
        let expected = expect(&players);
        if expected != shown {
            // The server withdraws a player as soon as it has processed their message, so it may have withdrawn several
            // players of this step in another order, with a different result.
            let (new, rest): (Vec<usize>, Vec<usize>) = players
                .into_iter()
                .partition(|player| shown.contains_key(player) && !self.withdrawn.contains_key(player));
            let (first, then): (Vec<usize>, Vec<usize>) =
                new.into_iter().partition(|player| shown.get(player) == Some(&Withdrawal::Annulled));
            let mut orders = orders(&[first, then].concat()).into_iter();
            let names = |all: &Withdrawn| -> Vec<String> {
                all.iter().map(|(player, how)| format!("{} {how:?}", step.userid(*player))).collect()
            };
            let fits = |order: Vec<usize>| expect(&[order, rest.clone()].concat()) == shown;
            ensure!(orders.any(fits), "the withdrawn players are {:?}, not {:?}", names(&shown), names(&expected));
        }
        let new = shown.keys().copied().filter(|player| !self.withdrawn.contains_key(player)).collect();
        self.withdrawn = shown;
        let waits =
            games.iter().find(|game| !game.is_over() && game.players.iter().any(|of| self.withdrawn.contains_key(of)));
        ensure!(waits.is_none(), "board {:?} of a withdrawn player is in progress", waits.map(|game| game.number));
        Ok(new)
    }

    /// Checks that the bracket's games have begun, and that the page shows them. Returns whether all of them have
    /// ended.
    fn follow_bracket(&mut self, step: Step<'_>, view: &EventView, games: &[Game]) -> anyhow::Result<bool> {
        let rounds = view.shown.iter().flat_map(|shown| &shown.rounds);
        let found: Vec<_> = rounds.flat_map(|round| &round.ties).flat_map(|tie| &tie.games).collect();
        let played = |round, slot| {
            let here = found.iter().filter(|game| (game.round, game.slot) == (round, slot));
            let mut here: Vec<Game> =
                here.filter_map(|game| games.iter().find(|of| of.number == game.board)).cloned().collect();
            here.sort_by_key(|game| game.number);
            here
        };
        let bracket = cup::follow(&self.divisions[0], played, |player| self.withdrawn.contains_key(&player));
        let expected: BTreeSet<(u32, u32, [&str; 2])> = bracket
            .required
            .iter()
            .map(|(round, slot, players)| (*round, *slot, players.map(|player| step.userid(player))))
            .collect();
        let shown: BTreeSet<(u32, u32, [&str; 2])> =
            found.iter().map(|game| (game.round, game.slot, game.players.each_ref().map(String::as_str))).collect();
        ensure!(shown.is_subset(&expected), "the bracket has {shown:?}, not {expected:?}");
        ensure!(!step.done || shown == expected, "the bracket has only {shown:?} of {expected:?}");
        ensure!(shown.len() == games.len(), "the bracket shows {} of {} games", shown.len(), games.len());
        let is_over = bracket.ranks.is_some();
        self.ranks = bracket.ranks.into_iter().collect();
        Ok(is_over)
    }

    /// Checks the end of the edition.
    fn end(&mut self, step: Step<'_>, view: &EventView, games: &[Game], ended_at: DateTime<Utc>) -> anyhow::Result<()> {
        let number = self.number;
        ensure!(ended_at == step.seen.now, "edition {number} ended on {ended_at}, but is shown only later");
        let stood: TimeDelta =
            step.standstills.iter().filter(|span| span.until > self.began_at).map(|span| span.until - span.from).sum();
        let given: TimeDelta = games.iter().map(|game| game.given).sum();
        let latest_at = self.latest_at + stood + given + PASS;
        ensure!(ended_at <= latest_at, "edition {number} ended on {ended_at}, after {}", self.latest_at);
        self.ended_at = Some(ended_at);
        if self.kind == EventKind::League {
            let ranked = |players: &Vec<usize>| -> Vec<usize> {
                league::table(players, games, &self.withdrawn).iter().map(|row| row.player).collect()
            };
            self.ranks = self.divisions.iter().map(ranked).collect();
        }
        self.compare(step, view, games)?;
        let winner = self.winner(games);
        self.letters(step, &view.row.name, "event-end", |player, facts| {
            let rank = self.ranks.iter().find_map(|ranks| ranks.iter().position(|of| *of == player));
            let is_first = self.ranks[0].first() == Some(&player);
            let rank = rank.filter(|_| !is_first || winner.is_some()).map(|at| at as u32 + 1);
            ensure!(facts.rank == rank, "a letter gives {} rank {:?}, not {rank:?}", step.userid(player), facts.rank);
            let winner = winner.map(|winner| step.userid(winner));
            ensure!(facts.winner.as_deref() == winner, "a letter says that {:?} has won, not {winner:?}", facts.winner);
            ensure!(
                facts.next_at == view.row.next_at,
                "a letter announces the next edition for {:?}, not {:?}",
                facts.next_at,
                view.row.next_at
            );
            Ok(())
        })
    }

    /// Returns the winner: the first player of the first division, if they have scored in a game that was really
    /// played.
    fn winner(&self, games: &[Game]) -> Option<usize> {
        let first = *self.ranks.first()?.first()?;
        games.iter().any(|game| game.gives_title(first)).then_some(first)
    }

    /// Returns the players who lost a game because they did not make their first move, and who never acted on any
    /// board.
    fn silent(&self, games: &[Game]) -> Vec<usize> {
        let is_silent = |player: &usize| {
            games.iter().any(|game| game.was_lost_on_time_by(*player))
                && !games.iter().any(|game| game.was_played_by(*player))
        };
        self.readers().into_iter().map(|(player, _)| player).filter(is_silent).collect()
    }

    /// Compares the tables on the page with the computed ones.
    pub(crate) fn compare(&self, step: Step<'_>, view: &EventView, games: &[Game]) -> anyhow::Result<()> {
        let number = self.number;
        let row = view.editions.iter().find(|edition| edition.number == number).context("an edition is not listed")?;
        let winner = self.winner(games).map(|player| step.userid(player));
        ensure!(row.winner.as_deref() == winner, "edition {number} was won by {:?}, not {winner:?}", row.winner);
        let shown = view.shown.as_ref().filter(|shown| shown.number == number).context("an edition is not shown")?;
        let tables = if self.kind == EventKind::League { self.divisions.as_slice() } else { &[] };
        ensure!(shown.divisions.len() == tables.len(), "edition {number} has {} divisions", shown.divisions.len());
        for (players, division) in tables.iter().zip(&shown.divisions) {
            let expected = league::table(players, games, &self.withdrawn);
            let found = division.rows.iter().map(|row| {
                let cells = row.cells.iter();
                Ok(league::Row {
                    player: step.player(&row.userid)?,
                    points: row.points.clone(),
                    berger: row.berger,
                    wins: row.wins,
                    games: row.games,
                    withdrawn: row.withdrawn,
                    cells: cells
                        .map(|games| games.iter().map(|game| (game.board, game.result.clone())).collect())
                        .collect(),
                })
            });
            let found: Vec<league::Row> = found.collect::<anyhow::Result<_>>()?;
            ensure!(found == expected, "edition {number} has the table\n{found:#?}\nnot\n{expected:#?}");
            let ranks: Vec<usize> = division.rows.iter().map(|row| row.rank).collect();
            ensure!(ranks == (1..=expected.len()).collect::<Vec<_>>(), "edition {number} has the ranks {ranks:?}");
        }
        Ok(())
    }

    /// Checks that each player gets exactly one letter of this kind.
    fn letters(
        &self,
        step: Step<'_>,
        name: &str,
        kind: &str,
        check: impl Fn(usize, &EventFacts) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let mut readers = BTreeSet::new();
        for notice in step.new.iter().filter(|notice| notice.kind == kind) {
            let (Some(Notice::EventBegin(facts) | Notice::EventEnd(facts)), Some(id)) = (&notice.event, notice.player)
            else {
                continue;
            };
            if facts.name == name && facts.edition == self.number {
                let player = step.seen.index(id)?;
                check(player, facts)?;
                ensure!(readers.insert(player), "{} has two letters of kind {kind}", step.userid(player));
            }
        }
        // A player who has left the server has no address, so they get no letter.
        let players: BTreeSet<usize> = self.divisions.iter().flatten().copied().collect();
        let missing: Vec<&str> = players
            .difference(&readers)
            .filter(|player| !step.seen.players[**player].left)
            .map(|player| step.userid(*player))
            .collect();
        ensure!(
            missing.is_empty() && readers.is_subset(&players),
            "letters of kind {kind} have wrong recipients; {missing:?} are missing"
        );
        Ok(())
    }
}
