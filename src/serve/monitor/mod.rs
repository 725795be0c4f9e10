//! Health and metrics, for the person who runs the server and their programs, on an address of their own.
//!
//! - `/health`: the process answers.
//! - `/ready`: the database answers and is not damaged, and no worker is stalled.
//! - `/metrics`: the text format of Prometheus.

mod gauges;
mod server;
mod watch;

pub(super) use server::Monitor;
pub(super) use watch::{LastLook, Watch};
