//! What the model knows about a step, in addition to the database.

use anyhow::Context;
use chrono::{DateTime, Utc};

use crate::mail::Intent;
use crate::players::Player;
use turnpost::store::{PlayerId, Transaction};

/// A command of a message that the server has carried out in this step.
pub(crate) struct Claim {
    /// The index of the message.
    pub(crate) mail: usize,
    pub(crate) intent: Intent,
    /// Whether the model has found the entry that the command created.
    pub(crate) used: bool,
    /// The index, among the notices of the step, of the first notice that the message caused.
    pub(crate) notice: Option<usize>,
}

/// The database, the time and the players after a step.
#[derive(Clone, Copy)]
pub(crate) struct Seen<'a> {
    pub(crate) tx: &'a Transaction<'a>,
    /// The server's clock.
    pub(crate) now: DateTime<Utc>,
    pub(crate) players: &'a [Player],
}

impl Seen<'_> {
    /// Returns the index of a player.
    pub(crate) fn index(&self, id: PlayerId) -> anyhow::Result<usize> {
        self.players.iter().position(|player| player.id == id).context("a player is unknown")
    }
}
