//! The model's inputs at a step.

use anyhow::Context;
use chrono::{DateTime, Utc};

use crate::mail::Intent;
use crate::players::Player;
use turnpost::store::{PlayerId, Transaction};

/// A command carried out in this step.
pub(crate) struct Claim {
    /// The index of the message.
    pub(crate) mail: usize,
    pub(crate) intent: Intent,
    /// Whether the requested entry was found.
    pub(crate) used: bool,
    /// The index of the first notice that the message caused, among the notices of the step.
    pub(crate) notice: Option<usize>,
}

/// Additional inputs of the model at a step.
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
