//! Hashes the passwords of a request before its transaction, in bounded memory.
//!
//! A hash takes tens of milliseconds of processor time. Inside a write transaction, it would block all other writers.
//! A request is therefore prepared first: [`Service::password_checks`](crate::service::Service::password_checks)
//! collects the required hashes in a read transaction, [`PasswordChecks::make`] computes them outside any
//! transaction, and the handlers compare the results with the current database. If a password has changed meanwhile,
//! the request ends with [`Stale`] and is prepared again.
//!
//! Right passwords are cached in bounded memory until the process ends, so that a player's next request needs no
//! hash. The cache contains only HMACs under a random key of the process. Each covers the stored hash, which has a
//! random salt, so a changed password invalidates the old entry. It also covers the userid.
//!
//! A hash takes 19 MB. However many requests and messages arrive, this process computes at most [`AT_A_TIME`] hashes
//! simultaneously, and reuses a buffer.

use std::sync::{Condvar, LazyLock, Mutex, OnceLock, PoisonError};

use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::{Algorithm, Argon2, Block, Params, Version};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::recent::Recent;
use crate::world::World;

/// The maximum number of cached correct passwords.
const MAX_RIGHT: usize = 10_000;

type Digest = [u8; 32];

/// The hashes that a request needs.
#[derive(Default)]
pub struct PasswordChecks(Vec<WantedHash>);

/// The computed hashes of a request.
#[derive(Default)]
pub struct Passwords(Vec<(WantedHash, MadeHash)>);

/// The error if a password was not hashed in advance, or its stored hash has changed since. The caller prepares the
/// request again.
#[derive(Debug)]
pub struct Stale;

/// A hash that a request needs.
#[derive(PartialEq, Eq)]
struct WantedHash {
    userid: String,
    password: String,
    /// The hash to compare the password with, in PHC form; `None` for a new password.
    stored: Option<String>,
}

/// The result of computing a [`WantedHash`].
enum MadeHash {
    Right,
    Wrong,
    /// The hash of a new password, in PHC form.
    New(String),
}

impl PasswordChecks {
    /// Adds the comparison of a password with a stored hash.
    pub(crate) fn check(&mut self, userid: &str, password: &str, stored: &str) {
        self.add(userid, password, Some(stored.to_owned()));
    }

    /// Adds the hash of a new password.
    pub(crate) fn new_hash(&mut self, userid: &str, password: &str) {
        self.add(userid, password, None);
    }

    fn add(&mut self, userid: &str, password: &str, stored: Option<String>) {
        let wanted = WantedHash { userid: userid.to_ascii_lowercase(), password: password.to_owned(), stored };
        if !self.0.contains(&wanted) {
            self.0.push(wanted);
        }
    }

    /// Adds the hashes for another request of the same transaction.
    pub fn extend(&mut self, other: PasswordChecks) {
        for wanted in other.0 {
            self.add(&wanted.userid, &wanted.password, wanted.stored);
        }
    }

    /// Returns whether at least one hash must be computed, because its result is not cached.
    pub fn take_time(&self) -> bool {
        !self.0.iter().all(WantedHash::is_known_as_right)
    }

    /// Computes the hashes. The process computes at most two hashes simultaneously; further calls wait.
    pub fn make(self, world: World) -> Passwords {
        let made = |wanted: WantedHash| {
            let made = wanted.make(world);
            (wanted, made)
        };
        Passwords(self.0.into_iter().map(made).collect())
    }
}

impl Passwords {
    /// Returns whether a password matches a stored hash.
    pub(crate) fn is_right(&self, password: &str, stored: &str) -> Result<bool, Stale> {
        let found = self.0.iter().find_map(|(wanted, made)| match made {
            // The same request changed the password.
            MadeHash::New(hash) if hash == stored => Some(wanted.password == password),
            MadeHash::New(_) => None,
            made => (wanted.password == password && wanted.stored.as_deref() == Some(stored))
                .then_some(matches!(made, MadeHash::Right)),
        });
        found.ok_or(Stale)
    }

