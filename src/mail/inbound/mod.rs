//! Raw mail → new text → command → service.
//!
//! [`receive`] keeps a mail durably and says yes; [`work_inbox`] deals with it later. Every way in (a pipe,
//! [`lmtp`], a [`maildir`], [`imap`]) does the first and nothing else, so that no mail is lost to an error in reading it.

mod authentication;
mod find;
mod flowed;
mod html;
pub mod imap;
pub mod lmtp;
mod machine;
pub mod maildir;
mod new_text;
mod read;
mod reply;
mod returned;
mod work;

pub use find::{Found, FoundLine, find};
pub use new_text::{NewText, Piece, new_text};
pub use read::{Incoming, read};
pub use work::{ATTEMPTS, Dealt, work_inbox};

use std::io::Read;

use chrono::{DateTime, Utc};

use crate::store::{self, InboxId, Store};

/// The longest mail that is read, in bytes.
pub const MAX_MAIL: usize = 1_000_000;

/// The most mails that are kept in one transaction, and octets behind which no further one is begun.
const BATCH: (usize, usize) = (256, 16_000_000);

/// How much is kept of a longer one: enough to tell who sent it.
const KEPT_OF_LONGER: usize = 64 * 1024;

/// A raw mail, not kept yet. Of one longer than [`MAX_MAIL`] it holds the head.
#[derive(Clone, Debug)]
pub struct Taken {
    raw: Vec<u8>,
    truncated: bool,
}

impl Taken {
    /// Reads a mail to its end, even where only its head is kept: a sender whose pipe breaks would try again for days.
    ///
    /// # Errors
    /// The input cannot be read, or is empty.
    pub fn read(mut input: impl Read) -> anyhow::Result<Taken> {
        let mut raw = Vec::new();
        input.by_ref().take(MAX_MAIL as u64 + 1).read_to_end(&mut raw)?;
        anyhow::ensure!(!raw.is_empty(), "there is no mail: the input is empty");
        let truncated = raw.len() > MAX_MAIL;
        if truncated {
            std::io::copy(&mut input, &mut std::io::sink())?;
            return Ok(Taken::head(raw));
        }
        Ok(Taken::whole(raw))
    }

    /// A mail whose length was seen to before.
    pub fn whole(raw: Vec<u8>) -> Taken {
        Taken { raw, truncated: false }
    }

    /// Of a mail longer than [`MAX_MAIL`], its first octets.
    fn head(mut raw: Vec<u8>) -> Taken {
        raw.truncate(KEPT_OF_LONGER);
        Taken { raw, truncated: true }
    }

    /// How many octets are held.
    #[allow(clippy::len_without_is_empty, reason = "none is empty")]
    pub fn len(&self) -> usize {
        self.raw.len()
    }
}

/// Keeps a raw mail. When this returns, it is on disk. One longer than [`MAX_MAIL`] is marked as truncated.
///
/// # Errors
/// The input cannot be read, is empty, or the store fails: the caller must then not say that the mail was taken.
pub fn receive(store: &mut dyn Store, input: impl Read, via: &str, now: DateTime<Utc>) -> anyhow::Result<InboxId> {
    let Taken { raw, truncated } = Taken::read(input)?;
    let mut tx = store.write()?;
    let id = tx.add_mail(&raw, truncated, via, now)?;
    tx.commit()?;
    Ok(id)
}

/// Keeps mails that arrived together, in one transaction: all of them, or none.
///
/// # Errors
/// The store's: the caller must then not say that any of them was taken.
pub fn receive_all(store: &mut dyn Store, mails: &[Taken], via: &str, now: DateTime<Utc>) -> store::Result<()> {
    let mut tx = store.write()?;
    for mail in mails {
        tx.add_mail(&mail.raw, mail.truncated, via, now)?;
    }
    tx.commit()
}
