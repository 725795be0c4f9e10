//! Failures of external engines: when to retry, and reports to the administrator.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use super::process::EngineFault;
use crate::metrics;
use crate::numbers::{BoardNumber, EntryNumber};
use crate::state_file;

/// The delay after the first failure at a turn; it doubles after each further failure.
const FIRST_WAIT: TimeDelta = TimeDelta::seconds(5);
/// The longest delay.
const LONGEST_WAIT: TimeDelta = TimeDelta::hours(1);

/// The current failures of engines by userid, stored in `engines.json` of the data directory. A successful move deletes
/// an engine's failures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EngineFailures(pub BTreeMap<String, EngineFailure>);

/// The failures of an engine since its last move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineFailure {
    /// The time of the first failure.
    pub since: DateTime<Utc>,
    /// The number of failures.
    pub times: u32,
    /// The board of the last failure.
    pub board: BoardNumber,
    /// The last error.
    pub error: String,
}

impl EngineFailures {
    fn file(data: &Path) -> PathBuf {
        data.join("engines.json")
    }

    /// Reads the file; a missing or unreadable file has no failures.
    pub fn read(data: &Path) -> EngineFailures {
        state_file::read(&EngineFailures::file(data))
    }

    fn write(&self, data: &Path) {
        if let Err(error) = state_file::write(&EngineFailures::file(data), self) {
            tracing::warn!(%error, "cannot store the failures of engines");
        }
    }
}

/// A turn with failed attempts.
struct Turn {
    entry: EntryNumber,
    times: u32,
    again_at: DateTime<Utc>,
}

/// The engines of a server.
pub(crate) struct Engines {
    data: PathBuf,
    turns: BTreeMap<BoardNumber, Turn>,
    failures: EngineFailures,
}

impl Engines {
    /// Creates the engines of this data directory.
    pub(crate) fn of(data: &Path) -> Engines {
        let failures = EngineFailures::read(data);
        Engines { data: data.to_owned(), turns: BTreeMap::new(), failures }
    }

    /// Returns whether to request a move at this turn now.
    pub(crate) fn is_due(&self, board: BoardNumber, entry: EntryNumber, now: DateTime<Utc>) -> bool {
        // A delay beyond the maximum was computed from a wrong system clock.
        let waits = |turn: &Turn| turn.again_at > now && turn.again_at - now <= LONGEST_WAIT;
        !self.turns.get(&board).is_some_and(|turn| turn.entry == entry && waits(turn))
    }

    /// Records a successful move.
    pub(crate) fn succeeded(&mut self, userid: &str, board: BoardNumber) {
        self.turns.remove(&board);
        if self.failures.0.remove(userid).is_some() {
            self.failures.write(&self.data);
        }
    }

    /// Records and logs a failure.
    pub(crate) fn failed(
        &mut self,
        userid: &str,
        (board, entry): (BoardNumber, EntryNumber),
        fault: &EngineFault,
        now: DateTime<Utc>,
    ) {
        let before = self.turns.get(&board).filter(|turn| turn.entry == entry).map_or(0, |turn| turn.times);
        let wait = FIRST_WAIT.checked_mul(1 << before.min(16)).unwrap_or(LONGEST_WAIT).min(LONGEST_WAIT);
        self.turns.insert(board, Turn { entry, times: before + 1, again_at: now + wait });
        let error = fault.to_string();
        let times = self.failures.0.get(userid).map_or(0, |failure| failure.times) + 1;
        let since = self.failures.0.get(userid).map_or(now, |failure| failure.since);
        let failure = EngineFailure { since, times, board, error: error.clone() };
        self.failures.0.insert(userid.to_owned(), failure);
        self.failures.write(&self.data);
        metrics::count_engine_failure(userid);
        tracing::error!(
            robot = userid,
            board = board.0,
            error,
            again = %(now + wait),
            "the program of a computer player failed; retrying"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_while_the_clock_was_ahead_delays_no_turn() {
        let data = tempfile::tempdir().unwrap();
        let mut engines = Engines::of(data.path());
        let (now, turn) = (DateTime::UNIX_EPOCH + TimeDelta::days(20_000), (BoardNumber(1), EntryNumber(2)));
        let is_due = |engines: &Engines, now| engines.is_due(turn.0, turn.1, now);
        for failed_at in [now, now + TimeDelta::days(20_000)] {
            engines.failed("robot", turn, &EngineFault::Endless, failed_at);
            assert!(!is_due(&engines, failed_at + TimeDelta::seconds(4)));
        }
        assert!(is_due(&engines, now));
    }
}
