//! The running clocks and their next events.

use chrono::{DateTime, Utc};
use serde_json::json;

use crate::service::running_clocks;
use crate::store::{OutboxNotice, ReportPage, ReportRow, Transaction};

/// Returns a page of the running clocks, with the reminders that they have sent.
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
            ("reminders told", json!(clock.reminded)),
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
