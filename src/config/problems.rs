//! Reads the configuration and collects all its errors.

use std::ops::Range;
use std::path::PathBuf;
use std::{fmt, io};

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Deserializer, Error};

use super::keys::{described, names_in, new_name};
use crate::text::nearest;

/// A fault in the configuration.
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
        let problem = |error: &Error| document.problem(error.span(), error.message());
        let problems: Vec<Problem> = errors.iter().map(problem).collect();
        if problems.is_empty() { Ok(document) } else { Err(problems) }
    }

    /// Returns the line of a key, or of its table if the key is missing.
    pub(crate) fn line(&self, path: &str) -> Option<usize> {
        let mut table = self.table.get_ref();
        let mut found = None;
        for name in path.split('.') {
            let Some((key, value)) = table.iter().find(|(key, _)| key.get_ref() == name) else { break };
            found = Some(self.line_at(key.span().start));
            let DeValue::Table(inner) = value.get_ref() else { break };
            table = inner;
        }
        found
    }

    /// Reads it as this type. A fault is reported and removed, and the rest is read again, so that every fault is
    /// found. Returns `None` if a fault has no known position and cannot be removed.
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
            // A key may be missing only because it contained a fault, which was already reported.
            if !faults.iter().any(|(told, _)| told.strip_prefix(&path).is_some_and(|rest| rest.starts_with('.'))) {
                let problem = self.problem(error.span(), &format!("{path}: {}", error.message()));
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
            // The old name of the table.
            let known = match name {
                "house" if path.is_empty() => "policy",
                name => described(path, name),
            };
            if names_in(path).all(|there| there != known) {
                let meant = match new_name(path, name) {
                    Some(new) => Some(format!("; its name is now `{new}`")),
                    None => nearest(name, names_in(path)).map(|meant| format!("; did you mean `{meant}`?")),
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
