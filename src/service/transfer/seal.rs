//! Encrypts the secrets of an export with a passphrase.
//!
//! Argon2id derives a key from the passphrase, with the second recommended parameters of RFC 9106, section 4.
//! ChaCha20-Poly1305 (RFC 8439) then encrypts each secret. The salt is new for each export, so no nonce is used twice
//! with a key. The nonce identifies the secret in the export, so a secret that was moved to another place cannot be
//! decrypted.

use std::fmt;

use argon2::{Algorithm, Argon2, Params, Version};
use data_encoding::BASE64;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use serde::{Deserialize, Serialize};

use super::fault::{Read, fault};
use crate::message;
use crate::world::World;

/// KiB of memory, passes and lanes.
const COST: (u32, u32, u32) = (64 * 1024, 3, 4);
/// The length of a salt in octets.
pub(super) const SALT: usize = 16;

/// A passphrase. Its `Debug` output hides it.
#[derive(Clone)]
pub struct Passphrase(String);

impl Passphrase {
    /// Creates a passphrase from a text; `None` if that is empty.
    pub fn new(text: &str) -> Option<Passphrase> {
        (!text.is_empty()).then(|| Passphrase(text.to_owned()))
    }
}

impl fmt::Debug for Passphrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Passphrase(…)")
    }
}

/// A secret in an export, in base64.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum SealedOrPlain {
    /// Encrypted with the key derived from the passphrase.
    Sealed(String),
    /// In an export without a passphrase.
    Plain(String),
}

/// Identifies a secret of an export.
#[derive(Clone, Copy)]
pub(super) enum Secret {
    /// The key of the instance.
    Key,
    /// The message with this number, in its original form.
    Mail(i64),
    /// The key that signs calls to the webhook of the player with this number.
    Webhook(i64),
}

impl Secret {
    fn nonce(self) -> Nonce {
        let (kind, number) = match self {
            Secret::Key => (0_u32, 0),
            Secret::Mail(number) => (1, number),
            Secret::Webhook(player) => (2, player),
        };
        let mut nonce = [0; NONCE_LEN];
        nonce[..4].copy_from_slice(&kind.to_be_bytes());
        nonce[4..].copy_from_slice(&number.to_be_bytes());
        Nonce::assume_unique_for_key(nonce)
    }
}

/// Encrypts the secrets of one export.
pub(super) struct Seal(LessSafeKey);

impl Seal {
    /// Creates the seal of an export with this salt.
    pub(super) fn new(passphrase: &Passphrase, salt: [u8; SALT]) -> Seal {
        let (memory, passes, lanes) = COST;
        let mut key = [0; 32];
        // These calls fail only for invalid parameters or lengths, all of which are constants here.
        let params = Params::new(memory, passes, lanes, Some(key.len())).expect("the parameters are valid");
        let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        argon.hash_password_into(passphrase.0.as_bytes(), &salt, &mut key).expect("the lengths are valid");
        Seal(LessSafeKey::new(UnboundKey::new(&CHACHA20_POLY1305, &key).expect("32 octets are a key")))
    }

    /// Creates a seal with a new salt. Also returns the salt.
    pub(super) fn draw(passphrase: &Passphrase, world: World) -> (Seal, [u8; SALT]) {
        let mut salt = [0; SALT];
        (world.random)(&mut salt);
        (Seal::new(passphrase, salt), salt)
    }

    fn seal(&self, secret: Secret, plain: &[u8]) -> String {
        let mut sealed = plain.to_vec();
        self.0
            .seal_in_place_append_tag(secret.nonce(), Aad::empty(), &mut sealed)
            .expect("a mail is shorter than 256 GB");
        BASE64.encode(&sealed)
    }

    fn open(&self, secret: Secret, sealed: &str) -> Option<Vec<u8>> {
        let mut sealed = BASE64.decode(sealed.as_bytes()).ok()?;
        let plain = self.0.open_in_place(secret.nonce(), Aad::empty(), &mut sealed).ok()?;
        Some(plain.to_vec())
    }
}

/// Encrypts a secret for an export, if the export has a seal.
pub(super) fn sealed(seal: Option<&Seal>, secret: Secret, plain: &[u8]) -> SealedOrPlain {
    match seal {
        Some(seal) => SealedOrPlain::Sealed(seal.seal(secret, plain)),
        None => SealedOrPlain::Plain(BASE64.encode(plain)),
    }
}

/// Decrypts a secret of an export.
pub(super) fn opened(seal: Option<&Seal>, secret: Secret, text: &SealedOrPlain) -> Read<Vec<u8>> {
    let plain = match text {
        SealedOrPlain::Plain(text) => BASE64.decode(text.as_bytes()).ok(),
        SealedOrPlain::Sealed(text) => seal.and_then(|seal| seal.open(secret, text)),
    };
    plain.map_or_else(|| fault(message!("import.sealed")), Ok)
}
