//! The templates, embedded in the binary and overridden file by file from a directory, and their filters.
//!
//! A template lays out lists and chooses between whole sentences, so that an administrator can change both without
//! programming. The sentences about a board are messages (`news`, `sentences`).

use std::borrow::Cow;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use anyhow::Context;
use chrono::DateTime;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Error, ErrorKind, HtmlEscape, State, UndefinedBehavior, Value, context};

use super::lines::{CELL, Indents, PROSE, broken, fold, whole};
use super::sentences;
use super::texts::{GameFile, Messages, Texts};
use crate::clock::Zone;
use crate::rules::{Options, catalogue};
use crate::text::Message;

/// The maximum number of instructions for one template, because an administrator's template might loop. They take a few
/// seconds. The longest page needs about a hundredth of this number.
const FUEL: u64 = 20_000_000;

/// The templates, the help pages (plain text) and the messages.
pub(crate) struct Templates {
    texts: Arc<Texts>,
    messages: Arc<Messages>,
    syntax: SyntaxConfig,
    /// The start of links, if the pages are public.
    url: Option<String>,
    /// Created when the first template is filled.
    environment: OnceLock<Environment<'static>>,
}

impl Templates {
    pub(crate) fn new(directory: Option<&Path>, url: Option<&str>) -> anyhow::Result<Templates> {
        let texts = Arc::new(Texts::new(directory));
        let messages = Arc::new(Messages::new(&texts));
        let mut syntax = SyntaxConfig::builder();
        syntax.trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true);
        let (syntax, url, environment) = (syntax.build()?, url.map(str::to_owned), OnceLock::new());
        Ok(Templates { texts, messages, syntax, url, environment })
    }

    fn environment(&self) -> &Environment<'static> {
        self.environment.get_or_init(|| self.make_environment())
    }

    fn make_environment(&self) -> Environment<'static> {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_fuel(Some(FUEL));
        environment.set_syntax(self.syntax.clone());
        // Text files are not escaped, and the HTML of a letter is built from its finished text.
        environment.set_auto_escape_callback(|name| match name.starts_with("web/") || name.ends_with(".atom") {
            true => AutoEscape::Html,
            false => AutoEscape::None,
        });
        environment.add_global("web", Value::from(self.url.as_deref()));
        let (texts, messages) = (Arc::clone(&self.texts), Arc::clone(&self.messages));
        environment.set_loader(move |name| {
            // The name of a file contains a slash, and the code of a message does not.
            let found = if name.contains('/') { texts.get(name) } else { messages.template(name) };
            found.map_err(|error| Error::new(ErrorKind::InvalidOperation, format!("{error:#}")))
        });
        add(&mut environment, &self.messages);
        sentences::add(&mut environment, &self.messages);
        environment
    }

    /// Reads every file that overrides an embedded one. Fails if their directory does not exist.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        self.texts.check_directory()?;
        self.texts.overridden().into_iter().try_for_each(|name| self.parse(name))
    }

    /// Reads one file: a template, a help page, a game's file or a file of messages.
    fn parse(&self, name: &str) -> anyhow::Result<()> {
        if let Some(game) = name.strip_prefix("help/").and_then(|file| file.strip_suffix(".toml")) {
            self.game_file(game)?;
        } else if name.starts_with("help/") {
            self.texts.get(name)?;
        } else if let Some(area) = name.strip_prefix("messages/").and_then(|file| file.strip_suffix(".toml")) {
            self.messages.check(area)?;
        } else {
            self.environment().get_template(name).with_context(|| format!("template {name}"))?;
        }
        Ok(())
    }

    /// Fills a template. Removes empty lines at the start and the end, and repeated empty lines.
    pub(crate) fn fill(&self, name: &str, facts: Value) -> anyhow::Result<String> {
        self.fill_softly(name, facts).map(|text| broken(&text))
    }

    /// Fills a template, and returns the text with soft breaks.
    pub(crate) fn fill_softly(&self, name: &str, facts: Value) -> anyhow::Result<String> {
        let template = self.environment().get_template(name)?;
        let text = template.render(facts).map_err(|error| anyhow::anyhow!("template {name}: {error:#}"))?;
        Ok(tidy(&text))
    }

    /// Returns whether a template with this name exists.
    #[cfg(test)]
    pub(crate) fn has(&self, name: &str) -> bool {
        self.environment().get_template(name).is_ok()
    }

    /// Renders a message as text.
    pub(crate) fn words(&self, message: &Message) -> anyhow::Result<String> {
        if let Some(words) = message.words() {
            return Ok(words.to_owned());
        }
        self.messages
            .words(self.environment(), &Value::from(Serde(message)))
            .map_err(|error| anyhow::anyhow!("message {message}: {error:#}"))
    }

    pub(crate) fn message_codes(&self) -> impl Iterator<Item = &str> {
        self.messages.codes()
    }

    /// Returns the text of a help page.
    pub(crate) fn help(&self, page: &str) -> anyhow::Result<Cow<'static, str>> {
        self.texts.get(&format!("help/{page}.txt"))?.with_context(|| format!("there is no help page {page}"))
    }

    /// Returns the diagrams and lessons of a game.
    pub(crate) fn game_file(&self, game: &str) -> anyhow::Result<GameFile> {
        let name = format!("help/{game}.toml");
        let text = self.texts.get(&name)?.unwrap_or_default();
        toml::from_str(&text).with_context(|| format!("template {name}"))
    }
}

