//! The log of acts.

use super::query::run;
use super::time::Time;
use super::transaction::PostgresTransaction;
use crate::store::{Act, Actor, Acts, Result};

impl Acts for PostgresTransaction<'_> {
    fn add_act(&mut self, act: &Act) -> Result<()> {
        let sql = "INSERT INTO acts (done_at, by_player, by_user, act, board, player, detail, reason) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
        let Act { done_at, by, kind, board, player, detail, reason } = act;
        let (by_player, by_user) = match by {
            Actor::Player(player) => (Some(player.0), None),
            Actor::Shell(user) => (None, Some(user)),
        };
        let player = player.map(|id| id.0);
        let params = params![Time(*done_at), by_player, by_user, kind.name(), board, player, detail, reason];
        run(self.writable()?, sql, params).map(drop)
    }
}
