//! The site: the resources that all requests share, and the task that reads changes from the database.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::drawing::DrawingQueue;
use super::hub::Hub;
use super::pool::{Pool, PooledStore};
use crate::compose::Composer;
use crate::config::Config;
use crate::service::{
    self, BoardUpdate, PasswordChecks, Passwords, Rejection, Request, Response, Service, ServiceResult,
};
use crate::store::{self, Store, Transaction};
use crate::text::Message;
use crate::world::World;

/// The resources that all requests share: configuration, templates, database connections, and the hub for event
/// streams.
pub struct Site {
    pub(crate) config: Config,
    pub(crate) composer: Composer,
    pool: Arc<Pool>,
    pub(crate) hub: Hub,
    pub(crate) drawing: DrawingQueue,
    pub(crate) host: Box<dyn Host>,
    world: World,
}

impl Site {
    /// Creates a site with its own database connections (`stores`). The site calls [`Host::wake`] after each change.
    pub fn new(
        config: Config,
        composer: Composer,
        stores: Vec<Box<dyn Store>>,
        world: World,
        host: Box<dyn Host>,
    ) -> Site {
        let (pool, hub) = (Arc::new(Pool::new(stores)), Hub::default());
        Site { config, composer, pool, hub, drawing: DrawingQueue::default(), host, world }
    }

    pub(crate) fn now(&self) -> DateTime<Utc> {
        (self.world.now)()
    }

    pub(crate) fn service(&self) -> Service<'_> {
        self.config.service(self.world)
    }

    /// Calls the service in a read-only transaction.
    pub(crate) fn read<T>(
        &self,
        store: &mut PooledStore,
        ask: impl FnOnce(Service<'_>, &Transaction<'_>) -> store::Result<T>,
    ) -> store::Result<T> {
        ask(self.service(), &store.store().read()?)
    }

    /// Calls the service in a transaction, and commits it. Rejections are committed too, because they record wrong
    /// passwords.
    pub(crate) fn write<T>(
        &self,
        store: &mut PooledStore,
        ask: impl FnOnce(Service<'_>, &mut Transaction<'_>) -> store::Result<T>,
    ) -> store::Result<T> {
        let mut tx = store.store().write()?;
        let answer = ask(self.service(), &mut tx)?;
        tx.commit()?;
        Ok(answer)
    }

    /// Calls the service with passwords. Hashing runs outside transactions and lends the connection to other requests.
    pub(crate) fn with_passwords<T>(
        &self,
        store: &mut PooledStore,
        checks: impl Fn(Service<'_>, &Transaction<'_>) -> store::Result<PasswordChecks>,
        mut ask: impl FnMut(&mut dyn Store, &Passwords) -> ServiceResult<T>,
    ) -> anyhow::Result<T> {
        service::with_passwords(
            store,
            |store| {
                let checks = self.read(store, &checks)?;
                match checks.take_time() {
                    true => store.lend_during(|| checks.make(self.world)),
                    false => Ok(checks.make(self.world)),
                }
            },
            |store, passwords| ask(store.store(), passwords),
        )
    }

    /// Runs a line of the command language, in the kind of transaction that the command needs.
    pub(crate) fn run(
        &self,
        store: &mut PooledStore,
        request: &Request,
    ) -> anyhow::Result<Result<Response, Rejection>> {
        let service = self.service();
        if !request.line.command.changes() {
            return Ok(service.run(store.store(), request)?);
        }
        // A client that has exceeded its attempts is rejected without opening a write transaction.
        if request.is_try()
            && let Some(rejection) = self.read(store, |service, tx| service.refused_try(tx, request))?
        {
            return Ok(Err(rejection));
        }
        let answer = match request.gives_password() {
            true => self.with_passwords(
                store,
                |service, tx| service.password_checks(tx, request),
                |store, passwords| store::write_with_retries(store, |tx| service.answer(tx, request, passwords)),
            )?,
            false => service.run(store.store(), request)?,
        };
        self.changed();
        Ok(answer)
    }

    /// Notifies event streams and wakes the workers, after a commit.
    pub(crate) fn changed(&self) {
        self.hub.notify();
        self.host.wake();
    }

    /// Renders a message as text. If its template fails, returns the code and the facts of the message.
    pub(crate) fn words(&self, message: &Message) -> String {
        self.composer.message(message).unwrap_or_else(|error| {
            tracing::error!(error = format!("{error:#}"), "a message failed");
            message.to_string()
        })
    }
}

/// Runs a function with a pooled connection, in a thread that may wait for the database.
pub(crate) async fn with_store<T: Send + 'static>(
    site: Arc<Site>,
    work: impl FnOnce(&Site, &mut PooledStore) -> anyhow::Result<T> + Send + 'static,
) -> anyhow::Result<T> {
    let mut pooled = site.pool.take().await?;
    tokio::task::spawn_blocking(move || work(&site, &mut pooled)).await?
}

/// Reads the new changes from the database, at first and after each notification of the hub, until the runtime ends.
pub(crate) async fn run(site: Arc<Site>) {
    loop {
        let known = site.hub.last_change();
        let read = with_store(Arc::clone(&site), move |site, store| Ok(changes(site, store, known)?)).await;
        match read {
            Ok((last, _)) if known == Some(last) => {}
            Ok((last, updates)) => site.hub.publish(last, updates),
            // Only log the error: `serve` notifies the hub again within a second, and the changes are then read.
            Err(error) => tracing::error!(error = format!("{error:#}"), "cannot read the changes"),
        }
        site.hub.notified().await;
    }
}

/// Returns the number of the last change in the database, and all changes after the change with the number `known`.
fn changes(site: &Site, store: &mut PooledStore, known: Option<i64>) -> store::Result<(i64, Vec<BoardUpdate>)> {
    site.read(store, |service, tx| {
        let Some(known) = known else { return Ok((service.last_change(tx)?, Vec::new())) };
        let updates = service.changes_after(tx, known)?;
        Ok((updates.last().map_or(known, |update| update.change), updates))
    })
}

/// The functions of the program that the site calls.
pub trait Host: Send + Sync {
    /// Wakes the workers to process the work that a request has enqueued.
    fn wake(&self);
    /// Resumes sending letters immediately, even if sending is paused after failures of the mail server.
    ///
    /// # Errors
    /// The record of these failures cannot be removed.
    fn mail_works_again(&self) -> io::Result<()>;
    /// Returns the time and the file of the last backup that was verified by restoring it.
    fn last_backup(&self) -> Option<(DateTime<Utc>, PathBuf)>;
    /// Returns whether the database is read-only.
    fn is_read_only(&self) -> bool;
    /// Returns the size of the data directory in bytes.
    fn data_bytes(&self) -> u64;
}
