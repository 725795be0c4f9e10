//! Work that waits for the database, on a thread where it may.

use std::sync::{Arc, PoisonError};

use super::Site;
use crate::store::Store;

/// Does something with the site's database, beside the event loop.
pub(super) async fn with_store<T: Send + 'static>(
    site: Arc<Site>,
    work: impl FnOnce(&Site, &mut dyn Store) -> anyhow::Result<T> + Send + 'static,
) -> anyhow::Result<T> {
    let done = tokio::task::spawn_blocking(move || {
        let mut store = site.store.lock().unwrap_or_else(PoisonError::into_inner);
        work(&site, &mut **store)
    });
    done.await.map_err(anyhow::Error::from)?
}
