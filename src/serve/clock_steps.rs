//! Reactions to outages and to a system clock that was set back.

use anyhow::Context;
use chrono::{DateTime, Utc};

use super::instance::Instance;
use super::looks::{Looks, Shown};
use crate::clock::Span;
use crate::service::SEEN;
use crate::state_file;
use crate::store::{self, Store};

impl Instance {
    /// Records every hour that this server is running. After an outage, call this before all code that measures
    /// thinking time, because the outage stops the players' clocks.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn see_clocks(&mut self) -> store::Result<()> {
        let now = (self.world.now)();
        let is_fresh = |seen: Option<DateTime<Utc>>| seen.is_some_and(|seen| Span::last(SEEN, now).contains(seen));
        if is_fresh(self.clocks_seen_at) {
            return Ok(());
        }
        if !is_fresh(self.store.read()?.clocks_seen_at()?) {
            let mut tx = self.store.write()?;
            let outage = self.config.service(self.world).see_clocks(&mut tx, now)?;
            tx.commit()?;
            if let Some(Span { from, until }) = outage {
                tracing::warn!(%from, %until, "turnpost was not running, so all players' clocks were stopped");
            }
        }
        self.clocks_seen_at = Some(now);
        Ok(())
    }

    /// Checks the system clock. If a wrong clock was corrected backwards, reschedules all times that are now too far in
    /// the future.
    pub(crate) fn look_at_clock(&mut self) -> anyhow::Result<()> {
        let file = self.data.join("clock.json");
        let now = (self.world.now)();
        let before = self.looks.take().unwrap_or_else(|| Looks::read(&file));
        let mut looks = before.clone();
        match looks.look(now) {
            Shown::Nothing => {}
            Shown::Behind(by) => tracing::error!(
                seconds = by.num_seconds(),
                "the system clock was set back; thinking time does not advance until it reaches the previous time again, but for \
                 at most a day. Is the clock set by NTP?"
            ),
            Shown::Corrected(by) => {
                let mut tx = self.store.write()?;
                self.config.service(self.world).set_times_anew(&mut tx, now)?;
                tx.commit()?;
                tracing::error!(
                    seconds = by.num_seconds(),
                    "the system clock was set back; clocks, reminders, letters and sessions were adjusted. Is the clock set by NTP?"
                );
            }
        }
        if looks != before {
            state_file::write(&file, &looks).with_context(|| format!("cannot write {}", file.display()))?;
        }
        self.looks = Some(looks);
        Ok(())
    }
}
