//! Checks that the server carries out a message with a password only if the password is current at that time.

use std::collections::BTreeMap;

use anyhow::ensure;

use crate::mail::{GivenPassword, SentMail};
use crate::players::Player;

/// The current passwords of players who have changed their password, by player index.
#[derive(Default)]
pub(crate) struct Passwords(BTreeMap<usize, String>);

impl Passwords {
    /// Returns the current password of a player.
    pub(crate) fn of<'a>(&'a self, index: usize, player: &'a Player) -> &'a str {
        self.0.get(&index).unwrap_or(&player.first_password)
    }

    /// Records that a message was carried out, and checks its password.
    pub(crate) fn done(&mut self, mail: &SentMail, players: &[Player]) -> anyhow::Result<()> {
        let Some(GivenPassword { player, password, new }) = &mail.password else { return Ok(()) };
        let right = self.of(*player, &players[*player]);
        ensure!(password == right, "a message with a wrong password took effect: {}", mail.summary);
        if let Some(new) = new {
            self.0.insert(*player, new.clone());
        }
        Ok(())
    }
}
