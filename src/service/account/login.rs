//! Web logins, by password or by a link in a letter, and the limit on failed attempts.
//!
//! Only the hash of a session cookie is stored. A link works once within a quarter of an hour. It is signed when the
//! letter is composed, so no table contains it.
//!
//! Failed attempts are counted together with wrong passwords, by source, so that all nodes and restarts share the
//! count. After thirty within an hour, the client has to wait. Only finished, failed attempts are counted: a user with
//! the right password is not refused because of other attempts in progress from the same address.
//!
//! A waiting client must not keep the server busy with hashes and database writes. The web pages and the API therefore
//! call the read-only [`Service::client_waits`] or [`Service::refused_try`] before they start a write transaction. The
//! transaction checks again, so that even with many simultaneous attempts, at most thirty reveal whether a password is
//! right.

use std::net::IpAddr;

use chrono::{DateTime, TimeDelta, Utc};
use sha2::{Digest, Sha256};

use super::passwords::{PasswordChecks, Passwords};
use crate::clock::Span;
use crate::command::{Command, Password};
use crate::message;
use crate::metrics::{self, RefusedLogin};
use crate::service::context::{Context, Service};
use crate::service::notice::facts::{LoginLink, Notice};
use crate::service::rejection::{Reason, Rejection, RequestError, RequestResult, ServiceResult, split_rejection};
use crate::service::request::{Origin, Request};
use crate::store::{self, CountedBy, CountedKind, LinkId, LinkPurpose, Player, PlayerId, Transaction};
use crate::token::Login;

/// The lifetime of a session.
const SESSION: TimeDelta = TimeDelta::days(60);
/// The lifetime of a login link in minutes.
pub(crate) const LINK_MINUTES: i64 = 15;
/// The maximum number of login links for a player in an hour.
pub(crate) const LINKS_AN_HOUR: u32 = 3;
/// The number of random characters in the cookie of a session or a browser, five bits each.
const LETTERS: usize = 40;

/// A client's userid and password.
pub struct Credentials {
    /// The userid, as typed.
    pub userid: String,
    /// The password, as typed.
    pub password: String,
    /// The client's address, for rate limits.
    pub client: IpAddr,
    /// The present time.
    pub now: DateTime<Utc>,
}

fn hash(session: &str) -> [u8; 32] {
    Sha256::digest(session).into()
}

/// Returns the confirmed addresses of a player.
fn confirmed(tx: &Transaction<'_>, player: PlayerId) -> store::Result<Vec<String>> {
    let known = tx.addresses(player)?.into_iter();
    Ok(known.filter(|known| known.confirmed_at.is_some()).map(|known| known.address).collect())
}

