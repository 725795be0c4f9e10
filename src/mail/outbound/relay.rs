//! The state of the mail server that takes the letters, in a file that outlives the process: whether its refusals are
//! believed, until when nothing is sent, and when the administrator was told last.
//!
//! A server that refuses several recipients in a row as unknown, without taking a letter between them, is suspected of a
//! fault of its own: its refusals no longer count, and after a pause it is tried with one letter at a time until it takes
//! one. The file is written by the one process that is sending, and only when something changes; without it nothing is
//! known, which does no harm.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use crate::state_file;

/// After so many different addresses in a row were refused for good, the server is suspected.
const SUSPICIOUS: usize = 5;
/// How long nothing is sent to a server that is suspected.
const SUSPECTED: TimeDelta = TimeDelta::minutes(15);
/// How long nothing is sent after the server has refused this one, or did not answer.
const REFUSED: TimeDelta = TimeDelta::minutes(1);
/// The least time between two alarms in the log.
const BETWEEN_ALARMS: TimeDelta = TimeDelta::hours(1);

/// The mail server that takes the letters.
pub struct Relay {
    file: PathBuf,
    state: Mutex<State>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct State {
    /// The addresses that were refused for good since it took a letter.
    refused: Vec<String>,
    rests_until: Option<DateTime<Utc>>,
    alarm_at: Option<DateTime<Utc>>,
}

impl Relay {
    /// The mail server of this data directory.
    pub(super) fn of(data: &Path) -> Relay {
        let relay = Relay { file: data.join("relay.json"), state: Mutex::default() };
        relay.read();
        relay
    }

    /// Forgets what is known of the server: the administrator says that it works again.
    ///
    /// # Errors
    /// The file cannot be removed.
    pub fn forget(data: &Path) -> std::io::Result<()> {
        match fs::remove_file(data.join("relay.json")) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Takes up what other processes have found, and what the administrator has said.
    pub(super) fn read(&self) {
        *self.state() = state_file::read(&self.file);
    }

    /// Whether nothing is sent now.
    pub(super) fn rests(&self, now: DateTime<Utc>) -> bool {
        // A pause that is longer than any began when the system's clock was wrong.
        self.state().rests_until.is_some_and(|until| until > now && until - now <= SUSPECTED)
    }

    /// Whether its refusals of recipients count for nothing.
    pub(super) fn is_suspected(&self) -> bool {
        self.state().refused.len() >= SUSPICIOUS
    }

    /// Notes that it took a letter.
    pub(super) fn took(&self) {
        self.change(|state| *state = State { alarm_at: state.alarm_at, ..State::default() });
    }

    /// Notes that it refused an address for good; true when that counts for nothing.
    pub(super) fn refused(&self, address: &str, said: &str, now: DateTime<Utc>) -> bool {
        self.change(|state| {
            let address = address.to_ascii_lowercase();
            if state.refused.len() < SUSPICIOUS && !state.refused.contains(&address) {
                state.refused.push(address);
            }
        });
        let suspected = self.is_suspected();
        if suspected {
            self.rest(now, SUSPECTED);
            if self.alarm(now) {
                let minutes = SUSPECTED.num_minutes();
                tracing::error!(
                    said,
                    "the mail server refused {SUSPICIOUS} addresses in a row, and takes none: no further address is paused, \
                     and no letter is sent for {minutes} minutes; see its log, [transport] in turnpost.toml, and \
                     `turnpost admin players --paused`"
                );
            }
        }
        suspected
    }

    /// Notes that it refused this server, whatever the letter.
    pub(super) fn refused_us(&self, said: &str, now: DateTime<Utc>) {
        self.rest(now, REFUSED);
        self.refused_policy(said, now);
    }

    /// Notes that it refused a letter for a reason that is not the recipient's.
    pub(super) fn refused_policy(&self, said: &str, now: DateTime<Utc>) {
        if self.alarm(now) {
            tracing::error!(
                said,
                "the mail server refuses letters for a reason that is not their recipients'; they are tried again. See \
                 [transport] in turnpost.toml, the mail server's log, and `turnpost admin outbox --undelivered`"
            );
        }
    }

    /// Notes that there is no access token for it: nothing is sent.
    pub(super) fn unauthorized(&self, why: &str, now: DateTime<Utc>) {
        self.rest(now, REFUSED);
        if self.alarm(now) {
            tracing::error!(why, "no letter is sent: there is no access token for the mail server; all of them wait");
        }
    }

    /// Notes that it did not answer, for processes that cannot wait.
    pub(super) fn hangs(&self, now: DateTime<Utc>) {
        self.rest(now, REFUSED);
    }

    fn rest(&self, now: DateTime<Utc>, time: TimeDelta) {
        self.change(|state| state.rests_until = Some(now + time));
    }

    /// Whether the administrator is told now.
    fn alarm(&self, now: DateTime<Utc>) -> bool {
        let told = |at: DateTime<Utc>| at <= now && now - at < BETWEEN_ALARMS;
        if self.state().alarm_at.is_some_and(told) {
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
            tracing::warn!(%error, file = %self.file.display(), "the state of the mail server cannot be kept");
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
