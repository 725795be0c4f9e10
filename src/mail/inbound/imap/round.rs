//! One look at the mailbox: what is there is kept, and then put away.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use super::mailbox::{Mailbox, Uid};
use super::trouble::Trouble;
use crate::mail::inbound::{BATCH, Taken, receive_all};
use crate::store::Store;
use crate::world::World;

/// What must be remembered of a mailbox from one look to the next, while this program runs.
#[derive(Default)]
pub(super) struct Known {
    validity: Option<NonZeroU32>,
    /// Mails with which something is wrong.
    stuck: BTreeMap<Uid, Stuck>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stuck {
    Unreadable,
    /// It is in the inbox, and only has to leave the mailbox.
    Kept,
    /// The same, and the log knows.
    Stays,
}

impl Known {
    /// Keeps what is there. How many mails it was.
    pub(super) fn look(
        &mut self,
        mailbox: &mut Mailbox,
        store: &mut dyn Store,
        world: World,
        wake: &dyn Fn(),
    ) -> Result<usize, Trouble> {
        if self.validity != mailbox.validity {
            (self.validity, self.stuck) = (mailbox.validity, BTreeMap::new());
        }
        // Before the search: what is told of from now on may not be in its answer.
        mailbox.session.news = false;
        let uids = mailbox.search()?;
        self.stuck.retain(|uid, _| uids.binary_search(uid).is_ok());
        let (again, new): (Vec<Uid>, Vec<Uid>) =
            uids.into_iter().partition(|uid| self.stuck.get(uid).is_some_and(|stuck| *stuck != Stuck::Unreadable));
        for uids in again.chunks(BATCH.0) {
            self.put_away(mailbox, uids)?;
        }
        let mut kept = 0;
        for uids in new.chunks(BATCH.0) {
            kept += self.take(mailbox, uids, store, world, wake)?;
        }
        Ok(kept)
    }

    /// Takes these mails, in one transaction or, when they are long, in several.
    fn take(
        &mut self,
        mailbox: &mut Mailbox,
        uids: &[Uid],
        store: &mut dyn Store,
        world: World,
        wake: &dyn Fn(),
    ) -> Result<usize, Trouble> {
        let sizes = mailbox.sizes(uids)?;
        let mut uids = uids.iter().copied().peekable();
        let mut all = 0;
        while uids.peek().is_some() {
            let (mut batch, mut mails, mut octets) = (Vec::new(), Vec::new(), 0);
            while octets < BATCH.1
                && let Some(uid) = uids.next()
            {
                if let Some(mail) = self.fetch(mailbox, uid, sizes.get(&uid).copied().unwrap_or_default())? {
                    octets += mail.len();
                    batch.push(uid);
                    mails.push(mail);
                }
            }
            if mails.is_empty() {
                continue;
            }
            receive_all(store, &mails, "imap", (world.now)())
                .map_err(|error| Trouble::temporary(format!("mail not kept, it stays at the server: {error}")))?;
            tracing::info!(mails = mails.len(), octets, imap = mailbox.host(), "mail kept");
            self.stuck.extend(batch.iter().map(|uid| (*uid, Stuck::Kept)));
            wake();
            self.put_away(mailbox, &batch)?;
            all += batch.len();
        }
        Ok(all)
    }

    fn fetch(&mut self, mailbox: &mut Mailbox, uid: Uid, size: u32) -> Result<Option<Taken>, Trouble> {
        let mail = mailbox.fetch(uid, size)?;
        if mail.is_some() {
            self.stuck.remove(&uid);
        } else if self.stuck.insert(uid, Stuck::Unreadable).is_none() {
            tracing::warn!(uid, "a mail at the IMAP server is empty or not shown; it is left");
        }
        Ok(mail)
    }

    fn put_away(&mut self, mailbox: &mut Mailbox, uids: &[Uid]) -> Result<(), Trouble> {
        match mailbox.put_away(uids)? {
            Ok(()) => self.stuck.retain(|uid, _| uids.binary_search(uid).is_err()),
            Err(error) => {
                for uid in uids {
                    if self.stuck.insert(*uid, Stuck::Stays) != Some(Stuck::Stays) {
                        tracing::error!(uid, error, "a mail is kept, but cannot leave the mailbox at the IMAP server");
                    }
                }
            }
        }
        Ok(())
    }
}
