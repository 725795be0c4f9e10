//! The files in a backup in addition to the database: the configuration and the files that it names.

use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use super::archive::{Content, Source};
use super::error::{BackupError, Result};
use crate::compose;
use crate::config::Config;

/// The name of the configuration.
const CONFIGURATION: &str = "turnpost.toml";
/// The directory in a backup for files from outside the data directory.
const ELSEWHERE: &str = "elsewhere";

/// The configuration, its templates and the files that it names.
pub(crate) struct Configuration {
    pub(crate) sources: Vec<Source>,
    /// Missing files that the configuration names.
    pub(crate) missing: Vec<PathBuf>,
}

impl Configuration {
    /// Reads the configuration of a data directory.
    pub(crate) fn read(data: &Path, config: &Config) -> Result<Configuration> {
        let mut found = Configuration { sources: Vec::new(), missing: Vec::new() };
        let path = data.join(CONFIGURATION);
        if path.exists() {
            found.add(data, &path)?;
        }
        if let Some(templates) = &config.templates {
            for file in compose::overriding_files(templates) {
                found.add(data, &file)?;
            }
        }
        for file in config.named_files() {
            found.add(data, file)?;
        }
        Ok(found)
    }

    fn add(&mut self, data: &Path, path: &Path) -> Result<()> {
        let (name, from) = name(data, path)?;
        // Two keys may name the same file.
        if self.sources.iter().any(|source| source.name == name) {
            return Ok(());
        }
        match fs::read(path) {
            Ok(bytes) => self.sources.push(Source { name, from, content: Content::Bytes(bytes) }),
            Err(error) if error.kind() == ErrorKind::NotFound => self.missing.push(path.to_owned()),
            Err(error) => return Err(BackupError::file(path)(error)),
        }
        Ok(())
    }
}

/// Returns the name of a file in a backup, and its original path if that is outside the data directory.
fn name(data: &Path, path: &Path) -> Result<(String, Option<PathBuf>)> {
    let inside = path.strip_prefix(data).ok();
    let inside = inside.filter(|rest| rest.components().all(|part| matches!(part, Component::Normal(_))));
    let not_utf8 = || BackupError::file(path)(ErrorKind::InvalidFilename.into());
    if let Some(name) = inside {
        return Ok((name.to_str().ok_or_else(not_utf8)?.to_owned(), None));
    }
    let from = std::path::absolute(path).map_err(BackupError::file(path))?;
    let kept = from.components().filter(|part| matches!(part, Component::Normal(_)));
    let name = Path::new(ELSEWHERE).join(kept.collect::<PathBuf>());
    Ok((name.to_str().ok_or_else(not_utf8)?.to_owned(), Some(from)))
}
