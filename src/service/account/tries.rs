//! What a client tries over the web: passwords, codes, userids, links to log in.
//!
//! What was tried in vain is counted with the wrong passwords, by its source; so it is the same count at every node and
//! after every start. After thirty within an hour the client waits. Only what came to nothing counts, and not what is
//! being tried: whoever knows a password is not refused because others at the same address are being checked.
//!
//! A client that waits must not keep the server hashing and the database writing: adapters ask [`Service::client_waits`]
//! or [`Service::refused_try`], which read, before they begin a transaction that writes. In that one it is asked again:
//! of tries at the same time, no more than thirty are told whether they are right.

use std::net::IpAddr;

use chrono::{DateTime, TimeDelta, Utc};

use crate::clock::Span;
use crate::command::Command;
use crate::message;
use crate::metrics::{self, RefusedLogin};
use crate::store::{self, Transaction};

use crate::service::context::{Context, Service};
use crate::service::rejection::{Reason, Rejection, RequestError, RequestResult};
use crate::service::request::Request;

/// Tries of one source in vain within an hour, before it waits.
pub(super) const TRIES_AN_HOUR: u32 = 30;
/// What a try is counted under that is for no one userid: neither a userid nor a bucket of those that are nobody's.
const FOR_NOBODY: &str = "?";

/// Whether a source has tried too often.
pub(in crate::service) fn source_waits(tx: &Transaction<'_>, source: &str, now: DateTime<Utc>) -> store::Result<bool> {
    Ok(tx.wrong_passwords(None, source, &Span::last(TimeDelta::hours(1), now))? >= TRIES_AN_HOUR)
}

/// Counts a try of a source in vain, unless the source has to wait: then nothing was tried.
pub(in crate::service) fn count_try(tx: &mut Transaction<'_>, source: &str, now: DateTime<Utc>) -> store::Result<()> {
    if source_waits(tx, source, now)? {
        return Ok(());
    }
    tx.count_wrong_password(FOR_NOBODY, source, now)
}

impl Service<'_> {
    /// Whether a client that wants to log in has tried too often; then its login is counted as refused.
    ///
    /// # Errors
    /// The store's.
    pub fn client_waits(&self, tx: &Transaction<'_>, client: IpAddr, now: DateTime<Utc>) -> store::Result<bool> {
        let waits = source_waits(tx, &client.to_string(), now)?;
        if waits {
            metrics::count_refused_login(RefusedLogin::TooOften);
        }
        Ok(waits)
    }

    /// Why a request is refused before anything is looked at, if it is a try and its client has to wait.
    ///
    /// # Errors
    /// The store's.
    pub fn refused_try(&self, tx: &Transaction<'_>, request: &Request) -> store::Result<Option<Rejection>> {
        if !request.is_try() || !source_waits(tx, &request.source(), request.now)? {
            return Ok(None);
        }
        // Whoever has a link that works reads the player's mail.
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
    /// Does what asks for no password. If it is a try, it is refused to a client that has to wait, and otherwise counted
    /// when it is rejected.
    pub(in crate::service) fn unauthenticated<T>(
        &mut self,
        act: impl FnOnce(&mut Self) -> RequestResult<T>,
    ) -> RequestResult<T> {
        if let Some(rejection) = self.service.refused_try(&*self.tx, self.request)? {
            return Err(rejection.into());
        }
        let done = act(self);
        if let Err(RequestError::Rejected(_)) = &done {
            self.count_try()?;
        }
        done
    }

    /// Counts the request as tried in vain, if it is a try.
    pub(in crate::service) fn count_try(&mut self) -> store::Result<()> {
        if !self.request.is_try() {
            return Ok(());
        }
        count_try(self.tx, &self.request.source(), self.request.now)
    }
}
