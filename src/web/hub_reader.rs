//! The task that reads changes from the database and publishes them in the hub.

use std::sync::Arc;

use super::pool::PooledStore;
use super::site::{Site, with_store};
use crate::service::BoardUpdate;
use crate::store;

/// Reads the changes after each notification of the hub, until the runtime ends.
pub(crate) async fn run(site: Arc<Site>) {
    loop {
        let known = site.hub.last_change();
        let read = with_store(Arc::clone(&site), move |site, store| Ok(changes(site, store, known)?)).await;
        match read {
            Ok((last, _)) if known == Some(last) => {}
            Ok((last, updates)) => site.hub.publish(last, updates),
            // `serve` notifies the hub again within a second.
            Err(error) => tracing::error!(error = format!("{error:#}"), "cannot read the changes"),
        }
        site.hub.notified().await;
    }
}

/// Returns the number of the last change, and all changes after the last known one.
fn changes(site: &Site, store: &mut PooledStore, known: Option<i64>) -> store::Result<(i64, Vec<BoardUpdate>)> {
    site.read(store, |service, tx| {
        let Some(known) = known else { return Ok((service.last_change(tx)?, Vec::new())) };
        let updates = service.changes_after(tx, known)?;
        Ok((updates.last().map_or(known, |update| update.change), updates))
    })
}
