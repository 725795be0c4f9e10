//! The command line: the program's own subcommands, and every other line in the command language.

mod admin;
mod arguments;
mod configuration;
mod demo;
mod exit;
mod games;
mod line;
mod log_output;
mod logs;
mod mail;
mod manual;
mod patient_input;
mod quickstart;
mod run;
mod ugi;

pub use run::run;
