//! Reads the configuration, checks the keys and their values, and collects all errors.

use std::fmt;
use std::io::{self, ErrorKind};
use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Deserializer, Error};

use super::keys::{described, names_in, new_name, tables_with};
use super::oauth::is_this_machine;
use super::{Config, Imap, LmtpAddress, OAuth, Tls, Transport, sections};
use crate::command::MOST_TOTAL_DAYS;
use crate::service::Policy;
use crate::text::nearest;

/// An error in the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The line in the file, if known.
    pub line: Option<usize>,
    /// A description for the administrator.
    pub what: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

/// The text of a configuration, with the positions of its keys.
pub(crate) struct Document<'a> {
    text: &'a str,
    table: Spanned<DeTable<'a>>,
}

impl<'a> Document<'a> {
    /// Parses TOML.
    ///
    /// # Errors
    /// All syntax errors.
    pub(crate) fn parse(text: &'a str) -> Result<Document<'a>, Vec<Problem>> {
        let (table, errors) = DeTable::parse_recoverable(text);
        let document = Document { text, table };
        let problem = |error: &Error| {
            let what = match error.span().and_then(|span| text.get(span)) {
                Some(key) if error.message() == "duplicate key" => {
                    format!("duplicate key `{key}`; a key or table can occur only once")
                }
                _ => error.message().to_owned(),
            };
            document.problem(error.span(), &what)
        };
        let problems: Vec<Problem> = errors.iter().map(problem).collect();
        if problems.is_empty() { Ok(document) } else { Err(problems) }
    }

    /// Returns the line of a key, or of its table if the key is missing.
    pub(crate) fn line(&self, path: &str) -> Option<usize> {
        let (mut table, mut path, mut found) = (self.table.get_ref(), path, None);
        loop {
            // A quoted name can contain dots, so the longest matching name is the right one.
            let names = table.iter().filter_map(|(key, value)| Some((below(path, key.get_ref())?, key, value)));
            let Some((rest, key, value)) = names.min_by_key(|(rest, ..)| rest.len()) else { break };
            found = Some(self.line_at(key.span().start));
            let DeValue::Table(inner) = value.get_ref() else { break };
            (table, path) = (inner, rest);
        }
        found
    }

    /// Reads the document as this type. To find every error, reports and removes the first one and reads the rest
    /// again, until there is none. Returns `None` if an error has no known position and cannot be removed.
    pub(crate) fn read<T: for<'de> Deserialize<'de>>(&self) -> (Option<T>, Vec<Problem>) {
        let mut table = self.table.clone();
        let mut faults = Vec::new();
        self.find_unknown("", table.get_mut(), &mut faults);
        let read = loop {
            let error = match T::deserialize(Deserializer::from(table.clone())) {
                Ok(read) => break Some(read),
                Err(error) => error,
            };
            let Some(path) = take(table.get_mut(), error.span().unwrap_or(0..0).start, "") else {
                faults.push((String::new(), self.problem(error.span(), error.message())));
                break None;
            };
            // A key may be missing only because its value contained an error, which was already reported.
            if !faults
                .iter()
                .any(|(reported, _)| reported.strip_prefix(&path).is_some_and(|rest| rest.starts_with('.')))
            {
                let written = error.span().and_then(|span| self.text.get(span)).unwrap_or_default();
                let what = in_words(&path, error.message(), written);
                let problem = self.problem(error.span(), &format!("{path}: {what}"));
                faults.push((path, problem));
            }
        };
        (read, faults.into_iter().map(|(_, problem)| problem).collect())
    }

    fn problem(&self, span: Option<Range<usize>>, what: &str) -> Problem {
        Problem { line: span.map(|span| self.line_at(span.start)), what: what.trim_end().replace('\n', "; ") }
    }

    fn line_at(&self, at: usize) -> usize {
        self.text.as_bytes()[..at.min(self.text.len())].iter().filter(|byte| **byte == b'\n').count() + 1
    }

    /// Removes unknown keys, and reports them with their paths.
    fn find_unknown(&self, path: &str, table: &mut DeTable<'_>, faults: &mut Vec<(String, Problem)>) {
        let mut unknown = Vec::new();
        for (key, value) in table.iter_mut() {
            let name = &**key.get_ref();
            // `house` is the old name of the table `policy`.
            let known = match name {
                "house" if path.is_empty() => "policy",
                name => described(path, name),
            };
            if names_in(path).all(|there| there != known) {
                let meant = match new_name(path, name) {
                    Some(new) => Some(format!("; its name is now `{new}`")),
                    None => place_of(name)
                        .or_else(|| nearest(name, names_in(path)).map(|meant| format!("; did you mean `{meant}`?"))),
                };
                let table = path.trim_end_matches('.');
                let place = if table.is_empty() { String::new() } else { format!(" in [{table}]") };
                let what = format!("unknown key `{name}`{place}{}", meant.unwrap_or_default());
                faults.push((format!("{path}{name}"), self.problem(Some(key.span()), &what)));
                unknown.push(name.to_owned());
            } else if let DeValue::Table(inner) = value.get_mut() {
                self.find_unknown(&format!("{path}{known}."), inner, faults);
            }
        }
        for name in &unknown {
            table.remove(name.as_str());
        }
    }
}

/// Describes where a key of this name belongs; `None` if no table has one.
fn place_of(name: &str) -> Option<String> {
    let places = tables_with(name).map(|table| match table {
        "" => "above the first table".to_owned(),
        table => format!("in [{table}]"),
    });
    let places = places.collect::<Vec<_>>().join(" or ");
    (!places.is_empty()).then(|| format!("; it belongs {places}"))
}

/// The number types in the parser's messages, with their limits in words.
const NUMBERS: [(&str, &str); 5] = [
    ("u8", "from 0 to 255"),
    ("u16", "from 0 to 65535"),
    ("u32", "from 0 to 4294967295"),
    ("u64", "of at least 0"),
    ("usize", "of at least 0"),
];

/// A number of the configuration, with its bounds.
struct Bounded {
    path: &'static str,
    value: u64,
    bounds: RangeInclusive<u64>,
}

impl Bounded {
    fn limits(&self) -> String {
        format!("from {} to {}", self.bounds.start(), self.bounds.end())
    }
}

/// The maximum number of days for which data can be stored: 100 years. Longer times might not be representable.
const MOST_STORED: u64 = 36_525;
/// The maximum idle time of a connection or a worker, in seconds: a day.
const MOST_IDLE: u64 = 86_400;
/// The longest time between two backups, in hours: a year.
const MOST_HOURS: u64 = 8_784;

impl Config {
    /// Returns the numbers that must be checked, because their types also allow invalid values.
    fn bounded(&self) -> Vec<Bounded> {
        let Config { receive, backup, metrics, policy, .. } = self;
        let bounded = |path, value, bounds| Bounded { path, value, bounds };
        let days = |path, value: u32, most| bounded(path, value.into(), 0..=most);
        vec![
            bounded("receive.sessions", receive.sessions as u64, 1..=10_000),
            bounded("receive.idle", receive.idle, 1..=MOST_IDLE),
            bounded("backup.every", backup.every.into(), 1..=MOST_HOURS),
            bounded("backup.keep", backup.keep.into(), 1..=100_000),
            bounded("metrics.stalled_after", metrics.stalled_after.into(), 1..=MOST_IDLE),
            days("policy.nagtime", policy.nagtime, MOST_TOTAL_DAYS.into()),
            days("policy.forfeittime", policy.forfeittime, MOST_TOTAL_DAYS.into()),
            days("policy.totaltime", policy.totaltime, MOST_TOTAL_DAYS.into()),
            days("policy.vacation_days", policy.vacation_days, 366),
            days("policy.keep_messages", policy.keep_messages, MOST_STORED),
            days("policy.keep_letters", policy.keep_letters, MOST_STORED),
        ]
    }
}

/// Returns the bounds of a number, in words.
fn limits_of(path: &str) -> Option<String> {
    Config::default().bounded().iter().find(|number| number.path == path).map(Bounded::limits)
}

/// Rewrites a message of the parser for the administrator. `written` is the value of the key in the file.
fn in_words(path: &str, message: &str, written: &str) -> String {
    match message.trim_end() {
        "invalid socket address syntax" => {
            format!("{written} is not an address with a port; write one such as \"127.0.0.1:8080\"")
        }
        message => match message.rsplit_once(", expected ") {
            Some((_, "socket address")) => in_words(path, "invalid socket address syntax", written),
            Some((_, "a boolean")) => format!("{written} is not valid; write true or false"),
            Some((_, expected)) => match NUMBERS.iter().find(|(name, _)| *name == expected) {
                Some((_, limits)) => {
                    let limits = limits_of(path).unwrap_or_else(|| (*limits).to_owned());
                    format!("{written} is not valid; write a whole number {limits}")
                }
                None => message.to_owned(),
            },
            None => message.to_owned(),
        },
    }
}

/// Removes the innermost entry whose key or value is at this position, and returns its path.
fn take(table: &mut DeTable<'_>, at: usize, path: &str) -> Option<String> {
    for (name, value) in table.iter_mut() {
        let DeValue::Table(inner) = value.get_mut() else { continue };
        if let Some(taken) = take(inner, at, &format!("{path}{}.", name.get_ref())) {
            return Some(taken);
        }
    }
    let is_at = |span: Range<usize>| span.contains(&at);
    let found = table.iter().find(|(key, value)| is_at(key.span()) || is_at(value.span()));
    let name = found.map(|(key, _)| key.get_ref().to_string())?;
    table.remove(name.as_str());
    Some(format!("{path}{name}"))
}

/// An error that makes the configuration unusable.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        #[source]
        /// The cause.
        error: io::Error,
    },
    /// The file, or something that it names, contains a fault.
    #[error("{0}")]
    Wrong(String),
}

