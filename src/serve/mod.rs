//! Processes the queues of an instance (inbox, clocks and outbox), once or until stopped. A server also receives mail
//! by LMTP, from a Maildir and by IMAP, and serves the web pages.
//!
//! Lock files in the data directory decide which process does the work. The kernel releases them when their holder
//! ends:
//!
//! - [`Instance::serve`] holds `serve.lock` exclusively while it runs. A one-shot command takes it shared in
//!   [`Instance::process_or_wake`]. If that fails, a server is running, and the command wakes it through `serve.sock`.
//! - A server holds `start.lock` while it waits for `serve.lock`. One-shot commands stop when they notice it, and new
//!   ones do not process queues.
//! - The command that processes the inbox and the clocks holds `work.lock`, and the one that sends letters holds
//!   `send.lock`. Other commands do not wait for these locks, because the holder checks the queue again after releasing
//!   its lock.
//! - The command that makes analyses and searches for puzzles holds `analyse.lock`. It starts after sending its
//!   letters. Other commands do not wait for this lock.
//!
//! A missed wake-up is harmless, because the server checks its queues every second.
//!
//! - `instance`: an open data directory.
//! - `queues`: processing the inbox, the clocks and the outbox.
//! - `locks`: the lock files and the queue processing of one-shot commands; `time_slice`: their time limit;
//!   `lock_holders`: the processes that hold a lock.
//! - `puzzles`: searching finished boards for puzzles.
//! - `engine`: external engines as computer players.
//! - `file_check`: integrity checks of the database file; `sound`: whether the file is unchanged since the last server.
//! - `data_size`: the size of the data directory.
//! - `looks`: detection of system clocks that were set back.
//! - `wake`: the socket for waking and querying the server; `log_level`: the queries.
//! - `web_host`: the services of the server for the web pages.
//! - `workers`: the threads of a server; `worker`: one of them; `letters`, `robots`, `backups`: the work of three of
//!   them.
//! - `progress`: the progress of the workers, and detection of stalled ones.
//! - `monitor`: health and metrics over HTTP, and the thread that checks the workers.
//! - `server`: the main loop; `read_only`: the main loop of a server with a read-only database.

mod backups;
mod clock_steps;
mod data_size;
mod engine;
mod file_check;
mod instance;
mod letters;
mod lock_holders;
mod locks;
mod log_level;
mod looks;
mod monitor;
mod node;
mod node_name;
mod progress;
mod puzzles;
mod queues;
mod read_only;
mod robots;
mod server;
mod sound;
mod suspects;
mod time_slice;
mod wake;
mod web_host;
mod worker;
mod workers;

pub use data_size::data_bytes;
pub use engine::{EngineFailure, EngineFailures, EngineFault, try_engine};
pub use instance::{Instance, NoDatabase, WrongTemplates};
pub use log_level::LogLevel;
pub use suspects::limit_trial;
