//! What became of letters at each address.

use super::{Cells, Name, Nocase, Session, Time, all, one, params, run};
use crate::clock::Span;
use crate::store::{Deliveries, Delivery, OutboxId, Result};

pub(super) const OF_LETTER: &str =
    "SELECT address, state, at, error FROM deliveries WHERE letter = ?1 ORDER BY lower(address)";
pub(super) const BOUNCES: &str =
    "SELECT count(*) FROM deliveries WHERE state = 'bounced' AND lower(address) = ?1 AND at >= ?2 AND at < ?3";

impl<S: Session> Deliveries for S {
    fn deliveries(&self, letter: OutboxId) -> Result<Vec<Delivery>> {
        all(self.db(), OF_LETTER, params![letter.0], |row| {
            let mut cells = Cells::of(row);
            Ok(Delivery {
                address: cells.take()?,
                state: cells.take::<Name<_>>()?.0,
                at: cells.time()?,
                error: cells.take()?,
            })
        })
    }

    fn set_delivery(&mut self, letter: OutboxId, delivery: &Delivery) -> Result<()> {
        let sql = "INSERT INTO deliveries (letter, address, state, at, error) VALUES (?1, ?2, ?3, ?4, ?5) \
             ON CONFLICT (letter, lower(address)) DO UPDATE SET state = excluded.state, at = excluded.at, error = excluded.error";
        let Delivery { address, state, at, error } = delivery;
        run(self.writable_shared()?, sql, params![letter.0, address, Name(*state), Time(*at), error])?;
        Ok(())
    }

    fn bounces(&self, address: &str, time: &Span) -> Result<u32> {
        Ok(one(self.db(), BOUNCES, params![Nocase(address), Time(time.from), Time(time.until)], |row| row.get(0))?
            .unwrap_or(0))
    }
}
