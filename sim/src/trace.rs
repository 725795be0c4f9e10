//! The trace of a run: the last events in words, and a digest of all of them.

use std::collections::VecDeque;
use std::fmt;

use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};

use turnpost::text;

/// The number of events that are printed when a run fails.
const LAST: usize = 40;

/// The events of one run.
pub(crate) struct Trace {
    keeps: usize,
    digest: Sha256,
    last: VecDeque<String>,
    steps: u64,
}

impl Trace {
    /// Creates an empty trace that stores the last events, or all of them.
    pub(crate) fn new(all: bool) -> Trace {
        let keeps = if all { usize::MAX } else { LAST };
        Trace { keeps, digest: Sha256::default(), last: VecDeque::new(), steps: 0 }
    }

    pub(crate) fn event(&mut self, now: DateTime<Utc>, what: impl fmt::Display) {
        self.steps += 1;
        let line = format!("{:>7}  {}  {what}", self.steps, now.format("%Y-%m-%d %H:%M:%S"));
        self.digest.update(line.as_bytes());
        if self.last.len() == self.keeps {
            self.last.pop_front();
        }
        self.last.push_back(line);
    }

    /// Adds data to the digest that is not part of the events' text, for example a whole letter.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.digest.update(bytes);
    }

    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    /// Iterates over the last events, oldest first.
    pub(crate) fn last(&self) -> impl Iterator<Item = &str> {
        self.last.iter().map(String::as_str)
    }

    /// Returns the digest of all events.
    pub(crate) fn digest(&self) -> String {
        text::hex(&self.digest.clone().finalize()[..16])
    }
}
