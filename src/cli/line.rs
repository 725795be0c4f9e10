//! Lines of the command language, built from the words that the shell passes.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use anyhow::Context;

use crate::command::{self, Command, GameCommand, ParseError, ParsedLine, Password, PreviewFrom};
use crate::compose::Composer;
use crate::draw::png;
use crate::serve::{Instance, NoDatabase};
use crate::service::{BoardAnalysis, Origin, Rejection, Request, Response};
use crate::world::World;

use super::arguments::{default_data, is_own, nearest_own};
use super::exit::{Exit, failed, not_understood, print, refused, report};
use super::streams;

/// The environment variable with the password that `-` represents.
const PASSWORD: &str = "TURNPOST_PASSWORD";

/// A line of the command language as typed in a shell, with the program's flags, which may be anywhere in the line.
pub(crate) struct ShellLine {
    words: Vec<String>,
    data: PathBuf,
    form: Form,
}

/// The output format of a response.
enum Form {
    Text,
    Json,
    /// The picture of the response's only board, or the curve of an analysis, as SVG.
    Svg,
    /// The picture of the response's only board, or the curve of an analysis, as PNG in this file.
    Png(PathBuf),
}

/// Reads the shell's words as a line of the language. Returns `None` for the program's own subcommands, `--version` and
/// `--help`, and if there is no command or a flag lacks its value.
pub(crate) fn split(all: Vec<String>) -> Option<ShellLine> {
    let mut data = std::env::var_os("TURNPOST_DATA").filter(|dir| !dir.is_empty()).map(PathBuf::from);
    let mut form = Form::Text;
    let mut words = Vec::new();
    let mut all = all.into_iter();
    while let Some(word) = all.next() {
        match word.as_str() {
            "--json" => form = Form::Json,
            "--svg" => form = Form::Svg,
            "--png" => form = Form::Png(all.next()?.into()),
            "--data" => data = Some(all.next()?.into()),
            "--version" | "-V" => return None,
            "--help" | "-h" if words.is_empty() => return None,
            _ => match (word.strip_prefix("--data="), word.strip_prefix("--png=")) {
                (Some(directory), _) => data = Some(directory.into()),
                (_, Some(file)) => form = Form::Png(file.into()),
                _ => words.push(word),
            },
        }
    }
    let first = words.iter().find(|word| !word.starts_with('-'))?;
    if is_own(first) {
        return None;
    }
    Some(ShellLine { words, data: data.unwrap_or_else(default_data), form })
}

impl ShellLine {
    pub(crate) fn run(self) -> Exit {
        streams::start(streams::Level::Warn, false);
        let as_json = matches!(self.form, Form::Json);
        let line = match command::parse_words(&self.words) {
            Ok(line) => line,
            Err(mut error) => {
                // The parser of the command language does not know the program's own subcommands, so suggest them here.
                let first = self.words.iter().find(|word| !word.starts_with('-')).filter(|_| !error.is_command);
                error.nearest = error.nearest.or_else(|| nearest_own(first?).map(str::to_owned));
                return self.not_understood(error).unwrap_or_else(|error| failed(&error, as_json));
            }
        };
        self.carry_out(line).unwrap_or_else(|error| failed(&error, as_json))
    }

    /// Explains why a line was not understood. Words that may be passwords are masked. If a database exists, the
    /// userids in it are not masked.
    fn not_understood(&self, error: ParseError) -> anyhow::Result<Exit> {
        let Ok(mut instance) = Instance::open_read_only(&self.data, World::REAL) else {
            return self.refused(&Composer::new(None, None)?, &Rejection::from(error));
        };
        let service = instance.config.service(instance.world);
        let refused = service.not_understood(&instance.store.read()?, error)?;
        self.refused(&instance.composer, &refused)
    }

    fn carry_out(&self, line: ParsedLine) -> anyhow::Result<Exit> {
        let changes = line.command.changes();
        let drawn = !changes || matches!(line.command, Command::Analyse { .. });
        if !drawn && matches!(self.form, Form::Svg | Form::Png(_)) {
            return Err(no_picture());
        }
        let (mut instance, exists) = self.open(&line.command)?;
        if changes {
            instance.see_clocks()?;
        }
        let password = password(&line)?;
        let now = (instance.world.now)();
        let request = Request { line, from: Origin::Shell { password }, comment: None, client: None, now };
        let service = instance.config.service(instance.world);
        let mut answer = service.run(&mut *instance.store, &request)?;
        if changes && !exists {
            // This is the first signup. A refused one leaves no empty server, which would reject every player's mail.
            if let Err(refused) = &answer {
                return self.refused(&instance.composer, refused);
            }
            if Instance::create(&self.data, World::REAL)? {
                report(format_args!("a new server: {}", self.data.display()));
            }
            instance = Instance::open(&self.data, World::REAL)?;
            instance.see_clocks()?;
            let service = instance.config.service(instance.world);
            answer = service.run(&mut *instance.store, &request)?;
        }
        if matches!(&answer, Ok(Response::Analysed(asked)) if asked.waits) {
            // If no server is running, this process handles the queues.
            instance.process_or_wake()?;
            let service = instance.config.service(instance.world);
            answer = service.run(&mut *instance.store, &request)?;
        }
        let exit = match &answer {
            Ok(answer) => self.answer(&instance, answer),
            Err(refused) => self.refused(&instance.composer, refused),
        };
        if changes && let Err(error) = instance.process_or_wake() {
            // The command is committed and its notices are in the outbox; only sending is delayed.
            tracing::warn!("letters are delayed until the next run of turnpost: {error:#}");
        }
        exit
    }

