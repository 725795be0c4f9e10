//! Account reports for administrators: the limits in force, suspicious pairs of players, and other lists.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

use super::act::CALENDARS_A_WEEK;
use super::authenticate::{WRONG_PASSWORDS_AN_HOUR, WRONG_PASSWORDS_OF_OWN_ADDRESS};
use super::blocks::{REPORTS_A_DAY, TEXTS_AN_HOUR};
use super::login::{LINKS_AN_HOUR, TRIES_AN_HOUR};
use super::password::{LINKS_A_DAY, REQUESTS_A_DAY};
use crate::clock::Span;
use crate::service::board::robots::is_kept_for_robots;
use crate::service::context::Service;
use crate::store::{
    self, Address, CountedAct, CountedKind, Player, Refusals, Report, ReportPage, ReportRow, Transaction,
};

/// Lists pairs of players who may be the same person, with the evidence. Omits computer players.
///
/// # Errors
/// If the store fails.
pub fn suspicion_rows(tx: &Transaction<'_>) -> store::Result<Vec<ReportRow>> {
    let all = ReportPage { skip: 0, most: u32::MAX };
    let rows = tx.report(&Report::Suspicious, all)?.into_iter().filter_map(|row| {
        let cell = |column: &str| row.0.iter().find(|(name, _)| name == column).map(|(_, value)| value);
        let text = |column: &str| cell(column).and_then(Value::as_str).unwrap_or_default();
        let number = |column: &str| cell(column).and_then(Value::as_u64);
        let (player, other) = (text("player"), text("other"));
        let seen = match (number("boards"), number("of"), text("address")) {
            (Some(boards), Some(of), _) => {
                format!("{player} lost all {boards} rated boards to {other}, of {of} in all")
            }
            (.., "") => "both logged in with the same browser".to_owned(),
            (.., address) => format!("both used {address}"),
        };
        let people = !is_kept_for_robots(player) && !is_kept_for_robots(other);
        people.then(|| ReportRow::of([("player", json!(player)), ("other", json!(other)), ("seen", json!(seen))]))
    });
    Ok(rows.collect())
}

/// Lists blocked addresses and domains, and addresses whose owners refuse confirmation letters.
///
/// # Errors
/// If the store fails.
pub fn blocked_rows(tx: &Transaction<'_>) -> store::Result<Vec<ReportRow>> {
    let rows = tx.blocked_senders()?.into_iter().map(|blocked| {
        ReportRow::of([
            ("sender", json!(blocked.sender)),
            ("blocked", json!(blocked.blocked_at)),
            ("reason", json!(blocked.reason)),
        ])
    });
    Ok(rows.collect())
}

impl Service<'_> {
    /// Lists the limits in force for these names, or for everybody.
    ///
    /// # Errors
    /// If the store fails.
    pub fn limit_rows(
        &self,
        tx: &Transaction<'_>,
        names: Option<&[String]>,
        now: DateTime<Utc>,
    ) -> store::Result<Vec<ReportRow>> {
        Ok(self.limits(tx, names, now)?.into_iter().map(limit_row).collect())
    }

    /// Lists the limits for these names that an administrator can lift. Omits limits on answers, which expire within
    /// the hour.
    ///
    /// # Errors
    /// If the store fails.
    pub fn liftable_rows(
        &self,
        tx: &Transaction<'_>,
        names: &[String],
        now: DateTime<Utc>,
    ) -> store::Result<Vec<ReportRow>> {
        let limits = self.limits(tx, Some(names), now)?.into_iter();
        Ok(limits.filter(|limit| limit.kind != LimitKind::Answers).map(limit_row).collect())
    }
}

fn limit_row(Limit { kind, source, of, count, until }: Limit) -> ReportRow {
    ReportRow::of([
        ("limited", json!(words(kind))),
        ("source", json!(source)),
        ("of", json!(of)),
        ("count", json!(count)),
        ("until", json!(until)),
    ])
}

