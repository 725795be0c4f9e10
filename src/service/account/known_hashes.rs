//! What this process knows of passwords, so that no transaction waits while a hash is made.
//!
//! A hash takes tens of milliseconds of processor time, during which a write transaction would keep every other writer
//! waiting. So a handler never makes one: it asks for what is known, and when that is nothing, the request ends with
//! [`MissingHash`]. Its caller drops the transaction, makes the hash, and asks again.
//!
//! What was made is remembered, in bounded memory, until the process ends; a password that was right longer than
//! others, so that its player's next request costs no hash, however many wrong ones arrive in between. The memory holds
//! only HMACs, under a key that the process draws at random. Each is of the stored hash too, which has a random salt: a
//! changed password makes what was known of the old one void. And each is of the userid: a password that was tried for
//! one userid takes as long for the next, whether or not there is such a player.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, OnceLock, PoisonError};

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::world::World;

use super::hashing;

/// The most right passwords that are remembered.
const MAX_RIGHT: usize = 10_000;
/// The most other results that are remembered: long enough for the request that needs them to be made again.
const MAX_OTHERS: usize = 1_000;

type Digest = [u8; 32];

/// A hash that a request needs and that is not known. [`MissingHash::make`] makes it, outside any transaction.
pub struct MissingHash {
    wanted: Wanted,
    userid: String,
    password: String,
    world: World,
}

/// What a hash is made for.
enum Wanted {
    /// To compare the password with this stored hash.
    Check(String),
    /// To store a new password.
    New,
}

// A derived one would show the password.
impl std::fmt::Debug for MissingHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MissingHash").finish_non_exhaustive()
    }
}

/// What came of a hash.
#[derive(Clone)]
enum Made {
    Right,
    Wrong,
    New(String),
}

/// The results that are remembered.
struct Known {
    right: Recent,
    others: Recent,
}

/// The most recent results.
struct Recent {
    results: HashMap<Digest, Made>,
    oldest_first: VecDeque<Digest>,
    most: usize,
}

static KNOWN: Mutex<Option<Known>> = Mutex::new(None);

fn known<T>(act: impl FnOnce(&mut Known) -> T) -> T {
    act(KNOWN.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(Known::new))
}

impl MissingHash {
    /// Makes the hash. At most two are made at a time in this process; further calls wait.
    pub fn make(self) {
        let made = match &self.wanted {
            Wanted::Check(stored) if hashing::matches(&self.password, stored) => Made::Right,
            Wanted::Check(_) => Made::Wrong,
            Wanted::New => Made::New(hashing::hash(self.world, &self.password)),
        };
        known(|known| known.add(self.digest(), made));
    }

    /// What is known of it, or else itself.
    fn known(self) -> Result<Made, MissingHash> {
        let digest = self.digest();
        known(|known| known.find(&digest)).ok_or(self)
    }

    fn digest(&self) -> Digest {
        static KEY: OnceLock<Digest> = OnceLock::new();
        let key = KEY.get_or_init(|| {
            // Not of a test's world, of which there are several in one process.
            let mut key = [0; 32];
            (World::REAL.random)(&mut key);
            key
        });
        let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes a key of any length");
        let stored = match &self.wanted {
            Wanted::Check(stored) => stored.as_str(),
            Wanted::New => "",
        };
        // Neither a userid nor a stored hash holds a NUL.
        for part in [&self.userid.to_ascii_lowercase(), stored] {
            mac.update(part.as_bytes());
            mac.update(&[0]);
        }
        mac.update(self.password.as_bytes());
        mac.finalize().into_bytes().into()
    }
}

impl Known {
    fn new() -> Known {
        Known { right: Recent::new(MAX_RIGHT), others: Recent::new(MAX_OTHERS) }
    }

    fn add(&mut self, digest: Digest, made: Made) {
        match made {
            Made::Right => self.right.add(digest, made),
            Made::Wrong | Made::New(_) => self.others.add(digest, made),
        }
    }

    fn find(&self, digest: &Digest) -> Option<Made> {
        self.right.results.get(digest).or_else(|| self.others.results.get(digest)).cloned()
    }
}

impl Recent {
    fn new(most: usize) -> Recent {
        Recent { results: HashMap::new(), oldest_first: VecDeque::new(), most }
    }

    fn add(&mut self, digest: Digest, made: Made) {
        if self.results.insert(digest, made).is_none() {
            self.oldest_first.push_back(digest);
        }
        if self.oldest_first.len() > self.most
            && let Some(oldest) = self.oldest_first.pop_front()
        {
            self.results.remove(&oldest);
        }
    }
}

/// Whether a hash in PHC form is of this password. Of somebody who is nobody here, it is the hash of no password.
pub(in crate::service) fn verify(
    world: World,
    userid: &str,
    password: &str,
    stored: &str,
) -> Result<bool, MissingHash> {
    let made = missing(world, Wanted::Check(stored.to_owned()), userid, password).known()?;
    Ok(matches!(made, Made::Right))
}

/// The hash of a player's new password, in PHC form.
pub(in crate::service) fn hash(world: World, userid: &str, password: &str) -> Result<String, MissingHash> {
    match missing(world, Wanted::New, userid, password).known()? {
        Made::New(hash) => Ok(hash),
        Made::Right | Made::Wrong => unreachable!("no stored hash is empty, so no check has the digest of a new one"),
    }
}

fn missing(world: World, wanted: Wanted, userid: &str, password: &str) -> MissingHash {
    MissingHash { wanted, userid: userid.to_owned(), password: password.to_owned(), world }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_hashed_once_for_each_stored_hash_and_userid() {
        let new = |userid| {
            hash(World::REAL, userid, "right").expect_err("it is not made yet").make();
            hash(World::REAL, userid, "right").unwrap()
        };
        let (stored, anothers) = (new("alice"), new("bob"));
        assert_ne!(stored, anothers, "no two players have one salt");
        for (password, right) in [("right", true), ("wrong", false)] {
            verify(World::REAL, "alice", password, &stored).expect_err("it was not checked yet").make();
            for userid in ["alice", "ALICE"] {
                assert_eq!(verify(World::REAL, userid, password, &stored).unwrap(), right, "{userid} {password}");
            }
            assert!(verify(World::REAL, "carol", password, &stored).is_err(), "another userid takes as long");
            assert!(verify(World::REAL, "alice", password, &anothers).is_err(), "the password was changed");
        }
    }

    #[test]
    fn what_is_remembered_is_bounded_and_wrong_passwords_push_out_no_right_one() {
        let mut known = Known::new();
        known.add([255; 32], Made::Right);
        for n in 0..2 * MAX_OTHERS {
            let mut digest = [0; 32];
            digest[..8].copy_from_slice(&n.to_le_bytes());
            known.add(digest, Made::Wrong);
        }
        assert_eq!((known.others.results.len(), known.others.oldest_first.len()), (MAX_OTHERS, MAX_OTHERS));
        assert!(known.find(&[255; 32]).is_some() && known.find(&[0; 32]).is_none());
    }
}
