//! The state of the whole server in numbers.

use chrono::{DateTime, Utc};

use crate::store::sql::params;
use crate::store::sql::{Cells, Texts};
use crate::store::sql::{all, one};
use crate::store::sql::Time;
use super::transaction::PostgresTransaction;
use crate::store::sql::Session as _;
use crate::store::sql::Params;
use super::{boards, clocks, outbox, webhooks};
use crate::store::{Counting, Counts, OldestWork, Outbox, Queue, Result};

const BOARDS: &str = "SELECT game, count(*) FROM boards WHERE ended_at IS NULL AND declined_at IS NULL \
     GROUP BY game ORDER BY game";
const TURNS: &str =
    "SELECT count(*), min(moved_at) FROM boards WHERE ended_at IS NULL AND declined_at IS NULL AND to_move IS NOT NULL";
const OPEN: &str = "SELECT count(*) FROM offers WHERE closed_at IS NULL";
const WAITING: &str = "SELECT count(*), min(received_at) FROM inbox WHERE verdict IS NULL";
const DUE: &str = "SELECT count(DISTINCT coalesce(letter, id)), min(due_at) FROM outbox WHERE due_at <= $1";
const RETRIED: &str = "SELECT count(DISTINCT coalesce(letter, id)), min(created_at) FROM outbox \
     WHERE due_at > $1 AND error IS NOT NULL";
const GIVEN_UP: &str =
    "SELECT count(*) FROM outbox WHERE sent_at IS NULL AND due_at IS NULL AND NOT held AND letter = id";
// These read whole tables: of players and addresses there are few.
const PLAYERS: &str = "SELECT count(*) FROM players WHERE left_at IS NULL";
const PAUSED: &str = "SELECT count(*) FROM addresses WHERE paused_at IS NOT NULL";
const SET_ASIDE: &str = "SELECT count(*) FROM set_aside";
const BYTES: &str = "SELECT pg_database_size(current_database())";

/// The statement for the oldest work of each queue. It is one statement because it is executed every few seconds.
fn oldest_work_sql() -> String {
    format!(
        "SELECT (SELECT min(received_at) FROM inbox WHERE verdict IS NULL), ({}), \
         CASE WHEN (SELECT letters_held_at FROM server) IS NULL THEN ({}) END, ({}), \
         (SELECT min(moved_at) FROM boards WHERE number IN ({})), \
         (SELECT min(asked_at) FROM analyses WHERE analysis IS NULL)",
        clocks::NEXT,
        outbox::NEXT_DUE,
        webhooks::NEXT,
        boards::WAITING_FOR_ANY
    )
}

impl PostgresTransaction<'_> {
    fn total(&self, sql: &str) -> Result<u32> {
        Ok(one(self.db(), sql, &[], |row| row.get(0))?.unwrap_or_default())
    }

    fn queue(&self, sql: &str, params: Params<'_>) -> Result<Queue> {
        let queue = one(self.db(), sql, params, |row| {
            Ok(Queue { count: row.get(0)?, oldest: row.get::<Option<Time>>(1)?.map(|Time(time)| time) })
        });
        Ok(queue?.unwrap_or_default())
    }
}

impl Counting for PostgresTransaction<'_> {
    fn counts(&self, now: DateTime<Utc>) -> Result<Counts> {
        Ok(Counts {
            boards: all(self.db(), BOARDS, &[], |row| Ok((row.get(0)?, row.get(1)?)))?,
            turns: self.queue(TURNS, &[])?,
            players: self.total(PLAYERS)?,
            open_challenges: self.total(OPEN)?,
            mails_waiting: self.queue(WAITING, &[])?,
            letters_due: self.queue(DUE, params![Time(now)])?,
            letters_retried: self.queue(RETRIED, params![Time(now)])?,
            letters_held_at: self.letters_held_at()?,
            letters_given_up: self.total(GIVEN_UP)?,
            addresses_paused: self.total(PAUSED)?,
            mails_set_aside: self.total(SET_ASIDE)?,
            database_bytes: one(self.db(), BYTES, &[], |row| row.get::<i64>(0))?.map_or(0, i64::unsigned_abs),
        })
    }

    fn oldest_work(&self, robots: &[String]) -> Result<OldestWork> {
        let robots = Texts(robots.iter().map(|userid| userid.to_ascii_lowercase()).collect());
        let work = one(self.db(), &oldest_work_sql(), params![robots], |row| {
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
