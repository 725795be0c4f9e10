//! Adds, confirms and removes the addresses of players.

use std::net::IpAddr;

use chrono::{DateTime, TimeDelta, Utc};

use super::blocked::{block_of, confirmations_of, wants_no_confirmation};
use super::passwords::Passwords;
use crate::clock::Span;
use crate::message;
use crate::service::context::{Context, Service};
use crate::service::notice::answer::{Answer, AnswerEntry};
use crate::service::notice::facts::{Confirmation, Notice, Replied};
use crate::service::notice::notices::Recipient;
use crate::service::notice::reach;
use crate::service::rejection::{Reason, Rejection, RequestResult, split_rejection_without_password};
use crate::service::request::{Origin, Request};
use crate::service::response::Response;
use crate::store::{
    self, ActKind, Address, AwaitedCode, BlockedSender, Channel, CountedBy, CountedKind, Player, PlayerId, Transaction,
};

/// The maximum number of addresses of a player.
const MOST_ADDRESSES: usize = 5;

/// The addresses that a request has added.
pub(crate) struct NewAddresses {
    /// Addresses that already receive letters.
    pub(crate) confirmed: Vec<String>,
    /// Addresses whose owners were asked to confirm.
    pub(crate) awaiting: Vec<String>,
}

impl Context<'_, '_> {
    pub(crate) fn confirm_address(&mut self, userid: &str, code: &str) -> RequestResult<Response> {
        let confirmed = match self.tx.player(userid)? {
            Some(player) => {
                let awaited = self.tx.awaited_codes(player.id)?.into_iter().find(|awaited| awaited.code == code);
                if let Some(AwaitedCode { address, .. }) = awaited
                    && block_of(&*self.tx, &address)?.is_some()
                {
                    return self.refuse("", message!("service.address-blocked", address));
                }
                let before = reach::before_change(self.tx, &player, self.request.now)?;
                let address = self.tx.confirm_address(player.id, code, self.request.now)?;
                if let Some(address) = &address {
                    self.tx.unblock_sender(&confirmations_of(address))?;
                    self.service.remove_replaced(self.tx, &player, self.request.now)?;
                }
                reach::after_change(self.tx, &player, before, self.request.now)?;
                address.map(|address| (player, address))
            }
            None => None,
        };
        match confirmed {
            Some((player, address)) => {
                let robots = self.service.policy.robots;
                let address = self.may_know_addresses(&player)?.then_some(address);
                Ok(Response::AddressConfirmed { userid: player.userid, address, robots })
            }
            None => self.refuse(code, message!("service.no-such-code")),
        }
    }

    /// Returns whether the answer may contain addresses of a player. A code does not prove that the sender is the
    /// player.
    fn may_know_addresses(&self, player: &Player) -> RequestResult<bool> {
        Ok(match &self.request.from {
            Origin::Shell { .. } => true,
            Origin::Mail { sender, .. } => {
                self.tx.addresses(player.id)?.iter().any(|known| known.confirmed_at.is_some() && is(known, sender))
            }
            Origin::Known { userid, .. } => userid.eq_ignore_ascii_case(&player.userid),
            Origin::Visitor => false,
        })
    }

