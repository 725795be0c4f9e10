//! The simulated players, and the letters that they have received.

use std::collections::VecDeque;

use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::{Algorithm, Argon2, Params, Version};
use chrono::{DateTime, Utc};

use crate::letter::Letter;
use crate::world::Random;
use turnpost::service::BoardEntry;
use turnpost::store::PlayerId;

/// The number of letters that a player keeps in their mailbox.
const KEPT: usize = 12;
/// The prefix of every password. If it occurs in a letter, the server has leaked a password.
pub(crate) const PASSWORD: &str = "Xyzzy";

/// A letter that a player received.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) letter: Letter,
    /// The boards that the letter is about, each with its last entry at that time.
    pub(crate) about: Vec<BoardEntry>,
}

pub(crate) struct Player {
    pub(crate) userid: String,
    pub(crate) first_password: String,
    /// The password that the player believes to be current.
    pub(crate) password: String,
    /// The previous password, which the player still types sometimes.
    former_password: Option<String>,
    /// The index of the message that requests a password change, while it has no verdict.
    pub(crate) changing: Option<usize>,
    pub(crate) address: String,
    pub(crate) id: PlayerId,
    /// The letters, newest last.
    pub(crate) letters: VecDeque<Received>,
    /// Whether the player has left the server.
    pub(crate) left: bool,
    /// Whether the player has stopped reading letters, without leaving the server.
    pub(crate) vanished: bool,
    /// The end of the player's vacation.
    pub(crate) away_until: Option<DateTime<Utc>>,
    /// The events that the player joins, and has not left yet.
    pub(crate) joins: Vec<String>,
    /// The number of letters about boards that the player ignores, per thousand.
    pub(crate) careless: usize,
    /// The number of answers that are replies to a letter, per thousand. The others are new messages with the password.
    pub(crate) replies: usize,
    /// The minimum and maximum time that the player takes to answer a letter, in minutes.
    pub(crate) answers_after: [i64; 2],
}

impl Player {
    /// Creates the player with this number. The player is not in the database yet.
    pub(crate) fn new(seed: u64, number: usize, random: &mut Random) -> Player {
        let careless = *random.pick(&[0, 0, 5, 20, 60]);
        let replies = *random.pick(&[900, 700, 200]);
        let answers_after = *random.pick(&[[1, 120], [10, 1_500], [60, 4_000], [600, 15_000]]);
        let userid = format!("{}{number}", random.pick(&["ann", "bob", "cy", "Dora", "eve.", "f_"]));
        // The password differs between seeds, because earlier runs of this process may have cached their passwords.
        let password = format!("{PASSWORD}{seed}x{number}");
        Player {
            first_password: password.clone(),
            password,
            former_password: None,
            changing: None,
            address: format!("{}@players.example", userid.to_lowercase()),
            userid,
            id: PlayerId(0),
            letters: VecDeque::new(),
            left: false,
            vanished: false,
            away_until: None,
            joins: Vec::new(),
            careless,
            replies,
            answers_after,
        }
    }

    /// Returns the hash of the player's password, with the cheapest possible parameters.
    pub(crate) fn hash(&self, random: &mut Random) -> anyhow::Result<String> {
        let mut salt = [0; 16];
        salt[..8].copy_from_slice(&random.next().to_le_bytes());
        let params = Params::new(8, 1, 1, None).map_err(|error| anyhow::anyhow!("{error}"))?;
        let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let mut output = [0; 32];
        argon
            .hash_password_into(self.password.as_bytes(), &salt, &mut output)
            .map_err(|error| anyhow::anyhow!("{error}"))?;
        let bad = |error| anyhow::anyhow!("{error}");
        let hash = PasswordHash {
            algorithm: Algorithm::Argon2id.ident(),
            version: Some(Version::V0x13.into()),
            params: ParamsString::try_from(argon.params()).map_err(|error| anyhow::anyhow!("{error}"))?,
            salt: Some(Salt::new(&salt).map_err(|error| anyhow::anyhow!("{error}"))?),
            hash: Some(Output::new(&output).map_err(bad)?),
        };
        Ok(hash.to_string())
    }

    /// Returns whether the player reads letters and acts.
    pub(crate) fn answers(&self, now: DateTime<Utc>) -> bool {
        !self.left && !self.vanished && self.away_until.is_none_or(|until| until <= now)
    }

    /// Returns the password that the player types. Sometimes it has a typing error or is the previous password.
    pub(crate) fn types_password(&self, random: &mut Random) -> String {
        let habit = if self.changing.is_some() { 300 } else { 20 };
        match &self.former_password {
            Some(former) if random.chance(habit) => former.clone(),
            _ if random.chance(50) => format!("{}{}", self.password, random.below(10)),
            _ => self.password.clone(),
        }
    }

    /// Makes the player use a new password from now on. `mail` is the index of the message that requests the change.
    pub(crate) fn change_password(&mut self, new: String, mail: usize) {
        self.changing = Some(mail);
        self.former_password = Some(std::mem::replace(&mut self.password, new));
    }

    /// Tells the player which password is current, after the message that requested the change got its verdict.
    pub(crate) fn learn_password(&mut self, password: &str) {
        self.changing = None;
        password.clone_into(&mut self.password);
    }

    /// Adds a letter to the mailbox. If the mailbox is full, removes the oldest letter.
    pub(crate) fn keep(&mut self, received: Received) {
        if self.letters.len() == KEPT {
            self.letters.pop_front();
        }
        self.letters.push_back(received);
    }
}
