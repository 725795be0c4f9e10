//! `turnpost sim`: a tool for developers.

use std::io::Write;

use clap::Args;

use super::exit::Exit;
use crate::sim::{Options, run};

/// What is simulated.
#[derive(Args)]
pub(super) struct Sim {
    /// The seed from which everything follows
    #[arg(long)]
    seed: u64,
    /// How many seeds, this one and the next ones
    #[arg(long, default_value_t = 1)]
    seeds: u64,
    /// How many days of virtual time for each
    #[arg(long, default_value_t = 100)]
    days: u32,
    /// Print every event, not only the last ones before a failure
    #[arg(long)]
    events: bool,
}

impl Sim {
    /// Runs the simulation; the exit status tells whether everything held.
    pub(super) fn run(self) -> anyhow::Result<Exit> {
        let Sim { seed, seeds, days, events: all_events } = self;
        let mut out = std::io::stdout().lock();
        let held = run(&Options { seed, seeds, days, all_events }, &mut out)?;
        out.flush()?;
        Ok(if held { Exit::Done } else { Exit::Refused })
    }
}