    /// Opens the server, and returns whether it exists. If it does not, help, previews of new boards and signups use an
    /// empty in-memory database. For any other command, a directory without a database is probably a mistake.
    fn open(&self, command: &Command) -> anyhow::Result<(Instance, bool)> {
        match Instance::open(&self.data, World::REAL) {
            Err(error) if needs_no_server(command) && error.is::<NoDatabase>() => {
                Ok((Instance::without_database(&self.data, World::REAL)?, false))
            }
            opened => Ok((opened?, true)),
        }
    }

    fn answer(&self, instance: &Instance, answer: &Response) -> anyhow::Result<Exit> {
        match &self.form {
            Form::Text => print(&instance.composer.answer(answer)?)?,
            Form::Json => {
                let answer = instance.composer.response_for_program(answer.clone())?;
                print(&(serde_json::to_string(&answer)? + "\n"))?;
            }
            Form::Svg | Form::Png(_) => return self.picture(&instance.composer, answer),
        }
        Ok(Exit::Done)
    }

    fn picture(&self, composer: &Composer, answer: &Response) -> anyhow::Result<Exit> {
        let board = match answer {
            Response::Analysed(analysed) => return self.curve(composer, analysed),
            Response::Shown { boards, .. } if boards.len() == 1 => &boards[0],
            Response::Previewed { board } => board,
            _ => return Err(no_picture()),
        };
        match &self.form {
            Form::Png(file) => std::fs::write(file, composer.png(board, png::WIDTH)?)
                .with_context(|| format!("cannot write {}", file.display()))?,
            _ => print(&composer.svg(board)?)?,
        }
        Ok(Exit::Done)
    }

    fn curve(&self, composer: &Composer, analysed: &BoardAnalysis) -> anyhow::Result<Exit> {
        let drawn = match &self.form {
            Form::Png(file) => composer
                .curve_png(analysed, png::WIDTH)?
                .map(|png| std::fs::write(file, png).with_context(|| format!("cannot write {}", file.display()))),
            _ => composer.curve_svg(analysed)?.map(|svg| print(&svg)),
        };
        match drawn {
            Some(written) => written.map(|()| Exit::Done),
            None => Err(refused("the analysis is being computed: request it again in a minute")),
        }
    }

    fn refused(&self, composer: &Composer, refused: &Rejection) -> anyhow::Result<Exit> {
        if matches!(self.form, Form::Json) {
            let refused = composer.rejection_for_program(refused.clone())?;
            print(&(serde_json::json!({ "refused": refused }).to_string() + "\n"))?;
        } else {
            // Ignore an error, because the exit status also reports the refusal.
            let _ = std::io::stderr().write_all(composer.refused(refused)?.as_bytes());
        }
        Ok(if refused.not_understood { Exit::NotUnderstood } else { Exit::Refused })
    }
}

/// Returns whether a command can be answered without an existing server.
fn needs_no_server(command: &Command) -> bool {
    match command {
        Command::Help { .. } | Command::Signup { .. } => true,
        Command::Game { command, .. } => matches!(command, GameCommand::Preview { from: PreviewFrom::New(_), .. }),
        _ => false,
    }
}

fn no_picture() -> anyhow::Error {
    not_understood("a picture shows one board: turnpost show 123 --svg")
}

/// Returns the password that `-` represents: the environment variable's value or, if it is not set, a password typed at
/// the terminal.
fn password(line: &ParsedLine) -> anyhow::Result<Option<String>> {
    if !matches!(line.command.password(), Some(Password::FromContext)) {
        return Ok(None);
    }
    if let Ok(password) = std::env::var(PASSWORD) {
        return Ok(Some(password));
    }
    if !std::io::stdin().is_terminal() {
        return Ok(None);
    }
    Ok(Some(rpassword::prompt_password("Password: ").context("cannot ask for the password")?))
}
