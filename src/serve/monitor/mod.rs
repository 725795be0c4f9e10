//! Health and metrics, for the person who runs the server and their programs, on an address of their own.
//!
//! - `/health`: the process answers.
//! - `/ready`: the database answers and is not damaged, and no mail waits for longer than a minute.
//! - `/metrics`: the text format of Prometheus.

mod gauges;
mod server;

pub(super) use server::Monitor;
