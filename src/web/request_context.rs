//! The context for calling the service, shared by the pages and the API.

use std::net::IpAddr;

use chrono::{DateTime, Utc};

use super::pool::PooledStore;
use super::site::Site;
use crate::command::{ParseError, ParsedLine};
use crate::service::{
    Channel, Credentials, Origin, Passwords, Rejection, Request, Response, Service, ServiceError, ServiceResult,
};
use crate::store::{self, Player, Transaction};
use crate::text::Message;

/// The context of a request: the requester, the time, and a database connection.
pub(crate) struct RequestContext<'a> {
    pub(crate) site: &'a Site,
    pub(crate) store: &'a mut PooledStore,
    /// The player who is logged in, or who owns the token of the request.
    pub(crate) player: Option<Player>,
    pub(crate) via: Channel,
    /// The client's address, for rate limits.
    pub(crate) client: IpAddr,
    pub(crate) now: DateTime<Utc>,
}

impl RequestContext<'_> {
    /// Calls the service in a read-only transaction.
    pub(crate) fn read<T>(
        &mut self,
        ask: impl FnOnce(Service<'_>, &Transaction<'_>) -> store::Result<T>,
    ) -> store::Result<T> {
        self.site.read(self.store, ask)
    }

    /// Calls the service in a transaction, and commits it.
    pub(crate) fn write<T>(
        &mut self,
        ask: impl FnOnce(Service<'_>, &mut Transaction<'_>) -> store::Result<T>,
    ) -> store::Result<T> {
        self.site.write(self.store, ask)
    }

    /// Calls the service in a transaction with the client's credentials, and commits it.
    pub(crate) fn write_with_credentials<T>(
        &mut self,
        userid: &str,
        password: &str,
        mut ask: impl FnMut(Service<'_>, &mut Transaction<'_>, &Credentials, &Passwords) -> ServiceResult<T>,
    ) -> anyhow::Result<T> {
        let (userid, password) = (userid.to_owned(), password.to_owned());
        let (site, credentials) = (self.site, Credentials { userid, password, client: self.client, now: self.now });
        site.with_passwords(
            self.store,
            |service, tx| service.credential_checks(tx, &credentials),
            |store, passwords| store::write_with_retries(store, |tx| ask(site.service(), tx, &credentials, passwords)),
        )
    }

    /// Starts a session for the player with these credentials; returns the value of its cookie.
    pub(crate) fn log_in(&mut self, userid: &str, password: &str) -> anyhow::Result<Result<String, Rejection>> {
        self.write_with_credentials(userid, password, |service, tx, credentials, passwords| {
            service.log_in(tx, credentials, passwords)
        })
    }

    /// Returns whether this client must wait before it can try to log in again, because it has made too many attempts.
    pub(crate) fn client_waits(&mut self) -> store::Result<bool> {
        let (client, now) = (self.client, self.now);
        self.read(|service, tx| service.client_waits(tx, client, now))
    }

    /// Converts a parse error to a rejection.
    pub(crate) fn not_understood(&mut self, error: ParseError) -> store::Result<Rejection> {
        self.read(|service, tx| service.not_understood(tx, error))
    }

    pub(crate) fn run(
        &mut self,
        line: ParsedLine,
        comment: Option<String>,
    ) -> anyhow::Result<Result<Response, Rejection>> {
        let request = Request { line, from: self.origin(), comment, client: Some(self.client), now: self.now };
        self.site.run(self.store, &request)
    }

    /// Runs a parsed line of an authenticated player. First calls `why_not` in the same transaction; if it returns a
    /// message, rejects the line with it.
    pub(crate) fn run_unless(
        &mut self,
        line: ParsedLine,
        comment: Option<String>,
        why_not: impl Fn(Service<'_>, &Transaction<'_>) -> store::Result<Option<Message>>,
    ) -> anyhow::Result<Result<Response, Rejection>> {
        let request = Request { line, from: self.origin(), comment, client: Some(self.client), now: self.now };
        let service = self.site.service();
        let answer = store::write_with_retries(self.store.store(), |tx| match why_not(service, &*tx)? {
            Some(message) => Ok(Err(Rejection { message, ..Rejection::default() })),
            // The player is authenticated, so the line needs no password.
            None => service.answer(tx, &request, &Passwords::default()),
        });
        let answer = answer.map_err(ServiceError::without_password)?;
        self.site.changed();
        Ok(answer)
    }

    /// Returns the origin of the request for the service.
    pub(crate) fn origin(&self) -> Origin {
        match &self.player {
            Some(player) => Origin::Known { userid: player.userid.clone(), via: self.via },
            None => Origin::Visitor,
        }
    }
}