impl Service<'_> {
    /// Returns the password check that these credentials need.
    ///
    /// # Errors
    /// If the store fails.
    pub fn credential_checks(&self, tx: &Transaction<'_>, credentials: &Credentials) -> store::Result<PasswordChecks> {
        let mut checks = PasswordChecks::default();
        let request = Request::without_line(Origin::Visitor, Some(credentials.client), credentials.now);
        if let Some(claim) = self.claim(tx, &request, &credentials.userid)? {
            claim.check(&credentials.password, &mut checks);
        }
        Ok(checks)
    }

    /// Returns the player with these credentials, and counts a wrong password.
    ///
    /// # Errors
    /// Errors of the store, or `ServiceError::Stale`.
    pub fn player_by_password(
        &self,
        tx: &mut Transaction<'_>,
        credentials: &Credentials,
        passwords: &Passwords,
    ) -> ServiceResult<Result<Player, Rejection>> {
        let Credentials { userid, password, client, now } = credentials;
        let request = Request::without_line(Origin::Visitor, Some(*client), *now);
        let password = Password::Given(password.clone());
        split_rejection(Context::new(*self, tx, &request, passwords).authenticate(userid, &password))
    }

    /// Starts a session for the player with these credentials, and returns its cookie.
    ///
    /// # Errors
    /// Errors of the store, or `ServiceError::Stale`.
    pub fn log_in(
        &self,
        tx: &mut Transaction<'_>,
        credentials: &Credentials,
        passwords: &Passwords,
    ) -> ServiceResult<Result<String, Rejection>> {
        match self.player_by_password(tx, credentials, passwords)? {
            Ok(player) => Ok(Ok(self.begin_session(tx, &player, credentials.now)?)),
            Err(rejection) => Ok(Err(rejection)),
        }
    }

    pub(crate) fn begin_session(
        &self,
        tx: &mut Transaction<'_>,
        player: &Player,
        now: DateTime<Utc>,
    ) -> store::Result<String> {
        tx.forget_sessions(&Span::last(SESSION, now))?;
        let session = self.world.letters(LETTERS);
        tx.begin_session(&hash(&session), player.id, now)?;
        Ok(session)
    }

    /// Records that a player uses the browser with this cookie, after a new login. Creates a cookie for a browser
    /// without one. Returns the cookie.
    ///
    /// # Errors
    /// If the store fails.
    pub fn use_browser(
        &self,
        tx: &mut Transaction<'_>,
        session: &str,
        browser: Option<&str>,
        now: DateTime<Utc>,
    ) -> store::Result<String> {
        let browser = browser.map_or_else(|| self.world.letters(LETTERS), str::to_owned);
        if let Some(player) = tx.session(&hash(session), &Span::last(SESSION, now))? {
            tx.use_browser(&hash(&browser), player, now)?;
        }
        Ok(browser)
    }

    /// Returns the player of a session by its cookie.
    ///
    /// # Errors
    /// If the store fails.
    pub fn session(&self, tx: &Transaction<'_>, session: &str, now: DateTime<Utc>) -> store::Result<Option<Player>> {
        match tx.session(&hash(session), &Span::last(SESSION, now))? {
            Some(player) => Ok(tx.player_by_id(player)?.filter(|player| player.blocked_at.is_none())),
            None => Ok(None),
        }
    }

    /// Returns whether a player is logged in with a browser.
    pub(crate) fn is_logged_in(
        &self,
        tx: &Transaction<'_>,
        player: PlayerId,
        now: DateTime<Utc>,
    ) -> store::Result<bool> {
        tx.has_session(player, &Span::last(SESSION, now))
    }

    /// Ends a session.
    ///
    /// # Errors
    /// If the store fails.
    pub fn log_out(&self, tx: &mut Transaction<'_>, session: &str) -> store::Result<()> {
        tx.end_session(&hash(session))
    }

    /// Sends a login link to the player with this userid or confirmed address. The result does not reveal whether the
    /// player exists: it is false if the client has tried too often.
    ///
    /// # Errors
    /// If the store fails.
    pub fn mail_login_link(
        &self,
        tx: &mut Transaction<'_>,
        who: &str,
        client: IpAddr,
        now: DateTime<Utc>,
    ) -> store::Result<bool> {
        let source = client.to_string();
        if source_waits(tx, &source, now)? {
            return Ok(false);
        }
        // Count the attempt even if no link is sent, so that both cases take the same time.
        if !self.write_login_link(tx, who, &source, now)? {
            count_try(tx, &source, now)?;
        }
        Ok(true)
    }

    /// Creates a login link, if the player exists and no limit is reached.
    fn write_login_link(
        &self,
        tx: &mut Transaction<'_>,
        who: &str,
        source: &str,
        now: DateTime<Utc>,
    ) -> store::Result<bool> {
        let player = match tx.player(who)? {
            Some(player) => Some(player),
            None => tx.player_by_address(who)?,
        };
        let Some(player) = player.filter(|player| player.left_at.is_none()) else { return Ok(false) };
        let hour = Span::last(TimeDelta::hours(1), now);
        if tx.login_links(player.id, LinkPurpose::Login, &hour)? >= LINKS_AN_HOUR {
            return Ok(false);
        }
        let to = confirmed(tx, player.id)?;
        if !self.may_write_to_strangers(tx, &to, source, now)? {
            return Ok(false);
        }
        for address in &to {
            tx.count(CountedKind::Letter, address, source, now)?;
        }
        let link = tx.add_login_link(player.id, LinkPurpose::Login, now)?;
        let notice = Notice::Login(LoginLink { link: link.0, minutes: LINK_MINUTES });
        self.write_to(tx, &notice, player.id, now)?;
        Ok(true)
    }

    /// Returns the player of a login link's token, if the link is still valid.
    ///
    /// # Errors
    /// If the store fails.
    pub fn login_link(&self, tx: &Transaction<'_>, token: &str, now: DateTime<Utc>) -> store::Result<Option<Player>> {
        let Some(login) = Login::verify(token, &tx.reply_key()?) else { return Ok(None) };
        let link = tx.login_link(LinkId(i64::from(login.link)))?;
        let lifetime = Span::last(TimeDelta::minutes(LINK_MINUTES), now);
        let works = |link: &store::LoginLink| {
            link.purpose == LinkPurpose::Login && !link.used && lifetime.contains(link.asked_at)
        };
        match link.filter(works) {
            Some(link) => {
                let active = |player: &Player| player.left_at.is_none() && player.blocked_at.is_none();
                Ok(tx.player_by_id(link.player)?.filter(active))
            }
            None => Ok(None),
        }
    }

    /// Uses a link and starts a session. Returns the session's cookie.
    ///
    /// # Errors
    /// If the store fails.
    pub fn log_in_by_link(
        &self,
        tx: &mut Transaction<'_>,
        token: &str,
        now: DateTime<Utc>,
    ) -> store::Result<Option<String>> {
        let Some(player) = self.login_link(tx, token, now)? else { return Ok(None) };
        if let Some(login) = Login::verify(token, &tx.reply_key()?) {
            tx.use_login_link(LinkId(i64::from(login.link)))?;
        }
        self.begin_session(tx, &player, now).map(Some)
    }
}

