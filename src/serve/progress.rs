//! Counts the progress of a server's workers, and finds workers that make no progress although work waits.
//!
//! Both conditions are needed. A backlog that is being worked off is healthy, and so is a worker without work.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use chrono::{DateTime, Utc};

/// The time between two looks at the queues.
pub(super) const LOOK: Duration = Duration::from_secs(2);

/// A queue that a worker of a server processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WorkQueue {
    Mail,
    Clocks,
    Letters,
    Webhooks,
    /// Moves of computer players, and the analyses that they make between moves.
    Robots,
    /// The leases of this node. Their next renewal always waits.
    Leases,
}

impl WorkQueue {
    /// Returns the name of its worker.
    pub(super) fn worker(self) -> &'static str {
        match self {
            WorkQueue::Mail => "mail",
            WorkQueue::Clocks => "clocks",
            WorkQueue::Letters => "letters",
            WorkQueue::Webhooks => "webhooks",
            WorkQueue::Robots => "computer players",
            WorkQueue::Leases => "leases",
        }
    }

    /// Names the work in it.
    pub(super) fn work(self) -> &'static str {
        match self {
            WorkQueue::Mail => "incoming mail",
            WorkQueue::Clocks => "a clock that is due",
            WorkQueue::Letters => "a letter that is due",
            WorkQueue::Webhooks => "a webhook call that is due",
            WorkQueue::Robots => "a computer player's move or an analysis",
            WorkQueue::Leases => "the renewal of this node's leases",
        }
    }
}

/// How often the workers of a process have made progress, by queue.
#[derive(Default)]
pub(super) struct Progress([AtomicU64; WorkQueue::Leases as usize + 1]);

impl Progress {
    /// Counts that a worker has finished an item, or that the rest of its work has to wait for a later time.
    pub(super) fn made(&self, queue: WorkQueue) {
        self.0[queue as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the count of a queue.
    pub(super) fn count(&self, queue: WorkQueue) -> u64 {
        self.0[queue as usize].load(Ordering::Relaxed)
    }
}

/// Work that waits while its worker finishes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Standstill {
    /// The time of the first look at which this was so.
    pub(super) since: DateTime<Utc>,
    /// Since when the oldest work waits.
    pub(super) oldest: DateTime<Utc>,
    /// How many looks have followed the first. They measure the time, because the system's clock may be set and the
    /// machine may be suspended.
    looks: u32,
}

/// A change that a look at a queue has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// Its worker is stalled from now on.
    Stalled(Standstill),
    /// Its worker was stalled, and is no longer.
    Recovered(Standstill),
}

/// A queue and the results of the looks at it.
#[derive(Clone, Debug)]
pub(super) struct WatchedQueue {
    pub(super) queue: WorkQueue,
    /// Its worker is stalled after this time.
    patience: Duration,
    progress: u64,
    /// Work that waits without progress, whether or not it has for long.
    pub(super) standstill: Option<Standstill>,
    is_stalled: bool,
}

impl WatchedQueue {
    pub(super) fn new(queue: WorkQueue, patience: Duration) -> WatchedQueue {
        WatchedQueue { queue, patience, progress: 0, standstill: None, is_stalled: false }
    }

    /// Returns the standstill, if the worker is stalled.
    pub(super) fn stalled(&self) -> Option<Standstill> {
        self.standstill.filter(|_| self.is_stalled)
    }

    /// Records a look at `now`: how often the worker has made progress, and since when the oldest work waits, if any does.
    pub(super) fn look(&mut self, progress: u64, oldest: Option<DateTime<Utc>>, now: DateTime<Utc>) -> Option<Change> {
        let before = self.stalled();
        let oldest = oldest.filter(|_| progress == self.progress);
        self.standstill = oldest.map(|oldest| match self.standstill {
            Some(last) => Standstill { oldest, looks: last.looks + 1, ..last },
            None => Standstill { since: now, oldest, looks: 0 },
        });
        self.progress = progress;
        // Where other nodes do all the work, each look may find new work, but not old work.
        let patience = self.patience;
        let has_waited = |work: Standstill| (now - work.oldest).to_std().is_ok_and(|waited| waited >= patience);
        self.is_stalled = self.standstill.is_some_and(|work| LOOK * work.looks >= patience && has_waited(work));
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

    /// A queue that is looked at with a patience of a minute.
    struct Looks {
        queue: WatchedQueue,
        progress: u64,
        now: DateTime<Utc>,
    }

    impl Looks {
        fn new() -> Looks {
            let now = DateTime::UNIX_EPOCH + TimeDelta::days(20_000);
            Looks { queue: WatchedQueue::new(WorkQueue::Mail, MINUTE), progress: 0, now }
        }

        /// Looks for so many seconds while the oldest work is of this time, and returns the changes with their seconds.
        fn look_for(&mut self, seconds: i64, oldest: Option<DateTime<Utc>>) -> Vec<(i64, Change)> {
            let (began, mut changes) = (self.now, Vec::new());
            while (self.now - began).num_seconds() < seconds {
                let change = self.queue.look(self.progress, oldest, self.now);
                changes.extend(change.map(|change| ((self.now - began).num_seconds(), change)));
                self.now += LOOK;
            }
            changes
        }
    }

    #[test]
    fn a_worker_is_stalled_after_a_minute_without_progress_while_work_waits() {
        let mut looks = Looks::new();
        assert_eq!(looks.look_for(600, None), [], "an idle worker is healthy");
        let since = looks.now;
        let work = Standstill { since, oldest: since, looks: 30 };
        assert_eq!(looks.look_for(600, Some(since)), [(60, Change::Stalled(work))]);
        assert!(looks.queue.is_stalled);
        looks.progress += 1;
        let last = Standstill { looks: 299, ..work };
        assert_eq!(looks.look_for(60, Some(since)), [(0, Change::Recovered(last))]);
        assert!(!looks.queue.is_stalled);
        // It gets stuck again, and its work is done by somebody else.
        assert!(matches!(looks.look_for(60, Some(since))[..], [(2, Change::Stalled(_))]));
        assert!(matches!(looks.look_for(60, None)[..], [(0, Change::Recovered(_))]));
        assert_eq!(looks.queue.standstill, None);
    }

    #[test]
    fn a_backlog_that_is_worked_off_is_healthy() {
        let mut looks = Looks::new();
        let since = looks.now;
        for _ in 0..100 {
            looks.progress += 1;
            assert_eq!(looks.look_for(58, Some(since)), []);
        }
    }

    #[test]
    fn new_work_at_each_look_is_not_a_standstill() {
        let mut looks = Looks::new();
        for _ in 0..600 {
            let now = looks.now;
            assert_eq!(looks.look_for(2, Some(now - TimeDelta::seconds(50))), []);
        }
    }

    #[test]
    fn a_clock_that_is_set_ahead_is_not_a_standstill() {
        let mut looks = Looks::new();
        looks.look_for(60, None);
        let due = looks.now;
        looks.now += TimeDelta::days(40);
        assert_eq!(looks.look_for(58, Some(due)), [], "the work was first seen a moment ago");
    }

    #[test]
    fn a_standstill_is_found_although_the_clock_is_set_back() {
        let mut looks = Looks::new();
        let since = looks.now;
        looks.look_for(30, Some(since));
        looks.now -= TimeDelta::seconds(30);
        assert!(matches!(looks.look_for(120, Some(since))[..], [(60, Change::Stalled(_))]));
    }
}