fn tidy(text: &str) -> String {
    let mut tidied = String::new();
    let mut empty = 0;
    for line in text.lines().map(|line| line.trim_end_matches(|c: char| c.is_whitespace() && c != CELL)) {
        if line.is_empty() {
            empty += 1;
            continue;
        }
        if empty > 0 && !tidied.is_empty() {
            tidied.push('\n');
        }
        empty = 0;
        tidied += line;
        tidied.push('\n');
    }
    tidied
}

/// Adds the filters and tests to an environment. Filters that write words render them with `messages`.
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
    // The content may include a paragraph with soft breaks.
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

/// Returns the page element for a time. The script shows the time in the browser's zone, unless the reader has chosen a
/// zone. Inside a macro, a filter cannot access the page's variables, so the zone is an argument there.
fn time(state: &State<'_, '_>, time: &Value, zone: Option<&str>) -> Value {
    let shown = zone.map_or_else(|| when(state, time), |zone| shown(time, zone));
    let (machine, shown) = (time.to_string(), HtmlEscape(&shown));
    let machine = HtmlEscape(&machine);
    Value::from_safe_string(format!("<time datetime=\"{machine}\" title=\"{shown}\">{shown}</time>"))
}

/// Escapes a text for a calendar (RFC 5545, section 3.3.11).
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

/// Formats a number of days: `1 day`, `2.5 days`.
fn days(state: &State<'_, '_>, messages: &Messages, count: f64) -> Result<String, Error> {
    // Write a whole number without `.0`.
    #[allow(clippy::cast_possible_truncation, reason = "the number of days is small, and its fraction is zero")]
    let count = if count.fract() == 0.0 { Value::from(count as i64) } else { Value::from(count) };
    messages.sentence(state.env(), "compose.days", context! { count })
}

/// Formats a list of numbers: `3, 7 and 12`; with a maximum, `3, 7 and 5 more`.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds the template `t`.
    fn add(templates: &mut Templates, template: &str) {
        templates.environment();
        let environment = templates.environment.get_mut().expect("the environment exists");
        environment.add_template_owned("t", template.to_owned()).expect("the template is valid");
    }

    fn filled(template: &str, facts: Value) -> String {
        let mut templates = Templates::new(None, None).expect("the embedded templates are valid");
        add(&mut templates, template);
        templates.fill("t", facts).expect("the template can be filled in")
    }

    #[test]
    fn every_embedded_file_can_be_read() {
        let templates = Templates::new(None, None).expect("the embedded templates are valid");
        let names = Texts::names();
        assert!(names.len() > 100, "{names:?}");
        names.into_iter().try_for_each(|name| templates.parse(name)).expect("the template is valid");
    }

    #[test]
    fn times_are_in_the_readers_time_zone() {
        let times = |zone: &str| {
            let template = "{{ '2026-11-28T13:20:59Z'|when }}; {{ '2026-07-01T13:20:00Z'|when }}";
            filled(template, minijinja::context! { zone })
        };
        assert_eq!(times("Europe/Berlin"), "2026-11-28 14:20 CET; 2026-07-01 15:20 CEST\n");
        assert_eq!(times("Asia/Kolkata"), "2026-11-28 18:50 IST; 2026-07-01 18:50 IST\n");
        assert_eq!(times("No/Where"), "2026-11-28 13:20 UTC; 2026-07-01 13:20 UTC\n");
        assert_eq!(filled("{{ '2026-11-28T13:20:59Z'|when }}", Value::UNDEFINED), "2026-11-28 13:20 UTC\n");
    }

    #[test]
    fn prose_is_joined_and_repeated_empty_lines_are_removed() {
        let template = "\n\nA  \n\n\n\nB\n{% filter prose('  ') %}\nc\n , d\n{% if true %}\n.\n{% endif %}\n{% endfilter %}\n\
                        {% filter prose %}\n \n{% endfilter %}\n\n\n";
        assert_eq!(filled(template, Value::UNDEFINED), "A\n\nB\nc, d.\n");
        let long = filled("{% filter prose('  ') %}{{ 'word ' * 20 }}{% endfilter %}", Value::UNDEFINED);
        assert_eq!(long.lines().nth(1), Some("  word word word word word word"));
    }

    #[test]
    fn a_template_that_loops_is_an_error() {
        let mut templates = Templates::new(None, None).expect("the embedded templates are valid");
        let loops = "{% for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) %}\
                     {% endfor %}{% endfor %}{% endfor %}";
        add(&mut templates, loops);
        let error = templates.fill("t", Value::UNDEFINED).expect_err("an endless template fails");
        assert!(error.to_string().contains("fuel"), "{error:#}");
    }

    #[test]
    fn numbers_are_put_into_words() {
        let words = |template: &str| filled(template, Value::UNDEFINED);
        assert_eq!(
            words("{{ 1.0|days }}, {{ 2.5|days }}, {{ 14.0|days }}, {{ 3|days }}"),
            "1 day, 2.5 days, 14 days, 3 days\n"
        );
        assert_eq!(
            words("{{ [3]|series }}; {{ [3, 7]|series }}; {{ [3, 7, 12]|series }}"),
            "3; 3 and 7; 3, 7 and 12\n"
        );
        assert_eq!(words("{{ [3, 7, 12, 15]|series(2) }}{{ []|series }}"), "3, 7 and 2 more\n");
    }
}
