//! The pooled database connections of the pages: a few, so that nobody waits for one long transaction.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use std::time::Duration;

use anyhow::Context;
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

use crate::store::{Store, StoreError};

/// The most requests that are at work at a time, each on a thread of its own: half as many as there are threads, so that
/// whoever has a connection has a thread, even when all others wait on theirs for a hash and then for a connection.
const MAX_AT_WORK: usize = MAX_THREADS / 2;
/// The most threads on which requests may wait for something.
pub(super) const MAX_THREADS: usize = 128;
/// How long a request waits for a thread or a connection.
const PATIENCE: Duration = Duration::from_secs(30);

/// Database connections that requests share.
pub(super) struct Pool {
    free: Mutex<Vec<Box<dyn Store>>>,
    permits: Semaphore,
    places: Semaphore,
}

impl Pool {
    /// A pool of these connections.
    pub(super) fn new(stores: Vec<Box<dyn Store>>) -> Pool {
        let (permits, places) = (Semaphore::new(stores.len()), Semaphore::new(MAX_AT_WORK));
        Pool { permits, places, free: Mutex::new(stores) }
    }

    fn free(&self) -> MutexGuard<'_, Vec<Box<dyn Store>>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a request may begin its work, and takes out a connection for it.
    pub(super) async fn take(self: &Arc<Pool>) -> anyhow::Result<PooledStore> {
        let place = acquire(&self.places).await?;
        let store = self.take_free().await?;
        place.forget();
        Ok(PooledStore { pool: Arc::clone(self), store: Some(store) })
    }

    async fn take_free(&self) -> anyhow::Result<Box<dyn Store>> {
        let permit = acquire(&self.permits).await?;
        let store = self.free().pop().context("each permit has a connection")?;
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

/// Waits for a permit; [`StoreError::Busy`] when there is none in time.
async fn acquire(semaphore: &Semaphore) -> anyhow::Result<SemaphorePermit<'_>> {
    Ok(timeout(PATIENCE, semaphore.acquire()).await.map_err(|_| StoreError::Busy)??)
}

/// A connection in use. It goes back to the pool also when its user panics, whose transaction has been dropped by then.
pub(super) struct PooledStore {
    pool: Arc<Pool>,
    store: Option<Box<dyn Store>>,
}

impl PooledStore {
    /// The connection.
    pub(super) fn store(&mut self) -> &mut dyn Store {
        match &mut self.store {
            Some(store) => &mut **store,
            None => unreachable!("the connection is missing only while others use it"),
        }
    }

    /// Lets others use the connection during work that needs none; afterwards waits for one. Only for threads that may
    /// wait.
    pub(super) fn lend_during<T>(&mut self, work: impl FnOnce() -> T) -> anyhow::Result<T> {
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
    fn a_request_does_not_wait_for_ever_for_a_connection() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let pool = Arc::new(Pool::new(Vec::new()));
        let Err(error) = runtime.block_on(pool.take()) else { panic!("there is no connection") };
        assert!(matches!(error.downcast_ref(), Some(StoreError::Busy)), "{error:#}");
    }
}
