//! Health checks and metrics.

use std::net::SocketAddr;

use serde::Deserialize;

/// Health checks and metrics.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Metrics {
    /// The address at which `serve` provides `/health`, `/ready` and `/metrics`, if enabled. Not for the public.
    pub listen: Option<SocketAddr>,
    /// Seconds after which `serve` reports a worker without progress although work is waiting.
    pub stalled_after: u32,
}

impl Default for Metrics {
    fn default() -> Self {
        Metrics { listen: None, stalled_after: 60 }
    }
}
