//! The files of `templates/`: embedded in the binary, or overridden by those of a directory.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use anyhow::Context;
use include_dir::{Dir, DirEntry, File, include_dir};

static EMBEDDED: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/templates");

/// The text of each file, by its path below `templates/`.
pub(crate) struct Texts {
    directory: Option<PathBuf>,
}

impl Texts {
    /// Creates the embedded files, overridden by those of a directory.
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

    /// Fails if the directory cannot be read. A mistyped or unmounted directory would silently override nothing.
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

    /// Returns the names of all files.
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

/// Returns the embedded file with this name. [`Dir::get_file`] compares paths by their components, which is slow: for
/// a command that fills a dozen templates, it takes half as long as compiling them.
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
