//! The templates: embedded in the binary, overridden file by file from a directory.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use chrono::DateTime;
use include_dir::{Dir, DirEntry, include_dir};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, State, UndefinedBehavior, Value};

use crate::text::Message;

use super::messages::Messages;

static EMBEDDED: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/templates");

/// Columns of a line in a letter.
pub(super) const WIDTH: usize = 78;

/// The templates by their path below `templates/`, and the pages of help, which are plain text.
pub(super) struct Templates {
    environment: Environment<'static>,
    help: BTreeMap<String, Cow<'static, str>>,
    messages: Arc<Messages>,
}

impl Templates {
    pub(super) fn new(directory: Option<&Path>, url: Option<&str>) -> anyhow::Result<Templates> {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        let mut syntax = SyntaxConfig::builder();
        syntax.trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true);
        environment.set_syntax(syntax.build()?);
        // Text is text; and the HTML of a letter is made from its finished text.
        environment.set_auto_escape_callback(|name| match name.strip_prefix("web/") {
            Some(_) => AutoEscape::Html,
            None => AutoEscape::None,
        });
        environment.add_global("web", Value::from(url));
        environment.add_filter("wrap", wrap);
        environment.add_filter("prose", prose);
        environment.add_filter("when", when);
        environment.add_filter("days", days);
        environment.add_filter("series", series);
        let mut help = BTreeMap::new();
        let mut messages = Messages::default();
        for (name, text) in embedded(&EMBEDDED) {
            let text = match directory.map(|directory| directory.join(name)) {
                Some(path) if path.is_file() => Cow::Owned(
                    std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?,
                ),
                _ => Cow::Borrowed(text),
            };
            let within = |directory: &str, ending: &str| name.strip_prefix(directory)?.strip_suffix(ending);
            if let Some(page) = within("help/", ".txt") {
                help.insert(page.to_owned(), text);
            } else if let Some(area) = within("messages/", ".toml") {
                messages.add(area, &text)?;
            } else {
                environment.add_template_owned(name, text).with_context(|| format!("template {name}"))?;
            }
        }
        let messages = Arc::new(messages);
        let words = Arc::clone(&messages);
        environment
            .add_filter("words", move |state: &State<'_, '_>, message: Value| words.words(state.env(), &message));
        Ok(Templates { environment, help, messages })
    }

    /// A template filled in, without empty lines at its ends or one behind the other.
    pub(super) fn fill(&self, name: &str, facts: Value) -> anyhow::Result<String> {
        let template = self.environment.get_template(name)?;
        let text = template.render(facts).map_err(|error| anyhow::anyhow!("template {name}: {error:#}"))?;
        Ok(tidy(&text))
    }

    /// Whether there is a template of this name.
    #[cfg(test)]
    pub(super) fn has(&self, name: &str) -> bool {
        self.environment.get_template(name).is_ok()
    }

    /// The words of a message.
    pub(super) fn words(&self, message: &Message) -> anyhow::Result<String> {
        self.messages
            .words(&self.environment, &Value::from(Serde(message)))
            .map_err(|error| anyhow::anyhow!("message {message}: {error:#}"))
    }

    /// The codes of all messages.
    pub(super) fn message_codes(&self) -> impl Iterator<Item = &str> {
        self.messages.codes()
    }

    /// A page of help.
    pub(super) fn help(&self, page: &str) -> anyhow::Result<&str> {
        self.help.get(page).map(|text| text.as_ref()).with_context(|| format!("there is no help page {page}"))
    }
}

fn embedded(dir: &Dir<'static>) -> Vec<(&'static str, &'static str)> {
    let mut files = Vec::new();
    for entry in dir.entries() {
        match entry {
            DirEntry::Dir(dir) => files.extend(embedded(dir)),
            DirEntry::File(file) => {
                let name = file.path().to_str().expect("templates have plain names");
                files.push((name, file.contents_utf8().expect("templates are UTF-8")));
            }
        }
    }
    files
}

fn tidy(text: &str) -> String {
    let mut tidied = String::new();
    let mut empty = 0;
    for line in text.lines().map(str::trim_end) {
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

/// `text|wrap` breaks lines at 78 columns, `text|wrap("  ")` with every line but the first indented, and
/// `text|wrap("| ", true)` with all of them.
fn wrap(text: &str, indent: Option<&str>, first: Option<bool>) -> String {
    let indent = indent.unwrap_or_default();
    let initial = if first == Some(true) { indent } else { "" };
    textwrap::fill(text, textwrap::Options::new(WIDTH).initial_indent(initial).subsequent_indent(indent))
}

/// `{% filter prose %}` makes one paragraph of what stands in it, however that is spread over lines and blanks (a stop
/// or comma may stand on a line of its own), and nothing of nothing; `prose("  ")` indents every line but the first.
fn prose(text: &str, indent: Option<&str>) -> String {
    let mut paragraph = String::new();
    for word in text.split_whitespace() {
        if !paragraph.is_empty() && !word.starts_with(['.', ',', ';', ':']) {
            paragraph.push(' ');
        }
        paragraph += word;
    }
    if paragraph.is_empty() { paragraph } else { wrap(&paragraph, indent, None) + "\n" }
}

/// A time of the record (`2026-11-21T13:20:33Z`) by the clock of `zone`, the reader's: `2026-11-21 14:20 CET`.
fn when(state: &State<'_, '_>, time: &Value) -> String {
    let time = time.to_string();
    let zone = state.lookup("zone").and_then(|zone| zone.as_str()?.parse().ok()).unwrap_or(chrono_tz::UTC);
    match DateTime::parse_from_rfc3339(&time) {
        Ok(moment) => moment.with_timezone(&zone).format("%Y-%m-%d %H:%M %Z").to_string(),
        Err(_) => time,
    }
}

/// `1 day`, `2.5 days`.
fn days(count: f64) -> String {
    if count == 1.0 { "1 day".to_owned() } else { format!("{count} days") }
}

/// `3, 7 and 12`; with a `most`, `3, 7 and 5 more`.
fn series(words: Vec<Value>, most: Option<usize>) -> String {
    let words: Vec<String> = words.iter().map(ToString::to_string).collect();
    let most = most.unwrap_or(usize::MAX);
    let (mut shown, rest) = (words.clone(), words.len().saturating_sub(most));
    if rest > 0 {
        shown.truncate(most);
        shown.push(format!("{rest} more"));
    }
    match shown.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => shown.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(template: &str, facts: Value) -> String {
        let mut templates = Templates::new(None, None).expect("the embedded templates");
        templates.environment.add_template_owned("t", template.to_owned()).expect("it parses");
        templates.fill("t", facts).expect("it can be filled in")
    }

    #[test]
    fn a_time_is_by_the_clock_of_the_reader() {
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
    fn paragraphs_and_empty_lines() {
        let template = "\n\nA  \n\n\n\nB\n{% filter prose('  ') %}\nc\n , d\n{% if true %}\n.\n{% endif %}\n{% endfilter %}\n\
                        {% filter prose %}\n \n{% endfilter %}\n\n\n";
        assert_eq!(filled(template, Value::UNDEFINED), "A\n\nB\nc, d.\n");
        assert_eq!(prose(&"word ".repeat(20), Some("  ")).lines().nth(1), Some("  word word word word word"));
    }

    #[test]
    fn numbers_in_words() {
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
