//! Health and metrics.

use std::net::SocketAddr;

use serde::Deserialize;

/// Health and metrics.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Metrics {
    /// Where `serve` listens for `/health`, `/ready` and `/metrics`, if it does: not for the public.
    pub listen: Option<SocketAddr>,
    /// Seconds after which `serve` reports a worker that makes no progress although work waits.
    pub stalled_after: u32,
}

impl Default for Metrics {
    fn default() -> Self {
        Metrics { listen: None, stalled_after: 60 }
    }
}
