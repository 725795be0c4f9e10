//! turnpost: a play-by-email turn server. Moves come by mail, boards go back as ASCII art.
//!
//! The library is built in layers: a module uses the layers below its own and never one above
//! (`tests/it/architecture.rs` keeps that). From the ground up:
//!
//! - [`recent`]: the last few values that were asked for. Pure.
//! - [`text`]: messages, sanitising, the nearest word. Pure.
//! - [`rules`]: the games. Pure.
//! - [`numbers`]: the numbers of boards, entries and plies. Pure.
//! - [`clock`], [`rating`], [`token`]: deadlines and vacations as arithmetic, Glicko-2, what is signed in addresses. Pure.
//! - [`world`]: the present time and random numbers; everything else is given them.
//! - [`state_file`]: what processes remember in small files.
//! - [`child`]: running another program for a limited time.
//! - [`metrics`]: what this process has done, in numbers.
//! - [`command`]: one line → [`command::Command`], or the error that says why not. Pure.
//! - [`draw`]: a board from the one Scene that its game describes. Pure.
//! - [`store`]: the database behind traits; the only module with SQL.
//! - [`service`]: a [`service::Request`] in, a [`service::Response`] or a [`service::Rejection`] out, in one transaction.
//! - [`compose`]: facts → text, by the templates.
//! - [`config`]: what the configuration says.
//! - [`mail`]: incoming mail → request; notice → letter → transport.
//! - [`web`]: pages, the JSON API, event streams and webhooks.
//! - [`backup`]: making, proving and restoring backups.
//! - [`serve`]: an instance at work, once or until stopped.
//! - [`cli`]: the shell.

pub mod backup;
pub mod child;
pub mod cli;
pub mod clock;
pub mod command;
pub mod compose;
pub mod config;
pub mod draw;
pub mod https;
pub mod mail;
pub mod metrics;
pub mod numbers;
pub mod player;
pub mod rating;
pub mod recent;
pub mod rules;
pub mod serve;
pub mod service;
pub mod state_file;
pub mod store;
pub mod text;
pub mod token;
pub mod web;
pub mod world;
