//! A client's attempts over the web: passwords, codes, userids, login links.
//!
//! Failed attempts are counted together with wrong passwords, by source, so that all nodes and restarts share the
//! count. After thirty within an hour, the client has to wait. Only finished, failed attempts are counted: a user
//! with the right password is not refused because of other checks in progress at the same address.
//!
//! A waiting client must not keep the server busy with hashes and database writes. Adapters therefore call the
//! read-only [`Service::client_waits`] or [`Service::refused_try`] before they start a write transaction. The
//! transaction checks again, so that of simultaneous attempts, at most thirty learn whether they are right.

use std::net::IpAddr;

use chrono::{DateTime, TimeDelta, Utc};

use crate::clock::Span;
use crate::command::Command;
use crate::message;
use crate::metrics::{self, RefusedLogin};
use crate::store::{self, CountedBy, CountedKind, Transaction};

use crate::service::context::{Context, Service};
use crate::service::rejection::{Reason, Rejection, RequestError, RequestResult};
use crate::service::request::Request;

/// The maximum number of failed attempts of one source within an hour.
pub(crate) const TRIES_AN_HOUR: u32 = 30;
/// The key for attempts without a userid. It is neither a userid nor a bucket of unknown userids.
const FOR_NOBODY: &str = "?";

/// Returns whether a source has tried too often.
pub(crate) fn source_waits(tx: &Transaction<'_>, source: &str, now: DateTime<Utc>) -> store::Result<bool> {
    Ok(tx.counted(CountedKind::WrongPassword, CountedBy::Source(source), &Span::last(TimeDelta::hours(1), now))?
        >= TRIES_AN_HOUR)
}

/// Counts a failed attempt of a source, unless the source has to wait; in that case, the attempt was not made.
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

    /// Returns the rejection of a request before any work, if it is an attempt and its client has to wait.
    ///
    /// # Errors
    /// If the store fails.
    pub fn refused_try(&self, tx: &Transaction<'_>, request: &Request) -> store::Result<Option<Rejection>> {
        if !request.is_try() || !source_waits(tx, &request.source(), request.now)? {
            return Ok(None);
        }
        // A user with a valid link can read the player's mail.
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
    /// Runs a request that needs no password. If it is an attempt, it is refused for a client that has to wait, and
    /// counted if it is rejected.
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
