//! The command line: the program's own subcommands, and lines of the command language.

mod admin;
mod arguments;
mod configuration;
mod demo;
mod exit;
mod games;
mod line;
mod quickstart;
mod run;
mod streams;
mod ugi;

pub use run::run;
