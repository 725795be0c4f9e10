//! Faults: each call on a file of one turn fails or kills the program; programs are killed at any moment while mails
//! arrive. What comes of it must be what comes of the same mails without faults.
//!
//! As part of the suite a sample is tried. Everything is tried, and many more mails and kills, by
//! `TURNPOST_FAULTS=all cargo test --features test-tools --test it faults -- --nocapture`, which shows how far it is.

mod calls;
mod failover;
mod kills;
mod outcome;
mod peers;
mod templates;
mod turn;

use std::io::Write;

/// Whether everything is tried.
fn all() -> bool {
    std::env::var("TURNPOST_FAULTS").is_ok_and(|value| value == "all")
}

/// Shows how far a long run is.
fn show_progress(what: &str, done: usize, of: usize) {
    const WIDTH: usize = 40;
    if all() {
        let filled = done * WIDTH / of.max(1);
        eprint!("\r{what} [{:<WIDTH$}] {done} of {of} ", "#".repeat(filled));
        std::io::stderr().flush().unwrap();
    }
}