fn words(kind: LimitKind) -> &'static str {
    match kind {
        LimitKind::Passwords => "passwords",
        LimitKind::Tries => "passwords and codes",
        LimitKind::LettersTo => "letters to an address",
        LimitKind::LettersFrom => "letters because of a source",
        LimitKind::PasswordRequests => "requests for passwords",
        LimitKind::PasswordLinks => "links for new passwords",
        LimitKind::LoginLinks => "links to log in",
        LimitKind::Challenges => "boards of a stranger",
        LimitKind::Messages => "messages to a player",
        LimitKind::Reports => "reports",
        LimitKind::Calendars => "changes of weekend, night or zone",
        LimitKind::Answers => "answers",
        LimitKind::Refusals => "answers to refused mail",
        LimitKind::Paused => "letters to a paused address",
    }
}

/// The number of consecutive refusals that are always answered. After that, the server answers one refusal a day.
pub const ANSWERED_REFUSALS: u32 = 3;
/// The maximum number of answers to an address in an hour.
pub const ANSWERS_AN_HOUR: u32 = 20;

/// What a limit restricts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LimitKind {
    /// Wrong passwords that a source sends for one userid.
    Passwords,
    /// Wrong passwords, wrong codes and other failed attempts of a source.
    Tries,
    /// Letters to a stranger's address: requests to confirm it, login links and answers.
    LettersTo,
    /// Letters to strangers that a source causes. New guests, and messages of players without a confirmed address, are
    /// included.
    LettersFrom,
    /// Requests of a source for new passwords.
    PasswordRequests,
    /// Links for a new password of a player.
    PasswordLinks,
    /// Links to log in as a player.
    LoginLinks,
    /// Challenges to a player by a stranger.
    Challenges,
    /// Messages of one player to another.
    Messages,
    /// A player's reports.
    Reports,
    /// Changes of a player's weekend, night and time zone.
    Calendars,
    /// Answers to an address. An administrator cannot lift this limit; it expires within the hour.
    Answers,
    /// Answers to refused mail from an unverified address.
    Refusals,
    /// Letters to a paused address.
    Paused,
}

/// A limit in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    pub kind: LimitKind,
    /// The cause: a mail address, a network address, a userid or `shell`. Empty if irrelevant.
    pub source: String,
    /// The affected userid or address. Empty if irrelevant.
    pub of: String,
    /// The current count.
    pub count: u32,
    /// The end of the limit; `None` if it ends with mail from the address.
    pub until: Option<DateTime<Utc>>,
}

/// A limit on counted acts.
struct Rule {
    kind: LimitKind,
    most: u32,
    within: TimeDelta,
}

/// Returns the names under which limits are counted: the userid and mail addresses of a player, or `who` itself if it
/// is not a userid.
///
/// # Errors
/// If the store fails.
pub fn limited_names(tx: &Transaction<'_>, who: &str) -> store::Result<Vec<String>> {
    let Some(player) = tx.player(who)? else { return Ok(vec![who.to_owned()]) };
    let addresses = tx.addresses(player.id)?.into_iter().map(|known| known.address);
    Ok(std::iter::once(player.userid).chain(addresses).collect())
}

