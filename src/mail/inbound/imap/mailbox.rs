//! The commands on the selected mailbox (search, sizes, fetch and move), and one poll, which stores the messages that
//! have arrived.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use imap_next::imap_types::command::CommandBody;
use imap_next::imap_types::core::Vec1;
use imap_next::imap_types::fetch::{MacroOrMessageDataItemNames, MessageDataItem, MessageDataItemName};
use imap_next::imap_types::flag::{Flag, StoreResponse, StoreType};
use imap_next::imap_types::mailbox::Mailbox as MailboxName;
use imap_next::imap_types::response::{Code, Data};
use imap_next::imap_types::search::SearchKey;
use imap_next::imap_types::sequence::SequenceSet;
use imap_next::imap_types::status::StatusDataItemName;

use super::connection::ImapError;
use super::session::{Capabilities, CommandResponse, Session};
use crate::config::Imap;
use crate::mail::inbound::receive::{BATCH_MAILS, BATCH_OCTETS, Intake, MAX_HEAD, MAX_MAIL, Numbers, RawMail};
use crate::store::MailSource;

/// The UID of a message (RFC 3501, 2.3.1.1).
pub(crate) type Uid = NonZeroU32;

pub(crate) struct SelectedMailbox<'a> {
    pub(crate) session: Session,
    pub(crate) capabilities: Capabilities,
    /// A number that changes when earlier UIDs become invalid.
    pub(crate) uid_validity: Option<NonZeroU32>,
    config: &'a Imap,
}

impl<'a> SelectedMailbox<'a> {
    /// Selects the mailbox. Unless stored messages are deleted, creates the folder if it does not exist.
    pub(crate) fn open(config: &'a Imap, session: Session, capabilities: Capabilities) -> Result<Self, ImapError> {
        let mut mailbox = SelectedMailbox { session, capabilities, uid_validity: None, config };
        mailbox.select()?;
        if !config.delete {
            mailbox.find_folder()?;
        }
        Ok(mailbox)
    }

    pub(crate) fn host(&self) -> &str {
        &self.config.host
    }

    fn select(&mut self) -> Result<(), ImapError> {
        let name = &self.config.mailbox;
        let response = self.session.run(CommandBody::Select { mailbox: named(name)? })?;
        if !response.is_ok() {
            return Err(response.refusal(format!("the server does not open the mailbox {name:?}: {}", response.text)));
        }
        if response.code == Some(Code::ReadOnly) {
            return Err(ImapError::permanent(format!(
                "the mailbox {name:?} is read-only, so messages cannot be removed"
            )));
        }
        self.uid_validity = response
            .codes
            .iter()
            .find_map(|code| if let Code::UidValidity(value) = code { Some(*value) } else { None });
        Ok(())
    }

    /// Creates the folder unless it exists.
    fn find_folder(&mut self) -> Result<(), ImapError> {
        let folder = &self.config.folder;
        let there =
            CommandBody::Status { mailbox: named(folder)?, item_names: vec![StatusDataItemName::UidValidity].into() };
        if self.session.run(there)?.is_ok() {
            return Ok(());
        }
        let response = self.session.run(CommandBody::Create { mailbox: named(folder)? })?;
        if !response.is_ok() {
            return Err(response.refusal(format!(
                "the server did not create the folder {folder:?}: {}. Some servers have folders only below another, as \
                     \"INBOX.Turnpost\"; name it as `folder`",
                response.text
            )));
        }
        // Mail programs show only subscribed folders; a refusal is harmless.
        self.session.run(CommandBody::Subscribe { mailbox: named(folder)? })?;
        tracing::info!(folder, "folder created for stored mail");
        Ok(())
    }

    /// Lists the messages in the mailbox without `\Deleted` by UID, which is the order of arrival.
    pub(crate) fn search(&mut self) -> Result<Vec<Uid>, ImapError> {
        let search = CommandBody::search(None, Vec1::from(SearchKey::Undeleted), true);
        let response = self.session.run(search)?.ok("UID SEARCH")?;
        let mut uids: Vec<Uid> = response
            .data
            .into_iter()
            .flat_map(|data| if let Data::Search(uids) = data { uids } else { Vec::new() })
            .collect();
        uids.sort_unstable();
        uids.dedup();
        Ok(uids)
    }

    /// Returns the sizes of messages in octets; some servers only estimate them.
    pub(crate) fn sizes(&mut self, uids: &[Uid]) -> Result<BTreeMap<Uid, u32>, ImapError> {
        let response = self.fetch_items(uids, MessageDataItemName::Rfc822Size)?;
        let mails = fetched(response);
        let size = |items: &Vec<MessageDataItem>| {
            items.iter().find_map(|item| if let MessageDataItem::Rfc822Size(size) = item { Some(*size) } else { None })
        };
        Ok(mails.iter().filter_map(|(uid, items)| Some((*uid, size(items)?))).collect())
    }

