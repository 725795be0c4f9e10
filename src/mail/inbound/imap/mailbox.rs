//! What is asked of a server about its mailbox.

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroU32;

use imap_next::imap_types::command::CommandBody;
use imap_next::imap_types::core::Vec1;
use imap_next::imap_types::fetch::{MacroOrMessageDataItemNames, MessageDataItem, MessageDataItemName};
use imap_next::imap_types::flag::{Flag, StoreResponse, StoreType};
use imap_next::imap_types::mailbox::Mailbox as Name;
use imap_next::imap_types::response::{Code, Data};
use imap_next::imap_types::search::SearchKey;
use imap_next::imap_types::sequence::SequenceSet;
use imap_next::imap_types::status::StatusDataItemName;

use super::session::{Answer, Capabilities, Session};
use super::trouble::Trouble;
use super::wire::Wire;
use crate::config::{Imap, Tls};
use crate::mail::inbound::{KEPT_OF_LONGER, MAX_MAIL, Taken};
use crate::world::World;

/// A mail's UID.
pub(super) type Uid = NonZeroU32;

/// A mailbox that is open.
pub(super) struct Mailbox<'a> {
    pub(super) session: Session,
    pub(super) can: Capabilities,
    /// Changes when the UIDs of before mean nothing any more.
    pub(super) validity: Option<NonZeroU32>,
    config: &'a Imap,
}

