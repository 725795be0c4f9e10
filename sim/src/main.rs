//! Simulates a server with its players, mail, faults and workers in one process on virtual time, with the real service
//! and store.
//!
//! A seed decides everything that happens, so a failing run can be repeated byte for byte. Players send real messages
//! through the real inbox and read the real letters. The server's process dies at random database operations and starts
//! again, the mail server refuses and bounces letters and drops connections, and clocks jump. After each step an
//! oracle, which is an independent model, checks the invariants.
//!
//! - `run`: runs the simulation with one or more seeds.
//! - `season`: the acts of a season, with its leagues, cup and ladder.
//! - `simulation`: the events of a run; `conduct`: the timing of players' messages; `traffic`: mail in transit.
//! - `agenda`, `world`: virtual time, and choices that depend only on the seed.
//! - `players`, `acts`, `life`: the players and their messages. `mail`, `letter`: incoming mail and letters.
//! - `server`: the simulated server; `node`: another node on its database; `setup`: their common parts.
//! - `faults`, `postbox`: failures.
//! - `oracle`: the model.
//! - `trace`: the log of events.

mod acts;
mod agenda;
mod conduct;
mod faults;
mod letter;
mod life;
mod mail;
mod node;
mod oracle;
mod players;
mod postbox;
mod run;
mod season;
mod server;
mod setup;
mod simulation;
mod trace;
mod traffic;
mod world;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use run::{Options, run};
use turnpost::store::PostgresUrl;

/// Simulate a server with its players, mail and faults, to find bugs.
#[derive(Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    season: Option<Subcommand>,
    /// The seed of the first run
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The number of runs, with consecutive seeds
    #[arg(long, default_value_t = 1)]
    seeds: u64,
    /// The days of virtual time in each run
    #[arg(long, default_value_t = 100)]
    days: u32,
    /// Print every event, not only the last ones before a failure
    #[arg(long)]
    events: bool,
}

#[derive(clap::Subcommand)]
enum Subcommand {
    /// Play a season of leagues, a cup and a ladder, until it ends
    Season {
        /// The number of players; with fewer than 60, the season is small
        #[arg(long, default_value_t = 120)]
        players: usize,
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// The address of an empty PostgreSQL database, to use instead of a file
        #[arg(long)]
        postgres: Option<PostgresUrl>,
        /// Print every event, not only the last ones before a failure
        #[arg(long)]
        events: bool,
    },
}

/// The number of players of a run without a season.
const PLAYERS: usize = 20;

fn main() -> anyhow::Result<ExitCode> {
    let Arguments { season, seed, seeds, days, events: all_events } = Arguments::parse();
    let options = match season {
        Some(Subcommand::Season { players, seed, postgres, events: all_events }) => {
            Options { seed, seeds: 1, days: 0, players, season: true, postgres, all_events }
        }
        None => Options { seed, seeds, days, players: PLAYERS, season: false, postgres: None, all_events },
    };
    let mut out = std::io::stdout().lock();
    let held = run(&options, &mut out)?;
    out.flush()?;
    Ok(if held { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
