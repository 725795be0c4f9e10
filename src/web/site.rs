//! The site: the resources that all requests share.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::drawing::DrawingQueue;
use super::host::Host;
use super::hub::Hub;
use super::pool::{Pool, PooledStore};
use crate::compose::Composer;
use crate::config::Config;
use crate::service::{self, PasswordChecks, Passwords, Rejection, Request, Response, Service, ServiceResult};
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
    /// Creates a site. Only the pages use these connections; each change wakes the host.
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

    /// Returns the current time.
    pub(crate) fn now(&self) -> DateTime<Utc> {
        (self.world.now)()
    }

    /// Returns the service.
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
        // Reject a client that has exceeded its attempts without opening a write transaction.
        if request.is_try()
            && let Some(rejection) = self.read(store, |service, tx| service.refused_try(tx, request))?
        {
            return Ok(Err(rejection));
        }
        let answer = match request.gives_password() {
            true => self.with_passwords(
                store,
                |service, tx| service.password_checks(tx, request),
                |store, passwords| store::write_alone(store, |tx| service.answer(tx, request, passwords)),
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

    /// Renders a message without a page; returns its code if the template fails.
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
