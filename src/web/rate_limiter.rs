//! The rate limiter: how often one client may try a password.
//!
//! Wrong passwords are also counted by userid, in the database; this limiter keeps one client from trying many userids, and
//! from having letters sent to many players.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};

/// The most tries of one client within [`WINDOW`].
const MAX_TRIES: usize = 30;
/// How long a try counts.
const WINDOW: TimeDelta = TimeDelta::minutes(10);
/// The number of clients above which those without recent tries are dropped.
const MAX_CLIENTS: usize = 10_000;

/// The recent tries of each client.
#[derive(Default)]
pub(super) struct RateLimiter(Mutex<HashMap<IpAddr, Vec<DateTime<Utc>>>>);

impl RateLimiter {
    /// Counts a try of a client; false when the client has tried too often and must wait.
    pub(in crate::web) fn allow(&self, client: IpAddr, now: DateTime<Utc>) -> bool {
        let mut clients = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if clients.len() > MAX_CLIENTS {
            clients.retain(|_, tries| tries.iter().any(|at| now - at < WINDOW));
        }
        let tries = clients.entry(client).or_default();
        tries.retain(|at| now - at < WINDOW);
        if tries.len() >= MAX_TRIES {
            return false;
        }
        tries.push(now);
        true
    }

    /// Takes back the last try of a client, since it succeeded: many players may share one address.
    pub(in crate::web) fn refund(&self, client: IpAddr) {
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
        let (limiter, start) = (RateLimiter::default(), DateTime::UNIX_EPOCH);
        let (one, other) = ([192, 0, 2, 1].into(), [192, 0, 2, 2].into());
        for _ in 0..MAX_TRIES {
            assert!(limiter.allow(one, start));
        }
        assert!(!limiter.allow(one, start) && limiter.allow(other, start));
        assert!(!limiter.allow(one, start + WINDOW - TimeDelta::seconds(1)));
        assert!(limiter.allow(one, start + WINDOW));
        for _ in 0..2 * MAX_TRIES {
            assert!(limiter.allow(other, start));
            limiter.refund(other);
        }
    }
}
