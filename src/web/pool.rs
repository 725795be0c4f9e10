//! The database connections of the pages: a few, so that a password that is being checked keeps nobody else waiting.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Context;
use tokio::sync::Semaphore;

use super::Site;
use crate::store::Store;

/// Connections that nobody uses just now.
pub(super) struct Pool {
    free: Mutex<Vec<Box<dyn Store>>>,
    left: Semaphore,
}

impl Pool {
    pub(super) fn new(stores: Vec<Box<dyn Store>>) -> Pool {
        Pool { left: Semaphore::new(stores.len()), free: Mutex::new(stores) }
    }

    fn free(&self) -> MutexGuard<'_, Vec<Box<dyn Store>>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Does something with one of the site's connections, on a thread where it may wait for the database.
pub(super) async fn with_store<T: Send + 'static>(
    site: Arc<Site>,
    work: impl FnOnce(&Site, &mut dyn Store) -> anyhow::Result<T> + Send + 'static,
) -> anyhow::Result<T> {
    let permit = site.stores.left.acquire().await?;
    let store = site.stores.free().pop().context("each permit has a connection")?;
    permit.forget();
    let mut lent = Lent { site: Arc::clone(&site), store: Some(store) };
    let work = move || match &mut lent.store {
        Some(store) => work(&lent.site, &mut **store),
        None => unreachable!("it is given back when it is dropped"),
    };
    tokio::task::spawn_blocking(work).await?
}

/// A connection in use, which goes back also when its user panics: the transaction that he had begun is gone then.
struct Lent {
    site: Arc<Site>,
    store: Option<Box<dyn Store>>,
}

impl Drop for Lent {
    fn drop(&mut self) {
        self.site.stores.free().extend(self.store.take());
        self.site.stores.left.add_permits(1);
    }
}
