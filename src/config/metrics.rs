//! Where health and metrics are told.

use std::net::SocketAddr;

use serde::Deserialize;

/// Where health and metrics are told.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Metrics {
    /// Where `serve` listens for `/health`, `/ready` and `/metrics`, if it does: not for the public.
    pub listen: Option<SocketAddr>,
}
