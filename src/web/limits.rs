//! How often a client may try to log in. Wrong passwords are counted by userid, too, in the database; this keeps one
//! client from trying many, and from having letters sent to many.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};

/// Tries of one client in [`WHILE`].
const TRIES: usize = 30;
/// How long a try counts.
const WHILE: TimeDelta = TimeDelta::minutes(10);
/// What is said to who must wait.
pub(super) const TOO_OFTEN: &str = "That was too often in a short time; try again in ten minutes.";
/// Clients of which this is remembered; beyond that, those whose tries count no more are forgotten.
const CLIENTS: usize = 10_000;

/// What clients have tried lately.
#[derive(Default)]
pub(super) struct Limits(Mutex<HashMap<IpAddr, Vec<DateTime<Utc>>>>);

impl Limits {
    /// Counts a try of a client; whether he may.
    pub(in crate::web) fn try_once(&self, client: IpAddr, now: DateTime<Utc>) -> bool {
        let mut clients = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if clients.len() > CLIENTS {
            clients.retain(|_, tries| tries.iter().any(|at| now - at < WHILE));
        }
        let tries = clients.entry(client).or_default();
        tries.retain(|at| now - at < WHILE);
        if tries.len() >= TRIES {
            return false;
        }
        tries.push(now);
        true
    }

    /// The last try of a client was right, and counts no more: many may share one address.
    pub(in crate::web) fn forgive(&self, client: IpAddr) {
        let mut clients = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tries) = clients.get_mut(&client) {
            tries.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_waits_after_so_many_and_no_other_does() {
        let (limits, start) = (Limits::default(), DateTime::UNIX_EPOCH);
        let (one, other) = ([192, 0, 2, 1].into(), [192, 0, 2, 2].into());
        for _ in 0..TRIES {
            assert!(limits.try_once(one, start));
        }
        assert!(!limits.try_once(one, start) && limits.try_once(other, start));
        assert!(!limits.try_once(one, start + WHILE - TimeDelta::seconds(1)));
        assert!(limits.try_once(one, start + WHILE));
        for _ in 0..2 * TRIES {
            assert!(limits.try_once(other, start));
            limits.forgive(other);
        }
    }
}
