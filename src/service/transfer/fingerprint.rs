//! A short summary of a server's content.

use std::io::{self, Write};

use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};

use super::Result;
use super::export::export_server;
use super::tables::Counts;
use crate::store::Transaction;
use crate::world::World;

/// A summary of a server's content. Two servers with equal fingerprints have the same content.
#[derive(Clone, Debug)]
pub struct Fingerprint {
    /// The counts of the content.
    pub counts: Counts,
    /// The SHA-256 of the id, the key and the export without the first line, whose numbers may be higher after an
    /// import.
    pub digest: [u8; 32],
}

/// Computes the fingerprint of a server. `told` receives the number of exported lines since the last call.
///
/// # Errors
/// If the store fails.
pub fn fingerprint(tx: &Transaction<'_>, world: World, now: DateTime<Utc>, told: &dyn Fn(u64)) -> Result<Fingerprint> {
    let digest = Sha256::new().chain_update(tx.server_id()?).chain_update(tx.reply_key()?.expose());
    let mut digest = Digesting { digest, is_head: true, told };
    let counts = export_server(tx, world, None, now, &mut digest)?;
    Ok(Fingerprint { counts, digest: digest.digest.finalize().into() })
}

/// Returns the number of line ends in these bytes.
pub fn lines_in(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| **byte == b'\n').count() as u64
}

struct Digesting<'a> {
    digest: Sha256,
    is_head: bool,
    told: &'a dyn Fn(u64),
}

impl Write for Digesting<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut body = bytes;
        if self.is_head
            && let Some(end) = bytes.iter().position(|byte| *byte == b'\n')
        {
            (self.is_head, body) = (false, &bytes[end..]);
        }
        if !self.is_head {
            self.digest.update(body);
        }
        (self.told)(lines_in(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
