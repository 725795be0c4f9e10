//! The players: who they are, and what letters they have.

use std::collections::VecDeque;

use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::{Algorithm, Argon2, Params, Version};

use super::letter::Letter;
use super::random::Random;
use crate::service::BoardEntry;
use crate::store::PlayerId;

/// How many letters a player keeps.
const KEPT: usize = 12;
/// What every password begins with, by which it is found wherever it must not be.
pub(super) const PASSWORD: &str = "Xyzzy";

/// A letter that a player has got.
#[derive(Clone, Debug)]
pub(super) struct Received {
    pub(super) letter: Letter,
    /// The boards that it tells, as it tells them.
    pub(super) about: Vec<BoardEntry>,
}

/// A player.
pub(super) struct Player {
    pub(super) userid: String,
    pub(super) password: String,
    pub(super) address: String,
    pub(super) id: PlayerId,
    /// The newest last.
    pub(super) letters: VecDeque<Received>,
    /// Whether they have left.
    pub(super) left: bool,
    /// How many of a thousand letters about a board they never answer.
    pub(super) careless: usize,
    /// The shortest and the longest time after which they answer, in minutes.
    pub(super) answers_after: [i64; 2],
}

impl Player {
    /// The player of this number in the run of a seed, who is not stored yet.
    pub(super) fn new(seed: u64, number: usize, random: &mut Random) -> Player {
        let careless = *random.pick(&[0, 0, 5, 20, 60]);
        let answers_after = *random.pick(&[[1, 120], [10, 1_500], [60, 4_000], [600, 15_000]]);
        let userid = format!("{}{number}", random.pick(&["ann", "bob", "cy", "Dora", "eve.", "f_"]));
        Player {
            // No other seed's player has it: what an earlier run of this process has hashed must not matter.
            password: format!("{PASSWORD}{seed}x{number}"),
            address: format!("{}@players.example", userid.to_lowercase()),
            userid,
            id: PlayerId(0),
            letters: VecDeque::new(),
            left: false,
            careless,
            answers_after,
        }
    }

    /// The hash of their password, by the cheapest parameters there are.
    pub(super) fn hash(&self, random: &mut Random) -> anyhow::Result<String> {
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

    /// Keeps a letter.
    pub(super) fn keep(&mut self, received: Received) {
        if self.letters.len() == KEPT {
            self.letters.pop_front();
        }
        self.letters.push_back(received);
    }
}
