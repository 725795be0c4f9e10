//! The templates: embedded in the binary, overridden file by file from a directory.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;
use include_dir::{Dir, DirEntry, include_dir};
use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value};

static EMBEDDED: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/templates");

/// Columns of a line in a letter.
pub(super) const WIDTH: usize = 78;

/// The templates by their path below `templates/`, and the pages of help, which are plain text.
pub(super) struct Templates {
    environment: Environment<'static>,
    help: BTreeMap<String, Cow<'static, str>>,
}

impl Templates {
    pub(super) fn new(directory: Option<&Path>) -> anyhow::Result<Templates> {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        let mut syntax = SyntaxConfig::builder();
        syntax.trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true);
        environment.set_syntax(syntax.build()?);
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        environment.add_filter("wrap", wrap);
        environment.add_filter("when", when);
        let mut help = BTreeMap::new();
        for (name, text) in embedded(&EMBEDDED) {
            let text = match directory.map(|directory| directory.join(name)) {
                Some(path) if path.is_file() => Cow::Owned(
                    std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?,
                ),
                _ => Cow::Borrowed(text),
            };
            match name.strip_prefix("help/").and_then(|page| page.strip_suffix(".txt")) {
                Some(page) => {
                    help.insert(page.to_owned(), text);
                }
                None => environment.add_template_owned(name, text).with_context(|| format!("template {name}"))?,
            }
        }
        Ok(Templates { environment, help })
    }

    /// A template filled in.
    pub(super) fn fill(&self, name: &str, facts: Value) -> anyhow::Result<String> {
        let template = self.environment.get_template(name)?;
        template.render(facts).map_err(|error| anyhow::anyhow!("template {name}: {error:#}"))
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

/// `text|wrap` breaks lines at 78 columns, `text|wrap("  ")` with every line but the first indented, and
/// `text|wrap("| ", true)` with all of them.
fn wrap(text: &str, indent: Option<&str>, first: Option<bool>) -> String {
    let indent = indent.unwrap_or_default();
    let initial = if first == Some(true) { indent } else { "" };
    textwrap::fill(text, textwrap::Options::new(WIDTH).initial_indent(initial).subsequent_indent(indent))
}

/// A time of the record (`2026-11-21T14:20:33Z`) for a reader: `2026-11-21 14:20 UTC`.
fn when(time: &Value) -> String {
    let time = time.to_string();
    match (time.get(..10), time.get(11..16)) {
        (Some(day), Some(minute)) => format!("{day} {minute} UTC"),
        _ => time,
    }
}
