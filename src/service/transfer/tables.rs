//! The tables and lines of an export, and errors in its lines.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::TransferError;
use crate::clock::Zone;
use crate::command::{Plan, Settings};
use crate::message;
use crate::rules::catalogue;
use crate::service::notice::kind::NoticeKind;
use crate::store::{self, ActKind, Channel, MailSource, StoreError, Table, Transaction};
use crate::text::Message;

/// The tables that an export omits. A test fails for a table neither listed here nor known to be exported.
#[rustfmt::skip] // The comments explain groups of lines.
pub const NOT_MOVED: &[&str] = &[
    // The first line of an export contains the content of these tables.
    "server",
    "last_numbers",
    // These rows are part of the schema, or concern only this database.
    "entry_channels",
    "entry_kinds",
    "leases",
    "migrations",
    "writer",
    // Players log in again.
    "browsers",
    "login_links",
    "sessions",
    // Rate limits start from zero.
    "rate_limits",
    // The programs that receive webhook calls read the state of their boards again.
    "webhook_calls",
    // These rows are computed from the boards, by the import or on request.
    "rating_changes",
    "rating_ranges",
    "standings",
    "analyses",
    "hints",
];

/// The columns that an export with a passphrase encrypts. The first column of their tables is the key, a number.
const SEALED: [(&str, &str); 3] = [("inbox", "raw"), ("quarantine", "raw"), ("webhooks", "secret")];

/// The number of rows, by table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts(BTreeMap<String, u64>);

impl Counts {
    /// Returns the number of rows of a table.
    pub fn of(&self, table: &str) -> u64 {
        self.0.get(table).copied().unwrap_or(0)
    }

    /// Returns the number of rows of all tables.
    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }

    pub(crate) fn add(&mut self, table: &str, rows: u64) {
        match self.0.get_mut(table) {
            Some(count) => *count += rows,
            None => drop(self.0.insert(table.to_owned(), rows)),
        }
    }

    /// Returns the tables whose numbers of rows differ, with the numbers in `self` and in `other`.
    pub(crate) fn differences(&self, other: &Counts) -> Vec<(String, u64, u64)> {
        let tables = self.0.keys().chain(other.0.keys());
        let mut found: Vec<_> = tables.map(|table| (table.clone(), self.of(table), other.of(table))).collect();
        found.retain(|(_, here, there)| here != there);
        found.dedup();
        found
    }
}

/// Returns whether an export with a passphrase encrypts a column.
pub(crate) fn is_sealed(table: &str, column: &str) -> bool {
    SEALED.contains(&(table, column))
}

/// Lists the tables of an export. Each follows the tables to which it refers; otherwise they are in alphabetical order.
pub(crate) fn moved(tx: &Transaction<'_>) -> store::Result<Vec<Table>> {
    let mut rest = tx.tables()?;
    rest.retain(|table| !NOT_MOVED.contains(&table.name.as_str()));
    let mut ordered = Vec::with_capacity(rest.len());
    let is_free = |table: &Table, rest: &[Table]| {
        let others = table.columns.iter().filter_map(|column| column.refers_to.as_ref());
        others.into_iter().all(|(other, _)| *other == table.name || rest.iter().all(|waiting| waiting.name != *other))
    };
    while let Some(next) = rest.iter().position(|table| is_free(table, &rest)) {
        ordered.push(rest.remove(next));
    }
    ordered.extend(rest);
    Ok(ordered)
}

/// Returns whether the time zone of settings exists.
pub(crate) fn has_zone(settings: &Settings) -> bool {
    Zone::names().any(|name| *name == *settings.zone)
}

/// Returns whether this version of the program can read the text of a column. The schema checks most columns; the
/// columns here depend on the program.
pub(crate) fn is_known(table: &str, column: &str, text: &str) -> bool {
    fn named<T: DeserializeOwned>(text: &str) -> bool {
        serde_json::from_value::<T>(text.into()).is_ok()
    }
    match (table, column) {
        (_, "game") => catalogue::find(text).is_some(),
        (_, "settings" | "sent_settings") => text.parse().is_ok_and(|settings| has_zone(&settings)),
        ("acts", "act") => named::<ActKind>(text),
        ("inbox", "via") => named::<MailSource>(text),
        ("outbox", "facts") => serde_json::from_str::<Value>(text).is_ok_and(|facts| facts.is_object()),
        ("outbox", "kind") => NoticeKind::named(text).is_some(),
        ("proposals", "via") => named::<Channel>(text),
        ("seats", "plan") => text.parse::<Plan>().is_ok(),
        _ => true,
    }
}

/// An error in a line, or a failure to read the line or to store its row.
pub(crate) enum Fault {
    What(Message),
    Store(StoreError),
    Io(io::Error),
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Fault {
        Fault::Store(error)
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Fault {
        match error.kind() {
            ErrorKind::InvalidData => Fault::What(message!("import.not-utf-8")),
            _ => Fault::Io(error),
        }
    }
}

impl Fault {
    pub(crate) fn in_line(self, line: usize) -> TransferError {
        match self {
            Fault::What(what) | Fault::Store(StoreError::WrongRecord(what)) => TransferError::Line { line, what },
            Fault::Store(StoreError::Failed(what)) => TransferError::Line { line, what: Message::verbatim(what) },
            Fault::Store(error) => TransferError::Store(error),
            Fault::Io(error) => TransferError::Io(error),
        }
    }
}

pub(crate) type Read<T> = std::result::Result<T, Fault>;

pub(crate) fn fault<T>(what: Message) -> Read<T> {
    Err(Fault::What(what))
}

/// The numbered lines of a file.
pub(crate) type Lines<'a> = &'a mut dyn Iterator<Item = (usize, io::Result<String>)>;

/// Parses a line, which must be a JSON object.
pub(crate) fn object(text: &str) -> Read<Map<String, Value>> {
    // serde_json reports "at line 1", because it parses only this line. A reader would take it for the first line of
    // the file.
    serde_json::from_str(text).or_else(|error| {
        let what = error.to_string();
        let what = what.split(" at line ").next().unwrap_or_default();
        fault(message!("import.no-line", what, column = error.column()))
    })
}
