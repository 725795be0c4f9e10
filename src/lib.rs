//! turnpost: a play-by-email turn server. Moves come by mail, boards go back as ASCII art.
//!
//! The house is built in floors; a room uses the floors below it and never one above (`tests/it/floors.rs` keeps that).
//! From the ground up:
//!
//! - [`rules`]: the games. Pure.
//! - [`command`]: one line → [`command::Command`], and the message when it cannot be. Pure.
//! - [`draw`]: a board to look at, from the one Scene that its game describes.
//! - [`store`]: the database. The only room with SQL.
//! - [`clock`]: deadlines, vacations and reminders, from times that are given to it. Pure.
//! - [`rating`]: how strong players are. Pure.
//! - [`token`]: what stands signed in the addresses of letters. Pure.
//! - [`service`]: takes a [`service::Request`], checks who asks, asks the rules, records, and says whom to tell what.
//! - [`compose`]: facts → words, by the templates: what a shell prints and what a letter says.
//! - [`mail`]: `in_` raw mail → command → service; `out` notice → letter → transport.
//! - [`web`]: pages over HTTP.
//! - [`serve`]: works the inbox and the outbox off, once or until stopped.
//! - [`cli`]: the shell's face.
//!
//! Beside them stand [`config`] (the data directory and what its configuration says) and [`world`] (the only place
//! that knows the present time and draws random numbers).

pub mod cli;
pub mod clock;
pub mod command;
pub mod compose;
pub mod config;
pub mod draw;
pub mod mail;
pub mod rating;
pub mod rules;
pub mod serve;
pub mod service;
pub mod store;
pub mod text;
pub mod token;
pub mod web;
pub mod world;
