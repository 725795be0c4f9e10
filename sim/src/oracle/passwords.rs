//! A mail with a password is done only if that is the player's when its turn comes.

use std::collections::BTreeMap;

use anyhow::ensure;

use crate::mail::{GivenPassword, SentMail};
use crate::players::Player;

/// The passwords that players have changed to, by the player's place.
#[derive(Default)]
pub(super) struct Passwords(BTreeMap<usize, String>);

impl Passwords {
    /// The present password of a player.
    pub(super) fn of<'a>(&'a self, index: usize, player: &'a Player) -> &'a str {
        self.0.get(&index).unwrap_or(&player.first_password)
    }

    /// Notes that a mail was done, and checks its password.
    pub(super) fn done(&mut self, mail: &SentMail, players: &[Player]) -> anyhow::Result<()> {
        let Some(GivenPassword { player, password, new }) = &mail.password else { return Ok(()) };
        let right = self.of(*player, &players[*player]);
        ensure!(password == right, "a mail with a wrong password was done: {}", mail.summary);
        if let Some(new) = new {
            self.0.insert(*player, new.clone());
        }
        Ok(())
    }
}
