//! The state of the mail server, in a file that outlives the process: whether its refusals are trusted, until when
//! sending is paused, and when the administrator was last alerted.
//!
//! A server that permanently refuses several recipients in a row, without accepting a letter in between, is suspected
//! to be at fault. Its refusals are then ignored, and after a pause, letters are sent to it one at a time until it
//! accepts one. The process that sends writes the file, and only when the state changes. Losing the file is harmless.
//!
//! Without this suspicion, one wrong setting of the mail server would pause the addresses of all players, which stops
//! their clocks.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use crate::state_file;

/// The server is suspected after permanent refusals of this many different addresses in a row.
const SUSPICIOUS: usize = 5;
/// How long sending to a suspected server is paused.
const SUSPECTED: TimeDelta = TimeDelta::minutes(15);
/// How long sending is paused after the server refused us or did not answer, or if no access token is available.
const REFUSED: TimeDelta = TimeDelta::minutes(1);
/// The minimum time between two alerts in the log.
const BETWEEN_ALARMS: TimeDelta = TimeDelta::hours(1);

/// The mail server that accepts our letters.
pub struct Relay {
    file: PathBuf,
    state: Mutex<State>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct State {
    /// The addresses refused permanently since the server last accepted a letter.
    refused: Vec<String>,
    paused_until: Option<DateTime<Utc>>,
    alarm_at: Option<DateTime<Utc>>,
}

impl Relay {
    /// Reads the state of the mail server from the file in this data directory.
    pub(crate) fn of(data: &Path) -> Relay {
        let relay = Relay { file: data.join("relay.json"), state: Mutex::default() };
        relay.read();
        relay
    }

    /// Clears the state, because the administrator has fixed the server: for example, they send letters again.
    ///
    /// # Errors
    /// The file cannot be removed.
    pub fn forget(data: &Path) -> std::io::Result<()> {
        match fs::remove_file(data.join("relay.json")) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Reads the file again, because another process may have changed it.
    pub(crate) fn read(&self) {
        *self.state() = state_file::read(&self.file);
    }

    /// Returns whether sending is paused.
    pub(crate) fn is_paused(&self, now: DateTime<Utc>) -> bool {
        // Ignore a longer pause: it was written while the system clock was wrong.
        self.state().paused_until.is_some_and(|until| until > now && until - now <= SUSPECTED)
    }

    /// Returns whether refusals of recipients are ignored.
    pub(crate) fn is_suspected(&self) -> bool {
        self.state().refused.len() >= SUSPICIOUS
    }

    /// Records that the server accepted a letter.
    pub(crate) fn accepted(&self) {
        self.change(|state| *state = State { alarm_at: state.alarm_at, ..State::default() });
    }

    /// Records a permanent refusal of an address; returns true if the refusal is ignored.
    pub(crate) fn refused(&self, address: &str, said: &str, now: DateTime<Utc>) -> bool {
        self.change(|state| {
            let address = address.to_ascii_lowercase();
            if state.refused.len() < SUSPICIOUS && !state.refused.contains(&address) {
                state.refused.push(address);
            }
        });
        let suspected = self.is_suspected();
        if suspected {
            self.pause(now, SUSPECTED);
            if self.alarm(now) {
                let minutes = SUSPECTED.num_minutes();
                tracing::error!(
                    said,
                    "the mail server refused {SUSPICIOUS} addresses in a row and accepted none: no further address is paused, \
                     and no letter is sent for {minutes} minutes; see its log, [transport] in turnpost.toml, and \
                     `turnpost admin players --paused`"
                );
            }
        }
        suspected
    }

    /// Records that the server refused us, independently of the letter.
    pub(crate) fn refused_us(&self, said: &str, now: DateTime<Utc>) {
        self.pause(now, REFUSED);
        self.refused_policy(said, now);
    }

    /// Records that the server refused a letter for a reason unrelated to the recipient.
    pub(crate) fn refused_policy(&self, said: &str, now: DateTime<Utc>) {
        if self.alarm(now) {
            tracing::error!(
                said,
                "the mail server refuses letters for a reason unrelated to their recipients; they are retried. See \
                 [transport] in turnpost.toml, the mail server's log, and `turnpost admin outbox --undelivered`"
            );
        }
    }

    /// Records that no access token is available, and pauses sending.
    pub(crate) fn unauthorized(&self, why: &str, now: DateTime<Utc>) {
        self.pause(now, REFUSED);
        if self.alarm(now) {
            tracing::error!(why, "all letters wait: no access token is available for the mail server");
        }
    }

    /// Records that the server did not answer, and pauses sending, so that other processes do not wait for the server.
    pub(crate) fn hangs(&self, now: DateTime<Utc>) {
        self.pause(now, REFUSED);
    }

    fn pause(&self, now: DateTime<Utc>, time: TimeDelta) {
        self.change(|state| state.paused_until = Some(now + time));
    }

    /// Returns whether to alert the administrator now.
    fn alarm(&self, now: DateTime<Utc>) -> bool {
        let is_recent = |at: DateTime<Utc>| at <= now && now - at < BETWEEN_ALARMS;
        if self.state().alarm_at.is_some_and(is_recent) {
            return false;
        }
        self.change(|state| state.alarm_at = Some(now));
        true
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state();
        let before = state.clone();
        change(&mut state);
        if *state == before {
            return;
        }
        if let Err(error) = state_file::write(&self.file, &*state) {
            tracing::warn!(%error, file = %self.file.display(), "cannot store the state of the mail server");
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
