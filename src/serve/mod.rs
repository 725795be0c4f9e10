//! Processes the queues of an instance (inbox, clocks and outbox), once or until stopped. A server also receives mail
//! by LMTP, from a Maildir and by IMAP, and serves the web pages.
//!
//! Lock files in the data directory decide which process does the work. The kernel releases them when their holder
//! ends:
//!
//! - [`Instance::serve`] holds `serve.lock` exclusively while it runs. A one-shot command takes it in shared mode in
//!   [`Instance::process_or_wake`]. If that fails, a server is running, and the command wakes it through `serve.sock`.
//! - A server holds `start.lock` while it waits for `serve.lock`. One-shot commands stop when they notice it, and new
//!   ones do not process queues.
//! - The command that processes the inbox and the clocks holds `work.lock`, and the one that sends letters holds
//!   `send.lock`. Other commands do not wait for these locks, because the holder checks the queue again after releasing
//!   its lock.
//! - The command that computes analyses and searches for puzzles holds `analyse.lock`. It starts this work after
//!   sending its letters. Other commands do not wait for this lock.
//!
//! A missed wake-up is harmless, because the server checks its queues every second.
//!
//! - `instance`: an open data directory.
//! - `queues`: processing the inbox, the clocks and the outbox, and the time limit of a one-shot command.
//! - `locks`: the lock files, their holders, and the queue processing of one-shot commands.
//! - `server`: the main loops of a server, also with a read-only database, and changes of its log level.
//! - `workers`: the threads of a server; `worker`: one thread, with its channel; `robots`: the computer players, analyses
//!   and puzzles; `engine`: external engines as computer players; `leases`: the leases of one of several nodes.
//! - `checks`: checks of the database file and of the system clock; `clock_monitor`: detection of backward steps of the
//!   system clock.
//! - `control_socket`: the socket for waking and querying the server.
//! - `progress`: the progress of the workers, and detection of stalled ones; `watchdog`: the thread that checks it.
//! - `monitor`: health and metrics over HTTP.

mod checks;
mod clock_monitor;
mod control_socket;
mod engine;
mod instance;
mod leases;
mod locks;
mod monitor;
mod progress;
mod queues;
mod robots;
mod server;
mod watchdog;
mod worker;
mod workers;

pub use engine::{EngineFailure, EngineFailures, EngineFault, try_engine};
pub use instance::{Instance, NoDatabase, WrongTemplates, data_bytes};
pub use server::LogLevel;
