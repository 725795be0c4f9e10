//! The shell's face.

use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the program with these arguments.
pub fn run(_args: impl Iterator<Item = OsString>) -> ExitCode {
    todo!()
}
