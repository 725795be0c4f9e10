//! Hashes passwords in bounded memory.
//!
//! A hash takes 19 MB. However many requests and messages arrive, this process computes at most [`AT_A_TIME`] hashes
//! simultaneously, and reuses their buffers.

use std::sync::{Condvar, Mutex, PoisonError};

use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::{Algorithm, Argon2, Block, Params, Version};

use crate::world::World;

/// The maximum number of simultaneous hashes.
const AT_A_TIME: usize = 2;
/// The maximum memory and passes of a stored hash, as multiples of a new hash. Otherwise an imported hash could take
/// hours and block all logins.
const MOST: u32 = 8;
/// The octets of a new hash.
const LENGTH: usize = Params::DEFAULT_OUTPUT_LEN;

/// The number of running hashes, and the free buffers.
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
        salt: Some(Salt::new(&salt).expect("16 octets are a salt")),
        hash: Some(Output::new(&output).expect("32 octets are a hash")),
    };
    hash.to_string()
}

/// Returns whether a password matches a hash in PHC form.
pub(crate) fn matches(password: &str, stored: &str) -> bool {
    checked(password, stored).unwrap_or(false)
}

/// Returns `None` if the stored text is not a hash, because the player has left.
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
