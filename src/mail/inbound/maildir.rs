//! A Maildir into which another program delivers: the mails in `new/` are stored, then moved to `cur/` as seen.
//!
//! A crash between the two gives a second copy, which the mail's identity makes harmless. A mail that cannot be moved is
//! not stored again while this program runs; one that cannot be read is left where it is. Each is logged once.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::raw::RawMail;
use super::receive::{BATCH_MAILS, BATCH_OCTETS, Numbers, receive_all};
use crate::store::{MailSource, Store};
use crate::world::World;

/// A Maildir that is polled.
#[derive(Debug)]
pub struct Maildir {
    dir: PathBuf,
    /// Files in `new/` that cannot be read or cannot be moved.
    stuck: BTreeMap<OsString, Stuck>,
    /// Whether it has been logged that there is no such directory.
    missing: bool,
}

/// Why a mail is still in `new/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stuck {
    /// It cannot be read.
    Unreadable,
    /// It is stored, and only has to be moved.
    Stored,
}

impl Maildir {
    /// The Maildir at this path. It need not exist yet: the program that delivers creates it.
    pub fn new(dir: PathBuf) -> Maildir {
        Maildir { dir, stuck: BTreeMap::new(), missing: false }
    }

    /// Stores what has arrived.
    ///
    /// # Errors
    /// The store's, or a directory that cannot be read.
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
            tracing::info!(mails = mails.len(), first, last, octets, maildir = %self.dir.display(), "mail kept");
            for name in stored {
                self.move_to_cur(&name);
            }
        }
        Ok(())
    }

    /// The files in `new/`, by name, which for most programs is the order of arrival.
    fn names(&mut self) -> anyhow::Result<Vec<OsString>> {
        let new = self.dir.join("new");
        let failed = || format!("cannot read {}", new.display());
        let entries = match fs::read_dir(&new) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                if !std::mem::replace(&mut self.missing, true) {
                    tracing::warn!(maildir = %self.dir.display(), "there is no such Maildir yet; waiting for it");
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

    /// Reads a mail; `None` when it is gone or cannot be read.
    fn read(&mut self, name: &OsStr) -> Option<RawMail> {
        let mail = open(&self.dir.join("new").join(name)).and_then(RawMail::read);
        match mail {
            Ok(mail) => {
                self.stuck.remove(name);
                Some(mail)
            }
            Err(error) => {
                // Another reader of the Maildir may have been faster.
                if error.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == ErrorKind::NotFound) {
                    return None;
                }
                if self.stuck.insert(name.to_owned(), Stuck::Unreadable).is_none() {
                    tracing::warn!(
                        ?name,
                        error = format!("{error:#}"),
                        "a mail in the Maildir cannot be read; it is left there"
                    );
                }
                None
            }
        }
    }

    /// Moves a stored mail to `cur/`.
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
                    tracing::error!(?name, %error, "a mail in the Maildir is kept, but cannot be moved to cur");
                }
            }
        }
    }
}

/// Opens a regular file only: a link could point to what the delivering program may not read, and a pipe would block.
fn open(path: &Path) -> anyhow::Result<File> {
    anyhow::ensure!(fs::symlink_metadata(path)?.is_file(), "it is not a file");
    Ok(File::open(path)?)
}

/// The name in `cur/`: with the flag `S`, and without the flags of another program.
fn seen(name: &OsStr) -> OsString {
    let bytes = name.as_encoded_bytes();
    let unique = bytes.iter().position(|&byte| byte == b':').map_or(bytes, |colon| &bytes[..colon]);
    let mut seen = OsStr::from_bytes(unique).to_owned();
    seen.push(":2,S");
    seen
}
