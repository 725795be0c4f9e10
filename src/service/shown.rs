//! Decides which words of a line or of a quarantined message may be shown and stored.

use std::collections::BTreeSet;

use super::board::robots::robot_level;
use super::context::Service;
use super::policy::Policy;
use super::rejection::Rejection;
use crate::command::{HiddenWords, MaskedLine, ParseError, ParsedLine, Shown, mask, possible_names};
use crate::store::{self, InboxId, Transaction};
use crate::text::{self, Fact, Message};
use crate::token;

impl Service<'_> {
    /// Returns the rejection of a line that is not a command.
    ///
    /// # Errors
    /// If the store fails.
    pub fn not_understood(&self, tx: &Transaction<'_>, error: ParseError) -> store::Result<Rejection> {
        self.answered(tx, Rejection::not_understood(error))
    }

    /// Masks possible passwords in a line, so that it can be stored.
    ///
    /// # Errors
    /// If the store fails.
    pub fn shown(&self, tx: &Transaction<'_>, line: &ParsedLine) -> store::Result<String> {
        let names = names(tx, &line.shown)?;
        Ok(mask(&line.shown, None, Shown::Kept, &|word| is_in(&names, word)).line)
    }

    /// Returns a rejection in the form that the sender of the request may see.
    ///
    /// # Errors
    /// If the store fails.
    pub fn answered(&self, tx: &Transaction<'_>, rejection: Rejection) -> store::Result<Rejection> {
        let names = names(tx, &rejection.line)?;
        Ok(without_hidden(rejection, Shown::in_answer(self.policy.shortest_password), &names))
    }

    /// Returns a rejection in the form that may be stored, for the log and the administrator.
    ///
    /// # Errors
    /// If the store fails.
    pub fn kept(&self, tx: &Transaction<'_>, rejection: Rejection) -> store::Result<Rejection> {
        let names = names(tx, &rejection.line)?;
        Ok(without_hidden(rejection, Shown::Kept, &names))
    }
}

/// Creates the rejection of a line that is not a command, without the database and the configuration. It therefore
/// recognizes no names, and assumes the default minimum length of passwords.
impl From<ParseError> for Rejection {
    fn from(error: ParseError) -> Self {
        let how_much = Shown::in_answer(Policy::default().shortest_password);
        without_hidden(Rejection::not_understood(error), how_much, &BTreeSet::new())
    }
}

/// Returns the words of a line that are userids or confirmed addresses of players, names of computer players, or names
/// of events, in lower case.
pub(crate) fn names(tx: &Transaction<'_>, line: &str) -> store::Result<BTreeSet<String>> {
    let words: Vec<String> = possible_names(line).into_iter().map(str::to_ascii_lowercase).collect();
    let (robots, words): (Vec<_>, Vec<_>) = words.into_iter().partition(|word| robot_level(word).is_some());
    let names = if words.is_empty() { Vec::new() } else { tx.names_among(words)? };
    Ok(names.iter().map(|name| name.to_lowercase()).chain(robots).collect())
}

pub(crate) fn is_in(names: &BTreeSet<String>, word: &str) -> bool {
    names.contains(&word.to_lowercase())
}

/// Masks possible passwords in a rejection's line, and removes them from its message.
fn without_hidden(rejection: Rejection, how_much: Shown, names: &BTreeSet<String>) -> Rejection {
    let Rejection { line, at, message, nearest, .. } = rejection;
    let MaskedLine { line, at, hidden } = mask(&line, at, how_much, &|word| is_in(names, word));
    let nearest = nearest.filter(|nearest| !hidden.stand_in(nearest));
    Rejection { line, at, message: without_words(message, &hidden), nearest, ..rejection }
}

/// Empties the facts of a message that contain a possible password.
fn without_words(message: Message, hidden: &HiddenWords) -> Message {
    let text = |text: String| if hidden.stand_in(&text) { String::new() } else { text };
    let fact = |fact| match fact {
        Fact::Text(words) => Fact::Text(text(words)),
        Fact::List(words) => Fact::List(words.into_iter().map(text).collect()),
        Fact::Message(inner) => Fact::Message(Box::new(without_words(*inner, hidden))),
        Fact::Flag(_) | Fact::Number(_) => fact,
    };
    let Message { code, facts } = message;
    Message { code, facts: facts.into_iter().map(|(name, value)| (name, fact(value))).collect() }
}

/// The maximum number of lines shown of a quarantined message.
const MAX_LINES: usize = 200;
/// Header fields that do not contain passwords.
const PLAIN_FIELDS: &[&str] =
    &["from", "date", "message-id", "mime-version", "content-type", "content-transfer-encoding", "auto-submitted"];

/// Returns the lines of a quarantined message, with possible passwords masked; `None` if it is not quarantined.
///
/// # Errors
/// If the store fails.
pub fn masked_mail(tx: &Transaction<'_>, mail: InboxId) -> store::Result<Option<Vec<String>>> {
    let Some(raw) = tx.quarantined_mail(mail)? else { return Ok(None) };
    let raw = String::from_utf8_lossy(&raw);
    let key = tx.reply_key()?;
    let mut in_headers = true;
    let mut masked = Vec::new();
    for line in raw.lines().take(MAX_LINES) {
        in_headers &= !line.is_empty();
        let line = text::line(line);
        let line = token::redacted(&line, &key).unwrap_or(line);
        let names = names(tx, &line)?;
        let field = line.split_once(':').filter(|_| in_headers);
        masked.push(match field {
            Some((name, _)) if PLAIN_FIELDS.contains(&name.to_ascii_lowercase().as_str()) => line,
            Some((name, value)) if !name.contains(char::is_whitespace) => {
                format!("{name}: {}", mask(value, None, Shown::Kept, &|word| is_in(&names, word)).line)
            }
            _ => mask(&line, None, Shown::Kept, &|word| is_in(&names, word)).line,
        });
    }
    Ok(Some(masked))
}
