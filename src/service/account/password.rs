//! Forgotten passwords: a link or code by mail sets a new one.
//!
//! It goes to the player's confirmed addresses and nowhere else. Whoever asks gets the same answer whether or not there
//! is such a player, and however often they have asked for this one. A code works once, for an hour; no table holds it,
//! since it is signed when its letter is composed.

use chrono::{DateTime, TimeDelta, Utc};

use crate::clock::Span;
use crate::command::Password;
use crate::message;
use crate::store::{self, ActKind, Address, LinkId, LinkPurpose, LoginLink, Player, Transaction};
use crate::token::NewPassword;

use crate::service::context::{Context, Service};
use crate::service::notice::facts::{self, Notice};
use crate::service::rejection::{Reason, RequestResult};
use crate::service::request::Origin;
use crate::service::response::Response;

/// For how many minutes a link works.
const LINK_MINUTES: i64 = 60;
/// The most links that a player is sent in a day.
pub(super) const LINKS_A_DAY: u32 = 3;
/// The most links that one source may ask for in a day, for whichever players.
pub(super) const REQUESTS_A_DAY: u32 = 10;

impl Service<'_> {
    /// Mails a link that sets a new password to the player of this userid, if there is one. `source` is who asks: a mail
    /// address, a network address. Gives false when that source has asked too often.
    ///
    /// # Errors
    /// The store's.
    pub fn mail_password_link(
        &self,
        tx: &mut Transaction<'_>,
        userid: &str,
        source: &str,
        now: DateTime<Utc>,
    ) -> store::Result<bool> {
        let player = tx.player(userid)?;
        self.mail_link_asked_by(tx, player.as_ref(), source, now)
    }

    fn mail_link_asked_by(
        &self,
        tx: &mut Transaction<'_>,
        player: Option<&Player>,
        source: &str,
        now: DateTime<Utc>,
    ) -> store::Result<bool> {
        if self.asked_for_passwords_too_often(tx, source, now)? {
            return Ok(false);
        }
        tx.count_password_request(&source.to_lowercase(), now, &day(now))?;
        self.write_password_link(tx, player, now)?;
        Ok(true)
    }

    /// Whether a source has asked for as many such links as it may in a day.
    ///
    /// # Errors
    /// The store's.
    pub fn asked_for_passwords_too_often(
        &self,
        tx: &Transaction<'_>,
        source: &str,
        now: DateTime<Utc>,
    ) -> store::Result<bool> {
        Ok(tx.password_requests(&source.to_lowercase(), &day(now))? >= REQUESTS_A_DAY)
    }

    fn write_password_link(
        &self,
        tx: &mut Transaction<'_>,
        player: Option<&Player>,
        now: DateTime<Utc>,
    ) -> store::Result<()> {
        let Some(player) = player.filter(|player| is_active(player)) else { return Ok(()) };
        let reachable = |known: &Address| known.confirmed_at.is_some() && known.paused.is_none();
        if !tx.addresses(player.id)?.iter().any(reachable) {
            return Ok(());
        }
        if tx.login_links(player.id, LinkPurpose::Password, &day(now))? >= LINKS_A_DAY {
            return Ok(());
        }
        let link = tx.add_login_link(player.id, LinkPurpose::Password, now)?;
        let notice = Notice::Password(facts::LoginLink { link: link.0, minutes: LINK_MINUTES });
        self.write_to(tx, &notice, player.id, now)
    }

    /// Returns the player for whom a link or code sets a new password, if it still works.
    ///
    /// # Errors
    /// The store's.
    pub fn password_link(&self, tx: &Transaction<'_>, code: &str, now: DateTime<Utc>) -> store::Result<Option<Player>> {
        let Some(new) = NewPassword::verify(code, &tx.reply_key()?) else { return Ok(None) };
        let lifetime = Span::last(TimeDelta::minutes(LINK_MINUTES), now);
        let works =
            |link: &LoginLink| link.purpose == LinkPurpose::Password && !link.used && lifetime.contains(link.asked_at);
        match tx.login_link(LinkId(new.link.into()))?.filter(works) {
            Some(link) => Ok(tx.player_by_id(link.player)?.filter(is_active)),
            None => Ok(None),
        }
    }
}

/// The day for which requests and links are counted.
fn day(now: DateTime<Utc>) -> Span {
    Span::last(TimeDelta::days(1), now)
}

fn is_active(player: &Player) -> bool {
    player.left_at.is_none() && player.blocked_at.is_none()
}

impl Context<'_, '_> {
    /// Mails a link that sets a new password, if there is such a player. Without a userid, the player is the one whose address
    /// the mail comes from.
    pub(in crate::service) fn forgotten_password(&mut self, userid: Option<&str>) -> RequestResult<Response> {
        let player = match (userid, &self.request.from) {
            (Some(userid), _) => self.tx.player(userid)?,
            (None, Origin::Known { userid, .. }) => self.tx.player(userid)?,
            (None, Origin::Mail { sender, .. }) => self.tx.player_by_address(sender)?,
            (None, Origin::Shell { .. } | Origin::Visitor) => {
                return self.refuse("", message!("command.missing-userid"));
            }
        };
        let source = match &self.request.from {
            // Whoever has the shell can reset a password anyway.
            Origin::Shell { .. } => None,
            Origin::Known { userid, .. } => Some(userid.clone()),
            Origin::Mail { .. } | Origin::Visitor => Some(self.request.source()),
        };
        let now = self.now();
        match source {
            Some(source) => {
                if !self.service.mail_link_asked_by(self.tx, player.as_ref(), &source, now)? {
                    let rejection =
                        self.rejection(userid.unwrap_or_default(), message!("service.too-many-password-requests"));
                    return Err(rejection.because(Reason::TooOften).into());
                }
            }
            None => self.service.write_password_link(self.tx, player.as_ref(), now)?,
        }
        Ok(Response::PasswordAsked { userid: userid.map(str::to_owned) })
    }

    /// Sets a new password by the code from a letter. It ends every session, and voids every token and code.
    pub(in crate::service) fn new_password_by_code(
        &mut self,
        userid: &str,
        code: &str,
        new: &Password,
    ) -> RequestResult<Response> {
        let player = self.service.password_link(&*self.tx, code, self.now())?;
        let Some(player) = player.filter(|player| player.userid.eq_ignore_ascii_case(userid)) else {
            let rejection = self.rejection(userid, message!("service.no-such-password-code"));
            return Err(rejection.because(Reason::Unknown).into());
        };
        let new = self.new_password(&player.userid, new)?;
        self.tx.set_password(player.id, &self.passwords.of_new(userid, &new)?)?;
        self.tx.end_sessions(player.id)?;
        self.log_change(player.id, ActKind::ResetPassword, "")?;
        Ok(Response::PasswordChanged { userid: player.userid })
    }
}
