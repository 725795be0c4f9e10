//! Processes the queues of an instance (the inbox, the clocks and the outbox), once or until stopped; a server also
//! takes mail by LMTP, from a Maildir and from a mailbox by IMAP, and serves the web pages.
//!
//! Locks in the data directory, which the kernel releases with their holder, decide who does the work:
//!
//! - `serve.lock` is held exclusively by the one [`Instance::serve`] for its life. A one-shot command takes it shared in
//!   [`Instance::process_or_wake`]; when it cannot, there is a server, which it wakes through `serve.sock`.
//! - `start.lock` is held by a server while it waits for `serve.lock`. One-shot commands stop when they see it, and no new
//!   one begins.
//! - `work.lock` is held by the one command that processes the inbox and the clocks, and `send.lock` by the one that sends
//!   letters. Other commands do not wait for them: the holder checks the queue again after it has released the lock.
//! - `analyse.lock` is held by the one command that makes analyses and searches for puzzles, after its letters were sent.
//!   Other commands do not wait for it.
//!
//! A missed wake-up does no harm: the server checks its queues each second.
//!
//! - `instance`: a data directory in use.
//! - `queues`: processing the inbox, the clocks and the outbox.
//! - `locks`: the lock files and the work of a one-shot command; `time_slice`: its time limit; `lock_holders`: which process
//!   holds a lock.
//! - `puzzles`: searching finished boards for puzzles.
//! - `engine`: programs of others as computer players.
//! - `file_check`: whether the file of the database is damaged; `sound`: whether it is as the last server left it.
//! - `data_size`: the size of the data directory.
//! - `looks`: whether the system's clock went back.
//! - `wake`: the socket that wakes the server, and by which it is asked; `log_level`: what it is asked.
//! - `web_host`: what pages ask of the server.
//! - `workers`: the threads beside the main loop; `worker`: one of them; `letters`, `robots`, `backups`: what three of them do.
//! - `progress`: the progress of the workers, and which of them make none although work waits.
//! - `monitor`: health and metrics over HTTP, and the thread that checks the workers.
//! - `server`: the main loop; `read_only`: that of a server whose database is only read.

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
