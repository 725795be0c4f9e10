//! Runs the program: `turnpost mail`, `turnpost serve` and `turnpost tick`, another subcommand, or a line of the
//! command language.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Context;
use clap::{CommandFactory, Parser};
use signal_hook::consts::SIGXFSZ;

use super::arguments::{AdminTask, Arguments, Own, default_data};
use super::exit::{Exit, failed, not_understood, report};
use super::streams::{self, Patience, PatientInput};
use super::{admin, configuration, demo, line};
use crate::mail::inbound::receive;
use crate::mail::outbound;
use crate::rules::catalogue;
use crate::serve::Instance;
use crate::store::MailSource;
use crate::world::World;

/// Runs the program with these arguments, of which the first is the program's name.
pub fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    // The default hook prints the panic's message, which can quote mail and thus a password.
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        report(format_args!(
            "a bug: turnpost panicked at {place}; no partial change was stored. Please report this line"
        ));
    }));
    if let Err(error) = survive_file_size_limit() {
        return ExitCode::from(failed(&error, false) as u8);
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

/// Makes a write beyond the file size limit (`ulimit -f`; a mail server sets one) fail with an error, as on a full
/// disk. By default, the signal SIGXFSZ would end the program, perhaps after it has stored the message.
fn survive_file_size_limit() -> anyhow::Result<()> {
    let unread = Arc::new(AtomicBool::default());
    signal_hook::flag::register(SIGXFSZ, unread).context("cannot handle SIGXFSZ")?;
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
    let names_data = arguments.iter().any(|word| word.to_string_lossy().starts_with("--data"));
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            let exit = match error.exit_code() {
                0 => Exit::Done,
                // On any other status, a mail server bounces the player's message.
                _ if is_mail => Exit::TryAgain,
                _ => Exit::NotUnderstood,
            };
            if exit == Exit::NotUnderstood && arguments.iter().any(|word| word == "--json") {
                return failed(&not_understood(error.to_string().trim_end()), true);
            }
            // Ignore a failure to print, because there is no other way to report it.
            let _ = error.print();
            return exit;
        }
    };
    let Arguments { data, json, subcommand } = arguments;
    let data = data.unwrap_or_else(default_data);
    let result = match subcommand {
        Own::Mail => return mail(&data),
        Own::Serve { log_json, read_only, listen } => {
            let log = streams::start(streams::Level::Info, log_json);
            serve(&data, &log, read_only, listen)
        }
        Own::Tick => tick(&data),
        Own::Admin { task } => {
            let task = task.map_or(admin::Task::Overview, |AdminTask(task)| task);
            admin::run(&data, task, json)
        }
        Own::CheckConfig => configuration::check(&data, json),
        Own::DescribeConfig => configuration::describe(json),
        Own::Quickstart(quickstart) => quickstart.run(&data, json),
        // The environment names the directory of the real server.
        Own::Demo => demo::demo(names_data.then_some(data.as_path())),
        Own::Replay(replay) => replay.run(),
        Own::Perft(perft) => perft.run(),
        Own::Ugi(ugi) => ugi.run(),
        Own::Man(man) => man.run(Arguments::command()),
        Own::Completions(completions) => completions.run(&Arguments::command()),
    };
    result.unwrap_or_else(|error| failed(&error, json))
}

/// Opens an instance and checks that all its templates are usable, because accepted mail must be answered.
fn open(data: &Path) -> anyhow::Result<Instance> {
    let instance = Instance::open(data, World::REAL)?;
    instance.check_templates()?;
    Ok(instance)
}

/// The maximum time in which a message must arrive.
const ARRIVAL: Duration = Duration::from_secs(60 * 60);

/// Stores and processes one message from standard input. Exit status 0 means that the message is on disk, so later
/// failures do not change the status. Any earlier failure, including a panic, asks the mail server to try again: on any
/// other status, it would return the message to its sender.
pub(crate) fn mail(data: &Path) -> Exit {
    streams::start(streams::Level::Warn, false);
    let stored = catch_unwind(AssertUnwindSafe(|| -> anyhow::Result<Instance> {
        let mut instance = open(data)?;
        let now = (instance.world.now)();
        let input = PatientInput::standard(Patience {
            silence: Duration::from_secs(instance.config.receive.idle),
            whole: ARRIVAL,
            advice: "The message was not stored; send it again (receive.idle in turnpost.toml limits the silence)",
        })?;
        receive(&mut *instance.store, input, MailSource::Pipe, now)?;
        Ok(instance)
    }));
    let mut instance = match stored {
        Ok(Ok(instance)) => instance,
        Ok(Err(error)) => {
            report(format_args!("{error:#}"));
            return Exit::TryAgain;
        }
        Err(_) => return Exit::TryAgain,
    };
    match catch_unwind(AssertUnwindSafe(|| instance.process_or_wake())) {
        Ok(Ok(())) => {}
        Ok(Err(error)) => {
            tracing::warn!("the message is stored; the next run of turnpost processes it: {error:#}");
        }
        Err(_) => tracing::error!("the message is stored; processing it panicked"),
    }
    Exit::Done
}

/// Processes mail, clocks and letters until stopped, unless `read_only` is set. Serves the pages at `listen`, or at the
/// configured address.
pub(crate) fn serve(
    data: &Path,
    log: &streams::Log,
    read_only: bool,
    listen: Option<SocketAddr>,
) -> anyhow::Result<Exit> {
    let mut instance = if read_only { Instance::open_read_only(data, World::REAL)? } else { open(data)? };
    instance.config.web.listen = listen.or(instance.config.web.listen);
    match read_only {
        true => instance.serve_read_only()?,
        false => instance.serve(log)?,
    }
    Ok(Exit::Done)
}

/// Processes all due work once. If `serve` is running, wakes it instead. Erases old messages and letters in both cases.
pub(crate) fn tick(data: &Path) -> anyhow::Result<Exit> {
    streams::start(streams::Level::Warn, false);
    let mut instance = open(data)?;
    outbound::close_outgoing(data);
    instance.process_or_wake()?;
    instance.forget_old()?;
    Ok(Exit::Done)
}
