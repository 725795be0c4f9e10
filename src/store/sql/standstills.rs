//! Times in which clocks are stopped.

use chrono::{DateTime, Utc};

use super::{Cells, Name, Row, Session, Time, all, one, params, run, run_one};
use crate::store::{PlayerId, Result, Standstills, Stop, StopCause};

const STOPS: &str = "SELECT from_at, until_at, 'vacation', '' FROM vacations WHERE player = ?1 \
     UNION ALL SELECT began_at, ended_at, cause, reason FROM standstills \
     WHERE ended_at IS NULL OR id = (SELECT max(id) FROM standstills) ORDER BY 1";

fn stop(row: &Row<'_>) -> Result<Stop> {
    let mut cells = Cells::of(row);
    let (from, until, Name(cause)) = (cells.time()?, cells.time_if_any()?, cells.take()?);
    Ok(Stop { from, until, cause, reason: cells.take()? })
}

impl<S: Session> Standstills for S {
    fn stops(&self, player: PlayerId) -> Result<Vec<Stop>> {
        self.read_once(STOPS, params![player.0], stop)
    }

    fn standstills(&self) -> Result<Vec<Stop>> {
        let sql = "SELECT began_at, ended_at, cause, reason FROM standstills ORDER BY id";
        all(self.db(), sql, &[], stop)
    }

    fn lasting(&self, cause: StopCause) -> Result<Option<Stop>> {
        let sql = "SELECT began_at, ended_at, cause, reason FROM standstills WHERE ended_at IS NULL AND cause = ?1";
        one(self.db(), sql, params![Name(cause)], stop)
    }

    fn add_standstill(&mut self, stop: &Stop) -> Result<()> {
        let sql = "INSERT INTO standstills (began_at, ended_at, cause, reason) VALUES (?1, ?2, ?3, ?4)";
        let params = params![Time(stop.from), stop.until.map(Time), Name(stop.cause), stop.reason];
        run(self.writable()?, sql, params).map(drop)
    }

    fn end_standstill(&mut self, cause: StopCause, at: Option<DateTime<Utc>>) -> Result<()> {
        let db = self.writable()?;
        match at {
            Some(at) => {
                let sql = "UPDATE standstills SET ended_at = ?2 WHERE ended_at IS NULL AND cause = ?1";
                run(db, sql, params![Name(cause), Time(at)])
            }
            None => {
                let sql = "DELETE FROM standstills WHERE ended_at IS NULL AND cause = ?1";
                run(db, sql, params![Name(cause)])
            }
        }
        .map(drop)
    }

    fn clocks_seen_at(&self) -> Result<Option<DateTime<Utc>>> {
        let sql = "SELECT clocks_seen_at FROM server";
        Ok(one(self.db(), sql, &[], |row| row.get::<Option<Time>>(0))?.flatten().map(|time| time.0))
    }

    fn set_clocks_seen_at(&mut self, at: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE server SET clocks_seen_at = ?1";
        run_one(self.writable()?, sql, params![Time(at)], "there is no server")
    }
}