    pub(crate) fn change_addresses(&mut self, player: Player, wanted: &[String]) -> RequestResult<Response> {
        self.check_addresses(Some(player.id), wanted)?;
        let present = self.tx.addresses(player.id)?;
        let added: Vec<String> = wanted
            .iter()
            .filter(|address| !present.iter().any(|known| known.confirmed_at.is_some() && is(known, address)))
            .cloned()
            .collect();
        self.check_letters(&added)?;
        let before = reach::before_change(self.tx, &player, self.request.now)?;
        // A player who names a paused address confirms that it works again.
        for paused in present.iter().filter(|known| known.paused.is_some()) {
            if wanted.iter().any(|address| is(paused, address)) {
                self.tx.resume_address(player.id, &paused.address)?;
            }
        }
        // Remove the addresses that still await confirmation. Adding them again sends another letter.
        for known in present.iter().filter(|known| added.iter().any(|address| is(known, address))) {
            self.tx.remove_address(player.id, &known.address)?;
        }
        self.add_addresses(player.id, &player.userid, added)?;
        self.replace_unwanted(&player, wanted)?;
        reach::after_change(self.tx, &player, before, self.request.now)?;
        self.log_change(player.id, ActKind::Addresses, &wanted.join(" "))?;
        let (addresses, awaiting): (Vec<_>, Vec<_>) =
            self.tx.addresses(player.id)?.into_iter().partition(|known| known.confirmed_at.is_some());
        let replaced = addresses.iter().filter(|known| known.replaced).cloned().collect();
        let texts = |known: Vec<Address>| known.into_iter().map(|known| known.address).collect();
        Ok(Response::AddressesChanged {
            userid: player.userid,
            addresses: texts(addresses),
            awaiting: texts(awaiting),
            replaced: texts(replaced),
        })
    }

    /// Removes the addresses that are not in `wanted`. Confirmed ones remain until a wanted address is confirmed, so
    /// that letters still reach the player.
    fn replace_unwanted(&mut self, player: &Player, wanted: &[String]) -> RequestResult<()> {
        for known in self.tx.addresses(player.id)? {
            let is_wanted = wanted.iter().any(|address| is(&known, address));
            if is_wanted || known.confirmed_at.is_some() {
                self.tx.set_replaced(player.id, &known.address, !is_wanted)?;
            } else {
                self.tx.remove_address(player.id, &known.address)?;
            }
        }
        Ok(self.service.remove_replaced(self.tx, player, self.request.now)?)
    }

    /// Adds addresses. Those from the administrator's shell are confirmed immediately; the owners of others are asked
    /// to confirm them.
    pub(crate) fn add_addresses(
        &mut self,
        player: PlayerId,
        userid: &str,
        addresses: Vec<String>,
    ) -> RequestResult<NewAddresses> {
        if matches!(self.request.from, Origin::Shell { .. }) {
            for address in &addresses {
                self.tx.add_address(player, address, None, self.request.now)?;
            }
            return Ok(NewAddresses { confirmed: addresses, awaiting: Vec::new() });
        }
        for address in &addresses {
            self.service.ask_to_confirm(self.tx, self.request, (player, userid), address)?;
        }
        Ok(NewAddresses { confirmed: Vec::new(), awaiting: addresses })
    }

    /// Refuses to send confirmation letters to owners who opted out. Also refuses if too many letters were requested
    /// for an address, or by the requester.
    pub(crate) fn check_letters(&self, addresses: &[String]) -> RequestResult<()> {
        let source = self.request.source();
        if matches!(self.request.from, Origin::Shell { .. }) {
            return Ok(());
        }
        for address in addresses {
            if wants_no_confirmation(&*self.tx, address)? {
                return self.refuse(address, message!("service.address-wants-no-confirmation", address));
            }
        }
        if self.service.may_write_to_strangers(&*self.tx, addresses, &source, self.now())? {
            return Ok(());
        }
        let rejection = self.rejection("", message!("service.too-many-letters"));
        Err(rejection.because(Reason::TooOften).into())
    }

    /// Returns whether the answer may reveal that an address belongs to a player. It may if the request is from the
    /// administrator or from this address. In other cases, only the owner learns it, from a letter.
    fn may_know_owner(&self, address: &str) -> bool {
        match &self.request.from {
            Origin::Shell { .. } => true,
            Origin::Mail { sender, .. } => sender.eq_ignore_ascii_case(address),
            Origin::Visitor | Origin::Known { .. } => false,
        }
    }