impl<'a> Mailbox<'a> {
    /// Logs in, opens the mailbox, and makes the folder if there is none.
    pub(super) fn open(config: &'a Imap, wire: Wire, world: World) -> Result<Mailbox<'a>, Trouble> {
        let mut session = match config.tls {
            Tls::None => Session::begin(wire, world)?,
            Tls::Wrapped => Session::begin(wire.encrypted(&config.host, config.ca_file.as_deref())?, world)?,
            Tls::Starttls => {
                let mut plain = Session::begin(wire, world)?;
                let answer = plain.run(CommandBody::StartTLS)?;
                if !answer.is_ok() {
                    return Err(Trouble::permanent(format!(
                        "the server refuses STARTTLS: {}. Does it want tls = \"wrapped\"?",
                        answer.text
                    )));
                }
                Session::greeted(plain.into_wire().encrypted(&config.host, config.ca_file.as_deref())?, world)
            }
        };
        login(&mut session, config)?;
        // After the login there may be more.
        let can = session.capabilities()?;
        let mut mailbox = Mailbox { session, can, validity: None, config };
        mailbox.select()?;
        if !config.delete {
            mailbox.find_folder()?;
        }
        Ok(mailbox)
    }

    /// The server's name.
    pub(super) fn host(&self) -> &str {
        &self.config.host
    }

    fn select(&mut self) -> Result<(), Trouble> {
        let name = &self.config.mailbox;
        let answer = self.session.run(CommandBody::Select { mailbox: named(name)? })?;
        if !answer.is_ok() {
            return Err(refused(&answer, format!("the server does not open the mailbox {name:?}: {}", answer.text)));
        }
        if answer.code == Some(Code::ReadOnly) {
            return Err(Trouble::permanent(format!(
                "the mailbox {name:?} may only be read, so that no mail can leave it"
            )));
        }
        self.validity =
            answer.codes.iter().find_map(|code| if let Code::UidValidity(value) = code { Some(*value) } else { None });
        Ok(())
    }

    fn find_folder(&mut self) -> Result<(), Trouble> {
        let folder = &self.config.folder;
        let there =
            CommandBody::Status { mailbox: named(folder)?, item_names: vec![StatusDataItemName::UidValidity].into() };
        if self.session.run(there)?.is_ok() {
            return Ok(());
        }
        let answer = self.session.run(CommandBody::Create { mailbox: named(folder)? })?;
        if !answer.is_ok() {
            return Err(refused(
                &answer,
                format!(
                    "the server does not make the folder {folder:?}: {}. Some have folders only below another, as \
                     \"INBOX.Turnpost\"; name it as `folder`",
                    answer.text
                ),
            ));
        }
        // Whoever looks at the mailbox as well shall see the folder; it goes without.
        self.session.run(CommandBody::Subscribe { mailbox: named(folder)? })?;
        tracing::info!(folder, "folder made for mails that were taken");
        Ok(())
    }

    /// The mails that are there, in order, which is that of arrival.
    pub(super) fn search(&mut self) -> Result<Vec<Uid>, Trouble> {
        let search = CommandBody::search(None, Vec1::from(SearchKey::Undeleted), true);
        let answer = self.session.run(search)?.ok("UID SEARCH")?;
        let mut uids: Vec<Uid> = answer
            .data
            .into_iter()
            .flat_map(|data| if let Data::Search(uids) = data { uids } else { Vec::new() })
            .collect();
        uids.sort_unstable();
        uids.dedup();
        Ok(uids)
    }

    /// The lengths of mails in octets, as the server says; some only estimate it.
    pub(super) fn sizes(&mut self, uids: &[Uid]) -> Result<BTreeMap<Uid, u32>, Trouble> {
        let answer = self.fetch_items(uids, MessageDataItemName::Rfc822Size)?;
        let mails = fetched(answer);
        let size = |items: &Vec<MessageDataItem>| {
            items.iter().find_map(|item| if let MessageDataItem::Rfc822Size(size) = item { Some(*size) } else { None })
        };
        Ok(mails.iter().filter_map(|(uid, items)| Some((*uid, size(items)?))).collect())
    }

    /// A mail, of one that is said to be longer than [`MAX_MAIL`] the head. `None` when there is none, or nothing in it.
    /// Its flags stay as they are.
    pub(super) fn fetch(&mut self, uid: Uid, size: u32) -> Result<Option<Taken>, Trouble> {
        let long = size as usize > MAX_MAIL;
        // One more than is read, whatever the server said of its length.
        let most = if long { KEPT_OF_LONGER } else { MAX_MAIL + 1 };
        let most = u32::try_from(most).ok().and_then(NonZeroU32::new);
        let body = MessageDataItemName::BodyExt { section: None, partial: most.map(|most| (0, most)), peek: true };
        let answer = self.fetch_items(&[uid], body)?;
        let raw = fetched(answer).remove(&uid).into_iter().flatten().find_map(|item| match item {
            MessageDataItem::BodyExt { section: None, data, .. } => data.into_option(),
            _ => None,
        });
        Ok(match raw {
            Some(raw) if !raw.is_empty() && long && raw.len() >= KEPT_OF_LONGER => Some(Taken::head(raw.into_owned())),
            Some(raw) => Taken::read(&*raw).ok(),
            None => None,
        })
    }

    /// Mails that are kept leave the mailbox, seen. Trouble with one of these commands need not end the session, so it
    /// is the inner result.
    pub(super) fn put_away(&mut self, uids: &[Uid]) -> Result<Result<(), String>, Trouble> {
        // Nobody is to read them; where that cannot be noted, it does not matter.
        self.flag(uids, Flag::Seen)?;
        if !self.config.delete {
            let mut answer = self.send_to_folder(uids)?;
            if answer.code == Some(Code::TryCreate) {
                self.find_folder()?;
                answer = self.send_to_folder(uids)?;
            }
            if !answer.is_ok() {
                return Ok(Err(answer.text));
            }
            if self.can.moves {
                return Ok(Ok(()));
            }
        }
        let answer = self.flag(uids, Flag::Deleted)?;
        if !answer.is_ok() || !self.can.uidplus {
            return Ok(if answer.is_ok() { Ok(()) } else { Err(answer.text) });
        }
        let answer = self.session.run(CommandBody::ExpungeUid { sequence_set: set(uids)? })?;
        Ok(if answer.is_ok() { Ok(()) } else { Err(answer.text) })
    }

    fn send_to_folder(&mut self, uids: &[Uid]) -> Result<Answer, Trouble> {
        let (sequence_set, mailbox) = (set(uids)?, named(&self.config.folder)?);
        self.session.run(if self.can.moves {
            CommandBody::Move { sequence_set, mailbox, uid: true }
        } else {
            CommandBody::Copy { sequence_set, mailbox, uid: true }
        })
    }

    fn flag(&mut self, uids: &[Uid], flag: Flag<'static>) -> Result<Answer, Trouble> {
        self.session.run(CommandBody::Store {
            sequence_set: set(uids)?,
            kind: StoreType::Add,
            response: StoreResponse::Silent,
            flags: vec![flag],
            uid: true,
        })
    }

    fn fetch_items(&mut self, uids: &[Uid], item: MessageDataItemName<'static>) -> Result<Answer, Trouble> {
        let items = MacroOrMessageDataItemNames::MessageDataItemNames(vec![item]);
        let fetch = CommandBody::Fetch { sequence_set: set(uids)?, macro_or_item_names: items, uid: true };
        self.session.run(fetch)?.ok("UID FETCH")
    }
}

fn login(session: &mut Session, config: &Imap) -> Result<(), Trouble> {
    if session.capabilities()?.no_login {
        return Err(Trouble::permanent(format!(
            "the server takes no password{}",
            if config.tls == Tls::None { " without TLS" } else { "" }
        )));
    }
    let file = &config.password_file;
    let text = fs::read_to_string(file)
        .map_err(|error| Trouble::permanent(format!("cannot read the password_file {}: {error}", file.display())))?;
    let password = text.lines().next().unwrap_or_default();
    session.hide(password);
    let login = CommandBody::login(config.user.clone(), password.to_owned())
        .map_err(|_| Trouble::permanent("user or password has an octet that IMAP cannot carry"))?;
    let answer = session.run(login)?;
    if !answer.is_ok() {
        let text = format!(
            "the server refuses the login of {:?}: {}. Are user and password_file right? Many providers want an app \
             password, and IMAP switched on",
            config.user, answer.text
        );
        return Err(refused(&answer, text));
    }
    Ok(())
}

/// Of what a server refuses, most stays refused.
fn refused(answer: &Answer, text: String) -> Trouble {
    if answer.may_pass() { Trouble::Temporary(text) } else { Trouble::Permanent(text) }
}

/// What was told of each mail.
fn fetched(answer: Answer) -> BTreeMap<Uid, Vec<MessageDataItem<'static>>> {
    let mut mails: BTreeMap<Uid, Vec<MessageDataItem>> = BTreeMap::new();
    for data in answer.data {
        let Data::Fetch { items, .. } = data else { continue };
        let uid =
            items.as_ref().iter().find_map(|item| if let MessageDataItem::Uid(uid) = item { Some(*uid) } else { None });
        if let Some(uid) = uid {
            mails.entry(uid).or_default().extend(items);
        }
    }
    mails
}

fn named(name: &str) -> Result<Name<'static>, Trouble> {
    Name::try_from(name.to_owned()).map_err(|_| Trouble::permanent(format!("{name:?} is no mailbox's name")))
}

fn set(uids: &[Uid]) -> Result<SequenceSet, Trouble> {
    SequenceSet::try_from(uids).map_err(|_| Trouble::temporary("no mail is meant"))
}
