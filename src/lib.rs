//! turnpost: a play-by-email turn server. Players send moves by mail and receive boards as ASCII art.
//!
//! The library is built in layers: a module uses only the layers below its own (`tests/it/architecture.rs` checks
//! this). From the lowest layer up:
//!
//! - [`recent`]: a small cache of recent values. Pure.
//! - [`text`]: messages, sanitizing, the nearest word. Pure.
//! - [`rules`]: the games. Pure.
//! - [`numbers`]: the numbers of boards, entries and plies. Pure.
//! - [`clock`], [`rating`], [`token`]: the computation of deadlines and ratings, and signed addresses and links. Pure.
//! - `event`: pairings, standings, promotion and brackets. Pure.
//! - [`world`]: the present time and random numbers, which all other modules take as arguments.
//! - [`state_file`]: small files in which processes store their state.
//! - [`child`]: runs another program with a time limit.
//! - [`https`]: HTTPS requests to other servers.
//! - [`player`]: the computer player.
//! - [`metrics`]: counters and histograms of this process.
//! - [`command`]: parses one line into a [`command::Command`], or an error that says why it is invalid. Pure.
//! - [`draw`]: draws a board from the scene that its game describes. Pure.
//! - [`store`]: the database. The only module with SQL.
//! - [`service`]: handles a [`service::Request`] in one transaction, and returns a [`service::Response`] or a
//!   [`service::Rejection`].
//! - [`compose`]: turns facts into text with the templates.
//! - [`config`]: the configuration.
//! - [`mail`]: turns incoming mail into requests, and notices into letters that a transport sends.
//! - [`web`]: pages, the JSON API, event streams and webhooks.
//! - [`backup`]: creates, proves and restores backups.
//! - [`serve`]: runs an instance, once or until it is stopped.
//! - [`cli`]: the command line.

#![warn(unreachable_pub)]

pub mod backup;
pub mod child;
pub mod cli;
pub mod clock;
pub mod command;
pub mod compose;
pub mod config;
pub mod draw;
mod event;
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
