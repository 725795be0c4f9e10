//! The thread that checks the progress of the workers.
//!
//! The thread has a separate database connection, so it does not hang when a worker does. It only reads, so writers do
//! not delay it. Every server that processes queues starts it, even without `[metrics] listen`, because it also logs
//! stalled workers.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::engine::longest_decision;
use super::instance::Instance;
use super::leases::RENEW;
use super::progress::{CHECK_INTERVAL, Change, Progress, Standstill, WatchedQueue, WorkQueue};
use super::worker::Worker;
use crate::clock::rfc3339;
use crate::config::Config;
use crate::service::administration;
use crate::store::{self, Store};
use crate::world::World;

/// The results of the last check, for health and metrics.
#[derive(Clone, Default)]
pub(crate) struct LastCheck(Arc<Mutex<Vec<WatchedQueue>>>);

impl LastCheck {
    pub(crate) fn queues(&self) -> Vec<WatchedQueue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn replace(&self, queues: &[WatchedQueue]) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = queues.to_vec();
    }
}

/// Starts the watchdog thread.
pub(crate) fn watch_workers(instance: &Instance, keeps_leases: bool) -> anyhow::Result<(Worker, LastCheck)> {
    let queues = watched(&instance.config, keeps_leases);
    let last_check = LastCheck(Arc::new(Mutex::new(queues.clone())));
    let mut watcher = Watcher {
        config: instance.config.clone(),
        store: instance.open_store()?,
        world: instance.world,
        progress: Arc::clone(&instance.progress),
        queues,
        last_check: last_check.clone(),
        is_blind: false,
    };
    Ok((Worker::start("watch", move |stopped| watcher.run(stopped))?, last_check))
}

/// Lists the queues that this server processes.
fn watched(config: &Config, keeps_leases: bool) -> Vec<WatchedQueue> {
    let patience = Duration::from_secs(config.metrics.stalled_after.into());
    let mut queues = [WorkQueue::Mail, WorkQueue::Clocks, WorkQueue::Letters].map(|queue| (queue, patience)).to_vec();
    // A computer player may need this much time for a move, so the worker is not stalled before then.
    queues.push((WorkQueue::Robots, patience + longest_decision(&config.robot)));
    if config.web.listen.is_some() {
        queues.push((WorkQueue::Webhooks, patience));
    }
    if keeps_leases {
        queues.push((WorkQueue::Leases, patience + RENEW));
    }
    queues.into_iter().map(|(queue, patience)| WatchedQueue::new(queue, patience)).collect()
}

/// Logs that a worker is stalled, or has recovered.
fn log(queue: WorkQueue, change: Change) {
    let (worker, work) = (queue.worker(), queue.work());
    match change {
        Change::Stalled(Standstill { since, oldest, .. }) => {
            let (since, waits_since) = (rfc3339(since), rfc3339(oldest));
            tracing::error!(worker, since, work, waits_since, "a worker makes no progress although work is waiting");
        }
        Change::Recovered(Standstill { since, .. }) => {
            tracing::info!(worker, since = rfc3339(since), "a worker is no longer stalled");
        }
    }
}

struct Watcher {
    config: Config,
    store: Box<dyn Store>,
    world: World,
    progress: Arc<Progress>,
    queues: Vec<WatchedQueue>,
    last_check: LastCheck,
    /// Whether the last check failed, so that the progress is unknown.
    is_blind: bool,
}

impl Watcher {
    fn run(&mut self, stopped: &Receiver<()>) {
        loop {
            match self.check() {
                Ok(()) => self.is_blind = false,
                Err(error) => {
                    // Log this once, because the workers log each of their own errors.
                    if !std::mem::replace(&mut self.is_blind, true) {
                        tracing::warn!(%error, "cannot determine whether the workers make progress");
                    }
                }
            }
            if stopped.recv_timeout(CHECK_INTERVAL) != Err(RecvTimeoutError::Timeout) {
                break;
            }
        }
    }

