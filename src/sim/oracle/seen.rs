//! What the model is shown at a step.

use anyhow::Context;
use chrono::{DateTime, Utc};

use crate::sim::mail::Intent;
use crate::sim::players::Player;
use crate::store::{PlayerId, Transaction};

/// A command that was done in this step.
pub(in crate::sim) struct Claim {
    /// The mail's place among all mails.
    pub(super) mail: usize,
    pub(super) intent: Intent,
    /// Whether an entry was found that it asked for.
    pub(super) used: bool,
}

/// What the model knows besides itself at a step.
#[derive(Clone, Copy)]
pub(in crate::sim) struct Seen<'a> {
    pub(in crate::sim) tx: &'a dyn Transaction,
    /// The server's clock.
    pub(in crate::sim) now: DateTime<Utc>,
    pub(in crate::sim) players: &'a [Player],
}

impl Seen<'_> {
    /// The place of a player.
    pub(super) fn index(&self, id: PlayerId) -> anyhow::Result<usize> {
        self.players.iter().position(|player| player.id == id).context("a player whom nobody knows")
    }
}
