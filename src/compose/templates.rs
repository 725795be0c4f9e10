//! The templates: embedded in the binary, overridden file by file from a directory.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use include_dir::{Dir, DirEntry, include_dir};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value};

use crate::text::Message;

use super::filters;
use super::messages::Messages;

static EMBEDDED: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/templates");

/// The templates by their path below `templates/`, the pages of help, which are plain text, and the messages.
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
        filters::add(&mut environment, &messages);
        Ok(Templates { environment, help, messages })
    }

    /// Fills a template in; no empty lines are left at its ends, and no two in a row inside.
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
        let long = filled("{% filter prose('  ') %}{{ 'word ' * 20 }}{% endfilter %}", Value::UNDEFINED);
        assert_eq!(long.lines().nth(1), Some("  word word word word word"));
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
