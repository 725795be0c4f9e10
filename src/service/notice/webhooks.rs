//! Where a player's program wants to hear of turns.

use chrono::{DateTime, Utc};

use crate::store::{self, Board, PlayerId, Transaction, Webhook};

use crate::service::context::Service;

/// What every secret begins with, so that whoever finds one knows what it is.
const MARK: &str = "th_";
/// Five bits each.
const LETTERS: usize = 40;

impl Service<'_> {
    /// Has a player's turns told at this address from now on, in place of any other; gives it with its new secret.
    ///
    /// # Errors
    /// The store's.
    pub fn set_hook(
        &self,
        tx: &mut dyn Transaction,
        player: PlayerId,
        url: &str,
        now: DateTime<Utc>,
    ) -> store::Result<Webhook> {
        let secret = format!("{MARK}{}", self.world.letters(LETTERS));
        let hook = Webhook { player, url: url.to_owned(), secret, created_at: now, failures: 0, paused: None };
        // What was to be told at the old address is nothing for the new one.
        tx.remove_webhook(player)?;
        tx.set_webhook(&hook)?;
        Ok(hook)
    }
}

/// Notes that a turn is to be told, if its player wants to hear of it.
pub(in crate::service) fn turn_came(tx: &mut dyn Transaction, board: &Board, now: DateTime<Utc>) -> store::Result<()> {
    let Some(seat) = board.to_move else { return Ok(()) };
    let player = board.players[seat.index()].id;
    match tx.webhook(player)? {
        Some(hook) if hook.paused.is_none() => tx.add_webhook_call(player, board.number, board.entries, now),
        _ => Ok(()),
    }
}
