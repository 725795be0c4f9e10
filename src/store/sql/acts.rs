//! The log of acts.

use super::{Cells, Name, Row, Session, Time, all, params, run};
use crate::store::{Act, Actor, Acts, PlayerId, Result};

fn act(row: &Row<'_>) -> Result<Act> {
    let mut cells = Cells::of(row);
    let done_at = cells.time()?;
    let (by_player, by_user): (Option<i64>, Option<String>) = (cells.take()?, cells.take()?);
    let by = by_player.map_or_else(|| Actor::Shell(by_user.unwrap_or_default()), |id| Actor::Player(PlayerId(id)));
    let (Name(kind), board) = (cells.take()?, cells.take()?);
    let player: Option<i64> = cells.take()?;
    let (player, detail, reason) = (player.map(PlayerId), cells.take()?, cells.take()?);
    Ok(Act { done_at, by, kind, board, player, detail, reason })
}

impl<S: Session> Acts for S {
    fn acts(&self) -> Result<Vec<Act>> {
        let sql = "SELECT done_at, by_player, by_user, act, board, player, detail, reason FROM acts ORDER BY id";
        all(self.db(), sql, &[], act)
    }

    fn add_act(&mut self, act: &Act) -> Result<()> {
        let sql = "INSERT INTO acts (done_at, by_player, by_user, act, board, player, detail, reason) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let Act { done_at, by, kind, board, player, detail, reason } = act;
        let (by_player, by_user) = match by {
            Actor::Player(player) => (Some(player.0), None),
            Actor::Shell(user) => (None, Some(user)),
        };
        let player = player.map(|id| id.0);
        let params = params![Time(*done_at), by_player, by_user, Name(*kind), board, player, detail, reason];
        run(self.writable()?, sql, params).map(drop)
    }
}
