//! Raw mail → new text → command → desk.
//!
//! [`receive`] keeps a mail durably and says yes; [`work_inbox`] deals with it later. Every way in (a pipe today)
//! does the first and nothing else, so that no mail is lost to an error in reading it.

mod find;
mod read;
mod reply;
mod work;

pub use find::{Found, FoundLine, find};
pub use read::{Incoming, read};
pub use work::{ATTEMPTS, Dealt, work_inbox};

use std::io::Read;

use chrono::{DateTime, Utc};

use crate::store::{InboxId, Store};

/// The longest mail that is read, in bytes.
pub const MAX_MAIL: usize = 1_000_000;

/// How much is kept of a longer one: enough to tell who sent it.
const KEPT_OF_LONGER: usize = 64 * 1024;

/// Keeps a raw mail. When this returns, it is on disk.
///
/// A mail longer than [`MAX_MAIL`] is read to its end, because a sender whose pipe breaks would try again for days;
/// only its head is kept, marked as truncated.
///
/// # Errors
/// The input cannot be read, is empty, or the store fails: the caller must then not say that the mail was taken.
pub fn receive(store: &mut dyn Store, mut input: impl Read, via: &str, now: DateTime<Utc>) -> anyhow::Result<InboxId> {
    let mut raw = Vec::new();
    input.by_ref().take(MAX_MAIL as u64 + 1).read_to_end(&mut raw)?;
    anyhow::ensure!(!raw.is_empty(), "there is no mail: the input is empty");
    let truncated = raw.len() > MAX_MAIL;
    if truncated {
        std::io::copy(&mut input, &mut std::io::sink())?;
        raw.truncate(KEPT_OF_LONGER);
    }
    let mut ledger = store.write()?;
    let id = ledger.add_mail(&raw, truncated, via, now)?;
    ledger.commit()?;
    Ok(id)
}
