//! `turnpost check-config` and `turnpost describe-config`.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use serde_json::json;

use crate::compose::{Composer, unknown_files};
use crate::config::{self, Config, KEYS, LmtpAddress, Problem, Transport};
use crate::mail::inbound::imap;
use crate::mail::oauth::AccessTokens;
use crate::mail::outbound;
use crate::serve::try_engine;
use crate::store;
use crate::world::{Deadline, World};

use super::exit::{Exit, say};

/// The maximum wait for a mail server's greeting.
const PATIENCE: Duration = Duration::from_secs(10);

/// Prints all errors of the configuration, and of the files, programs and servers that it names.
pub(crate) fn check(data: &Path, as_json: bool) -> anyhow::Result<Exit> {
    let path = data.join("turnpost.toml");
    let (text, is_there) = match fs::read_to_string(&path) {
        Ok(text) => (text, true),
        Err(error) if error.kind() == ErrorKind::NotFound => (String::new(), false),
        Err(error) => return report(&path, &[Problem { line: None, what: error.to_string() }], is_nothing(), as_json),
    };
    let (config, mut problems) = Config::parse(&text, data);
    if let Some(config) = &config {
        let found = Surroundings { data, config, found: Vec::new() }.find_faults().into_iter();
        let found = found.map(|(key, what)| (key.to_owned(), what)).chain(engine_faults(config));
        problems.extend(found.map(|(key, what)| Problem { line: config::line_of(&text, &key), what }));
        problems.sort_by_key(|problem| problem.line);
    }
    report(&path, &problems, if is_there { is_nothing() } else { "there is no such file: all defaults apply" }, as_json)
}

/// Returns the message for a configuration without faults.
fn is_nothing() -> &'static str {
    "no fault was found"
}

fn report(path: &Path, problems: &[Problem], otherwise: &str, as_json: bool) -> anyhow::Result<Exit> {
    let found = problems.iter().map(|Problem { line, what }| json!({ "line": line, "problem": what }));
    say(as_json, json!({ "file": path, "problems": found.collect::<Vec<_>>() }), || match problems {
        [] => format!("{}: {otherwise}.\n", path.display()),
        _ => problems.iter().map(|problem| format!("{}: {problem}\n", path.display())).collect(),
    })?;
    Ok(if problems.is_empty() { Exit::Done } else { Exit::WrongConfiguration })
}

/// A check of the files, programs and servers that the configuration names. It records each fault with the path of the
/// configuration key.
struct Surroundings<'a> {
    data: &'a Path,
    config: &'a Config,
    found: Vec<(&'static str, String)>,
}

