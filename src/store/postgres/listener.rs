//! Notifications of commits by other nodes, with `LISTEN`.

use std::time::Duration;

use super::connection::Db;
use super::url::PostgresUrl;
use crate::store::{Listener, Result};

/// A connection that listens.
pub(crate) struct PostgresListener {
    url: PostgresUrl,
    /// `None` after the connection broke.
    db: Option<Db>,
}

impl PostgresListener {
    /// Connects to a server and listens.
    pub(crate) fn open(url: &PostgresUrl) -> Result<PostgresListener> {
        let db = Some(listening(url)?);
        Ok(PostgresListener { url: url.clone(), db })
    }
}

/// Triggers of the tables notify this channel.
fn listening(url: &PostgresUrl) -> Result<Db> {
    let db = Db::connect(url)?;
    db.batch("LISTEN turnpost")?;
    Ok(db)
}

impl Listener for PostgresListener {
    fn wait(&mut self, most: Duration) -> Result<bool> {
        let db = match &self.db {
            Some(db) => db,
            // Notifications since the connection broke are lost, so report a change.
            None => {
                self.db = Some(listening(&self.url)?);
                return Ok(true);
            }
        };
        let heard = db.wait_for_others(most);
        if heard.is_err() {
            self.db = None;
        }
        heard
    }
}
