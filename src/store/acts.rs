//! The log of acts: what administrators did, and what players changed of their accounts.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::sql::{Cells, Name, Named, Row, Time, all, params, run};
use super::{PlayerId, Result, Transaction};
use crate::numbers::BoardNumber;

macro_rules! acts {
    ($($(#[$doc:meta])* $act:ident = $name:literal;)*) => {
        /// What was done.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum ActKind {
            $($(#[$doc])* #[serde(rename = $name)] $act,)*
        }

        impl Named for ActKind {
            const NAMES: &'static [(ActKind, &'static str)] = &[$((ActKind::$act, $name),)*];
        }
    };
}

acts! {
    /// A board was ended by decision.
    Adjudicate = "adjudicate";
    /// The end of a board was taken back.
    Reopen = "reopen";
    /// A board was voided.
    Void = "void";
    /// Entries of a board were restored from a backup or an export.
    RestoreBoard = "restore-board";
    /// The player to move got more time.
    Extend = "extend";
    /// All clocks were stopped.
    Pause = "pause";
    /// All clocks were started again.
    Resume = "resume";
    /// Letters were held.
    Hold = "hold";
    /// Letters were released.
    Release = "release";
    /// All players were sent a letter.
    Broadcast = "broadcast";
    /// The server was closed for maintenance, or opened again.
    Maintenance = "maintenance";
    /// Letters were sent again.
    Resend = "resend";
    /// Letters were given up.
    Drop = "drop";
    /// A mail that was set aside was processed again.
    Retry = "retry";
    /// A player got a new password, or changed it.
    Password = "password";
    /// An address of a player was unpaused.
    Unpause = "unpause";
    /// A player got another userid.
    Rename = "rename";
    /// A player, an address or a domain was blocked.
    Block = "block";
    /// What was counted of a player or an address was forgotten, for its limits.
    Lift = "lift";
    /// A comment was removed.
    RemoveComment = "remove-comment";
    /// A player was merged into another.
    Merge = "merge";
    /// The block of a player, an address or a domain was ended.
    Unblock = "unblock";
    /// A player was removed.
    Remove = "remove";
    /// A player left.
    SignOff = "signoff";
    /// A player set a new password by a code from a letter.
    ResetPassword = "reset-password";
    /// A player's addresses were changed.
    Addresses = "addresses";
    /// A player's settings were changed.
    Settings = "settings";
    /// A player stopped letters by what one of them carries.
    StopLetters = "stop-letters";
}

/// Who did something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Actor {
    /// A player, perhaps an administrator.
    Player(PlayerId),
    /// Somebody at the server's shell, by their account there.
    Shell(String),
}

/// One act.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Act {
    /// When it was done.
    pub done_at: DateTime<Utc>,
    /// Who did it.
    pub by: Actor,
    /// What was done.
    pub kind: ActKind,
    /// The board it is about.
    pub board: Option<BoardNumber>,
    /// The player it is about.
    pub player: Option<PlayerId>,
    /// What exactly; empty when the rest says it.
    pub detail: String,
    /// Why; empty when no reason was given.
    pub reason: String,
}

impl Act {
    /// A player's change of their own account.
    pub fn of_player(player: PlayerId, kind: ActKind, detail: String, done_at: DateTime<Utc>) -> Act {
        let (by, player) = (Actor::Player(player), Some(player));
        Act { done_at, by, kind, board: None, player, detail, reason: String::new() }
    }
}

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

/// The log of acts. [`Report::Acts`](super::Report::Acts) reads it.
impl Transaction<'_> {
    /// Lists all acts, the oldest first.
    pub fn acts(&self) -> Result<Vec<Act>> {
        let sql = "SELECT done_at, by_player, by_user, act, board, player, detail, reason FROM acts ORDER BY id";
        all(self.db(), sql, &[], act)
    }

    /// Adds an act.
    pub fn add_act(&mut self, act: &Act) -> Result<()> {
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
