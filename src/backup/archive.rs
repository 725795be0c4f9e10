//! The file format of a backup: a gzip-compressed tar. The first file is a manifest. It lists the other files, which
//! follow it in the listed order.
//!
//! gzip ends with a checksum of the whole archive, and the manifest has a SHA-256 of each file, so any damage is
//! detected.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};

use chrono::{DateTime, Utc};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{BackupError, Result};
use crate::compose;
use crate::config::Config;
use crate::text::hex;

const MANIFEST: &str = "manifest.json";
/// The version of the archive format.
const FORM: u32 = 1;
/// The maximum size of a manifest in bytes.
const MAX_MANIFEST: u64 = 16 << 20;
/// The number of bytes copied at a time.
const PIECE: usize = 64 << 10;
const CONFIGURATION: &str = "turnpost.toml";
/// The directory in a backup for files from outside the data directory.
const ELSEWHERE: &str = "elsewhere";

/// A description of a backup, stored as the first file of its archive.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of the archive format.
    turnpost_backup: u32,
    /// The version of turnpost that created the backup.
    pub version: String,
    /// The time when the backup was created.
    pub made_at: DateTime<Utc>,
    /// The files, in the order of the archive.
    pub files: Vec<ManifestFile>,
}

/// A file of a backup.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ManifestFile {
    /// The file's path in the archive and in the restored data directory.
    pub name: String,
    /// The original path, if the file was outside the data directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<PathBuf>,
    /// The file's length.
    pub bytes: u64,
    /// The file's SHA-256 in hexadecimal digits.
    pub sha256: String,
}

/// A file to back up.
pub(crate) struct Source {
    /// See [`ManifestFile::name`].
    pub(crate) name: String,
    /// See [`ManifestFile::from`].
    pub(crate) from: Option<PathBuf>,
    pub(crate) content: Content,
}

pub(crate) enum Content {
    Bytes(Vec<u8>),
    /// The path of a file that does not change during the backup.
    File(PathBuf),
}

impl Content {
    fn open(&self) -> Result<Box<dyn Read + '_>> {
        match self {
            Content::Bytes(bytes) => Ok(Box::new(bytes.as_slice())),
            Content::File(path) => Ok(Box::new(File::open(path).map_err(BackupError::file(path))?)),
        }
    }
}

/// Writes an archive that only its owner can read, and syncs it.
pub(crate) fn write(path: &Path, sources: &[Source], made_at: DateTime<Utc>) -> Result<()> {
    let mut files = Vec::new();
    for Source { name, from, content } in sources {
        let (mut bytes, mut hash) = (0, Sha256::new());
        copy(&mut content.open()?, &mut io::sink(), &mut bytes, &mut hash).map_err(BackupError::file(path))?;
        files.push(ManifestFile { name: name.clone(), from: from.clone(), bytes, sha256: hex(&hash.finalize()) });
    }
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let manifest = Manifest { turnpost_backup: FORM, version, made_at, files };
    let json = serde_json::to_vec_pretty(&manifest).map_err(|error| BackupError::file(path)(error.into()))?;
    let append = || -> io::Result<()> {
        let file = OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(path)?;
        let mut tar = tar::Builder::new(GzEncoder::new(BufWriter::new(file), Compression::fast()));
        tar.append_data(&mut header(json.len() as u64, made_at), MANIFEST, json.as_slice())?;
        for (source, file) in sources.iter().zip(&manifest.files) {
            let content = source.content.open().map_err(io::Error::other)?;
            tar.append_data(&mut header(file.bytes, made_at), &file.name, content)?;
        }
        tar.into_inner()?.finish()?.into_inner()?.sync_all()
    };
    append().map_err(BackupError::file(path))
}

fn header(bytes: u64, made_at: DateTime<Utc>) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_size(bytes);
    header.set_mode(0o600);
    header.set_mtime(u64::try_from(made_at.timestamp()).unwrap_or_default());
    header
}