    /// Fetches a message, or the head of one larger than [`MAX_MAIL`]. `None` if it is missing or empty. Its flags do
    /// not change.
    pub(crate) fn fetch(&mut self, uid: Uid, size: u32) -> Result<Option<RawMail>, ImapError> {
        let long = size as usize > MAX_MAIL;
        // Fetch one octet more than allowed, because the size may be wrong.
        let most = if long { MAX_HEAD } else { MAX_MAIL + 1 };
        let most = u32::try_from(most).ok().and_then(NonZeroU32::new);
        let body = MessageDataItemName::BodyExt { section: None, partial: most.map(|most| (0, most)), peek: true };
        let response = self.fetch_items(&[uid], body)?;
        let raw = fetched(response).remove(&uid).into_iter().flatten().find_map(|item| match item {
            MessageDataItem::BodyExt { section: None, data, .. } => data.into_option(),
            _ => None,
        });
        Ok(match raw {
            Some(raw) if !raw.is_empty() && long && raw.len() >= MAX_HEAD => Some(RawMail::head(raw.into_owned())),
            Some(raw) => RawMail::read(&*raw).ok(),
            None => None,
        })
    }

    /// Marks stored messages as seen, and removes them from the mailbox. The inner result is an error if the server
    /// refuses; the session can then continue.
    pub(crate) fn remove(&mut self, uids: &[Uid]) -> Result<Result<(), String>, ImapError> {
        // The flag is optional, so a refusal is harmless.
        self.flag(uids, Flag::Seen)?;
        if !self.config.delete {
            let mut response = self.move_to_folder(uids)?;
            if response.code == Some(Code::TryCreate) {
                self.find_folder()?;
                response = self.move_to_folder(uids)?;
            }
            if !response.is_ok() {
                return Ok(Err(response.text));
            }
            if self.capabilities.uid_move {
                return Ok(Ok(()));
            }
        }
        let response = self.flag(uids, Flag::Deleted)?;
        if !response.is_ok() || !self.capabilities.uidplus {
            return Ok(if response.is_ok() { Ok(()) } else { Err(response.text) });
        }
        let response = self.session.run(CommandBody::ExpungeUid { sequence_set: set(uids)? })?;
        Ok(if response.is_ok() { Ok(()) } else { Err(response.text) })
    }

    fn move_to_folder(&mut self, uids: &[Uid]) -> Result<CommandResponse, ImapError> {
        let (sequence_set, mailbox) = (set(uids)?, named(&self.config.folder)?);
        self.session.run(if self.capabilities.uid_move {
            CommandBody::Move { sequence_set, mailbox, uid: true }
        } else {
            CommandBody::Copy { sequence_set, mailbox, uid: true }
        })
    }

    fn flag(&mut self, uids: &[Uid], flag: Flag<'static>) -> Result<CommandResponse, ImapError> {
        self.session.run(CommandBody::Store {
            sequence_set: set(uids)?,
            kind: StoreType::Add,
            response: StoreResponse::Silent,
            flags: vec![flag],
            uid: true,
        })
    }

    fn fetch_items(&mut self, uids: &[Uid], item: MessageDataItemName<'static>) -> Result<CommandResponse, ImapError> {
        let items = MacroOrMessageDataItemNames::MessageDataItemNames(vec![item]);
        let fetch = CommandBody::Fetch { sequence_set: set(uids)?, macro_or_item_names: items, uid: true };
        self.session.run(fetch)?.ok("UID FETCH")
    }
}

/// Returns the items of each message in a response.
fn fetched(response: CommandResponse) -> BTreeMap<Uid, Vec<MessageDataItem<'static>>> {
    let mut mails: BTreeMap<Uid, Vec<MessageDataItem>> = BTreeMap::new();
    for data in response.data {
        let Data::Fetch { items, .. } = data else { continue };
        let uid =
            items.as_ref().iter().find_map(|item| if let MessageDataItem::Uid(uid) = item { Some(*uid) } else { None });
        if let Some(uid) = uid {
            mails.entry(uid).or_default().extend(items);
        }
    }
    mails
}

fn named(name: &str) -> Result<MailboxName<'static>, ImapError> {
    MailboxName::try_from(name.to_owned())
        .map_err(|_| ImapError::permanent(format!("{name:?} is not a valid mailbox name")))
}

fn set(uids: &[Uid]) -> Result<SequenceSet, ImapError> {
    SequenceSet::try_from(uids).map_err(|_| ImapError::temporary("the set of messages is empty"))
}

/// The facts about a mailbox that this process remembers between two polls.
#[derive(Default)]
pub(crate) struct PollState {
    uid_validity: Option<NonZeroU32>,
    /// Messages that cannot be fetched or removed.
    stuck: BTreeMap<Uid, Stuck>,
}

/// Why a message is still in the mailbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stuck {
    /// The message is empty or cannot be fetched.
    Unreadable,
    /// The message is stored, but not removed yet.
    Stored,
    /// The message is stored, and the failure to remove it has been logged.
    NotRemoved,
}

impl PollState {
    /// Stores the messages in the mailbox and removes them; returns how many it stored.
    pub(crate) fn poll(
        &mut self,
        mailbox: &mut SelectedMailbox<'_>,
        intake: &mut Intake<'_>,
    ) -> Result<usize, ImapError> {
        if self.uid_validity != mailbox.uid_validity {
            (self.uid_validity, self.stuck) = (mailbox.uid_validity, BTreeMap::new());
        }
        // Reset the flag before the search: the response to the search may omit messages announced from now on.
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
            tracing::info!(messages = mails.len(), first, last, octets, imap = mailbox.host(), "mail stored");
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
