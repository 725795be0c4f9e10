//! The players and their letters.

use std::collections::VecDeque;

use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::{Algorithm, Argon2, Params, Version};
use chrono::{DateTime, Utc};

use crate::letter::Letter;
use crate::world::Random;
use turnpost::service::BoardEntry;
use turnpost::store::PlayerId;

/// The number of letters that a player stores.
const KEPT: usize = 12;
/// The prefix of every password, which makes leaks detectable.
pub(crate) const PASSWORD: &str = "Xyzzy";

/// A letter that a player received.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) letter: Letter,
    /// The boards in the letter.
    pub(crate) about: Vec<BoardEntry>,
}

pub(crate) struct Player {
    pub(crate) userid: String,
    /// The initial password.
    pub(crate) first_password: String,
    /// The password according to the player.
    pub(crate) password: String,
    /// The previous password, which the player still types sometimes.
    former_password: Option<String>,
    /// The unfinished message that changes the password, by its index.
    pub(crate) changing: Option<usize>,
    pub(crate) address: String,
    pub(crate) id: PlayerId,
    /// The letters, newest last.
    pub(crate) letters: VecDeque<Received>,
    /// Whether the player has left.
    pub(crate) left: bool,
    /// Whether the player has stopped answering forever.
    pub(crate) vanished: bool,
    /// The end of the player's vacation.
    pub(crate) away_until: Option<DateTime<Utc>>,
    /// The events in which the player takes part.
    pub(crate) joins: Vec<String>,
    /// How many of a thousand letters about a board the player ignores.
    pub(crate) careless: usize,
    /// How many of a thousand answers are replies to the letter. The others contain the password.
    pub(crate) replies: usize,
    /// The minimum and maximum time before the player answers, in minutes.
    pub(crate) answers_after: [i64; 2],
}

impl Player {
    /// Creates the player with this number in the run of a seed. The player is not stored yet.
    pub(crate) fn new(seed: u64, number: usize, random: &mut Random) -> Player {
        let careless = *random.pick(&[0, 0, 5, 20, 60]);
        let replies = *random.pick(&[900, 700, 200]);
        let answers_after = *random.pick(&[[1, 120], [10, 1_500], [60, 4_000], [600, 15_000]]);
        let userid = format!("{}{number}", random.pick(&["ann", "bob", "cy", "Dora", "eve.", "f_"]));
        // Unique among seeds, so that passwords cached by an earlier run of this process have no effect.
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

    /// Returns the typed password, sometimes with a typing error, or the previous one out of habit.
    pub(crate) fn types_password(&self, random: &mut Random) -> String {
        let habit = if self.changing.is_some() { 300 } else { 20 };
        match &self.former_password {
            Some(former) if random.chance(habit) => former.clone(),
            _ if random.chance(50) => format!("{}{}", self.password, random.below(10)),
            _ => self.password.clone(),
        }
    }

    /// Uses a new password from now on. `mail` is the index of the message that sets it.
    pub(crate) fn change_password(&mut self, new: String, mail: usize) {
        self.changing = Some(mail);
        self.former_password = Some(std::mem::replace(&mut self.password, new));
    }

    /// Learns the actual password after the message that changes it was closed.
    pub(crate) fn learn_password(&mut self, password: &str) {
        self.changing = None;
        password.clone_into(&mut self.password);
    }

    /// Stores a letter.
    pub(crate) fn keep(&mut self, received: Received) {
        if self.letters.len() == KEPT {
            self.letters.pop_front();
        }
        self.letters.push_back(received);
    }
}
