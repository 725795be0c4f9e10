//! A simulation: players, mail, faults and workers in one process on virtual time, over the real service and store.
//!
//! All that happens follows from a seed, so a run that fails can be repeated byte for byte. Players send real mails through
//! the real inbox and read the real letters; the process dies between any two steps of the database and starts again; the
//! mail server refuses, hangs up and returns letters; clocks jump. After each step an oracle, which is a model of its own,
//! says what must hold.
//!
//! - `run`: a run of one seed, and of several.
//! - `simulation`: what happens in a run; `conduct`: when players write what; `traffic`: mail on its way.
//! - `agenda`, `world`, `random`: virtual time, and choices that are the same for the same seed.
//! - `players`, `acts`, `life`: who plays, and what they write. `mail`, `letter`: what goes in and comes out.
//! - `server`: the server that is simulated, and `node`: another on its database; `setup`: what both have; `faults`, `postbox`: what goes wrong.
//! - `oracle`: what must hold.
//! - `trace`: what happened.

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
mod random;
mod run;
mod server;
mod setup;
mod simulation;
mod trace;
mod traffic;
mod world;

pub use run::{Options, run};
