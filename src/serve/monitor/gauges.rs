//! Gauges of the server's state, collected for each request of `/metrics`.

use std::fs;

use chrono::{DateTime, Utc};
use prometheus::core::Collector;
use prometheus::proto::MetricFamily;
use prometheus::{IntGauge, IntGaugeVec, Opts};

use crate::backup::LastBackup;
use crate::config;
use crate::serve::progress::{Standstill, WatchedQueue};
use crate::store::{Counts, Queue};

/// Gauges during collection.
pub(crate) struct Gauges {
    families: Vec<MetricFamily>,
    now: DateTime<Utc>,
}

impl Gauges {
    pub(crate) fn at(now: DateTime<Utc>) -> Gauges {
        Gauges { families: Vec::new(), now }
    }

    pub(crate) fn collected(self) -> Vec<MetricFamily> {
        self.families
    }

    fn add(&mut self, name: &str, help: &str, value: i64) {
        let gauge = IntGauge::new(name, help).expect("the name is valid");
        gauge.set(value);
        self.families.extend(gauge.collect());
    }

    fn add_labelled(&mut self, name: &str, help: &str, label: &str, values: &[(String, i64)]) {
        let gauge = IntGaugeVec::new(Opts::new(name, help), &[label]).expect("the name is valid");
        for (of, value) in values {
            gauge.with_label_values(&[of]).set(*value);
        }
        // Prometheus rejects families without values.
        self.families.extend(gauge.collect().into_iter().filter(|_| !values.is_empty()));
    }

    fn add_age(&mut self, name: &str, help: &str, since: Option<DateTime<Utc>>) {
        let age = since.map_or(0, |since| (self.now - since).num_seconds().max(0));
        self.add(name, help, age);
    }

    fn add_queue(&mut self, name: &str, what: &str, Queue { count, oldest }: Queue) {
        self.add(&format!("turnpost_{name}"), &format!("{what}."), count.into());
        let help = format!("Age of the oldest: {what}.");
        self.add_age(&format!("turnpost_{name}_oldest_seconds"), &help, oldest);
    }

    /// Adds gauges of this process.
    pub(crate) fn process(mut self) -> Gauges {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        self.add_labelled("turnpost_build_info", "The version of turnpost.", "version", &[(version, 1)]);
        if let Some(bytes) = resident_memory() {
            self.add("process_resident_memory_bytes", "Resident memory.", bytes);
        }
        self
    }

    /// Adds gauges of the workers.
    pub(crate) fn workers(mut self, queues: &[WatchedQueue]) -> Gauges {
        let seconds = |standstill: Standstill| (self.now - standstill.since).num_seconds().max(0);
        let value = |watched: &WatchedQueue| watched.stalled().map_or(0, seconds);
        let values: Vec<_> = queues.iter().map(|watched| (watched.queue.worker().to_owned(), value(watched))).collect();
        let help = "Time since a stalled worker's last progress; 0 for other workers.";
        self.add_labelled("turnpost_worker_stalled_seconds", help, "worker", &values);
        self
    }

    /// Adds gauges of the last proved backup and of the schedule.
    pub(crate) fn backups(mut self, last: &LastBackup, config: &config::Backup) -> Gauges {
        if last.proved_at.is_some() {
            self.add_age("turnpost_backup_age_seconds", "Age of the last proved backup.", last.proved_at);
        }
        if config.directory.is_some() {
            let every = i64::from(config.every) * 3_600;
            self.add("turnpost_backup_interval_seconds", "Interval between scheduled backups.", every);
        }
        self
    }

    /// Adds gauges of the data directory.
    pub(crate) fn data(mut self, bytes: u64) -> Gauges {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        self.add("turnpost_data_bytes", "Size of all files in the data directory.", bytes);
        self
    }

    /// Adds gauges of the database; `None` if it did not answer.
    pub(crate) fn database(mut self, counts: Option<Counts>) -> Gauges {
        let readable = i64::from(counts.is_some());
        self.add("turnpost_database_readable", "1 if the database answered, otherwise 0.", readable);
        let Some(counts) = counts else { return self };
        let boards: Vec<_> = counts.boards.into_iter().map(|(game, boards)| (game, i64::from(boards))).collect();
        self.add_labelled("turnpost_boards_in_progress", "Boards in progress.", "game", &boards);
        self.add_queue("turns_waiting", "Boards awaiting a move", counts.turns);
        self.add("turnpost_players", "Registered players.", counts.players.into());
        self.add("turnpost_open_challenges", "Challenges that anyone can accept.", counts.open_challenges.into());
        self.add_queue("mails_waiting", "Incoming messages to process", counts.mails_waiting);
        self.add_queue("letters_due", "Due letters", counts.letters_due);
        self.add_queue("letters_retried", "Failed letters awaiting a retry", counts.letters_retried);
        self.add("turnpost_letters_given_up", "Letters abandoned after failures.", counts.letters_given_up.into());
        self.add("turnpost_addresses_paused", "Addresses whose letters are paused.", counts.addresses_paused.into());
        self.add("turnpost_mails_set_aside", "Quarantined messages.", counts.mails_set_aside.into());
        let bytes = i64::try_from(counts.database_bytes).unwrap_or(i64::MAX);
        self.add("turnpost_database_bytes", "Size of the database file.", bytes);
        self
    }
}

/// Returns the resident memory of this process in bytes; `None` if the system does not report it.
fn resident_memory() -> Option<i64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: i64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1_024)
}
