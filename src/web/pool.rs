//! The database connections of the pages: a small pool, so that one long transaction does not block all requests.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use std::time::Duration;

use anyhow::Context;
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

use crate::store::{Store, StoreError};

/// The maximum number of concurrent requests. Each uses one thread, and may use a second one for hashing a password.
/// There are twice as many threads as requests, so a request that has a connection always finds a thread.
const MAX_AT_WORK: usize = MAX_THREADS / 2;
/// The maximum number of threads for blocking work.
pub(crate) const MAX_THREADS: usize = 128;
/// The longest wait for a thread or a connection.
const PATIENCE: Duration = Duration::from_secs(30);

/// A pool of database connections.
pub(crate) struct Pool {
    free: Mutex<Vec<Box<dyn Store>>>,
    permits: Semaphore,
    places: Semaphore,
}

impl Pool {
    pub(crate) fn new(stores: Vec<Box<dyn Store>>) -> Pool {
        let (permits, places) = (Semaphore::new(stores.len()), Semaphore::new(MAX_AT_WORK));
        Pool { permits, places, free: Mutex::new(stores) }
    }

    fn free(&self) -> MutexGuard<'_, Vec<Box<dyn Store>>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a request may start, and takes a connection.
    pub(crate) async fn take(self: &Arc<Pool>) -> anyhow::Result<PooledStore> {
        let place = acquire(&self.places).await?;
        let store = self.take_free().await?;
        place.forget();
        Ok(PooledStore { pool: Arc::clone(self), store: Some(store) })
    }

    async fn take_free(&self) -> anyhow::Result<Box<dyn Store>> {
        let permit = acquire(&self.permits).await?;
        let store = self.free().pop().context("no connection is free for a permit")?;
        permit.forget();
        Ok(store)
    }

    fn put_back(&self, store: Option<Box<dyn Store>>) {
        if let Some(store) = store {
            self.free().push(store);
            self.permits.add_permits(1);
        }
    }
}

/// Waits for a permit; fails with [`StoreError::Busy`] after the timeout.
async fn acquire(semaphore: &Semaphore) -> anyhow::Result<SemaphorePermit<'_>> {
    Ok(timeout(PATIENCE, semaphore.acquire()).await.map_err(|_| StoreError::Busy)??)
}

/// A pooled connection. It returns to the pool when dropped, even if its user panics; an open transaction is then
/// dropped first.
pub(crate) struct PooledStore {
    pool: Arc<Pool>,
    store: Option<Box<dyn Store>>,
}

impl PooledStore {
    pub(crate) fn store(&mut self) -> &mut dyn Store {
        match &mut self.store {
            Some(store) => &mut **store,
            None => unreachable!("the connection is missing only while others use it"),
        }
    }

    /// Returns the connection to the pool during work that does not need it, and then waits for a connection. Call this
    /// only in a thread that may block.
    pub(crate) fn lend_during<T>(&mut self, work: impl FnOnce() -> T) -> anyhow::Result<T> {
        self.pool.put_back(self.store.take());
        let done = work();
        self.store = Some(Handle::current().block_on(self.pool.take_free())?);
        Ok(done)
    }
}

impl Drop for PooledStore {
    fn drop(&mut self) {
        self.pool.put_back(self.store.take());
        self.pool.places.add_permits(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_for_a_connection_times_out() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let pool = Arc::new(Pool::new(Vec::new()));
        let Err(error) = runtime.block_on(pool.take()) else { panic!("an empty pool returns a connection") };
        assert!(matches!(error.downcast_ref(), Some(StoreError::Busy)), "{error:#}");
    }
}
