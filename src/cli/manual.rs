//! `turnpost man` and `turnpost completions`: generate the manual pages and completions that a package installs.

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Command};
use clap_complete::Shell;

use super::exit::{Exit, print};

/// The arguments of `turnpost man`.
#[derive(Args)]
pub(crate) struct Man {
    /// The directory, created if missing, for turnpost.1, turnpost-serve.1 and so on
    directory: PathBuf,
}

/// The arguments of `turnpost completions`.
#[derive(Args)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

impl Man {
    pub(crate) fn run(self, program: Command) -> anyhow::Result<Exit> {
        std::fs::create_dir_all(&self.directory)
            .and_then(|()| clap_mangen::generate_to(program, &self.directory))
            .with_context(|| format!("cannot write the manual pages to {}", self.directory.display()))?;
        Ok(Exit::Done)
    }
}

impl Completions {
    pub(crate) fn run(self, program: &Command) -> anyhow::Result<Exit> {
        // The scripts would complete hidden subcommands.
        let shown = program.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()).cloned();
        let mut program = Command::new("turnpost")
            .version(env!("CARGO_PKG_VERSION"))
            .disable_help_subcommand(true)
            .args(program.get_arguments().cloned())
            .subcommands(shown);
        // Not directly to standard output, because that panics if it cannot be written.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut program, "turnpost", &mut script);
        print(&String::from_utf8(script)?)?;
        Ok(Exit::Done)
    }
}