    /// Refuses invalid, duplicate and blocked addresses, and more than [`MOST_ADDRESSES`]. Refuses an address of
    /// another player only if the sender may know that it has an owner.
    pub(crate) fn check_addresses(&self, player: Option<PlayerId>, addresses: &[String]) -> RequestResult<()> {
        for (i, address) in addresses.iter().enumerate() {
            if address.parse::<lettre::Address>().is_err() {
                return self.refuse(address, message!("service.no-mail-address", address));
            }
            if addresses[..i].iter().any(|other| other.eq_ignore_ascii_case(address)) {
                return self.refuse(address, message!("service.address-twice", address));
            }
            if block_of(&*self.tx, address)?.is_some() {
                return self.refuse(address, message!("service.address-blocked", address));
            }
            if self.may_know_owner(address)
                && self.tx.player_by_address(address)?.is_some_and(|owner| Some(owner.id) != player)
            {
                return self.refuse(address, message!("service.address-of-another-player", address));
            }
        }
        match addresses.get(MOST_ADDRESSES) {
            Some(address) => self.refuse(address, message!("service.too-many-addresses", most = MOST_ADDRESSES)),
            None => Ok(()),
        }
    }
}

fn is(known: &Address, address: &str) -> bool {
    known.address.eq_ignore_ascii_case(address)
}

impl Service<'_> {
    /// Removes a player's replaced addresses if another address is confirmed. A last letter to each of them says so.
    pub(crate) fn remove_replaced(
        &self,
        tx: &mut Transaction<'_>,
        player: &Player,
        now: DateTime<Utc>,
    ) -> store::Result<()> {
        let known = tx.addresses(player.id)?;
        if !known.iter().any(|known| known.confirmed_at.is_some() && !known.replaced) {
            return Ok(());
        }
        for Address { address, paused, .. } in known.into_iter().filter(|known| known.replaced) {
            tx.remove_address(player.id, &address)?;
            if paused.is_some() {
                continue;
            }
            // Somebody else may read this mailbox today, so the letter does not contain the new address.
            let removed = Response::AddressesChanged {
                userid: player.userid.clone(),
                addresses: Vec::new(),
                awaiting: Vec::new(),
                replaced: vec![address.clone()],
            };
            let entries = vec![AnswerEntry::Done(Box::new(removed))];
            let recipient = Recipient { player: None, address: Some(address), in_reply_to: None, due_at: Some(now) };
            self.add_notice(tx, &Notice::Answer(Answer { entries, ..Answer::default() }), None, recipient, now)?;
        }
        Ok(())
    }

    /// Returns whether one of a player's addresses awaits this code.
    ///
    /// # Errors
    /// If the store fails.
    pub fn awaits_code(&self, tx: &Transaction<'_>, userid: &str, code: &str) -> store::Result<bool> {
        let Some(player) = tx.player(userid)? else { return Ok(false) };
        Ok(tx.awaited_codes(player.id)?.iter().any(|awaited| awaited.code == code))
    }

    /// Resends the confirmation letters of a player's addresses, and returns the addresses.
    ///
    /// # Errors
    /// If the store fails. Too many letters are a [`Rejection`].
    pub fn confirm_again(
        &self,
        tx: &mut Transaction<'_>,
        player: &Player,
        client: IpAddr,
        now: DateTime<Utc>,
    ) -> store::Result<Result<Vec<String>, Rejection>> {
        let from = Origin::Known { userid: player.userid.clone(), via: Channel::Web };
        let request = Request::without_line(from, Some(client), now);
        let waiting = tx.addresses(player.id)?.into_iter().filter(|known| known.confirmed_at.is_none());
        let waiting: Vec<String> = waiting.map(|known| known.address).collect();
        let no_passwords = Passwords::default();
        let context = Context::new(*self, &mut *tx, &request, &no_passwords);
        if let Err(rejection) = split_rejection_without_password(context.check_letters(&waiting))? {
            return Ok(Err(rejection));
        }
        for address in &waiting {
            self.ask_to_confirm(tx, &request, (player.id, &player.userid), address)?;
        }
        Ok(Ok(waiting))
    }
}

