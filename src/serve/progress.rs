//! Counts the progress of a server's workers, and finds stalled workers.
//!
//! A worker is stalled if work is waiting and the worker makes no progress. A worker with a shrinking backlog is
//! healthy, and so is an idle one.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};

/// The interval between checks of the queues.
pub(crate) const CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// A queue of a server's worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WorkQueue {
    Mail,
    Clocks,
    Letters,
    Webhooks,
    /// Moves of computer players, and requested analyses.
    Robots,
    /// The leases of this node. Their renewal is always due.
    Leases,
}

impl WorkQueue {
    /// Returns the name of the worker.
    pub(crate) fn worker(self) -> &'static str {
        match self {
            WorkQueue::Mail => "mail",
            WorkQueue::Clocks => "clocks",
            WorkQueue::Letters => "letters",
            WorkQueue::Webhooks => "webhooks",
            WorkQueue::Robots => "computer players",
            WorkQueue::Leases => "leases",
        }
    }

    /// Describes an item in the queue.
    pub(crate) fn work(self) -> &'static str {
        match self {
            WorkQueue::Mail => "the processing of incoming mail",
            WorkQueue::Clocks => "a due clock",
            WorkQueue::Letters => "a due letter",
            WorkQueue::Webhooks => "a due webhook call",
            WorkQueue::Robots => "a computer player's move or an analysis",
            WorkQueue::Leases => "the renewal of this node's leases",
        }
    }
}

/// A step of the work on incoming mail.
#[derive(Clone, Copy)]
pub(crate) enum MailStep {
    /// Storing the messages of the Maildir.
    Storing,
    /// Processing stored messages.
    Processing,
}

/// The progress of the workers of a process.
#[derive(Default)]
pub(crate) struct Progress {
    /// A count for each queue.
    counts: [AtomicU64; WorkQueue::Leases as usize + 1],
    /// For each step of incoming mail, the time since which all attempts have failed.
    failing_since: [Mutex<Option<DateTime<Utc>>>; MailStep::Processing as usize + 1],
}

impl Progress {
    /// Records that a worker has finished an item, or that its remaining items must wait until later.
    pub(crate) fn made(&self, queue: WorkQueue) {
        self.counts[queue as usize].fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count(&self, queue: WorkQueue) -> u64 {
        self.counts[queue as usize].load(Ordering::Relaxed)
    }

    /// Records whether a step of incoming mail failed, for example because the disk is full.
    pub(crate) fn tried(&self, step: MailStep, failed: bool, now: DateTime<Utc>) {
        let mut since = self.failing_since[step as usize].lock().unwrap_or_else(PoisonError::into_inner);
        let first = since.unwrap_or(now);
        *since = failed.then_some(first);
    }

    /// Returns the time since which all attempts of a step of incoming mail have failed; `None` if the last attempt of
    /// each step succeeded.
    pub(crate) fn failing_since(&self) -> Option<DateTime<Utc>> {
        self.failing_since.iter().filter_map(|since| *since.lock().unwrap_or_else(PoisonError::into_inner)).min()
    }
}

/// A period in which work is waiting and the worker finishes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Standstill {
    /// The time of the first check in this period.
    pub(crate) since: DateTime<Utc>,
    /// The time since which the oldest work has been waiting.
    pub(crate) oldest: DateTime<Utc>,
    /// The number of further checks in this period. It measures the period's duration even if the system clock is
    /// changed or the machine is suspended.
    checks: u32,
}

/// A change found by a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// The worker is now stalled.
    Stalled(Standstill),
    /// The worker was stalled, and no longer is.
    Recovered(Standstill),
}

/// A queue and the results of its checks.
#[derive(Clone, Debug)]
pub(crate) struct WatchedQueue {
    pub(crate) queue: WorkQueue,
    /// The time without progress after which the worker is stalled.
    patience: Duration,
    progress: u64,
    /// The current period without progress, even if it is shorter than `patience`.
    pub(crate) standstill: Option<Standstill>,
    is_stalled: bool,
}

impl WatchedQueue {
    pub(crate) fn new(queue: WorkQueue, patience: Duration) -> WatchedQueue {
        WatchedQueue { queue, patience, progress: 0, standstill: None, is_stalled: false }
    }

    /// Returns the current standstill if the worker is stalled.
    pub(crate) fn stalled(&self) -> Option<Standstill> {
        self.standstill.filter(|_| self.is_stalled)
    }

