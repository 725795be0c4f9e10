//! A run of one seed, and of several.

use std::io::Write;

use anyhow::Context;

use crate::simulation::Simulation;

/// What is run.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The first seed.
    pub seed: u64,
    /// How many seeds are run, one after the other.
    pub seeds: u64,
    /// How many days each of them lasts.
    pub days: u32,
    /// Whether every event is written, and not only the last ones before a failure.
    pub all_events: bool,
}

/// Runs seeds, and writes what came of each to `out`; false when something was violated, which ends the run.
///
/// # Errors
/// The simulation itself cannot go on: there is no room for its files, say, or `out` fails.
pub fn run(options: &Options, out: &mut dyn Write) -> anyhow::Result<bool> {
    let mut years = 0.0;
    for seed in options.seed..options.seed.saturating_add(options.seeds) {
        let mut simulation = Simulation::new(seed, options.all_events).context("the simulation cannot begin")?;
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
        writeln!(out, "again: cargo run --release -p turnpost-sim -- --seed {seed} --days {}", options.days)?;
        return Ok(false);
    }
    if options.seeds > 1 {
        writeln!(out, "{} seeds, {years:.1} game-years", options.seeds)?;
    }
    Ok(true)
}
