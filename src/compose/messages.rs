//! Turns messages, a code and its facts, into words, with `templates/messages/`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use anyhow::Context;
use minijinja::{Environment, Error, ErrorKind, Value};

use super::texts::Texts;

/// The sentences by their codes: `service.no-such-player` is the key `no-such-player` of `messages/service.toml`.
pub(crate) struct Messages {
    texts: Arc<Texts>,
    areas: BTreeMap<&'static str, OnceLock<Area>>,
}

/// The sentences of one file by code, or the reason why it cannot be read.
type Area = anyhow::Result<BTreeMap<String, String>>;

impl Messages {
    /// Creates the messages of all files. A file is read when one of its messages is first needed.
    pub(crate) fn new(texts: &Arc<Texts>) -> Messages {
        Messages { texts: Arc::clone(texts), areas: Texts::areas().map(|area| (area, OnceLock::new())).collect() }
    }

    /// Reads a file, unless it was already read.
    pub(crate) fn check(&self, area: &str) -> anyhow::Result<()> {
        match self.area(area) {
            Some(Err(error)) => anyhow::bail!("{error:#}"),
            Some(Ok(_)) | None => Ok(()),
        }
    }

    /// Returns the words of a serialized message. A plain string is returned unchanged.
    pub(crate) fn words(&self, environment: &Environment<'_>, message: &Value) -> Result<String, Error> {
        if let Some(words) = message.as_str() {
            return Ok(words.to_owned());
        }
        let code = message.get_attr("code")?;
        let facts = message.get_attr("facts")?;
        let facts = if facts.is_undefined() { Value::from(()) } else { facts };
        self.sentence(environment, code.as_str().unwrap_or_default(), facts)
    }

    /// Returns the sentence with this code and these facts.
    pub(crate) fn sentence(&self, environment: &Environment<'_>, code: &str, facts: Value) -> Result<String, Error> {
        environment.get_template(code).map_err(|error| missing(error, code))?.render(facts)
    }

    /// Returns the template of the sentence with this code; `None` if it does not exist.
    pub(crate) fn template(&self, code: &str) -> anyhow::Result<Option<Cow<'static, str>>> {
        let area = code.split_once('.').and_then(|(area, _)| self.area(area));
        match area {
            Some(Ok(sentences)) => Ok(sentences.get(code).map(|sentence| Cow::Owned(sentence.clone()))),
            Some(Err(error)) => anyhow::bail!("{error:#}"),
            None => Ok(None),
        }
    }

    /// Iterates over the codes of all readable files.
    pub(crate) fn codes(&self) -> impl Iterator<Item = &str> {
        let sentences = self.areas.keys().filter_map(|area| self.area(area)?.as_ref().ok());
        sentences.flat_map(BTreeMap::keys).map(String::as_str)
    }

    fn area(&self, name: &str) -> Option<&Area> {
        let (area, sentences) = self.areas.get_key_value(name)?;
        Some(sentences.get_or_init(|| self.read(area)))
    }

    fn read(&self, area: &str) -> Area {
        let name = format!("messages/{area}.toml");
        let text = self.texts.get(&name)?.unwrap_or_default();
        let sentences: BTreeMap<String, String> = toml::from_str(&text).with_context(|| format!("template {name}"))?;
        Ok(sentences.into_iter().map(|(key, sentence)| (format!("{area}.{key}"), sentence)).collect())
    }
}

/// Adds to an error that the message does not exist.
fn missing(error: Error, code: &str) -> Error {
    match error.kind() {
        ErrorKind::TemplateNotFound => Error::new(ErrorKind::TemplateNotFound, format!("there is no message {code}")),
        _ => error,
    }
}