    /// Records a check at `now`, and returns a change found by it. `progress` is the worker's current count in
    /// [`Progress`]. `oldest` is the time since which the oldest work has been waiting, if any.
    pub(crate) fn check(&mut self, progress: u64, oldest: Option<DateTime<Utc>>, now: DateTime<Utc>) -> Option<Change> {
        let before = self.stalled();
        let oldest = oldest.filter(|_| progress == self.progress);
        self.standstill = oldest.map(|oldest| match self.standstill {
            Some(last) => Standstill { oldest, checks: last.checks + 1, ..last },
            None => Standstill { since: now, oldest, checks: 0 },
        });
        self.progress = progress;
        // If other nodes do all the work, this worker makes no progress, but no work waits long. The worker is stalled
        // only if the oldest work has waited long.
        let patience = self.patience;
        let has_waited = |work: Standstill| (now - work.oldest).to_std().is_ok_and(|waited| waited >= patience);
        self.is_stalled =
            self.standstill.is_some_and(|work| CHECK_INTERVAL * work.checks >= patience && has_waited(work));
        match (before, self.stalled()) {
            (None, Some(work)) => Some(Change::Stalled(work)),
            (Some(work), None) => Some(Change::Recovered(work)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    /// A queue whose worker is stalled after a minute without progress.
    struct Checks {
        queue: WatchedQueue,
        progress: u64,
        now: DateTime<Utc>,
    }

    impl Checks {
        fn new() -> Checks {
            let now = DateTime::UNIX_EPOCH + TimeDelta::days(20_000);
            Checks { queue: WatchedQueue::new(WorkQueue::Mail, MINUTE), progress: 0, now }
        }

        /// Checks the queue for this many seconds. The oldest work has been waiting since `oldest`. Returns each change
        /// with the second at which it was found.
        fn check_for(&mut self, seconds: i64, oldest: Option<DateTime<Utc>>) -> Vec<(i64, Change)> {
            let (began, mut changes) = (self.now, Vec::new());
            while (self.now - began).num_seconds() < seconds {
                let change = self.queue.check(self.progress, oldest, self.now);
                changes.extend(change.map(|change| ((self.now - began).num_seconds(), change)));
                self.now += CHECK_INTERVAL;
            }
            changes
        }
    }

    #[test]
    fn a_worker_is_stalled_after_a_minute_without_progress_while_work_waits() {
        let mut checks = Checks::new();
        assert_eq!(checks.check_for(600, None), [], "an idle worker is healthy");
        let since = checks.now;
        let work = Standstill { since, oldest: since, checks: 30 };
        assert_eq!(checks.check_for(600, Some(since)), [(60, Change::Stalled(work))]);
        assert!(checks.queue.is_stalled);
        checks.progress += 1;
        let last = Standstill { checks: 299, ..work };
        assert_eq!(checks.check_for(60, Some(since)), [(0, Change::Recovered(last))]);
        assert!(!checks.queue.is_stalled);
        // The worker gets stuck again, and another node does its work.
        assert!(matches!(checks.check_for(60, Some(since))[..], [(2, Change::Stalled(_))]));
        assert!(matches!(checks.check_for(60, None)[..], [(0, Change::Recovered(_))]));
        assert_eq!(checks.queue.standstill, None);
    }

    #[test]
    fn a_worker_with_a_shrinking_backlog_is_healthy() {
        let mut checks = Checks::new();
        let since = checks.now;
        for _ in 0..100 {
            checks.progress += 1;
            assert_eq!(checks.check_for(58, Some(since)), []);
        }
    }

    #[test]
    fn new_work_at_each_check_is_not_a_standstill() {
        let mut checks = Checks::new();
        for _ in 0..600 {
            let now = checks.now;
            assert_eq!(checks.check_for(2, Some(now - TimeDelta::seconds(50))), []);
        }
    }

    #[test]
    fn a_clock_that_is_set_ahead_is_not_a_standstill() {
        let mut checks = Checks::new();
        checks.check_for(60, None);
        let due = checks.now;
        checks.now += TimeDelta::days(40);
        assert_eq!(checks.check_for(58, Some(due)), [], "the first check saw the work a moment ago");
    }

    #[test]
    fn a_standstill_is_found_although_the_clock_is_set_back() {
        let mut checks = Checks::new();
        let since = checks.now;
        checks.check_for(30, Some(since));
        checks.now -= TimeDelta::seconds(30);
        assert!(matches!(checks.check_for(120, Some(since))[..], [(60, Change::Stalled(_))]));
    }
}