    /// Returns the hash of a player's new password, in PHC form.
    pub(crate) fn of_new(&self, userid: &str, password: &str) -> Result<String, Stale> {
        let found = self.0.iter().find_map(|(wanted, made)| match made {
            MadeHash::New(hash) if wanted.password == password && wanted.userid.eq_ignore_ascii_case(userid) => {
                Some(hash.clone())
            }
            _ => None,
        });
        found.ok_or(Stale)
    }
}

impl WantedHash {
    fn is_known_as_right(&self) -> bool {
        self.digest().is_some_and(|digest| RIGHT.find(|right| *right == digest).is_some())
    }

    fn make(&self, world: World) -> MadeHash {
        let Some(stored) = &self.stored else { return MadeHash::New(hash(world, &self.password)) };
        if self.is_known_as_right() {
            return MadeHash::Right;
        }
        if !matches(&self.password, stored) {
            return MadeHash::Wrong;
        }
        if let Some(digest) = self.digest() {
            RIGHT.keep(digest);
        }
        MadeHash::Right
    }

    /// Returns the cache entry of a right password; `None` for a new password.
    fn digest(&self) -> Option<Digest> {
        static KEY: OnceLock<Digest> = OnceLock::new();
        let stored = self.stored.as_ref()?;
        let key = KEY.get_or_init(|| {
            // Use real randomness even in tests, because all worlds of a process share this key.
            let mut key = [0; 32];
            (World::REAL.random)(&mut key);
            key
        });
        let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC accepts a key of any length");
        // A NUL ends the userid and the stored hash. Neither contains one.
        for part in [&self.userid, stored] {
            mac.update(part.as_bytes());
            mac.update(&[0]);
        }
        mac.update(self.password.as_bytes());
        Some(mac.finalize().into_bytes().into())
    }
}

/// The cache of correct passwords, as digests.
static RIGHT: LazyLock<Recent<Digest, MAX_RIGHT>> = LazyLock::new(Recent::default);

/// The maximum number of simultaneous hashes.
const AT_A_TIME: usize = 2;
/// The maximum memory and number of passes of a stored hash, as multiples of those of a new hash. Without this limit,
/// an imported hash could take hours and block all logins.
const MOST: u32 = 8;
/// The length of a new hash in octets.
const LENGTH: usize = Params::DEFAULT_OUTPUT_LEN;

/// The number of hashes being computed, and a free buffer.
struct Running {
    hashes: usize,
    free: Option<Vec<Block>>,
}

static RUNNING: Mutex<Running> = Mutex::new(Running { hashes: 0, free: None });
static FINISHED: Condvar = Condvar::new();

/// A permit to compute one hash, with its memory.
struct Permit(Vec<Block>);

impl Permit {
    /// Waits until a hash may be computed.
    fn acquire(blocks: usize) -> Permit {
        let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        let mut running =
            FINISHED.wait_while(running, |running| running.hashes >= AT_A_TIME).unwrap_or_else(PoisonError::into_inner);
        running.hashes += 1;
        let mut memory = running.free.take().unwrap_or_default();
        if memory.len() < blocks {
            memory.resize(blocks, Block::default());
        }
        Permit(memory)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        running.hashes -= 1;
        running.free = Some(std::mem::take(&mut self.0));
        FINISHED.notify_one();
    }
}

fn fill(argon: &Argon2<'_>, password: &str, salt: &[u8], output: &mut [u8]) -> argon2::Result<()> {
    let mut permit = Permit::acquire(argon.params().block_count());
    argon.hash_password_into_with_memory(password.as_bytes(), salt, output, &mut permit.0)
}

/// Hashes a password in PHC form.
pub(crate) fn hash(world: World, password: &str) -> String {
    let (mut salt, mut output) = ([0; 16], [0; LENGTH]);
    (world.random)(&mut salt);
    let argon = Argon2::default();
    // These calls fail only for an invalid salt, parameters or length, all of which are constants here.
    fill(&argon, password, &salt, &mut output).expect("the default parameters are valid");
    let hash = PasswordHash {
        algorithm: Algorithm::default().ident(),
        version: Some(Version::default().into()),
        params: ParamsString::try_from(argon.params()).expect("the default parameters are valid"),
        salt: Some(Salt::new(&salt).expect("a salt of 16 octets is valid")),
        hash: Some(Output::new(&output).expect("a hash of 32 octets is valid")),
    };
    hash.to_string()
}