/// The maximum number of failed attempts of one source within an hour.
pub(crate) const TRIES_AN_HOUR: u32 = 30;
/// The key for attempts without a userid. It differs from every userid, and from the keys of unknown userids.
const FOR_NOBODY: &str = "?";

/// Returns whether a source has to wait, because it has reached the limit of failed attempts.
pub(crate) fn source_waits(tx: &Transaction<'_>, source: &str, now: DateTime<Utc>) -> store::Result<bool> {
    Ok(tx.counted(CountedKind::WrongPassword, CountedBy::Source(source), &Span::last(TimeDelta::hours(1), now))?
        >= TRIES_AN_HOUR)
}

/// Counts a failed attempt of a source, unless the source has to wait and its attempts are refused.
pub(crate) fn count_try(tx: &mut Transaction<'_>, source: &str, now: DateTime<Utc>) -> store::Result<()> {
    if source_waits(tx, source, now)? {
        return Ok(());
    }
    tx.count(CountedKind::WrongPassword, FOR_NOBODY, source, now)
}

impl Service<'_> {
    /// Returns whether a client has tried to log in too often, and counts the login as refused if so.
    ///
    /// # Errors
    /// If the store fails.
    pub fn client_waits(&self, tx: &Transaction<'_>, client: IpAddr, now: DateTime<Utc>) -> store::Result<bool> {
        let waits = source_waits(tx, &client.to_string(), now)?;
        if waits {
            metrics::count_refused_login(RefusedLogin::TooOften);
        }
        Ok(waits)
    }

    /// Returns the rejection of a request that could be an attempt to guess a password or code, if its client has to
    /// wait. Returns `None` if the request may continue.
    ///
    /// # Errors
    /// If the store fails.
    pub fn refused_try(&self, tx: &Transaction<'_>, request: &Request) -> store::Result<Option<Rejection>> {
        if !request.is_try() || !source_waits(tx, &request.source(), request.now)? {
            return Ok(None);
        }
        // A user with a valid link can read the player's mail, so the limit does not apply.
        if let Command::NewPassword { code, .. } = &request.line.command
            && self.password_link(tx, code, request.now)?.is_some()
        {
            return Ok(None);
        }
        if request.line.command.authenticated_userid().is_some() {
            metrics::count_refused_login(RefusedLogin::TooOften);
        }
        let rejection = Rejection { message: message!("service.too-many-tries"), ..Rejection::default() };
        Ok(Some(rejection.because(Reason::TooOften)))
    }
}

impl Context<'_, '_> {
    /// Runs a request that needs no password. If it could be an attempt to guess a password or code, it is refused for
    /// a client that has to wait, and counted if it is rejected.
    pub(crate) fn unauthenticated<T>(&mut self, act: impl FnOnce(&mut Self) -> RequestResult<T>) -> RequestResult<T> {
        if let Some(rejection) = self.service.refused_try(&*self.tx, self.request)? {
            return Err(rejection.into());
        }
        let done = act(self);
        if let Err(RequestError::Rejected(_)) = &done {
            self.count_try()?;
        }
        done
    }

    /// Counts the request as a failed attempt, if it is one.
    pub(crate) fn count_try(&mut self) -> store::Result<()> {
        if !self.request.is_try() {
            return Ok(());
        }
        count_try(self.tx, &self.request.source(), self.request.now)
    }
}
