//! A line of the command language, from the shell's words.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use anyhow::Context;

use crate::command::{self, Line, Password};
use crate::desk::{Answer, Origin, Refused, Request};
use crate::serve::House;
use crate::store::Store;
use crate::world::World;

use super::{Exit, OWN, default_data, failed, logs};

/// Where a password written `-` comes from.
const PASSWORD: &str = "TURNPOST_PASSWORD";

/// A line, and the two flags of the program that can stand anywhere on it.
pub(super) struct ShellLine {
    words: Vec<String>,
    data: PathBuf,
    json: bool,
}

/// A shell's words as a line of the language; `None` when they begin with one of the program's own words.
pub(super) fn split(all: Vec<String>) -> Option<ShellLine> {
    let mut data = std::env::var_os("TURNPOST_DATA").filter(|dir| !dir.is_empty()).map(PathBuf::from);
    let mut json = false;
    let mut words = Vec::new();
    let mut all = all.into_iter();
    while let Some(word) = all.next() {
        match word.as_str() {
            "--json" => json = true,
            "--data" => data = Some(all.next()?.into()),
            "--version" | "-V" | "-h" => return None,
            "--help" if words.is_empty() => return None,
            _ => match word.strip_prefix("--data=") {
                Some(directory) => data = Some(directory.into()),
                None => words.push(word),
            },
        }
    }
    let first = words.iter().find(|word| !word.starts_with('-'))?;
    if OWN.contains(&first.as_str()) {
        return None;
    }
    Some(ShellLine { words, data: data.unwrap_or_else(default_data), json })
}

impl ShellLine {
    pub(super) fn run(self) -> Exit {
        logs::start(logs::Level::Warn, false);
        let line = match command::parse_words(&self.words) {
            Ok(line) => line,
            Err(error) => {
                let refused = Refused::from(error);
                let composer = crate::compose::Composer::new(None);
                return composer.and_then(|composer| self.refused(&composer, &refused)).unwrap_or_else(|e| failed(&e));
            }
        };
        self.obey(line).unwrap_or_else(|error| failed(&error))
    }

    fn obey(&self, line: Line) -> anyhow::Result<Exit> {
        let mut house = House::open(&self.data, World::REAL)?;
        let changes = line.command.changes();
        let password = password(&line)?;
        let request = Request { line, from: Origin::Shell { password }, comment: None, now: (house.world.now)() };
        let desk = house.config.desk(house.world);
        let mut ledger = if changes { house.store.write()? } else { house.store.read()? };
        let answer = desk.answer(ledger.as_mut(), &request)?;
        if changes {
            ledger.commit()?;
        } else {
            drop(ledger);
        }
        let exit = match &answer {
            Ok(answer) => self.answer(&house, answer)?,
            Err(refused) => self.refused(&house.composer, refused)?,
        };
        if changes && let Err(error) = house.hand_over() {
            // The command is done and its notices are in the outbox: only their sending waits.
            tracing::warn!("letters wait for the next turnpost at work: {error:#}");
        }
        Ok(exit)
    }

    fn answer(&self, house: &House, answer: &Answer) -> anyhow::Result<Exit> {
        let text = if self.json { serde_json::to_string(answer)? + "\n" } else { house.composer.answer(answer)? };
        print(&text)?;
        Ok(Exit::Done)
    }

    fn refused(&self, composer: &crate::compose::Composer, refused: &Refused) -> anyhow::Result<Exit> {
        if self.json {
            print(&(serde_json::json!({ "refused": refused }).to_string() + "\n"))?;
        } else {
            eprint!("{}", composer.refused(refused)?);
        }
        Ok(if refused.not_understood { Exit::NotUnderstood } else { Exit::Refused })
    }
}

/// Prints; a reader that went away (`| head`) is no error.
pub(super) fn print(text: &str) -> anyhow::Result<()> {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error).context("cannot print"),
        _ => Ok(()),
    }
}

/// What a `-` stands for: from the environment, else asked for at the terminal.
fn password(line: &Line) -> anyhow::Result<Option<String>> {
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
