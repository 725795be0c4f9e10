//! Forgotten passwords, and the rules for new ones.
//!
//! A code or link for a new password is sent only to the player's confirmed addresses. The answer is the same whether
//! or not the player exists, and regardless of the number of links already sent to the player. A code works once within
//! an hour. It is signed when its letter is composed, so no table contains it.

use chrono::{DateTime, TimeDelta, Utc};

use crate::clock::Span;
use crate::command::Password;
use crate::message;
use crate::service::context::{Context, Service};
use crate::service::notice::answer::{Answer, AnswerEntry};
use crate::service::notice::facts::{self, Notice};
use crate::service::notice::notices::{Recipient, asked_by};
use crate::service::policy::Policy;
use crate::service::rejection::{Reason, RequestResult};
use crate::service::request::Origin;
use crate::service::response::Response;
use crate::store::{
    self, ActKind, Address, CountedBy, CountedKind, LinkId, LinkPurpose, LoginLink, Player, Transaction,
};
use crate::text::Message;
use crate::token::NewPassword;

/// The lifetime of a link in minutes.
const LINK_MINUTES: i64 = 60;
/// The maximum number of links for a player in a day.
pub(crate) const LINKS_A_DAY: u32 = 3;
/// The maximum number of links that one source can request in a day, for any players.
pub(crate) const REQUESTS_A_DAY: u32 = 10;

impl Service<'_> {
    /// Sends a link for a new password to the player with this userid, if they exist. `source` is the requester's mail
    /// or network address. Returns false if that source has made too many requests.
    ///
    /// # Errors
    /// If the store fails.
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
        tx.count(CountedKind::PasswordRequest, "", source, now)?;
        self.write_password_link(tx, player, now)?;
        Ok(true)
    }

    /// Returns whether a source has reached its daily limit of requests for links.
    ///
    /// # Errors
    /// If the store fails.
    pub fn asked_for_passwords_too_often(
        &self,
        tx: &Transaction<'_>,
        source: &str,
        now: DateTime<Utc>,
    ) -> store::Result<bool> {
        Ok(tx.counted(CountedKind::PasswordRequest, CountedBy::Source(source), &day(now))? >= REQUESTS_A_DAY)
    }

    fn write_password_link(
        &self,
        tx: &mut Transaction<'_>,
        player: Option<&Player>,
        now: DateTime<Utc>,
    ) -> store::Result<()> {
        let Some(player) = player.filter(|player| is_active(player)) else { return Ok(()) };
        if !tx.addresses(player.id)?.iter().any(is_reachable) {
            return Ok(());
        }
        if tx.login_links(player.id, LinkPurpose::Password, &day(now))? >= LINKS_A_DAY {
            return Ok(());
        }
        let link = tx.add_login_link(player.id, LinkPurpose::Password, now)?;
        let notice = Notice::Password(facts::LoginLink { link: link.0, minutes: LINK_MINUTES });
        self.write_to(tx, &notice, player.id, now)
    }

    /// Returns the player to whom a link or code was sent, if it is still valid.
    ///
    /// # Errors
    /// If the store fails.
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

/// Returns the last 24 hours, for which requests and links are counted.
fn day(now: DateTime<Utc>) -> Span {
    Span::last(TimeDelta::days(1), now)
}

fn is_active(player: &Player) -> bool {
    player.left_at.is_none() && player.blocked_at.is_none()
}

fn is_reachable(known: &Address) -> bool {
    known.confirmed_at.is_some() && known.paused.is_none()
}

