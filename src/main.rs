//! Parses the arguments, runs, turns the result into an exit status. Nothing else.

use std::process::ExitCode;

fn main() -> ExitCode {
    turnpost::cli::run(std::env::args_os())
}
