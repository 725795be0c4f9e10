//! The program's own subcommands and flags, by clap. Every other first word begins a line of the command language.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::error::Error;
use clap::{ArgMatches, Command, FromArgMatches, Parser, Subcommand};

use super::{admin, games, manual, quickstart, ugi};

/// A play-by-email turn server.
///
/// Besides the subcommands below, every command of the command language works here: `turnpost help commands` lists
/// them. A link to this program that has the name of a game stands for the first word: `marque move 123 alice - f3`.
#[derive(Parser)]
#[command(name = "turnpost", version, disable_help_subcommand = true, arg_required_else_help = true)]
pub(super) struct Arguments {
    /// The data directory, with turnpost.db, outgoing/ and turnpost.toml [default: turnpost in the XDG data directory]
    #[arg(long, env = "TURNPOST_DATA", value_name = "DIR", global = true)]
    pub(super) data: Option<PathBuf>,
    /// Print one JSON object instead of text
    #[arg(long, global = true)]
    pub(super) json: bool,
    #[command(subcommand)]
    pub(super) subcommand: Own,
}

/// The program's own subcommands.
#[derive(Subcommand)]
pub(super) enum Own {
    /// Read one mail from standard input, store it, and process it (or leave that to `serve`)
    Mail,
    /// Process incoming mail, clocks and letters until stopped
    Serve {
        /// Write the log as JSON, one object a line
        #[arg(long)]
        log_json: bool,
        /// Serve only pages and the API, of a copy of the database or a replica, and change nothing
        #[arg(long)]
        read_only: bool,
        /// Serve the pages at this address instead of the configured one: for example 127.0.0.1:8080
        #[arg(long, value_name = "ADDRESS:PORT")]
        listen: Option<SocketAddr>,
    },
    /// Process what is due once: waiting mail, clocks, letters. For cron; a running `serve` is only woken
    Tick,
    /// Look at the server, adjudicate a board, back up, export and import
    Admin {
        #[command(subcommand)]
        task: Option<AdminTask>,
    },
    /// Read the configuration, and try what it names: templates, directories, files, the mail server and the mailbox
    CheckConfig,
    /// Show every key of the configuration, with its meaning, default and unit
    DescribeConfig,
    /// Set up a new server: its configuration, and files for systemd, the mail server and the proxy
    Quickstart(quickstart::Quickstart),
    /// Show a challenge and a few moves going through a new server as mail
    Demo,
    /// Read move lists from standard input, one game a line, and print one JSON object for each
    Replay(games::Replay),
    /// Count the move sequences of a given length
    Perft(games::Perft),
    /// Play a game with another program on standard streams, by the Universal Game Interface
    Ugi(ugi::Ugi),
    /// Process a waiting mail and undo it, to see whether it crashes the program
    #[command(hide = true)]
    TryMail {
        /// Its number in the inbox
        number: i64,
    },
    /// Write the manual pages
    Man(manual::Man),
    /// Print a completion script for a shell
    Completions(manual::Completions),
}

/// What stands after `admin`. It is most of all arguments, and described to clap only when it is read: a mail server starts
/// a program for each mail.
pub(super) struct AdminTask(pub(super) admin::Task);

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

/// The names of the program's own subcommands. They are written down because every line of the command language is
/// compared with them, and describing the arguments to clap takes longer than most lines.
const OWN: &[&str] = &[
    "mail",
    "serve",
    "tick",
    "admin",
    "check-config",
    "describe-config",
    "quickstart",
    "demo",
    "replay",
    "perft",
    "ugi",
    "try-mail",
    "man",
    "completions",
];

/// Whether a word is one of the program's own subcommands.
pub(super) fn is_own(word: &str) -> bool {
    OWN.contains(&word)
}

/// The data directory when none is named, by the XDG base directory specification.
pub(super) fn default_data() -> PathBuf {
    let home = || PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".local/share");
    std::env::var_os("XDG_DATA_HOME").filter(|dir| !dir.is_empty()).map_or_else(home, PathBuf::from).join("turnpost")
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
