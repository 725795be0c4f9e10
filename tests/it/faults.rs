//! Fault injection: each file operation of one turn fails or is interrupted by a kill of the program, and the program
//! is killed at random moments while mail arrives. The results must equal those of the same mail without faults.
//!
//! The normal suite tries a sample. To try everything, with many more messages and kills, and to see the progress,
//! run `TURNPOST_FAULTS=all cargo test --features test-tools --test it faults -- --nocapture`.

mod calls;
mod failover;
mod kills;
mod outcome;
mod peers;
mod templates;
mod turn;

use std::io::Write;

/// Returns whether to try every fault, not only a sample.
fn all() -> bool {
    std::env::var("TURNPOST_FAULTS").is_ok_and(|value| value == "all")
}

/// Shows the progress of a long run.
fn show_progress(what: &str, done: usize, of: usize) {
    const WIDTH: usize = 40;
    if all() {
        let filled = done * WIDTH / of.max(1);
        eprint!("\r{what} [{:<WIDTH$}] {done} of {of} ", "#".repeat(filled));
        std::io::stderr().flush().unwrap();
    }
}