/// Extracts the files of an archive into an empty directory.
pub(crate) fn extract(path: &Path, directory: &Path) -> Result<Manifest> {
    let file = File::open(path).map_err(BackupError::file(path))?;
    let mut archive = tar::Archive::new(GzDecoder::new(BufReader::new(file)));
    let damaged = |what: &str, error: &dyn std::fmt::Display| BackupError::Damaged(vec![format!("{what}: {error}")]);
    let mut entries = archive.entries().map_err(|error| damaged("the beginning", &error))?;
    let manifest = match entries.next() {
        Some(Ok(entry)) if entry.path_bytes() == MANIFEST.as_bytes() => manifest(entry)?,
        _ => return Err(BackupError::NotABackup(path.to_owned())),
    };
    let (mut faults, mut before) = (Vec::new(), MANIFEST);
    for expected in &manifest.files {
        let entry = match entries.next() {
            Some(Ok(entry)) => entry,
            Some(Err(error)) => return Err(damaged(&format!("between {before} and {}", expected.name), &error)),
            None => return Err(damaged(&expected.name, &"it is missing, and so are all files after it")),
        };
        if entry.path_bytes() != expected.name.as_bytes() || entry.size() != expected.bytes {
            return Err(damaged(&expected.name, &"the archive contains a different file there"));
        }
        faults.extend(extract_file(entry, expected, directory)?);
        before = &expected.name;
    }
    // Read the rest of the archive, because gzip's checksum is at its end.
    if let Err(error) = io::copy(&mut archive.into_inner(), &mut io::sink()) {
        faults.push(format!("the end: {error}"));
    }
    if faults.is_empty() { Ok(manifest) } else { Err(BackupError::Damaged(faults)) }
}

fn manifest(entry: impl Read) -> Result<Manifest> {
    let damaged = |error: &dyn std::fmt::Display| BackupError::Damaged(vec![format!("{MANIFEST}: {error}")]);
    let mut json = Vec::new();
    entry.take(MAX_MANIFEST).read_to_end(&mut json).map_err(|error| damaged(&error))?;
    let manifest: Manifest = serde_json::from_slice(&json).map_err(|error| damaged(&error))?;
    if manifest.turnpost_backup > FORM {
        return Err(BackupError::TooNew(manifest.version));
    }
    match manifest.files.iter().find(|file| !is_inside(&file.name)) {
        Some(file) => Err(damaged(&format_args!("{:?} is not a path inside a data directory", file.name))),
        None => Ok(manifest),
    }
}

/// Returns whether a relative path stays inside the directory that it is joined to.
fn is_inside(name: &str) -> bool {
    !name.is_empty() && Path::new(name).components().all(|part| matches!(part, Component::Normal(_)))
}

/// Extracts one file with permissions for its owner only. Returns a description of the damage if the content does not
/// match the manifest.
fn extract_file(mut entry: impl Read, expected: &ManifestFile, directory: &Path) -> Result<Option<String>> {
    let path = directory.join(&expected.name);
    let failed = |error| BackupError::File { path: path.clone(), error };
    if let Some(parent) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(parent).map_err(failed)?;
    }
    let mut file = OpenOptions::new().create_new(true).write(true).mode(0o600).open(&path).map_err(failed)?;
    let (mut bytes, mut hash) = (0, Sha256::new());
    let ManifestFile { name, bytes: all, sha256, .. } = expected;
    // A read error means that the backup is damaged. A write error has another cause.
    let mut reader = Reading { inner: &mut entry, failed: false };
    match copy(&mut reader, &mut file, &mut bytes, &mut hash) {
        Ok(()) if bytes == *all && hex(&hash.finalize()) == *sha256 => file.sync_all().map_err(failed).map(|()| None),
        Ok(()) if bytes < *all => Ok(Some(format!("{name}: it ends after {bytes} of {all} bytes"))),
        Ok(()) => Ok(Some(format!("{name}: its content differs from the original"))),
        Err(error) if reader.failed => {
            Err(BackupError::Damaged(vec![format!("{name}, after {bytes} of {all} bytes: {error}")]))
        }
        Err(error) => Err(failed(error)),
    }
}

/// A reader that records whether reading failed.
struct Reading<'a> {
    inner: &'a mut dyn Read,
    failed: bool,
}

impl Read for Reading<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer);
        self.failed |= read.as_ref().is_err_and(|error| error.kind() != io::ErrorKind::Interrupted);
        read
    }
}

/// Copies all bytes, counts them and adds them to the hash.
fn copy(from: &mut dyn Read, to: &mut dyn Write, bytes: &mut u64, hash: &mut Sha256) -> io::Result<()> {
    let mut piece = vec![0; PIECE];
    loop {
        let read = match from.read(&mut piece) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        if read == 0 {
            return Ok(());
        }
        to.write_all(&piece[..read])?;
        hash.update(&piece[..read]);
        *bytes += read as u64;
    }
}

/// The files that configure a server: the configuration file, its templates, and the files that it names.
pub(crate) struct Configuration {
    pub(crate) sources: Vec<Source>,
    /// Files that the configuration names, but that do not exist.
    pub(crate) missing: Vec<PathBuf>,
}

impl Configuration {
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
        // Two keys of the configuration may name the same file.
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
