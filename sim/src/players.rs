//! The players: who they are, and what letters they have.

use std::collections::VecDeque;

use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::{Algorithm, Argon2, Params, Version};

use crate::letter::Letter;
use crate::random::Random;
use turnpost::service::BoardEntry;
use turnpost::store::PlayerId;

/// How many letters a player keeps.
const KEPT: usize = 12;
/// What every password begins with, by which it is found wherever it must not be.
pub(crate) const PASSWORD: &str = "Xyzzy";

/// A letter that a player has got.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) letter: Letter,
    /// The boards that it tells, as it tells them.
    pub(crate) about: Vec<BoardEntry>,
}

/// A player.
pub(crate) struct Player {
    pub(crate) userid: String,
    /// The password at the beginning.
    pub(crate) first_password: String,
    /// The password that they believe they have.
    pub(crate) password: String,
    /// The one before, which they still type now and then.
    former_password: Option<String>,
    /// The mail that is to change it and was not closed yet, by its place among all mails.
    pub(crate) changing: Option<usize>,
    pub(crate) address: String,
    pub(crate) id: PlayerId,
    /// The newest last.
    pub(crate) letters: VecDeque<Received>,
    /// Whether they have left.
    pub(crate) left: bool,
    /// How many of a thousand letters about a board they never answer.
    pub(crate) careless: usize,
    /// How many of a thousand answers are replies to the letter; the others give the password.
    pub(crate) replies: usize,
    /// The shortest and the longest time after which they answer, in minutes.
    pub(crate) answers_after: [i64; 2],
}

impl Player {
    /// The player of this number in the run of a seed, who is not stored yet.
    pub(crate) fn new(seed: u64, number: usize, random: &mut Random) -> Player {
        let careless = *random.pick(&[0, 0, 5, 20, 60]);
        let replies = *random.pick(&[900, 700, 200]);
        let answers_after = *random.pick(&[[1, 120], [10, 1_500], [60, 4_000], [600, 15_000]]);
        let userid = format!("{}{number}", random.pick(&["ann", "bob", "cy", "Dora", "eve.", "f_"]));
        // No other seed's player has it: what an earlier run of this process has hashed must not matter.
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
            careless,
            replies,
            answers_after,
        }
    }

    /// The hash of their password, by the cheapest parameters there are.
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

    /// Types the password: now and then with a slip, and the former one out of habit.
    pub(crate) fn types_password(&self, random: &mut Random) -> String {
        let habit = if self.changing.is_some() { 300 } else { 20 };
        match &self.former_password {
            Some(former) if random.chance(habit) => former.clone(),
            _ if random.chance(50) => format!("{}{}", self.password, random.below(10)),
            _ => self.password.clone(),
        }
    }

    /// Takes another password for theirs from now on, which this mail is to set.
    pub(crate) fn change_password(&mut self, new: String, mail: usize) {
        self.changing = Some(mail);
        self.former_password = Some(std::mem::replace(&mut self.password, new));
    }

    /// Learns their password once that mail was closed.
    pub(crate) fn learn_password(&mut self, password: &str) {
        self.changing = None;
        password.clone_into(&mut self.password);
    }

    /// Keeps a letter.
    pub(crate) fn keep(&mut self, received: Received) {
        if self.letters.len() == KEPT {
            self.letters.pop_front();
        }
        self.letters.push_back(received);
    }
}