impl Service<'_> {
    /// Lists the limits in force for these names, or for everybody.
    ///
    /// # Errors
    /// If the store fails.
    pub fn limits(
        &self,
        tx: &Transaction<'_>,
        names: Option<&[String]>,
        now: DateTime<Utc>,
    ) -> store::Result<Vec<Limit>> {
        let mut limits = self.counted_limits(tx, now)?;
        for (address, Refusals { in_a_row, answered_at }) in tx.all_refusals(&Span::last(TimeDelta::days(1), now))? {
            if let (ANSWERED_REFUSALS.., Some(at)) = (in_a_row, answered_at) {
                let (kind, source, until) = (LimitKind::Refusals, String::new(), Some(at + TimeDelta::days(1)));
                limits.push(Limit { kind, source, of: address, count: in_a_row, until });
            }
        }
        for player in tx.players()? {
            for Address { address, paused, .. } in tx.addresses(player.id)? {
                if paused.is_some() {
                    let (kind, source) = (LimitKind::Paused, String::new());
                    limits.push(Limit { kind, source, of: address, count: 0, until: None });
                }
            }
        }
        if let Some(names) = names {
            let is_one = |of: &str| names.iter().any(|name| name.eq_ignore_ascii_case(of));
            limits.retain(|limit| is_one(&limit.of) || is_one(&limit.source));
        }
        Ok(limits)
    }

    /// Returns the limits in force that follow from counted acts.
    fn counted_limits(&self, tx: &Transaction<'_>, now: DateTime<Utc>) -> store::Result<Vec<Limit>> {
        // The rule and the times of the acts, by kind, source and affected userid or address.
        let mut counted = BTreeMap::<_, (Rule, Vec<DateTime<Utc>>)>::new();
        for act in tx.counted_acts(&Span::last(TimeDelta::days(7), now))? {
            for (rule, source, of) in self.rules(tx, &act)? {
                if now - act.at < rule.within {
                    let times = &mut counted.entry((rule.kind, source, of)).or_insert((rule, Vec::new())).1;
                    times.push(act.at);
                }
            }
        }
        let mut limits = Vec::new();
        for ((kind, source, of), (Rule { most, within, .. }, mut times)) in counted {
            let count = u32::try_from(times.len()).unwrap_or(u32::MAX);
            if count < most {
                continue;
            }
            times.sort();
            // The limit ends when fewer than `most` acts remain within the period.
            let last = times.len() - most.max(1) as usize;
            limits.push(Limit { kind, source, of, count, until: times.get(last).map(|at| *at + within) });
        }
        Ok(limits)
    }

    /// Returns the rules that count an act, each with the source and the affected userid or address.
    fn rules(&self, tx: &Transaction<'_>, act: &CountedAct) -> store::Result<Vec<(Rule, String, String)>> {
        let (hour, day) = (TimeDelta::hours(1), TimeDelta::days(1));
        let CountedAct { kind, source, of, .. } = act;
        let rule = |kind, most, within| Rule { kind, most, within };
        let (source, of, all) = (source.to_lowercase(), of.to_lowercase(), String::new);
        Ok(match kind {
            CountedKind::WrongPassword => {
                let owner = tx.player_by_address(&source)?.filter(|_| self.authserv_id.is_none());
                let own = owner.is_some_and(|owner: Player| owner.userid.eq_ignore_ascii_case(&of));
                let most = if own { WRONG_PASSWORDS_OF_OWN_ADDRESS } else { WRONG_PASSWORDS_AN_HOUR };
                let any = (rule(LimitKind::Tries, TRIES_AN_HOUR, hour), source.clone(), all());
                vec![(rule(LimitKind::Passwords, most, hour), source, of), any]
            }
            CountedKind::Letter => vec![
                (rule(LimitKind::LettersTo, self.policy.letters_to_stranger, day), all(), of),
                (rule(LimitKind::LettersFrom, self.policy.letters_from_source, day), source, all()),
            ],
            CountedKind::PasswordRequest => {
                vec![(rule(LimitKind::PasswordRequests, REQUESTS_A_DAY, day), source, all())]
            }
            // `limits` adds the limit on refusals, which depends on the last successful command.
            CountedKind::Refusal => Vec::new(),
            CountedKind::Challenge => {
                let invited = tx.player(&of)?.map(|player| player.settings.strangers).unwrap_or_default();
                vec![(rule(LimitKind::Challenges, invited.0, hour), source, of)]
            }
            CountedKind::Message => vec![(rule(LimitKind::Messages, TEXTS_AN_HOUR, hour), source, of)],
            CountedKind::Report => vec![(rule(LimitKind::Reports, REPORTS_A_DAY, day), source, all())],
            CountedKind::Calendar => vec![(rule(LimitKind::Calendars, CALENDARS_A_WEEK, day * 7), all(), of)],
            CountedKind::PasswordLink => vec![(rule(LimitKind::PasswordLinks, LINKS_A_DAY, day), all(), of)],
            CountedKind::Answer => vec![(rule(LimitKind::Answers, ANSWERS_AN_HOUR, hour), all(), of)],
            CountedKind::LoginLink => vec![(rule(LimitKind::LoginLinks, LINKS_AN_HOUR, hour), all(), of)],
        })
    }

    /// Lifts the limits of these names, except the limit on answers. Resets their counters and resumes letters to their
    /// paused addresses.
    ///
    /// # Errors
    /// If the store fails.
    pub fn lift_limits(&self, tx: &mut Transaction<'_>, names: &[String], now: DateTime<Utc>) -> store::Result<()> {
        for name in names {
            tx.forget_counted(name)?;
            if let Some(player) = tx.player_by_address(name)? {
                self.unpause(tx, &player, name, now)?;
            }
        }
        Ok(())
    }
}