impl Context<'_, '_> {
    /// Sends a link for a new password, if the player exists. Without a userid, uses the logged-in player, or
    /// the player with the sender's address.
    pub(crate) fn forgotten_password(&mut self, userid: Option<&str>) -> RequestResult<Response> {
        let player = match (userid, &self.request.from) {
            (Some(userid), _) => self.tx.player(userid)?,
            (None, Origin::Known { userid, .. }) => self.tx.player(userid)?,
            (None, Origin::Mail { sender, .. }) => self.tx.player_by_address(sender)?,
            (None, Origin::Shell { .. } | Origin::Visitor) => {
                return self.refuse("", message!("command.missing-userid"));
            }
        };
        let source = match &self.request.from {
            // A person with access to the shell can reset a password anyway.
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

    /// Sets a new password with the code from a letter. Ends every session, and invalidates every token and code.
    pub(crate) fn new_password_by_code(&mut self, userid: &str, code: &str, new: &Password) -> RequestResult<Response> {
        let player = self.service.password_link(&*self.tx, code, self.now())?;
        let Some(player) = player.filter(|player| player.userid.eq_ignore_ascii_case(userid)) else {
            let rejection = self.rejection(userid, message!("service.no-such-password-code"));
            return Err(rejection.because(Reason::Unknown).into());
        };
        let new = self.new_password(&player.userid, new)?;
        self.tx.set_password(player.id, &self.passwords.of_new(userid, &new)?)?;
        self.tx.end_sessions(player.id)?;
        self.log_change(player.id, ActKind::ResetPassword, "")?;
        let by_letter = self.report_new_password(&player)?;
        Ok(Response::PasswordChanged { userid: player.userid, by_letter })
    }

    /// Sends a letter to all confirmed addresses of a player whose password was set with a code, because somebody else
    /// may have read the code. Returns whether the letter also answers the sender of the code.
    fn report_new_password(&mut self, player: &Player) -> RequestResult<bool> {
        let changed = Response::PasswordChanged { userid: player.userid.clone(), by_letter: true };
        let entries = vec![AnswerEntry::Done(Box::new(changed))];
        let in_reply_to = asked_by(&*self.tx, self.request, player.id)?;
        let recipient = Recipient { in_reply_to, ..Recipient::player(player.id, Some(self.now())) };
        let notice = Notice::Answer(Answer { entries, ..Answer::default() });
        self.service.add_notice(self.tx, &notice, None, recipient, self.request.now)?;
        let source = self.request.source();
        let is_sender = |known: &Address| is_reachable(known) && known.address.eq_ignore_ascii_case(&source);
        Ok(self.tx.addresses(player.id)?.iter().any(is_sender))
    }
}

/// The passwords that attackers try first, in lower case, one per line. All have at least eight characters, because
/// the default policy refuses shorter ones anyway.
const COMMON: &str = include_str!("common_passwords.txt");

/// The placeholder of a new password in letters and manuals, in lower case.
const PLACEHOLDER: &str = "newpassword";

/// Explains why a password is too weak for the player; `None` if it is acceptable.
pub(crate) fn weakness(policy: &Policy, userid: &str, password: &str) -> Option<Message> {
    let (least, lower) = (policy.shortest_password, password.to_lowercase());
    match password {
        _ if password.chars().count() < least as usize => Some(message!("service.password-short", least)),
        _ if lower == userid.to_lowercase() => Some(message!("service.password-is-userid")),
        _ if lower == PLACEHOLDER => Some(message!("service.password-placeholder")),
        _ if COMMON.lines().any(|common| common == lower) => Some(message!("service.password-common")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_guesses_are_not_passwords() {
        let policy = Policy::default();
        let refused = |userid, password| weakness(&policy, userid, password).map(|message| message.to_string());
        for (userid, password, why) in [
            ("alice", "", "password-short"),
            ("alice", "1234567", "password-short"),
            ("alice", "\u{e4}\u{f6}\u{fc}\u{e4}\u{f6}\u{fc}\u{e4}", "password-short"),
            ("wonderland", "WonderLand", "password-is-userid"),
            ("alice", "NewPassword", "password-placeholder"),
            ("alice", "12345678", "password-common"),
            ("alice", "PassWord123", "password-common"),
        ] {
            let refused = refused(userid, password).unwrap_or_default();
            assert!(refused.contains(why), "{password}: {refused}");
        }
        for password in ["wonderland", "12345679", "correct horse", "\u{e4}\u{f6}\u{fc}\u{e4}\u{f6}\u{fc}\u{e4}\u{f6}"]
        {
            assert_eq!(refused("alice", password), None, "{password}");
        }
    }

    #[test]
    fn the_common_passwords_can_be_found() {
        assert!(COMMON.lines().count() > 400);
        for line in COMMON.lines() {
            assert!(line == line.to_lowercase() && line.chars().count() >= 8, "{line}");
        }
    }
}