/// The maximum length of the pages' address in bytes.
const MAX_URL: usize = 200;

impl Config {
    /// Reads `turnpost.toml` of the data directory; returns the defaults if it does not exist.
    ///
    /// # Errors
    /// If the file cannot be read, or contains faults. Lists each fault with its line and key.
    pub fn read(data: &Path) -> anyhow::Result<Config> {
        let path = data.join("turnpost.toml");
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Config::default()),
            Err(error) => return Err(ConfigError::Unreadable { path, error }.into()),
        };
        match Config::parse(&text, data) {
            (Some(config), problems) if problems.is_empty() => Ok(config),
            (_, problems) => {
                let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
                Err(ConfigError::Wrong(format!("{}: {}", path.display(), problems.join("; "))).into())
            }
        }
    }

    /// Parses a configuration whose paths are relative to the data directory. Reports all faults. Returns the
    /// configuration without the faulty keys, if it can be read without them.
    pub fn parse(text: &str, data: &Path) -> (Option<Config>, Vec<Problem>) {
        let document = match Document::parse(text) {
            Ok(document) => document,
            Err(problems) => return (None, problems),
        };
        let (config, mut problems) = document.read::<Config>();
        let config = config.map(|mut config| {
            let faults = config.faults().into_iter().map(|(path, what)| (path.to_owned(), what));
            let faults = faults.chain(config.robot.faults()).chain(sections::faults(&config.games));
            problems.extend(faults.map(|(path, what)| Problem { line: document.line(&path), what }));
            config.complete(data);
            config
        });
        problems.sort_by_key(|problem| problem.line);
        (config, problems)
    }

    /// Describes the invalid values outside the tables of games and computer players, each with the path of its key.
    fn faults(&self) -> Vec<(&'static str, String)> {
        let mut faults = Vec::new();
        let mut add = |path: &'static str, what: String| faults.push((path, what));
        if self.address.parse::<lettre::Address>().is_err() {
            add("address", format!("address = {:?} is not a mail address", self.address));
        }
        for number in self.bounded().iter().filter(|number| !number.bounds.contains(&number.value)) {
            add(number.path, format!("{} must be {}", number.path, number.limits()));
        }
        if (1..Policy::KEPT_LETTERS).contains(&self.policy.keep_letters) {
            let least = Policy::KEPT_LETTERS;
            add(
                "policy.keep_letters",
                format!("keep_letters must be 0 or at least {least}: bounces are counted for that many days"),
            );
        }
        if self.database.is_some() && self.backup.directory.is_some() {
            let what = "only a database file can be backed up here; back up PostgreSQL with pg_dump";
            add("backup.directory", what.to_owned());
        }
        if let Some(url) = &self.web.url {
            let plain = url.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'<' | b'>' | b'"'));
            let host = ["https://", "http://"].iter().find_map(|scheme| url.strip_prefix(scheme));
            // The paths of links begin at the root of the host, so the address must not contain a path.
            let is_root = host.is_some_and(|host| !host.trim_end_matches('/').contains(['/', '?', '#']));
            if !plain || !is_root || url.trim_end_matches('/').len() > MAX_URL {
                add(
                    "web.url",
                    format!(
                        "url = {url:?} of [web] is not an address such as \"https://games.example.org\", without a path"
                    ),
                );
            }
        }
        if let (Some(web), Some(metrics)) = (self.web.listen, self.metrics.listen)
            && web == metrics
            && web.port() != 0
        {
            add(
                "metrics.listen",
                format!("listen = \"{metrics}\" of [metrics] is also that of [web]; use another port"),
            );
        }
        faults.extend(self.receive.imap.as_ref().into_iter().flat_map(Imap::faults));
        faults.extend(self.login_faults());
        faults
    }

    /// Describes the errors in the login settings, each with the path of its key.
    fn login_faults(&self) -> Vec<(&'static str, String)> {
        let mut faults = self.oauth.as_ref().map(OAuth::faults).unwrap_or_default();
        let mut add = |path: &'static str, what: String| faults.push((path, what));
        let mut is_used = false;
        if let Transport::Smtp { user: Some(_), password_file: None, host, tls, .. } = &self.transport {
            is_used = true;
            if self.oauth.is_none() {
                add("transport.user", "[transport] has a user, so it needs a password_file or [oauth]".to_owned());
            } else if *tls == Tls::None && !is_this_machine(host) {
                let what = format!("tls = \"none\" would send the access token to {host:?} unencrypted");
                add("transport.tls", what);
            }
        }
        if self.receive.imap.as_ref().is_some_and(|imap| imap.password_file.is_none()) {
            is_used = true;
            if self.oauth.is_none() {
                add("receive.imap.password_file", "[receive.imap] needs a password_file or [oauth]".to_owned());
            }
        }
        if self.oauth.is_some() && !is_used {
            let what =
                "[oauth] is not used; it applies to a user of [transport] or [receive.imap] without a password_file";
            add("oauth", what.to_owned());
        }
        faults
    }

    /// Copies settings of other tables to the policy, resolves paths in the data directory, and normalizes the pages'
    /// address.
    fn complete(&mut self, data: &Path) {
        let complete = |path: &mut std::path::PathBuf| *path = data.join(&*path);
        self.policy.robots = self.robot.levels;
        self.policy.player_events = self.events.players;
        self.policy.engines = self.robot.players();
        self.policy.default_options = sections::default_options(&self.games);
        self.templates.iter_mut().for_each(complete);
        self.backup.directory.iter_mut().for_each(complete);
        self.receive.maildir.iter_mut().for_each(complete);
        if let Transport::Smtp { password_file: Some(file), .. } = &mut self.transport {
            complete(file);
        }
        if let Some(LmtpAddress::Unix(socket)) = &mut self.receive.lmtp {
            complete(socket);
        }
        if let Some(imap) = &mut self.receive.imap {
            imap.password_file.iter_mut().for_each(complete);
            imap.ca_file.iter_mut().for_each(complete);
        }
        if let Some(oauth) = &mut self.oauth {
            oauth.client_secret_file.iter_mut().for_each(complete);
            oauth.grant_file = data.join("oauth.json");
        }
        if let Some(url) = &mut self.web.url {
            url.truncate(url.trim_end_matches('/').len());
        }
    }
}