/// Returns whether a password matches a hash in PHC form.
pub(crate) fn matches(password: &str, stored: &str) -> bool {
    checked(password, stored).unwrap_or(false)
}

/// Compares a password with a stored hash. Returns `None` if the stored text is not a hash (the player has left), or if
/// the hash is too costly to compute.
fn checked(password: &str, stored: &str) -> Option<bool> {
    let stored = PasswordHash::new(stored).ok()?;
    let (salt, expected) = (stored.salt?, stored.hash?);
    let algorithm = Algorithm::try_from(stored.algorithm.as_str()).ok()?;
    let version = stored.version.map_or(Ok(Version::default()), Version::try_from).ok()?;
    let params = Params::try_from(&stored).ok()?;
    if params.m_cost() > MOST * Params::DEFAULT_M_COST || params.t_cost() > MOST * Params::DEFAULT_T_COST {
        return None;
    }
    let argon = Argon2::new(algorithm, version, params);
    let mut output = vec![0; expected.len()];
    fill(&argon, password, &salt, &mut output).ok()?;
    // `Output` compares in constant time.
    Some(Output::new(&output).ok()? == expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new_hash(userid: &str) -> String {
        let mut checks = PasswordChecks::default();
        checks.new_hash(userid, "right");
        checks.make(World::REAL).of_new(userid, "right").unwrap()
    }

    fn check(userid: &str, password: &str, stored: &str) -> PasswordChecks {
        let mut checks = PasswordChecks::default();
        checks.check(userid, password, stored);
        checks
    }

    #[test]
    fn right_passwords_are_cached_by_hash_and_userid() {
        let (stored, others) = (new_hash("alice"), new_hash("bob"));
        assert_ne!(stored, others, "no two players share a salt");
        for (password, right) in [("right", true), ("wrong", false)] {
            let checks = check("alice", password, &stored);
            assert!(checks.take_time());
            assert_eq!(checks.make(World::REAL).is_right(password, &stored).unwrap(), right);
        }
        for userid in ["alice", "Alice"] {
            assert!(!check(userid, "right", &stored).take_time(), "{userid}");
        }
        assert!(check("alice", "wrong", &stored).take_time());
        assert!(check("carol", "right", &stored).take_time(), "the check of another userid takes as long");
        assert!(check("alice", "right", &others).take_time(), "the check of a changed password takes as long");
    }

    #[test]
    fn a_password_changed_meanwhile_is_stale() {
        let (before, after) = (new_hash("alice"), new_hash("alice"));
        let passwords = check("alice", "right", &before).make(World::REAL);
        assert!(passwords.is_right("right", &after).is_err());
        assert!(passwords.is_right("other", &before).is_err());
        assert!(passwords.of_new("alice", "right").is_err());
    }

    #[test]
    fn a_request_knows_the_password_that_it_sets() {
        let mut checks = PasswordChecks::default();
        checks.new_hash("Alice", "new");
        let passwords = checks.make(World::REAL);
        let stored = passwords.of_new("alice", "new").unwrap();
        assert!(passwords.is_right("new", &stored).unwrap());
        assert!(!passwords.is_right("old", &stored).unwrap());
    }

    #[test]
    fn a_stored_hash_that_would_take_hours_matches_no_password() {
        let fixed = World { random: |bytes| bytes.fill(1), ..World::REAL };
        let own = hash(fixed, "wonderland");
        assert!(matches("wonderland", &own) && !matches("builder", &own), "{own}");
        for (cost, more) in [("m=19456", "m=4194304"), ("t=2", "t=4000000000")] {
            let costly = own.replace(cost, more);
            assert_ne!(costly, own);
            assert!(!matches("wonderland", &costly));
        }
    }
}
