//! Runs the simulation with one or more seeds.

use std::io::Write;

use anyhow::Context;

use crate::simulation::Simulation;
use turnpost::store::PostgresUrl;

/// The options of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The first seed.
    pub seed: u64,
    /// The number of seeds, which are run one after another.
    pub seeds: u64,
    /// The number of simulated days for each seed.
    pub days: u32,
    /// The number of players.
    pub players: usize,
    /// Whether to play a season until it ends, regardless of `days`.
    pub season: bool,
    /// An empty PostgreSQL database to use instead of a file.
    pub postgres: Option<PostgresUrl>,
    /// Whether to write all events. Otherwise, only the last events before a failure are written.
    pub all_events: bool,
}

/// Runs the seeds, and writes the results to `out`. If a run fails, skips the remaining seeds and returns false.
///
/// # Errors
/// If the simulation cannot start, for example because its files cannot be written, or `out` fails.
pub fn run(options: &Options, out: &mut dyn Write) -> anyhow::Result<bool> {
    let mut years = 0.0;
    for seed in options.seed..options.seed.saturating_add(options.seeds) {
        let mut simulation = Simulation::new(seed, options).context("cannot start the simulation")?;
        let violated = simulation.run(options.days).err();
        let played = simulation.game_years();
        years += played;
        let (steps, digest) = (simulation.trace.steps(), simulation.trace.digest());
        if violated.is_some() || options.all_events {
            for event in simulation.trace.last() {
                writeln!(out, "{event}")?;
            }
        }
        let Some(violated) = violated else {
            let counts = simulation.counts();
            writeln!(out, "seed {seed}: {steps} events, {played:.1} game-years, {counts}, digest {digest}")?;
            continue;
        };
        writeln!(out, "\nseed {seed}, event {steps}, {}: {violated:#}", simulation.clock())?;
        writeln!(out, "digest {digest}")?;
        let again = match options.season {
            true => format!("season --players {} --seed {seed}", options.players),
            false => format!("--seed {seed} --days {}", options.days),
        };
        writeln!(out, "again: cargo run --release -p turnpost-sim -- {again}")?;
        return Ok(false);
    }
    if options.seeds > 1 {
        writeln!(out, "{} seeds, {years:.1} game-years", options.seeds)?;
    }
    Ok(true)
}
