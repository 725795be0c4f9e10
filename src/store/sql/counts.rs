//! The state of the whole server in numbers.

use chrono::{DateTime, Utc};

use super::{Cells, Db, Params, Session, Texts, Time, all, cell, one, params};
use super::{boards, clocks, outbox, webhooks};
use crate::store::{Counting, Counts, OldestWork, Outbox, Queue, Result};

pub(super) const BOARDS: &str = "SELECT game, count(*) FROM boards WHERE ended_at IS NULL AND declined_at IS NULL \
     GROUP BY game ORDER BY game";
pub(super) const TURNS: &str =
    "SELECT count(*), min(moved_at) FROM boards WHERE ended_at IS NULL AND declined_at IS NULL AND to_move IS NOT NULL";
pub(super) const OPEN: &str = "SELECT count(*) FROM offers WHERE closed_at IS NULL";
pub(super) const WAITING: &str = "SELECT count(*), min(received_at) FROM inbox WHERE verdict IS NULL";
pub(super) const DUE: &str = "SELECT count(DISTINCT coalesce(letter, id)), min(due_at) FROM outbox WHERE due_at <= ?1";
pub(super) const RETRIED: &str = "SELECT count(DISTINCT coalesce(letter, id)), min(created_at) FROM outbox \
     WHERE due_at > ?1 AND error IS NOT NULL";
pub(super) const GIVEN_UP: &str =
    "SELECT count(*) FROM outbox WHERE sent_at IS NULL AND due_at IS NULL AND NOT held AND letter = id";
// These read whole tables: of players and addresses there are few.
const PLAYERS: &str = "SELECT count(*) FROM players WHERE left_at IS NULL";
const PAUSED: &str = "SELECT count(*) FROM addresses WHERE paused_at IS NOT NULL";
const SET_ASIDE: &str = "SELECT count(*) FROM set_aside";
const BYTES: [&str; 2] = [
    "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
    "SELECT pg_database_size(current_database())",
];

/// The statement for the oldest work of each queue. It is one statement because it is executed every few seconds.
pub(super) fn oldest_work_sql(db: Db<'_>) -> String {
    format!(
        "SELECT (SELECT min(received_at) FROM inbox WHERE verdict IS NULL), ({}), \
         CASE WHEN (SELECT letters_held_at FROM server) IS NULL THEN ({}) END, ({}), \
         (SELECT min(moved_at) FROM boards WHERE number IN ({})), \
         (SELECT min(asked_at) FROM analyses WHERE analysis IS NULL)",
        clocks::NEXT,
        outbox::NEXT_DUE,
        webhooks::NEXT,
        boards::waiting_for_any_sql(db)
    )
}

fn queue(db: Db<'_>, sql: &str, params: Params<'_>) -> Result<Queue> {
    let queue = one(db, sql, params, |row| {
        Ok(Queue { count: row.get(0)?, oldest: row.get::<Option<Time>>(1)?.map(|Time(time)| time) })
    });
    Ok(queue?.unwrap_or_default())
}

impl<S: Session> Counting for S {
    fn counts(&self, now: DateTime<Utc>) -> Result<Counts> {
        Ok(Counts {
            boards: all(self.db(), BOARDS, &[], |row| Ok((row.get(0)?, row.get(1)?)))?,
            turns: queue(self.db(), TURNS, &[])?,
            players: cell(self.db(), PLAYERS, &[])?,
            open_challenges: cell(self.db(), OPEN, &[])?,
            mails_waiting: queue(self.db(), WAITING, &[])?,
            letters_due: queue(self.db(), DUE, params![Time(now)])?,
            letters_retried: queue(self.db(), RETRIED, params![Time(now)])?,
            letters_held_at: self.letters_held_at()?,
            letters_given_up: cell(self.db(), GIVEN_UP, &[])?,
            addresses_paused: cell(self.db(), PAUSED, &[])?,
            mails_set_aside: cell(self.db(), SET_ASIDE, &[])?,
            database_bytes: cell::<i64>(self.db(), self.db().by_dialect(BYTES[0], BYTES[1]), &[])?.unsigned_abs(),
        })
    }

    fn oldest_work(&self, robots: &[String]) -> Result<OldestWork> {
        let robots = Texts(robots.iter().map(|userid| userid.to_ascii_lowercase()).collect());
        let work = one(self.db(), &oldest_work_sql(self.db()), params![robots], |row| {
            let mut cells = Cells::of(row);
            Ok(OldestWork {
                mail: cells.time_if_any()?,
                clock: cells.time_if_any()?,
                letter: cells.time_if_any()?,
                webhook_call: cells.time_if_any()?,
                robot: [cells.time_if_any()?, cells.time_if_any()?].into_iter().flatten().min(),
            })
        });
        Ok(work?.unwrap_or_default())
    }
}
