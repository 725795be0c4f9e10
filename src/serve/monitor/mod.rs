//! Health and metrics over HTTP on a separate address, for administrators and monitoring systems.
//!
//! - `/health`: the process answers.
//! - `/ready`: the database answers and is undamaged, and no worker is stalled.
//! - `/metrics`: the text format of Prometheus.

mod gauges;
mod server;
mod watch;

pub(crate) use server::Monitor;
pub(crate) use watch::{LastLook, Watch};
