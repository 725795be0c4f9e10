//! Messages: a code and its facts → words, by `templates/messages/`.

use std::collections::BTreeMap;

use anyhow::Context;
use minijinja::{Environment, Error, ErrorKind, Value};

/// The sentences by their codes: `service.no-such-player` is the key `no-such-player` of `messages/service.toml`.
#[derive(Default)]
pub(super) struct Messages(BTreeMap<String, String>);

impl Messages {
    /// Adds the sentences of one file of `templates/messages/`, whose name without `.toml` begins their codes.
    pub(super) fn add(&mut self, area: &str, text: &str) -> anyhow::Result<()> {
        let sentences: BTreeMap<String, String> =
            toml::from_str(text).with_context(|| format!("template messages/{area}.toml"))?;
        self.0.extend(sentences.into_iter().map(|(key, sentence)| (format!("{area}.{key}"), sentence)));
        Ok(())
    }

    /// The words of a message, given as the value that it is serialized as: words stand for themselves.
    pub(super) fn words(&self, environment: &Environment<'_>, message: &Value) -> Result<String, Error> {
        if let Some(words) = message.as_str() {
            return Ok(words.to_owned());
        }
        let code = message.get_attr("code")?;
        let facts = message.get_attr("facts")?;
        let facts = if facts.is_undefined() { Value::from(()) } else { facts };
        self.sentence(environment, code.as_str().unwrap_or_default(), facts)
    }

    /// The sentence of this code with these facts.
    pub(super) fn sentence(&self, environment: &Environment<'_>, code: &str, facts: Value) -> Result<String, Error> {
        let missing = || Error::new(ErrorKind::TemplateNotFound, format!("there is no message {code}"));
        environment.render_named_str(code, self.0.get(code).ok_or_else(missing)?, facts)
    }

    /// Every code.
    pub(super) fn codes(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}
