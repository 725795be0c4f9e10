//! The state of the server on one screen, and the running clocks.

use std::fmt::Write;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;

use super::maintenance;
use crate::backup::LastBackup;
use crate::cli::exit::{Exit, print};
use crate::serve::{EngineFailure, EngineFailures, Instance, data_bytes};
use crate::service::{administration, running_clocks};
use crate::store::{Counts, OutboxNotice, Queue, ReportPage, ReportRow, Stop, Transaction};

/// Prints the state of the server.
pub(crate) fn show(instance: &mut Instance, as_json: bool) -> anyhow::Result<Exit> {
    let now = (instance.world.now)();
    let last = LastBackup::read(&instance.data);
    let tx = instance.store.read()?;
    let (counts, maintained) = (administration::counts(&tx, now)?, administration::maintenance(&tx)?);
    let paused = administration::clocks_paused(&tx)?;
    let reports = administration::reports_in_a_week(&tx, now)?;
    drop(tx);
    let version = env!("CARGO_PKG_VERSION");
    print(&match as_json {
        true => {
            let mut shown = serde_json::to_value(&counts)?;
            shown["boards"] = counts.boards.into_iter().collect();
            shown["reports_in_a_week"] = reports.into();
            shown["engines_failing"] = json!(EngineFailures::read(&instance.data));
            shown["maintenance"] = maintenance::as_value(maintained.as_ref())["maintenance"].take();
            shown["clocks_paused"] = json!(paused.map(|stop| json!({ "since": stop.from, "reason": stop.reason })));
            shown["data_bytes"] = data_bytes(&instance.data).into();
            shown["version"] = version.into();
            shown["at"] = json!(now);
            shown["last_verified_backup"] = json!({ "at": last.verified_at, "file": last.file });
            format!("{shown}\n")
        }
        false => {
            let failing = EngineFailures::read(&instance.data);
            let screen = standstill("MAINTENANCE", maintained, now, "maintenance off")
                + &standstill("CLOCKS PAUSED", paused, now, "resume")
                + &screen(&counts, reports, data_bytes(&instance.data), &last, now)
                + &engines(&failing, now);
            format!("turnpost {version}: {}\n\n{screen}", instance.data.display())
        }
    })?;
    Ok(Exit::Done)
}

/// Formats the screen: each line has a label, a count and, if something needs attention, the command that shows more.
fn screen(counts: &Counts, reports: u32, data_bytes: u64, last: &LastBackup, now: DateTime<Utc>) -> String {
    let boards: u32 = counts.boards.iter().map(|(_, count)| count).sum();
    let games = counts.boards.iter().map(|(game, count)| format!("{game} {count}")).collect::<Vec<_>>().join(", ");
    let boards = if boards == 0 { boards.to_string() } else { format!("{boards} ({games})") };
    let wait = counts.turns.oldest.map_or_else(|| "-".to_owned(), |since| span(now - since));
    let queue = |queue: Queue| match queue.oldest {
        Some(since) if queue.count > 0 => format!("{} (the oldest for {})", queue.count, span(now - since)),
        _ => queue.count.to_string(),
    };
    let backup = match last.verified_at {
        Some(at) => format!("{} ({} ago)", at.format("%Y-%m-%dT%H:%M:%SZ"), span(now - at)),
        None => "none".to_owned(),
    };
    let held =
        counts.letters_held_at.map_or_else(|| "no".to_owned(), |since| format!("all, for {}", span(now - since)));
    let more = |count: u32, command: &'static str| if count > 0 { command } else { "" };
    let lines = [
        ("boards in progress", boards, ""),
        ("longest wait for a move", wait, ""),
        ("players", counts.players.to_string(), ""),
        ("open challenges", counts.open_challenges.to_string(), ""),
        ("messages waiting", queue(counts.messages_waiting), ""),
        ("letters due", queue(counts.letters_due), ""),
        ("letters held", held, more(u32::from(counts.letters_held_at.is_some()), "release")),
        (
            "letters tried again",
            queue(counts.letters_retried),
            more(counts.letters_retried.count, "outbox --undelivered"),
        ),
        (
            "letters given up",
            counts.letters_given_up.to_string(),
            more(counts.letters_given_up, "outbox --undelivered"),
        ),
        ("addresses paused", counts.addresses_paused.to_string(), more(counts.addresses_paused, "players --paused")),
        (
            "messages quarantined",
            counts.messages_quarantined.to_string(),
            more(counts.messages_quarantined, "inbox --quarantined"),
        ),
        ("reports in a week", reports.to_string(), more(reports, "acts")),
        ("data directory", size(data_bytes), ""),
        ("database", size(counts.database_bytes), ""),
        ("last verified backup", backup, more(u32::from(last.verified_at.is_none()), "backup FILE")),
    ];
    let mut text = String::new();
    for (what, much, command) in lines {
        let hint = if command.is_empty() { String::new() } else { format!("  → turnpost admin {command}") };
        let _ = writeln!(text, "{what:<24} {much}{hint}");
    }
    text
}

