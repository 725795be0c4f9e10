//! One poll of the mailbox: messages are stored, and then removed.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use super::error::ImapError;
use super::mailbox::{SelectedMailbox, Uid};
use crate::mail::inbound::raw::RawMail;
use crate::mail::inbound::receive::{BATCH_MAILS, BATCH_OCTETS, Intake, Numbers};
use crate::store::MailSource;

/// The state of a mailbox between two polls, while this program runs.
#[derive(Default)]
pub(crate) struct PollState {
    uid_validity: Option<NonZeroU32>,
    /// Messages that cannot be fetched or removed.
    stuck: BTreeMap<Uid, Stuck>,
}

/// Why a message is still in the mailbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stuck {
    /// It is empty or cannot be fetched.
    Unreadable,
    /// It is stored, but not removed yet.
    Stored,
    /// It is stored, and the failure to remove it has been logged.
    NotRemoved,
}

impl PollState {
    /// Stores the messages in the mailbox; returns their number.
    pub(crate) fn poll(
        &mut self,
        mailbox: &mut SelectedMailbox<'_>,
        intake: &mut Intake<'_>,
    ) -> Result<usize, ImapError> {
        if self.uid_validity != mailbox.uid_validity {
            (self.uid_validity, self.stuck) = (mailbox.uid_validity, BTreeMap::new());
        }
        // Reset before the search: its response may omit messages that are announced from now on.
        mailbox.session.new_mail = false;
        let uids = mailbox.search()?;
        self.stuck.retain(|uid, _| uids.binary_search(uid).is_ok());
        let (again, new): (Vec<Uid>, Vec<Uid>) =
            uids.into_iter().partition(|uid| self.stuck.get(uid).is_some_and(|stuck| *stuck != Stuck::Unreadable));
        for uids in again.chunks(BATCH_MAILS) {
            self.remove(mailbox, uids)?;
        }
        let mut stored = 0;
        for uids in new.chunks(BATCH_MAILS) {
            stored += self.store(mailbox, uids, intake)?;
        }
        Ok(stored)
    }

    /// Stores these messages in one transaction, or in several if they are long.
    fn store(
        &mut self,
        mailbox: &mut SelectedMailbox<'_>,
        uids: &[Uid],
        intake: &mut Intake<'_>,
    ) -> Result<usize, ImapError> {
        let sizes = mailbox.sizes(uids)?;
        let mut uids = uids.iter().copied().peekable();
        let mut all = 0;
        while uids.peek().is_some() {
            let (mut batch, mut mails, mut octets) = (Vec::new(), Vec::new(), 0);
            while octets < BATCH_OCTETS
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
            let Numbers { first, last } = intake.receive_all(&mails, MailSource::Imap).map_err(|error| {
                ImapError::temporary(format!("the message is not stored and remains on the server: {error}"))
            })?;
            tracing::info!(mails = mails.len(), first, last, octets, imap = mailbox.host(), "mail stored");
            self.stuck.extend(batch.iter().map(|uid| (*uid, Stuck::Stored)));
            (intake.wake)();
            self.remove(mailbox, &batch)?;
            all += batch.len();
        }
        Ok(all)
    }

    fn fetch(&mut self, mailbox: &mut SelectedMailbox<'_>, uid: Uid, size: u32) -> Result<Option<RawMail>, ImapError> {
        let mail = mailbox.fetch(uid, size)?;
        if mail.is_some() {
            self.stuck.remove(&uid);
        } else if self.stuck.insert(uid, Stuck::Unreadable).is_none() {
            tracing::warn!(uid, "a message on the IMAP server is empty or cannot be fetched; it remains there");
        }
        Ok(mail)
    }

    fn remove(&mut self, mailbox: &mut SelectedMailbox<'_>, uids: &[Uid]) -> Result<(), ImapError> {
        match mailbox.remove(uids)? {
            Ok(()) => self.stuck.retain(|uid, _| uids.binary_search(uid).is_err()),
            Err(error) => {
                for uid in uids {
                    if self.stuck.insert(*uid, Stuck::NotRemoved) != Some(Stuck::NotRemoved) {
                        tracing::error!(
                            uid,
                            error,
                            "a message is stored, but cannot be removed from the mailbox on the IMAP server"
                        );
                    }
                }
            }
        }
        Ok(())
    }
}
