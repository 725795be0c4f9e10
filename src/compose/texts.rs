//! The files of `templates/`: the messages, and the contents of the games' help pages.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use anyhow::Context;
use include_dir::{Dir, DirEntry, File, include_dir};
use minijinja::value::ValueKind;
use minijinja::{Environment, Error, ErrorKind, Value};
use serde::Deserialize;

use crate::rules::lesson::{Goal, Setup};

static EMBEDDED: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/templates");

/// The text of each file, by its path below `templates/`.
pub(crate) struct Texts {
    directory: Option<PathBuf>,
}

impl Texts {
    /// Provides the embedded files. Files of a directory override them.
    pub(crate) fn new(directory: Option<&Path>) -> Texts {
        Texts { directory: directory.map(Path::to_owned) }
    }

    /// Returns the text of a file; `None` if no embedded file has this name.
    pub(crate) fn get(&self, name: &str) -> anyhow::Result<Option<Cow<'static, str>>> {
        let Some(file) = embedded(name) else { return Ok(None) };
        Ok(Some(match self.overriding(name) {
            Some(path) => {
                Cow::Owned(std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?)
            }
            None => Cow::Borrowed(file.contents_utf8().expect("templates are UTF-8")),
        }))
    }

    /// Fails if the directory cannot be read. Otherwise, no error would reveal a mistyped or unmounted directory.
    pub(crate) fn check_directory(&self) -> anyhow::Result<()> {
        let Some(directory) = &self.directory else { return Ok(()) };
        let cannot = || format!("the directory of templates {} cannot be read", directory.display());
        std::fs::read_dir(directory).map(drop).with_context(cannot)
    }

    /// Returns the files that the directory overrides.
    pub(crate) fn overridden(&self) -> Vec<&'static str> {
        let mut names = if self.directory.is_some() { Texts::names() } else { Vec::new() };
        names.retain(|name| self.overriding(name).is_some());
        names
    }

    pub(crate) fn names() -> Vec<&'static str> {
        names_below(&EMBEDDED)
    }

    /// Iterates over the files of `messages/`, without their extensions.
    pub(crate) fn areas() -> impl Iterator<Item = &'static str> {
        let names = files_in("messages").filter_map(|file| file.path().to_str());
        names.filter_map(|name| name.strip_prefix("messages/")?.strip_suffix(".toml"))
    }

    fn overriding(&self, name: &str) -> Option<PathBuf> {
        Some(self.directory.as_ref()?.join(name)).filter(|path| path.is_file())
    }
}

/// Returns the embedded file with this name. [`Dir::get_file`] compares paths by their components, which is slow: for a
/// command with a dozen templates, it takes half as long as their compilation.
fn embedded(name: &str) -> Option<&'static File<'static>> {
    let (directory, _) = name.split_once('/')?;
    files_in(directory).find(|file| file.path().as_os_str() == name)
}

/// Iterates over the embedded files of one directory.
fn files_in(directory: &str) -> impl Iterator<Item = &'static File<'static>> {
    let found = EMBEDDED.dirs().find(|dir| dir.path().as_os_str() == directory);
    found.into_iter().flat_map(Dir::files)
}

/// Returns the files of a directory of templates that override embedded ones.
pub fn overriding_files(directory: &Path) -> Vec<PathBuf> {
    Texts::new(Some(directory)).overridden().into_iter().map(|name| directory.join(name)).collect()
}

/// Returns the files of a directory of templates that override no embedded file, although they have the extension of a
/// template. Of the files outside subdirectories, which may include a licence, returns those with a template's name.
pub fn unknown_files(directory: &Path) -> Vec<PathBuf> {
    let names = Texts::names();
    let is_template = |path: &Path| {
        let part = if path.parent() == Some(directory) { Path::file_name } else { Path::extension };
        names.iter().any(|name| part(Path::new(name)) == part(path))
    };
    let (mut unknown, mut unread) = (Vec::new(), vec![directory.to_owned()]);
    while let Some(next) = unread.pop() {
        for entry in std::fs::read_dir(next).into_iter().flatten().flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                unread.push(path);
            } else if is_template(&path) && names.iter().all(|name| path != directory.join(name)) {
                unknown.push(path);
            }
        }
    }
    unknown.sort();
    unknown
}

fn names_below(dir: &Dir<'static>) -> Vec<&'static str> {
    let mut names = Vec::new();
    for entry in dir.entries() {
        match entry {
            DirEntry::Dir(dir) => names.extend(names_below(dir)),
            DirEntry::File(file) => names.push(file.path().to_str().expect("templates have plain names")),
        }
    }
    names
}

/// The file of a game. A game without a file has no diagrams or lessons.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct GameFile {
    /// The diagrams, which the help page refers to.
    #[serde(rename = "diagram")]
    pub(crate) diagrams: Vec<Diagram>,
    #[serde(rename = "lesson")]
    pub(crate) lessons: Vec<Lesson>,
}

/// A position in the help of a game.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Diagram {
    /// The diagram's name in the help page.
    pub(crate) name: String,
    /// A description in a sentence or two.
    pub(crate) caption: String,
    /// Whether the diagram is also drawn in the text, and not only on the page.
    #[serde(default)]
    pub(crate) text: bool,
    #[serde(flatten)]
    pub(crate) setup: Setup,
}

/// A position to solve with one move.
#[derive(Clone, Debug, Deserialize)]
pub struct Lesson {
    /// The topic in a few words.
    pub title: String,
    /// The player's task.
    pub task: String,
    /// The hint after a wrong move.
    pub hint: String,
    /// The text after a solution.
    pub solved: String,
    /// The goal of the move.
    pub goal: Goal,
    /// The position.
    #[serde(flatten)]
    pub setup: Setup,
}

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

    /// Returns the words of a serialized message, or of several. A plain string is returned unchanged.
    pub(crate) fn words(&self, environment: &Environment<'_>, message: &Value) -> Result<String, Error> {
        if let Some(words) = message.as_str() {
            return Ok(words.to_owned());
        }
        if message.kind() == ValueKind::Seq {
            let words = message.try_iter()?.map(|message| self.words(environment, &message));
            return Ok(words.collect::<Result<Vec<_>, _>>()?.join(" "));
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

/// Replaces the error about a missing template by one that names the missing message.
fn missing(error: Error, code: &str) -> Error {
    match error.kind() {
        ErrorKind::TemplateNotFound => Error::new(ErrorKind::TemplateNotFound, format!("there is no message {code}")),
        _ => error,
    }
}