impl Service<'_> {
    /// Asks the owner of an address again to confirm it, because their reply (with this Message-ID) was neither a yes
    /// nor a no. Returns false if they were asked again before, or if no confirmation is pending.
    ///
    /// # Errors
    /// If the store fails.
    pub fn ask_again(
        &self,
        tx: &mut Transaction<'_>,
        address: &str,
        asked: &Confirmation,
        message_id: Option<&str>,
        now: DateTime<Utc>,
    ) -> store::Result<bool> {
        if !self.awaits_code(tx, &asked.userid, &asked.code)?
            || tx.counted(CountedKind::Letter, CountedBy::Source(&source(asked)), &Span::last(UNCONFIRMED, now))? > 0
        {
            return Ok(false);
        }
        self.answer_owner(tx, address, asked, Replied::Unclear, message_id, now)?;
        Ok(true)
    }

    /// Stops confirmation letters to an address at its owner's request. Returns false if they were already stopped.
    ///
    /// # Errors
    /// If the store fails.
    pub fn stop_confirmations(
        &self,
        tx: &mut Transaction<'_>,
        address: &str,
        asked: &Confirmation,
        message_id: Option<&str>,
        now: DateTime<Utc>,
    ) -> store::Result<bool> {
        if wants_no_confirmation(tx, address)? {
            return Ok(false);
        }
        let reason = format!("confirm {}", asked.userid);
        tx.block_sender(&BlockedSender { sender: confirmations_of(address), blocked_at: now, reason })?;
        self.answer_owner(tx, address, asked, Replied::Refused, message_id, now)?;
        Ok(true)
    }

    fn answer_owner(
        &self,
        tx: &mut Transaction<'_>,
        address: &str,
        asked: &Confirmation,
        replied: Replied,
        message_id: Option<&str>,
        now: DateTime<Utc>,
    ) -> store::Result<()> {
        tx.count(CountedKind::Letter, address, &source(asked), now)?;
        let notice = Notice::Confirm(Confirmation { replied: Some(replied), ..asked.clone() });
        let (address, in_reply_to) = (Some(address.to_owned()), message_id.map(str::to_owned));
        let recipient = Recipient { player: None, address, in_reply_to, due_at: Some(now) };
        self.add_notice(tx, &notice, None, recipient, now)
    }
}

/// Returns the key for counting the letters that the server sends in reply to the owner of an unconfirmed address.
fn source(asked: &Confirmation) -> String {
    format!("confirm {} {}", asked.userid, asked.code)
}

/// How long a player without a confirmed address can take to confirm one.
pub(crate) const UNCONFIRMED: TimeDelta = TimeDelta::days(7);

impl Service<'_> {
    /// Returns whether [`Service::lapse_accounts`] would remove or change any player.
    ///
    /// # Errors
    /// If the store fails.
    pub fn has_lapsed_accounts(tx: &Transaction<'_>, now: DateTime<Utc>) -> store::Result<bool> {
        Ok(!tx.unconfirmed_players(&Span::last(UNCONFIRMED, now))?.is_empty())
    }

    /// Removes the players who have not confirmed any address within a week, so that their userids become available.
    /// Players who have had a board or an open challenge, or taken part in an event, remain, but lose their unconfirmed
    /// addresses.
    ///
    /// # Errors
    /// If the store fails.
    pub fn lapse_accounts(&self, tx: &mut Transaction<'_>, now: DateTime<Utc>) -> store::Result<()> {
        for player in tx.unconfirmed_players(&Span::last(UNCONFIRMED, now))? {
            if !tx.remove_player(player)? {
                for known in tx.addresses(player)? {
                    tx.remove_address(player, &known.address)?;
                }
            }
        }
        Ok(())
    }
}
