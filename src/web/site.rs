//! The site: everything that requests share.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::drawing::DrawingQueue;
use super::host::Host;
use super::hub::Hub;
use super::pool::{Pool, PooledStore};
use crate::command::Command;
use crate::compose::Composer;
use crate::config::Config;
use crate::service::{self, Rejection, Request, Response, Service, ServiceError, ServiceResult};
use crate::store::{self, Store, Transaction};
use crate::text::Message;
use crate::world::World;

/// What all requests share: configuration, templates, database connections, and who waits for changes.
pub struct Site {
    pub(in crate::web) config: Config,
    pub(in crate::web) composer: Composer,
    pool: Arc<Pool>,
    pub(in crate::web) hub: Hub,
    pub(in crate::web) drawing: DrawingQueue,
    pub(in crate::web) host: Box<dyn Host>,
    world: World,
}

impl Site {
    /// Makes a site. The connections are for the pages alone; the host is woken after each change.
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

    /// The present time.
    pub(in crate::web) fn now(&self) -> DateTime<Utc> {
        (self.world.now)()
    }

    /// The service.
    fn service(&self) -> Service<'_> {
        self.config.service(self.world)
    }

    /// Asks the service in a transaction that changes nothing.
    pub(in crate::web) fn read<T>(
        &self,
        store: &mut PooledStore,
        ask: impl FnOnce(Service<'_>, &dyn Transaction) -> store::Result<T>,
    ) -> store::Result<T> {
        ask(self.service(), &*store.store().read()?)
    }

    /// Asks the service in a transaction that is committed afterwards. It is committed after a rejection too, since wrong
    /// passwords are counted.
    pub(in crate::web) fn write<T>(
        &self,
        store: &mut PooledStore,
        ask: impl FnOnce(Service<'_>, &mut dyn Transaction) -> store::Result<T>,
    ) -> store::Result<T> {
        let mut tx = store.store().write()?;
        let answer = ask(self.service(), &mut *tx)?;
        tx.commit()?;
        Ok(answer)
    }

    /// The same where a password may be given: it is hashed outside the transaction.
    pub(in crate::web) fn write_with_password<T>(
        &self,
        store: &mut PooledStore,
        mut ask: impl FnMut(Service<'_>, &mut dyn Transaction) -> ServiceResult<T>,
    ) -> anyhow::Result<T> {
        with_hashes(store, |store| {
            let mut tx = store.write()?;
            let answer = ask(self.service(), &mut *tx)?;
            tx.commit()?;
            Ok(answer)
        })
    }

    /// Asks the service a line of the command language, in a transaction of the kind that the command needs.
    pub(in crate::web) fn run(
        &self,
        store: &mut PooledStore,
        request: &Request,
    ) -> anyhow::Result<Result<Response, Rejection>> {
        if !request.line.command.changes() {
            return with_hashes(store, |store| self.service().answer(&mut *store.read()?, request));
        }
        // Whoever has tried too often waits, and costs no transaction that writes.
        if request.is_try()
            && let Some(rejection) = self.read(store, |service, tx| service.refused_try(tx, request))?
        {
            return Ok(Err(rejection));
        }
        let answer = self.write_command(store, &request.line.command, |service, tx| service.answer(tx, request))?;
        self.changed();
        Ok(answer)
    }

    /// Asks the service for what a command changes, and commits it.
    pub(in crate::web) fn write_command<T>(
        &self,
        store: &mut PooledStore,
        command: &Command,
        mut ask: impl FnMut(Service<'_>, &mut dyn Transaction) -> ServiceResult<T>,
    ) -> anyhow::Result<T> {
        with_hashes(store, |store| service::try_command(store, command, |tx| ask(self.service(), tx)))
    }

    /// After a commit: those who wait for changes hear of them, and letters go out.
    pub(in crate::web) fn changed(&self) {
        self.hub.notify();
        self.host.wake();
    }

    /// The words of a message, where no page can be made; its code when its template fails.
    pub(in crate::web) fn words(&self, message: &Message) -> String {
        self.composer.message(message).unwrap_or_else(|error| {
            tracing::error!(error = format!("{error:#}"), "a message failed");
            message.to_string()
        })
    }
}

/// Asks the service; as long as a hash is missing, makes it and asks again. Nobody waits for the connection meanwhile.
fn with_hashes<T>(
    store: &mut PooledStore,
    mut ask: impl FnMut(&mut dyn Store) -> ServiceResult<T>,
) -> anyhow::Result<T> {
    loop {
        match ask(store.store()) {
            Ok(answer) => return Ok(answer),
            Err(ServiceError::Store(error)) => return Err(error.into()),
            Err(ServiceError::MissingHash(missing)) => store.lend_during(|| missing.make())?,
        }
    }
}

/// Runs a function with one of the site's connections, on a thread where it may wait for the database.
pub(in crate::web) async fn with_store<T: Send + 'static>(
    site: Arc<Site>,
    work: impl FnOnce(&Site, &mut PooledStore) -> anyhow::Result<T> + Send + 'static,
) -> anyhow::Result<T> {
    let mut pooled = site.pool.take().await?;
    tokio::task::spawn_blocking(move || work(&site, &mut pooled)).await?
}
