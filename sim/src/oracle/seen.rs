//! What the model is shown at a step.

use anyhow::Context;
use chrono::{DateTime, Utc};

use crate::mail::Intent;
use crate::players::Player;
use turnpost::store::{PlayerId, Transaction};

/// A command that was done in this step.
pub(crate) struct Claim {
    /// The mail's place among all mails.
    pub(super) mail: usize,
    pub(super) intent: Intent,
    /// Whether an entry was found that it asked for.
    pub(super) used: bool,
}

/// What the model knows besides itself at a step.
#[derive(Clone, Copy)]
pub(crate) struct Seen<'a> {
    pub(crate) tx: &'a Transaction<'a>,
    /// The server's clock.
    pub(crate) now: DateTime<Utc>,
    pub(crate) players: &'a [Player],
}

impl Seen<'_> {
    /// The place of a player.
    pub(super) fn index(&self, id: PlayerId) -> anyhow::Result<usize> {
        self.players.iter().position(|player| player.id == id).context("a player whom nobody knows")
    }
}
