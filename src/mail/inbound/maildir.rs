//! A Maildir into which another program delivers: what is in `new/` is kept, then moved to `cur/` as seen.
//!
//! A crash between the two keeps a second copy, which the mail's identity makes harmless. What cannot be moved is not
//! kept again while this program runs; what cannot be read is left where it is. Each is logged once.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::{BATCH, Taken, receive_all};
use crate::store::Store;
use crate::world::World;

/// A Maildir that is looked at again and again.
#[derive(Debug)]
pub struct Watched {
    dir: PathBuf,
    /// Files in `new/` with which something is wrong.
    stuck: BTreeMap<OsString, Stuck>,
    missing: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stuck {
    Unreadable,
    /// It is in the inbox, and only its move is left.
    Kept,
}

impl Watched {
    /// The Maildir at this place. It need not be there yet: whoever delivers makes it.
    pub fn new(dir: PathBuf) -> Watched {
        Watched { dir, stuck: BTreeMap::new(), missing: false }
    }

    /// Keeps what has arrived.
    ///
    /// # Errors
    /// The store's, or a directory that cannot be read.
    pub fn look(&mut self, store: &mut dyn Store, world: World) -> anyhow::Result<()> {
        let names = self.names()?;
        self.stuck.retain(|name, _| names.binary_search(name).is_ok());
        let mut names = names.into_iter().peekable();
        while names.peek().is_some() {
            let (mut batch, mut octets) = (Vec::new(), 0);
            while batch.len() < BATCH.0
                && octets < BATCH.1
                && let Some(name) = names.next()
            {
                if self.stuck.get(&name) == Some(&Stuck::Kept) {
                    self.put_away(&name);
                } else if let Some(mail) = self.read(&name) {
                    octets += mail.len();
                    batch.push((name, mail));
                }
            }
            let (kept, mails): (Vec<OsString>, Vec<Taken>) = batch.into_iter().unzip();
            if mails.is_empty() {
                continue;
            }
            receive_all(store, &mails, "maildir", (world.now)())?;
            tracing::info!(mails = mails.len(), octets, maildir = %self.dir.display(), "mail kept");
            for name in kept {
                self.put_away(&name);
            }
        }
        Ok(())
    }

    /// What is in `new/`, in order, which is that of arrival in most of what delivers.
    fn names(&mut self) -> anyhow::Result<Vec<OsString>> {
        let new = self.dir.join("new");
        let failed = || format!("cannot read {}", new.display());
        let entries = match fs::read_dir(&new) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                if !std::mem::replace(&mut self.missing, true) {
                    tracing::warn!(maildir = %self.dir.display(), "there is no such Maildir yet; it is waited for");
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

    fn read(&mut self, name: &OsStr) -> Option<Taken> {
        let mail = open(&self.dir.join("new").join(name)).and_then(Taken::read);
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
                        "a mail in the Maildir cannot be read; it is left"
                    );
                }
                None
            }
        }
    }

    fn put_away(&mut self, name: &OsStr) {
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
                if self.stuck.insert(name.to_owned(), Stuck::Kept) != Some(Stuck::Kept) {
                    tracing::error!(?name, %error, "a mail in the Maildir is kept, but cannot be moved to cur");
                }
            }
        }
    }
}

/// Only a file: a link would have us read what the one who delivers may not, and a pipe would have us wait.
fn open(path: &Path) -> anyhow::Result<File> {
    anyhow::ensure!(fs::symlink_metadata(path)?.is_file(), "it is not a file");
    Ok(File::open(path)?)
}

/// The name in `cur/`: with the flag `S`, and without what another program may have noted.
fn seen(name: &OsStr) -> OsString {
    let bytes = name.as_encoded_bytes();
    let unique = bytes.iter().position(|&byte| byte == b':').map_or(bytes, |colon| &bytes[..colon]);
    let mut seen = OsStr::from_bytes(unique).to_owned();
    seen.push(":2,S");
    seen
}
