//! The program's own subcommands and flags, parsed by clap, and the manual pages and completions generated from them.
//! Any other first word belongs to the command language.

use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::Context;
use clap::error::Error;
use clap::{ArgMatches, Args, Command, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;

use super::exit::{Exit, print};
use super::{admin, games, quickstart, ugi};
use crate::text::nearest;

/// A play-by-email turn server.
///
/// In addition to the subcommands below, every command of the command language works here: `turnpost help commands`
/// lists them. You can also call the program through a link named after a game. The name of the link is then the first
/// word of the command: `marque move 123 alice - f3`.
#[derive(Parser)]
#[command(name = "turnpost", version, disable_help_subcommand = true, arg_required_else_help = true)]
pub(crate) struct Arguments {
    /// The data directory, with turnpost.db, outgoing/ and turnpost.toml [default: turnpost in the XDG data directory]
    #[arg(long, env = "TURNPOST_DATA", value_name = "DIR", global = true)]
    pub(crate) data: Option<PathBuf>,
    /// Print one JSON object instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) subcommand: Own,
}

/// The program's own subcommands.
#[derive(Subcommand)]
pub(crate) enum Own {
    /// Store one message from standard input, and process it. If `serve` is running, it processes the message
    Mail,
    /// Process incoming mail, clocks and letters until stopped
    Serve {
        /// Write the log as JSON, one object per line
        #[arg(long)]
        log_json: bool,
        /// Serve only pages and the API, from a copy of the database or a replica, and change nothing
        #[arg(long)]
        read_only: bool,
        /// Serve the pages at this address instead of the configured one: for example 127.0.0.1:8080
        #[arg(long, value_name = "ADDRESS:PORT")]
        listen: Option<SocketAddr>,
    },
    /// Process waiting mail, clocks and letters once, for example from cron. If `serve` is running, only wake it
    Tick,
    /// Inspect the server, adjudicate boards, back up, export and import
    Admin {
        #[command(subcommand)]
        task: Option<AdminTask>,
    },
    /// Check the configuration and everything that it names: templates, directories, files, the mail server and the
    /// mailbox
    CheckConfig,
    /// Show every configuration key, with its meaning, default and unit
    DescribeConfig,
    /// Set up a new server: its configuration, and files for systemd, the mail server and the proxy
    Quickstart(quickstart::Quickstart),
    /// Demonstrate a challenge and a few moves on a new server, by mail
    Demo,
    /// Read move lists from standard input, one game per line, and print one JSON object for each game
    Replay(games::Replay),
    /// Count the move sequences of a given length
    Perft(games::Perft),
    /// Play a game with another program through standard input and output, by the Universal Game Interface
    Ugi(ugi::Ugi),
    /// Write the manual pages
    Man(Man),
    /// Print a completion script for a shell
    Completions(Completions),
}

/// The subcommand of `admin`. Most of the program's arguments belong to it, and describing them to clap takes time. A
/// mail server starts a process for each message, so the arguments are described only if the command line starts with
/// `admin` (see `benches/start.rs`).
pub(crate) struct AdminTask(pub(crate) admin::Task);

impl FromArgMatches for AdminTask {
    fn from_arg_matches(matches: &ArgMatches) -> Result<AdminTask, Error> {
        admin::Task::from_arg_matches(matches).map(AdminTask)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl Subcommand for AdminTask {
    fn augment_subcommands(admin: Command) -> Command {
        admin.defer(|admin| admin::by_task(admin::Task::augment_subcommands(admin)))
    }

    fn augment_subcommands_for_update(admin: Command) -> Command {
        admin.defer(admin::Task::augment_subcommands_for_update)
    }

    fn has_subcommand(name: &str) -> bool {
        admin::Task::has_subcommand(name)
    }
}

/// The names of the program's own subcommands. They are a constant because every line of the command language is
/// compared with them, and describing the arguments to clap takes longer than most lines.
const OWN: &[&str] = &[
    "mail", "serve", "tick", "admin", "check-config", "describe-config", "quickstart", "demo", "replay", "perft",
    "ugi", "man", "completions",
];

/// Returns whether a word is one of the program's own subcommands.
pub(crate) fn is_own(word: &str) -> bool {
    OWN.contains(&word)
}

/// Returns the program's own subcommand that is most similar to a misspelt word.
pub(crate) fn nearest_own(word: &str) -> Option<&'static str> {
    nearest(word, OWN.iter().copied())
}

/// Returns the default data directory, according to the XDG base directory specification.
pub(crate) fn default_data() -> PathBuf {
    let home = || PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".local/share");
    std::env::var_os("XDG_DATA_HOME").filter(|dir| !dir.is_empty()).map_or_else(home, PathBuf::from).join("turnpost")
}

/// The arguments of `turnpost man`.
#[derive(Args)]
pub(crate) struct Man {
    /// The directory for the pages: turnpost.1, turnpost-serve.1 and so on. It is created if it does not exist
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
        // Omit hidden subcommands, which the scripts would otherwise complete.
        let shown = program.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()).cloned();
        let mut program = Command::new("turnpost")
            .version(env!("CARGO_PKG_VERSION"))
            .disable_help_subcommand(true)
            .args(program.get_arguments().cloned())
            .subcommands(shown);
        // Do not let clap_complete write to standard output, because it panics if the output cannot be written.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut program, "turnpost", &mut script);
        print(&String::from_utf8(script)?)?;
        Ok(Exit::Done)
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn every_subcommand_of_the_program_is_listed() {
        let arguments = Arguments::command();
        let names: Vec<&str> = arguments.get_subcommands().map(clap::Command::get_name).collect();
        assert_eq!(names, OWN);
    }
}
