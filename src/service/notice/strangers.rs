//! Letters to strangers: those to addresses that nobody has confirmed, and those that anybody can cause. There are so
//! many a day to an address, and so many that one source can cause.

use chrono::{DateTime, TimeDelta, Utc};

use crate::clock::Span;
use crate::service::context::Service;
use crate::store::{self, Transaction};

impl Service<'_> {
    /// Whether one more letter may be written to each of these addresses because of this source.
    ///
    /// # Errors
    /// The store's.
    pub fn may_write_to_strangers(
        &self,
        tx: &dyn Transaction,
        addresses: &[String],
        source: &str,
        now: DateTime<Utc>,
    ) -> store::Result<bool> {
        let day = Span::last(TimeDelta::days(1), now);
        for address in addresses {
            if tx.letters_to(address, &day)? >= self.policy.letters_to_stranger {
                return Ok(false);
            }
        }
        let more = u32::try_from(addresses.len()).unwrap_or(u32::MAX);
        Ok(tx.letters_from(source, &day)?.saturating_add(more) <= self.policy.letters_from_source)
    }
}