    fn check(&mut self) -> store::Result<()> {
        let now = (self.world.now)();
        // Read the workers' counts before the waiting work, so that the next check sees work finished in between as
        // progress.
        let counts: Vec<u64> = self.queues.iter().map(|watched| self.progress.count(watched.queue)).collect();
        let tx = self.store.read()?;
        let waiting = administration::oldest_work(&self.config.service(self.world), &tx, now)?;
        let is_maintained = administration::maintenance(&tx)?.is_some();
        drop(tx);
        for (watched, count) in self.queues.iter_mut().zip(counts) {
            let oldest = match watched.queue {
                // After a failed attempt, mail may wait outside the database. Stored mail and computer players wait for
                // the end of the maintenance.
                WorkQueue::Mail => {
                    let stored = waiting.mail.filter(|_| !is_maintained);
                    stored.into_iter().chain(self.progress.failing_since()).min()
                }
                WorkQueue::Robots if is_maintained => None,
                WorkQueue::Clocks => waiting.clock,
                WorkQueue::Letters => waiting.letter,
                WorkQueue::Webhooks => waiting.webhook_call,
                WorkQueue::Robots => waiting.robot,
                WorkQueue::Leases => Some(watched.standstill.map_or(now, |standstill| standstill.since)),
            };
            if let Some(change) = watched.check(count, oldest, now) {
                log(watched.queue, change);
            }
        }
        self.last_check.replace(&self.queues);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use crate::mail::inbound::receive;
    use crate::numbers::BoardNumber;
    use crate::store::{BoardClock, MailSource, NewBoard, NewNotice, Seat};

    use super::*;

    /// Adds an incoming message, a letter and a clock, each of which has been due for an hour.
    fn add_work(instance: &mut Instance) {
        let since = (instance.world.now)() - TimeDelta::hours(1);
        let mail = &b"From: stranger@example.net\n\nhello\n"[..];
        receive(&mut *instance.store, mail, MailSource::Pipe, since).unwrap();
        let mut tx = instance.store.write().unwrap();
        let alice = tx.add_player("alice", "$argon2$a", since).unwrap();
        let board = NewBoard {
            number: None,
            game: "marque".to_owned(),
            options: String::new(),
            terms: "--nagtime=7 --forfeittime=21 --unrated".parse().unwrap(),
            players: [alice, alice],
            to_move: Seat::First,
            challenger: None,
            rematch_of: None,
            hash: "00".to_owned(),
            created_at: since,
        };
        assert_eq!(tx.add_board(&board).unwrap(), BoardNumber(1));
        let clock = BoardClock { since, thinking_time: TimeDelta::zero(), reminded: 0, due_at: Some(since) };
        tx.set_clock(BoardNumber(1), Some(&clock)).unwrap();
        let notice = NewNotice {
            player: None,
            address: Some("alice@example.org".to_owned()),
            kind: "answer".to_owned(),
            board: None,
            entry: None,
            facts: "{}".to_owned(),
            in_reply_to: None,
            domain: "localhost".to_owned(),
            created_at: since,
            due_at: Some(since),
        };
        tx.add_notice(&notice).unwrap();
        tx.commit().unwrap();
    }

    #[test]
    fn finished_work_is_progress() {
        let dir = tempfile::tempdir().unwrap();
        assert!(Instance::create(dir.path(), World::REAL).unwrap());
        let mut instance = Instance::open(dir.path(), World::REAL).unwrap();
        add_work(&mut instance);
        let queues = [WorkQueue::Mail, WorkQueue::Clocks, WorkQueue::Letters, WorkQueue::Robots];
        let counts = |instance: &Instance| queues.map(|queue| instance.progress.count(queue));
        assert_eq!(counts(&instance), [0; 4]);
        assert_eq!(instance.process_incoming(&|| {}, &|| true).unwrap(), 2);
        assert_eq!(counts(&instance), [1, 1, 0, 0]);
        instance.process_outbox(&|| false).unwrap();
        assert_eq!(counts(&instance), [1, 1, 1, 0]);
        assert_eq!(instance.let_robots_play(&|| true, &|| false).unwrap(), 0);
        assert_eq!(counts(&instance), [1, 1, 1, 1]);
    }
}
