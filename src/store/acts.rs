//! The log of acts by administrators, and of players' changes to their accounts.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::sql::{Cells, Name, Named, Row, Time, all, params, run};
use super::{PlayerId, Result, Transaction};
use crate::numbers::BoardNumber;

macro_rules! acts {
    ($($(#[$doc:meta])* $act:ident = $name:literal;)*) => {
        /// The kind of an act.
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
    /// An administrator ended a board by decision.
    Adjudicate = "adjudicate";
    /// An administrator reversed the end of a board.
    Reopen = "reopen";
    /// An administrator voided a board.
    Void = "void";
    /// An administrator restored entries of a board from a backup or an export.
    RestoreBoard = "restore-board";
    /// An administrator gave more time to the player to move.
    Extend = "extend";
    /// An administrator stopped all clocks.
    Pause = "pause";
    /// An administrator restarted all clocks.
    Resume = "resume";
    /// An administrator paused sending letters.
    Hold = "hold";
    /// An administrator resumed sending letters.
    Release = "release";
    /// An administrator sent a letter to all players.
    Broadcast = "broadcast";
    /// An administrator started or ended maintenance.
    Maintenance = "maintenance";
    /// An administrator sent letters again.
    Resend = "resend";
    /// An administrator abandoned letters.
    Drop = "drop";
    /// An administrator processed a quarantined message again.
    Retry = "retry";
    /// An administrator set a player's password, or a player changed it.
    Password = "password";
    /// An administrator resumed letters to a paused address.
    Unpause = "unpause";
    /// An administrator renamed a player.
    Rename = "rename";
    /// An administrator blocked a player, an address or a domain.
    Block = "block";
    /// An administrator reset the limits of a player or an address.
    Lift = "lift";
    /// An administrator removed a comment.
    RemoveComment = "remove-comment";
    /// An administrator merged a player into another.
    Merge = "merge";
    /// An administrator unblocked a player, an address or a domain.
    Unblock = "unblock";
    /// An administrator removed a player.
    Remove = "remove";
    /// A player left.
    SignOff = "signoff";
    /// A player set a new password with a mailed code.
    ResetPassword = "reset-password";
    /// A player or an administrator changed a player's addresses.
    Addresses = "addresses";
    /// A player or an administrator changed a player's settings.
    Settings = "settings";
    /// A player stopped letters with an unsubscribe link.
    StopLetters = "stop-letters";
}

/// The author of an act.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Actor {
    /// A player, who may be an administrator.
    Player(PlayerId),
    /// A user at the server's shell, with this account name.
    Shell(String),
}

/// An act.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Act {
    /// The time of the act.
    pub done_at: DateTime<Utc>,
    /// The author.
    pub by: Actor,
    /// The kind.
    pub kind: ActKind,
    /// The board concerned.
    pub board: Option<BoardNumber>,
    /// The player concerned.
    pub player: Option<PlayerId>,
    /// Details; empty if the other fields say everything.
    pub detail: String,
    /// The reason; empty if none was given.
    pub reason: String,
}

impl Act {
    /// Creates the act of a player who changed their own account.
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
    /// Lists all acts, oldest first.
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