impl Surroundings<'_> {
    fn find_faults(mut self) -> Vec<(&'static str, String)> {
        self.look_at_directories();
        if let Err(error) = store::probe(&self.config.location(self.data)) {
            self.found.push(("database", error.to_string()));
        }
        let composer = Composer::new(self.config.templates.as_deref(), self.config.web.url.as_deref());
        if let Err(error) = composer.and_then(|composer| composer.check()) {
            self.found.push(("templates", format!("{error:#}")));
        }
        for file in self.config.templates.iter().flat_map(|directory| unknown_files(directory)) {
            let what = format!("{} replaces nothing: there is no built-in file of this name", file.display());
            self.found.push(("templates", what));
        }
        self.look_at_transport();
        self.look_at_mailbox();
        self.look_at_oauth();
        self.found
    }

    fn look_at_directories(&mut self) {
        let Config { receive, backup, .. } = self.config;
        let lmtp = match &receive.lmtp {
            Some(LmtpAddress::Unix(socket)) => socket.parent(),
            Some(LmtpAddress::Loopback(_) | LmtpAddress::Passed) | None => None,
        };
        let maildir = receive.maildir.as_ref().map(|maildir| maildir.join("new"));
        for (key, directory) in
            [("data", Some(self.data)), ("receive.lmtp", lmtp), ("receive.maildir", maildir.as_deref())]
        {
            if let Some(directory) = directory.filter(|directory| !directory.is_dir()) {
                self.found.push((key, format!("there is no directory {}", directory.display())));
            }
        }
        // The first backup creates the directory, so check only that its nearest existing ancestor is a directory.
        let made = backup.directory.iter().flat_map(|directory| directory.ancestors());
        if let Some(there) = made.into_iter().find(|ancestor| ancestor.exists()).filter(|there| !there.is_dir()) {
            self.found.push(("backup.directory", format!("{} is not a directory", there.display())));
        }
    }

    /// Returns whether a password can be read from a file. Records a fault if it cannot.
    fn look_at_password(&mut self, key: &'static str, file: &Path) -> bool {
        let what = match fs::read_to_string(file) {
            Ok(text) if text.lines().next().is_some_and(|first| !first.is_empty()) => return true,
            Ok(_) => format!("the first line of {} is empty; write the password there", file.display()),
            Err(error) => format!("cannot read {}: {error}", file.display()),
        };
        self.found.push((key, what));
        false
    }

    fn look_at_transport(&mut self) {
        match &self.config.transport {
            Transport::Maildir => return,
            Transport::Sendmail { command } => {
                let is_program =
                    fs::metadata(command).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0);
                if !is_program {
                    self.found.push(("transport.command", format!("{} is not a program", command.display())));
                }
                return;
            }
            Transport::Smtp { user: Some(_), password_file: None, .. } if self.config.oauth.is_none() => return,
            Transport::Smtp { password_file, .. } => {
                if let Some(file) = password_file
                    && !self.look_at_password("transport.password_file", file)
                {
                    return;
                }
            }
        }
        let greeted = outbound::Transport::new(self.config, self.data)
            .and_then(|transport| Ok(transport.greet(Deadline::after(PATIENCE))?));
        if let Err(error) = greeted {
            self.found.push(("transport.host", format!("the mail server did not send a greeting: {error:#}")));
        }
    }

    fn look_at_mailbox(&mut self) {
        let Some(mailbox) = &self.config.receive.imap else { return };
        if let Some(file) = &mailbox.password_file {
            self.look_at_password("receive.imap.password_file", file);
        }
        if let Some(file) = &mailbox.ca_file
            && let Err(error) = fs::read(file)
        {
            self.found.push(("receive.imap.ca_file", format!("cannot read {}: {error}", file.display())));
            return;
        }
        if let Err(error) = imap::greet(mailbox, World::REAL) {
            self.found.push(("receive.imap.host", format!("the mailbox's server did not send a greeting: {error}")));
        }
    }

    /// Checks whether the provider issues an access token.
    fn look_at_oauth(&mut self) {
        let secret = self.config.oauth.as_ref().and_then(|oauth| oauth.client_secret_file.as_ref());
        if secret.is_some_and(|file| !self.look_at_password("oauth.client_secret_file", file)) {
            return;
        }
        if let Some(Err(error)) = AccessTokens::of(self.config).map(|tokens| tokens.get()) {
            self.found.push(("oauth", error.to_string()));
        }
    }
}

/// Checks whether the programs of computer players play their games. Returns each fault with the path of its table.
fn engine_faults(config: &Config) -> Vec<(String, String)> {
    let mut faults = Vec::new();
    for (name, engine) in &config.robot.engine {
        for game in &engine.games {
            if let Err(fault) = try_engine(engine, game) {
                let table = format!("robot.engine.{name}");
                let what = format!("[{table}], asked about {game}: {fault}");
                faults.push((table, what));
            }
        }
    }
    faults
}

/// Prints every key of the configuration.
pub(crate) fn describe(as_json: bool) -> anyhow::Result<Exit> {
    let mut text = String::new();
    let mut last = "";
    for key in KEYS {
        let (table, name) = key.path.rsplit_once('.').unwrap_or(("", key.path));
        if table != last {
            text += &format!("[{table}]\n");
            last = table;
        }
        let default = key.default.map_or_else(|| "no default".to_owned(), |default| format!("default {default}"));
        text += &format!("{name}: {}; {default}\n    {}\n", key.unit, key.meaning);
    }
    say(as_json, KEYS, || text)
}
