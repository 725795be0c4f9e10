//! The program, which only calls the library's command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    turnpost::cli::run(std::env::args_os())
}
