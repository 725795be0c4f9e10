//! What is done when the system's clock went back.

use anyhow::Context;

use super::instance::Instance;
use super::looks::{Looks, Shown};
use crate::state_file;
use crate::store::Store;

impl Instance {
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
                self.config.service(self.world).set_times_anew(&mut *tx, now)?;
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
