//! Runs the program: one of its subcommands, or a line of the command language.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Context;
use clap::{CommandFactory, Parser};
use signal_hook::consts::SIGXFSZ;

use crate::rules::catalogue;

use super::arguments::{AdminTask, Arguments, Own, default_data};
use super::exit::{Exit, failed, tell};
use super::{admin, configuration, demo, line, mail, streams};

/// Runs the program with these arguments, of which the first is the program's name.
pub fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    // The default hook prints the panic's message, which can quote mail and thus a password.
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tell(format_args!("a bug: it panicked at {place}; nothing was half done. Please report this line"));
    }));
    if let Err(error) = survive_file_size_limit() {
        return ExitCode::from(failed(&error) as u8);
    }
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

/// Turns a write beyond the file size limit (`ulimit -f`; a mail server sets one) into an error, like a full disk.
/// Otherwise the signal would end the program, perhaps after it stored the message.
fn survive_file_size_limit() -> anyhow::Result<()> {
    let nobody_looks = Arc::new(AtomicBool::default());
    signal_hook::flag::register(SIGXFSZ, nobody_looks).context("cannot handle SIGXFSZ")?;
    Ok(())
}

fn run_own(arguments: &[OsString]) -> Exit {
    let mut words = arguments.iter().skip(1);
    let is_mail = loop {
        match words.next() {
            Some(word) if word == "--data" => drop(words.next()),
            Some(word) if word.to_string_lossy().starts_with('-') => {}
            word => break word.is_some_and(|word| word == "mail"),
        }
    };
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // If the terminal is gone, there is no way to report it.
            let _ = error.print();
            return match error.exit_code() {
                0 => Exit::Done,
                // On any other status, a mail server bounces the player's message.
                _ if is_mail => Exit::TryAgain,
                _ => Exit::NotUnderstood,
            };
        }
    };
    let Arguments { data, json, subcommand } = arguments;
    let data = data.unwrap_or_else(default_data);
    let result = match subcommand {
        Own::Mail => return mail::mail(&data),
        Own::Serve { log_json, read_only, listen } => {
            let log = streams::start(streams::Level::Info, log_json);
            mail::serve(&data, &log, read_only, listen)
        }
        Own::Tick => mail::tick(&data),
        Own::Admin { task } => {
            let task = task.map_or(admin::Task::Overview, |AdminTask(task)| task);
            admin::run(&data, task, json)
        }
        Own::CheckConfig => configuration::check(&data, json),
        Own::DescribeConfig => configuration::describe(json),
        Own::Quickstart(quickstart) => quickstart.run(&data, json),
        Own::Demo => demo::demo(),
        Own::Replay(replay) => replay.run(),
        Own::Perft(perft) => perft.run(),
        Own::Ugi(ugi) => ugi.run(),
        Own::Man(man) => man.run(Arguments::command()),
        Own::Completions(completions) => completions.run(&Arguments::command()),
    };
    result.unwrap_or_else(|error| failed(&error))
}
