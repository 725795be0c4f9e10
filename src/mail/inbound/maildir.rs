//! Reads a Maildir into which another program delivers mail. Reads each message from `new/`, writes it to the store,
//! then moves the file to `cur/` and marks it as seen.
//!
//! After a crash before the move, the message is stored twice. The commands of the second copy are not executed,
//! because both copies have the same identity. A message that cannot be moved is not stored again while this program
//! runs; an unreadable message remains in `new/`. Both problems are logged once for each message.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::receive::{BATCH_MAILS, BATCH_OCTETS, Numbers, RawMail, receive_all};
use crate::store::{MailSource, Store};
use crate::world::World;

/// A Maildir to poll.
#[derive(Debug)]
pub struct Maildir {
    dir: PathBuf,
    /// Files in `new/` that cannot be read or moved.
    stuck: BTreeMap<OsString, Stuck>,
    /// Whether a missing directory has been logged.
    missing: bool,
}

/// Why a message is still in `new/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stuck {
    Unreadable,
    /// The message is stored, but not moved yet.
    Stored,
}

impl Maildir {
    /// Creates a reader of the Maildir at this path. The directory need not exist yet: the delivering program creates
    /// it.
    pub fn new(dir: PathBuf) -> Maildir {
        Maildir { dir, stuck: BTreeMap::new(), missing: false }
    }

    /// Stores the messages that have arrived.
    ///
    /// # Errors
    /// Returns errors of the store, or of a directory that cannot be read.
    pub fn poll(&mut self, store: &mut dyn Store, world: World) -> anyhow::Result<()> {
        let names = self.names()?;
        self.stuck.retain(|name, _| names.binary_search(name).is_ok());
        let mut names = names.into_iter().peekable();
        while names.peek().is_some() {
            let (mut batch, mut octets) = (Vec::new(), 0);
            while batch.len() < BATCH_MAILS
                && octets < BATCH_OCTETS
                && let Some(name) = names.next()
            {
                if self.stuck.get(&name) == Some(&Stuck::Stored) {
                    self.move_to_cur(&name);
                } else if let Some(mail) = self.read(&name) {
                    octets += mail.len();
                    batch.push((name, mail));
                }
            }
            let (stored, mails): (Vec<OsString>, Vec<RawMail>) = batch.into_iter().unzip();
            if mails.is_empty() {
                continue;
            }
            let Numbers { first, last } = receive_all(store, &mails, MailSource::Maildir, (world.now)())?;
            tracing::info!(messages = mails.len(), first, last, octets, maildir = %self.dir.display(), "mail stored");
            for name in stored {
                self.move_to_cur(&name);
            }
        }
        Ok(())
    }

    /// Lists the files in `new/`, ordered by name. Most programs choose names in the order of arrival.
    fn names(&mut self) -> anyhow::Result<Vec<OsString>> {
        let new = self.dir.join("new");
        let failed = || format!("cannot read {}", new.display());
        let entries = match fs::read_dir(&new) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                if !std::mem::replace(&mut self.missing, true) {
                    tracing::warn!(maildir = %self.dir.display(), "the Maildir does not exist yet; waiting for it");
                }
                return Ok(Vec::new());
            }
            Err(error) => return Err(error).with_context(failed),
        };
        self.missing = false;
        let mut names = Vec::new();
        for entry in entries {
            let name = entry.with_context(failed)?.file_name();
            if !name.as_encoded_bytes().starts_with(b".") {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }

    /// Reads a message; `None` if it has disappeared or cannot be read.
    fn read(&mut self, name: &OsStr) -> Option<RawMail> {
        let mail = open(&self.dir.join("new").join(name)).and_then(RawMail::read);
        match mail {
            Ok(mail) => {
                self.stuck.remove(name);
                Some(mail)
            }
            Err(error) => {
                // Another reader of the Maildir may have moved the file.
                if error.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == ErrorKind::NotFound) {
                    return None;
                }
                if self.stuck.insert(name.to_owned(), Stuck::Unreadable).is_none() {
                    tracing::warn!(
                        ?name,
                        error = format!("{error:#}"),
                        "cannot read a message in the Maildir; it remains there"
                    );
                }
                None
            }
        }
    }

    fn move_to_cur(&mut self, name: &OsStr) {
        let cur = self.dir.join("cur");
        let new = self.dir.join("new").join(name);
        let moved = match fs::rename(&new, cur.join(seen(name))) {
            Err(error) if error.kind() == ErrorKind::NotFound && !cur.exists() => {
                fs::create_dir(&cur).and_then(|()| fs::rename(&new, cur.join(seen(name))))
            }
            other => other,
        };
        match moved {
            Ok(()) => {
                self.stuck.remove(name);
            }
            Err(error) if error.kind() == ErrorKind::NotFound && !new.exists() => {}
            Err(error) => {
                if self.stuck.insert(name.to_owned(), Stuck::Stored) != Some(Stuck::Stored) {
                    tracing::error!(?name, %error, "a message in the Maildir is stored, but cannot be moved to cur");
                }
            }
        }
    }
}

/// Opens only regular files: a link could point to a file that the delivering program must not read, and a pipe would
/// block.
fn open(path: &Path) -> anyhow::Result<File> {
    anyhow::ensure!(fs::symlink_metadata(path)?.is_file(), "not a regular file");
    Ok(File::open(path)?)
}

/// Returns the name of the file in `cur/`: with the flag `S`, and without the flags of another program.
fn seen(name: &OsStr) -> OsString {
    let bytes = name.as_encoded_bytes();
    let unique = bytes.iter().position(|&byte| byte == b':').map_or(bytes, |colon| &bytes[..colon]);
    let mut seen = OsStr::from_bytes(unique).to_owned();
    seen.push(":2,S");
    seen
}
