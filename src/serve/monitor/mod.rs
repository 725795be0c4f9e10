//! Health and metrics over HTTP on a separate address, for administrators and monitoring systems.
//!
//! - `/health`: the process answers.
//! - `/ready`: the database answers and is undamaged, and no worker is stalled.
//! - `/metrics`: the text format of Prometheus.

mod gauges;
mod server;
mod watch;

pub(super) use server::Monitor;
pub(super) use watch::{LastLook, Watch};