/// Formats a line about a standstill of all clocks, if there is one, with the command that ends it.
fn standstill(label: &str, stop: Option<Stop>, now: DateTime<Utc>, command: &str) -> String {
    let Some(Stop { from, reason, .. }) = stop else { return String::new() };
    let reason = if reason.is_empty() { reason } else { format!(": {reason}") };
    format!("{label:<24} for {}{reason}  → turnpost admin {command}\n", span(now - from))
}

/// Formats a line for each computer player with a failing program.
fn engines(failing: &EngineFailures, now: DateTime<Utc>) -> String {
    let mut text = String::new();
    for (userid, EngineFailure { since, times, board, error }) in &failing.0 {
        let often = format!("{times} {}", if *times == 1 { "time" } else { "times" });
        let since = span(now - *since);
        let _ = writeln!(text, "{userid:<24} failed {often} in {since}, last at board {board}: {error}");
    }
    text
}

/// Formats a duration in the largest unit of which it contains at least two, or in seconds.
fn span(time: TimeDelta) -> String {
    let (count, unit) = match time.num_seconds().max(0) {
        seconds @ ..120 => (seconds, "second"),
        seconds @ ..7_200 => (seconds / 60, "minute"),
        seconds @ ..172_800 => (seconds / 3_600, "hour"),
        seconds => (seconds / 86_400, "day"),
    };
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

fn size(bytes: u64) -> String {
    match bytes {
        ..1_048_576 => format!("{} KiB", bytes / 1_024),
        _ => format!("{}.{} MiB", bytes / 1_048_576, bytes % 1_048_576 * 10 / 1_048_576),
    }
}

/// Returns a page of the running clocks, with their last reminders.
pub(crate) fn clocks(tx: &Transaction<'_>, now: DateTime<Utc>, part: ReportPage) -> anyhow::Result<Vec<ReportRow>> {
    let clocks = running_clocks(tx, now)?.into_iter().skip(part.skip as usize).take(part.most as usize);
    let rows = clocks.map(|clock| {
        let reminder = match &clock.reminder {
            None => "none".to_owned(),
            Some(reminder) => state(reminder),
        };
        let unsent = clock.reminder.as_ref().is_none_or(|reminder| reminder.sent_at.is_none());
        let stopped = clock.clock.stood.as_ref().is_some_and(|stood| stood.until.is_none());
        ReportRow::of([
            ("board", json!(clock.number)),
            ("turn", json!(clock.clock.userid)),
            ("deadline", json!(clock.clock.deadline)),
            ("asks next", json!(clock.due_at.filter(|_| !stopped))),
            ("reminders sent", json!(clock.reminded)),
            ("reminder", json!(reminder)),
            ("stands until", json!(clock.clock.stands_until)),
            ("out of reach", json!(clock.clock.out_of_reach)),
            ("note", json!(note(stopped, clock.used_up && unsent))),
        ])
    });
    Ok(rows.collect())
}

fn note(stopped: bool, overdue: bool) -> &'static str {
    match (stopped, overdue) {
        (true, _) => "all clocks are stopped",
        (_, true) => "OVERDUE: ITS REMINDER CANNOT BE DELIVERED",
        _ => "",
    }
}

/// Describes the state of a letter.
pub(crate) fn state(row: &OutboxNotice) -> String {
    let at = |time: DateTime<Utc>| time.format("%Y-%m-%dT%H:%M:%SZ");
    match (row.sent_at, row.due_at, &row.error) {
        (Some(sent), ..) => format!("sent {}", at(sent)),
        (None, Some(due), None) => format!("due {}", at(due)),
        (None, Some(due), Some(error)) => format!("due again {}: {error}", at(due)),
        (None, None, Some(error)) => format!("given up: {error}"),
        (None, None, None) => "held until the player does something".to_owned(),
    }
}