impl Imap {
    /// Describes the invalid values, each with the path of its key.
    fn faults(&self) -> Vec<(&'static str, String)> {
        let mut faults = Vec::new();
        let Imap { host, tls, mailbox, folder, .. } = self;
        if *tls == Tls::None && !is_this_machine(host) {
            let what = format!("tls = \"none\" would send the password to {host:?} unencrypted; use \"wrapped\"");
            faults.push(("receive.imap.tls", what));
        }
        for (path, name) in [("receive.imap.mailbox", mailbox), ("receive.imap.folder", folder)] {
            if name.is_empty() || !name.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
                let what = format!("{name:?} is not a mailbox name; write it as the IMAP server does, in ASCII");
                faults.push((path, what));
            }
        }
        if !self.delete && mailbox.eq_ignore_ascii_case(folder) {
            let what = format!("processed mail must be moved out of {mailbox:?}; name another folder");
            faults.push(("receive.imap.folder", what));
        }
        faults
    }
}

/// Returns the rest of a path that begins with a name.
fn below<'a>(path: &'a str, name: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(name)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('.') }
}

/// Returns the line of a key, or of its table, in a valid configuration.
pub fn line_of(text: &str, path: &str) -> Option<usize> {
    Document::parse(text).ok()?.line(path)
}
