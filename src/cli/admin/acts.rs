//! The administrator's acts on the command line, for the log of acts.

use std::env;

use chrono::{DateTime, Utc};

use crate::numbers::BoardNumber;
use crate::store::{self, Act, ActKind, Actor, PlayerId, Transaction};

/// The subject of an act.
#[derive(Clone, Copy)]
pub(crate) struct NewAct<'a> {
    pub(crate) kind: ActKind,
    pub(crate) board: Option<BoardNumber>,
    pub(crate) player: Option<PlayerId>,
    pub(crate) detail: &'a str,
    pub(crate) reason: &'a str,
}

impl NewAct<'_> {
    /// Creates an act without a subject.
    pub(crate) fn new(kind: ActKind) -> NewAct<'static> {
        NewAct { kind, board: None, player: None, detail: "", reason: "" }
    }
}

/// Adds an act to the log, in the transaction that performs it.
pub(crate) fn log(tx: &mut Transaction<'_>, now: DateTime<Utc>, act: &NewAct<'_>) -> store::Result<()> {
    let NewAct { kind, board, player, detail, reason } = *act;
    let (detail, reason) = (detail.to_owned(), reason.to_owned());
    tx.add_act(&Act { done_at: now, by: Actor::Shell(account()), kind, board, player, detail, reason })
}

/// Returns the account name of the person at the shell, from the environment.
fn account() -> String {
    let named = ["SUDO_USER", "USER", "LOGNAME"].into_iter().find_map(|name| env::var(name).ok());
    named.filter(|name| !name.is_empty()).unwrap_or_else(|| format!("uid {}", rustix::process::getuid().as_raw()))
}
