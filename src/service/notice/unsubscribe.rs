//! Unsubscribing by the link that a letter carries.

use crate::service::context::Service;
use crate::store::{self, Transaction};
use crate::token::Unsubscribe;

/// What following an unsubscribe link did.
#[derive(Clone, Debug)]
pub struct Unsubscribed {
    /// The userid of the player; `None` when the link is not one of this server's, or its player has left.
    pub userid: Option<String>,
    /// Whether the link stops only letters about what the player follows; `None` for a link that is not this server's.
    pub followed: Option<bool>,
}

impl Service<'_> {
    /// Reads an unsubscribe link: whether it stops only letters about what its player follows. `None` when it is not one
    /// of this server's.
    ///
    /// # Errors
    /// The store's.
    pub fn unsubscribe_link(&self, tx: &dyn Transaction, token: &str) -> store::Result<Option<bool>> {
        Ok(Unsubscribe::verify(token, &tx.reply_key()?).map(|link| link.followed))
    }

    /// Stops the letters that an unsubscribe link stops.
    ///
    /// # Errors
    /// The store's.
    pub fn unsubscribe_by_link(&self, tx: &mut dyn Transaction, token: &str) -> store::Result<Unsubscribed> {
        let link = Unsubscribe::verify(token, &tx.reply_key()?);
        let done = match link {
            Some(link) => self.unsubscribe(tx, link)?,
            None => None,
        };
        let userid = done.map(|(player, _)| player.userid);
        if let Some(userid) = &userid {
            tracing::info!(userid, "letters stopped by a link");
        }
        Ok(Unsubscribed { userid, followed: link.map(|link| link.followed) })
    }
}
