//! The hash chain of a record. With a copy of the last hash, anyone can detect changes to earlier entries.
//!
//! The hashes cover the game (name, options, players) and the entries, but not data that differ between two servers
//! with the same game (numbers, times, transports). The same game therefore has the same hashes everywhere.

use sha2::{Digest, Sha256};

use crate::numbers::Ply;
use crate::text::hex;

/// Computes the initial hash, which precedes the first entry.
pub fn genesis_hash(game: &str, options: &str, players: [&str; 2]) -> String {
    let [first, second] = players.map(str::to_ascii_lowercase);
    digest(&format!("turnpost board 1\n{game}\n{options}\n{first}\n{second}\n"))
}

/// Computes the hash of an entry from the previous hash.
pub fn next_hash(previous: &str, ply: Ply, text: &str) -> String {
    digest(&format!("{previous}\n{ply}\n{text}\n"))
}

fn digest(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_changes_the_hash() {
        let base = genesis_hash("marque", "", ["alice", "bob"]);
        assert_eq!(base, genesis_hash("marque", "", ["Alice", "BOB"]), "userids are case-insensitive");
        assert_ne!(base, genesis_hash("marque", "-y", ["alice", "bob"]));
        assert_ne!(base, genesis_hash("marque", "", ["bob", "alice"]));
        let first = next_hash(&base, Ply(1), "f3");
        assert_eq!(first.len(), 64);
        assert_ne!(first, next_hash(&base, Ply(2), "f3"));
        assert_ne!(first, next_hash(&base, Ply(1), "f4"));
        assert_ne!(first, next_hash(&first, Ply(1), "f3"));
    }
}
