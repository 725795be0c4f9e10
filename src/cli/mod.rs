//! The shell's face: the program's own subcommands (by clap), and every other line in the command language.

mod admin;
mod demo;
mod games;
mod line;
mod logs;
mod mail;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::rules::catalogue;

/// Exit statuses: what a command can come to. 75 is `EX_TEMPFAIL` of sysexits.h: an MTA keeps the mail and tries again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Exit {
    Done = 0,
    Refused = 1,
    NotUnderstood = 2,
    TryAgain = 75,
}

/// A play-by-email turn server.
///
/// Beside the subcommands below, every command of the language is one: `turnpost help commands` lists them, and a
/// link to this program that is named after a game stands for the first word (`marque move 123 alice - f3`).
#[derive(Parser)]
#[command(version, disable_help_subcommand = true, arg_required_else_help = true)]
struct Arguments {
    /// The directory that holds everything: turnpost.db, outgoing/, turnpost.toml [default: the user's data directory]
    #[arg(long, env = "TURNPOST_DATA", value_name = "DIR", global = true)]
    data: Option<PathBuf>,
    /// Print one JSON object instead of text
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    own: Own,
}

/// The program's own subcommands.
#[derive(Subcommand)]
enum Own {
    /// Read one mail from standard input, keep it, and deal with it (or leave it to `serve`)
    Mail,
    /// Deal with what arrives and send what is due, until stopped
    Serve {
        /// Write the log as JSON, one object a line
        #[arg(long)]
        log_json: bool,
    },
    /// Do all due work once: mails that wait, clocks, letters. For cron, where no `serve` runs; else it is woken
    Tick,
    /// Look at the database, decide a game, move everything to another server
    Admin {
        #[command(subcommand)]
        what: admin::Admin,
    },
    /// Show a challenge and some moves going through the server as mails, in a directory of its own
    Demo,
    /// Read move lists, one game a line, and print one JSON object for each
    Replay(games::Replay),
    /// Count the sequences of so many plies
    Perft(games::Perft),
}

/// Words that are the program's own; every other first word begins a line of the language.
const OWN: &[&str] = &["mail", "serve", "tick", "admin", "demo", "replay", "perft"];

/// Runs the program with these arguments, the first of which is its own name.
pub fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    // The default hook prints what the panic says, which can quote a mail, and so a password.
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        eprintln!("turnpost: a bug: it panicked at {place}; nothing was half done. Please report this line");
    }));
    let arguments: Vec<OsString> = arguments.collect();
    let mut words: Vec<String> =
        arguments.iter().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
    let link = arguments.first().map(PathBuf::from).and_then(|name| Some(name.file_stem()?.to_str()?.to_owned()));
    if let Some(game) = link.and_then(|name| catalogue::find(&name)) {
        words.insert(0, game.name().to_owned());
    }
    let exit = match line::split(words) {
        Some(line) => line.run(),
        None => run_own(&arguments),
    };
    ExitCode::from(exit as u8)
}

fn run_own(arguments: &[OsString]) -> Exit {
    let is_mail = arguments.iter().any(|argument| argument == "mail");
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Nothing sensible can be done when the terminal is gone.
            let _ = error.print();
            return match error.exit_code() {
                0 => Exit::Done,
                // An MTA bounces the player's mail on any other status.
                _ if is_mail => Exit::TryAgain,
                _ => Exit::NotUnderstood,
            };
        }
    };
    let Arguments { data, json, own } = arguments;
    let data = data.unwrap_or_else(default_data);
    let done = match own {
        Own::Mail => return mail::mail(&data),
        Own::Serve { log_json } => {
            logs::start(logs::Level::Info, log_json);
            mail::serve(&data)
        }
        Own::Tick => mail::tick(&data),
        Own::Admin { what } => admin::admin(&data, what, json),
        Own::Demo => demo::demo(),
        Own::Replay(replay) => replay.run(),
        Own::Perft(perft) => perft.run(),
    };
    done.unwrap_or_else(|error| failed(&error))
}

/// The data directory when none is named, by the XDG base directory specification.
fn default_data() -> PathBuf {
    let home = || PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".local/share");
    std::env::var_os("XDG_DATA_HOME").filter(|dir| !dir.is_empty()).map_or_else(home, PathBuf::from).join("turnpost")
}

/// Says what went wrong that is neither the line's fault nor the rules'.
fn failed(error: &anyhow::Error) -> Exit {
    eprintln!("turnpost: {error:#}");
    Exit::TryAgain
}
