//! The filters of the templates: paragraphs, times and numbers in words.

use std::sync::Arc;

use chrono::DateTime;
use minijinja::value::Serde;
use minijinja::{Environment, Error, HtmlEscape, State, Value, context};

use super::lines::{Indents, PROSE, fold, whole};
use super::messages::Messages;
use crate::clock::Zone;
use crate::rules::{Options, catalogue};

/// Adds the filters to an environment. Their words are messages.
pub(crate) fn add(environment: &mut Environment<'static>, messages: &Arc<Messages>) {
    environment.add_test("drawable", |game: &str| catalogue::find(game).is_some_and(|game| game.has_draws()));
    environment.add_filter("wrap", wrap);
    environment.add_filter("prose", prose);
    environment.add_filter("when", when);
    environment.add_filter("time", time);
    environment.add_filter("ics", ics);
    environment.add_filter("ics_time", ics_time);
    let words = Arc::clone(messages);
    environment.add_filter("options", move |state: &State<'_, '_>, options: &str, game: &str| {
        option_words(state, &words, options, game)
    });
    let words = Arc::clone(messages);
    environment.add_filter("days", move |state: &State<'_, '_>, count: f64| days(state, &words, count));
    let words = Arc::clone(messages);
    environment.add_filter("series", move |state: &State<'_, '_>, values: Vec<Value>, most: Option<usize>| {
        series(state, &words, &values, most)
    });
    let words = Arc::clone(messages);
    environment.add_filter("words", move |state: &State<'_, '_>, message: Value| words.words(state.env(), &message));
}

/// `text|wrap` breaks lines softly at 72 columns. `text|wrap("  ")` also indents every line but the first, and
/// `text|wrap("  ", true)` indents all of them.
fn wrap(text: &str, indent: Option<&str>, first: Option<bool>) -> String {
    let other = indent.unwrap_or_default();
    fold(text, PROSE, Indents { first: if first == Some(true) { other } else { "" }, other })
}

/// `{% filter prose %}` joins its content into one paragraph, regardless of line breaks and blanks. A full stop or
/// comma may be on a separate line. Empty content remains empty. `prose("  ")` indents every line but the first.
fn prose(text: &str, indent: Option<&str>) -> String {
    let mut paragraph = String::new();
    // The content may include another paragraph.
    for word in whole(text).split_whitespace() {
        if !paragraph.is_empty() && !word.starts_with(['.', ',', ';', ':']) {
            paragraph.push(' ');
        }
        paragraph += word;
    }
    if paragraph.is_empty() { paragraph } else { wrap(&paragraph, indent, None) + "\n" }
}

/// Formats a time of the record (`2026-11-21T13:20:33Z`) in the reader's `zone`: `2026-11-21 14:20 CET`.
fn when(state: &State<'_, '_>, time: &Value) -> String {
    let zone = state.lookup("zone");
    shown(time, zone.as_ref().and_then(Value::as_str).unwrap_or_default())
}

/// Formats a time of the record in a zone, or in UTC if the zone is unknown.
fn shown(time: &Value, zone: &str) -> String {
    let (time, zone) = (time.to_string(), Zone::named(zone).unwrap_or(Zone::UTC));
    match DateTime::parse_from_rfc3339(&time) {
        Ok(moment) => {
            let moment = moment.to_utc();
            format!("{} {}", zone.shown(moment).format("%Y-%m-%d %H:%M"), zone.abbreviation(moment))
        }
        Err(_) => time,
    }
}

/// Returns the page element for a time. The script shows it in the browser's zone, unless the reader has set one.
/// Inside a macro, a filter cannot access the page's variables, so the zone is an argument there.
fn time(state: &State<'_, '_>, time: &Value, zone: Option<&str>) -> Value {
    let shown = zone.map_or_else(|| when(state, time), |zone| shown(time, zone));
    let (machine, shown) = (time.to_string(), HtmlEscape(&shown));
    let machine = HtmlEscape(&machine);
    Value::from_safe_string(format!("<time datetime=\"{machine}\" title=\"{shown}\">{shown}</time>"))
}

/// Escapes a text of a calendar (RFC 5545, section 3.3.11).
fn ics(text: &str) -> String {
    text.replace('\\', "\\\\").replace(';', "\\;").replace(',', "\\,").replace('\n', "\\n")
}

/// Formats a time of the record for a calendar: `20261121T132033Z`.
fn ics_time(time: &str) -> String {
    time.replace(['-', ':'], "")
}

/// Describes the options of a game's board: `opposite bases`, `57 holes`.
fn option_words(state: &State<'_, '_>, messages: &Messages, options: &str, game: &str) -> Result<String, Error> {
    let labels =
        catalogue::find(game).map(|game| Options::from_canonical(options).labels(game.options())).unwrap_or_default();
    let words = labels.iter().map(|label| messages.words(state.env(), &Value::from(Serde(label))));
    Ok(words.collect::<Result<Vec<_>, _>>()?.join(", "))
}

/// `1 day`, `2.5 days`.
fn days(state: &State<'_, '_>, messages: &Messages, count: f64) -> Result<String, Error> {
    // Write a whole number without its `.0`.
    #[allow(clippy::cast_possible_truncation, reason = "days are few, and what is cut off is zero")]
    let count = if count.fract() == 0.0 { Value::from(count as i64) } else { Value::from(count) };
    messages.sentence(state.env(), "compose.days", context! { count })
}

/// `3, 7 and 12`; with a maximum, `3, 7 and 5 more`.
fn series(state: &State<'_, '_>, messages: &Messages, values: &[Value], most: Option<usize>) -> Result<String, Error> {
    let mut shown: Vec<String> = values.iter().map(ToString::to_string).collect();
    let most = most.unwrap_or(usize::MAX);
    if shown.len() > most {
        let count = shown.len() - most;
        shown.truncate(most);
        shown.push(messages.sentence(state.env(), "compose.series-more", context! { count })?);
    }
    match shown.split_last() {
        Some((last, before)) if !before.is_empty() => {
            messages.sentence(state.env(), "compose.series", context! { before => before.to_vec(), last })
        }
        _ => Ok(shown.concat()),
    }
}
