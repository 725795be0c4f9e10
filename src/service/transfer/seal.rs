//! Encrypts the secrets of an export with a passphrase.
//!
//! Argon2id derives a key from the passphrase, with the second recommended parameters of RFC 9106, section 4.
//! ChaCha20-Poly1305 (RFC 8439) then encrypts each secret. The salt is new for each export, so no nonce is used twice
//! with a key. The nonce and the additional data identify the secret's place in the export, so a secret moved to
//! another place cannot be decrypted.

use std::fmt;

use argon2::{Algorithm, Argon2, Params, Version};
use data_encoding::BASE64;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};

use crate::world::World;

/// The cost of Argon2id: KiB of memory, passes and lanes.
const COST: (u32, u32, u32) = (64 * 1024, 3, 4);
/// The length of a salt in octets.
pub(crate) const SALT: usize = 16;

/// A passphrase. Its `Debug` output hides it.
#[derive(Clone)]
pub struct Passphrase(String);

impl Passphrase {
    /// Creates a passphrase from a text; `None` if the text is empty.
    pub fn new(text: &str) -> Option<Passphrase> {
        (!text.is_empty()).then(|| Passphrase(text.to_owned()))
    }
}

impl fmt::Debug for Passphrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Passphrase(…)")
    }
}

/// The place of a secret in an export. Decrypting fails at any other place.
pub(crate) struct Place {
    /// Must be unique in an export.
    nonce: [u8; NONCE_LEN],
    /// The table, the column and the key of the row.
    name: String,
}

impl Place {
    /// The place of the key of the instance.
    pub(crate) const KEY: Place = Place { nonce: [0; NONCE_LEN], name: String::new() };

    /// Returns the place of a column, counted from 0, in a line.
    pub(crate) fn column(column: usize, line: usize, name: String) -> Place {
        Place::numbered(column as u32 + 1, line as i64, name)
    }

    pub(crate) fn numbered(kind: u32, number: i64, name: String) -> Place {
        let mut nonce = [0; NONCE_LEN];
        nonce[..4].copy_from_slice(&kind.to_be_bytes());
        nonce[4..].copy_from_slice(&number.to_be_bytes());
        Place { nonce, name }
    }
}

/// The key that encrypts the secrets of one export.
pub(crate) struct Seal(LessSafeKey);

impl Seal {
    /// Creates the seal of an export with this salt.
    pub(crate) fn new(passphrase: &Passphrase, salt: [u8; SALT]) -> Seal {
        let (memory, passes, lanes) = COST;
        let mut key = [0; 32];
        // These calls fail only for invalid parameters or lengths, all of which are constants here.
        let params = Params::new(memory, passes, lanes, Some(key.len())).expect("the parameters are valid");
        let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        argon.hash_password_into(passphrase.0.as_bytes(), &salt, &mut key).expect("the lengths are valid");
        Seal(LessSafeKey::new(UnboundKey::new(&CHACHA20_POLY1305, &key).expect("a key of 32 octets is valid")))
    }

    /// Creates a seal with a new salt. Also returns the salt.
    pub(crate) fn draw(passphrase: &Passphrase, world: World) -> (Seal, [u8; SALT]) {
        let mut salt = [0; SALT];
        (world.random)(&mut salt);
        (Seal::new(passphrase, salt), salt)
    }

    /// Encrypts a secret. Returns it in base64.
    pub(crate) fn seal(&self, place: &Place, plain: &[u8]) -> String {
        let mut sealed = plain.to_vec();
        let (nonce, name) = (Nonce::assume_unique_for_key(place.nonce), Aad::from(&place.name));
        self.0.seal_in_place_append_tag(nonce, name, &mut sealed).expect("a message is shorter than 256 GB");
        BASE64.encode(&sealed)
    }

    /// Decrypts a secret; `None` if it was changed or belongs to another place.
    pub(crate) fn open(&self, place: &Place, sealed: &str) -> Option<Vec<u8>> {
        let mut sealed = BASE64.decode(sealed.as_bytes()).ok()?;
        let (nonce, name) = (Nonce::assume_unique_for_key(place.nonce), Aad::from(&place.name));
        let plain = self.0.open_in_place(nonce, name, &mut sealed).ok()?;
        Some(plain.to_vec())
    }
}
