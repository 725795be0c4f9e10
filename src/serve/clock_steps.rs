//! Handles a system clock that went back, and outages.

use anyhow::Context;
use chrono::{DateTime, Utc};

use super::instance::Instance;
use super::looks::{Looks, Shown};
use crate::clock::Span;
use crate::service::SEEN;
use crate::state_file;
use crate::store::{self, Store};

impl Instance {
    /// Records once an hour that this program watches the clocks. After an outage this must come before anything that counts
    /// thinking time, because the clocks were stopped.
    ///
    /// # Errors
    /// The store's.
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
                tracing::warn!(%from, %until, "turnpost was not running; all clocks were stopped");
            }
        }
        self.clocks_seen_at = Some(now);
        Ok(())
    }

    /// Looks at the system's clock. When it went back and is right now, what waits for a time that will not come for long
    /// is set anew.
    pub(super) fn look_at_clock(&mut self) -> anyhow::Result<()> {
        let file = self.data.join("clock.json");
        let now = (self.world.now)();
        let before = self.looks.take().unwrap_or_else(|| Looks::read(&file));
        let mut looks = before.clone();
        match looks.look(now) {
            Shown::Nothing => {}
            Shown::Behind(by) => tracing::error!(
                seconds = by.num_seconds(),
                "the system's clock went back; thinking time stands still until it has come to where it was, or for a day. \
                 Is it set by NTP?"
            ),
            Shown::Corrected(by) => {
                let mut tx = self.store.write()?;
                self.config.service(self.world).set_times_anew(&mut tx, now)?;
                tx.commit()?;
                tracing::error!(
                    seconds = by.num_seconds(),
                    "the system's clock went back; clocks, reminders, letters and sessions were set anew by it. Is it set by NTP?"
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
