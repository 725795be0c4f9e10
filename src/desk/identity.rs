//! Who asks: passwords.
//!
//! A wrong password and an unknown userid get the same answer after the same work, so that nobody learns from either
//! who plays here. Ten wrong ones for a userid within an hour, and it waits.

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use chrono::TimeDelta;

use crate::command::Password;
use crate::store::{Ledger, Player};
use crate::world::World;

use super::{Done, Fail, Origin, Request, refusal, refuse};

/// Wrong passwords for one userid within an hour, before it waits.
const WRONG_PASSWORDS_AN_HOUR: u32 = 10;

/// The hash of a password, in PHC form.
pub(super) fn hash(world: World, password: &str) -> String {
    let mut salt = [0; 16];
    (world.random)(&mut salt);
    // It fails only on a salt or parameters out of range, and both are constants here.
    let hash = Argon2::default().hash_password_with_salt(password.as_bytes(), &salt);
    hash.expect("the default parameters are valid").to_string()
}

/// What a typed password, or a `-`, comes to.
fn typed<'a>(password: &'a Password, from: &'a Origin) -> Option<&'a str> {
    match (password, from) {
        (Password::Given(password), _) => Some(password),
        (Password::FromContext, Origin::Shell { password }) => password.as_deref(),
        (Password::FromContext, Origin::Mail { .. } | Origin::Known { .. }) => None,
    }
}

/// The player of this userid, whose password this is.
pub(super) fn player(ledger: &mut dyn Ledger, request: &Request, userid: &str, password: &Password) -> Done<Player> {
    if let (Password::FromContext, Origin::Known { userid: known, .. }) = (password, &request.from)
        && known.eq_ignore_ascii_case(userid)
        && let Some(player) = ledger.player(known)?.filter(|player| player.left_at.is_none())
    {
        return Ok(player);
    }
    let Some(password) = typed(password, &request.from) else {
        return refuse(request, "-", "A \"-\" stands for a password, and none came with it.");
    };
    let key = userid.to_ascii_lowercase();
    if ledger.wrong_passwords(&key, request.now - TimeDelta::hours(1))? >= WRONG_PASSWORDS_AN_HOUR {
        return refuse(request, userid, "Too many wrong passwords for this userid; try again in an hour.");
    }
    let player = ledger.player(userid)?;
    // Somebody unknown is compared with a hash all the same (of no password), so that the answer takes as long.
    let nobody = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    let stored = player.as_ref().map_or(nobody, |player| &player.password_hash);
    let right = PasswordHash::new(stored)
        .is_ok_and(|stored| Argon2::default().verify_password(password.as_bytes(), &stored).is_ok());
    match player {
        Some(player) if right => Ok(player),
        _ => {
            ledger.count_wrong_password(&key, request.now)?;
            let mut fail = refusal(request, userid, "No player has this userid and this password.", None);
            if let Fail::Refused(refused) = &mut fail {
                // With a word missing or too many, what was taken for something else may be the password.
                let end = refused.line.find("***").map_or(0, |at| at + 3);
                if end < refused.line.len() {
                    refused.line.replace_range(end.., " …");
                }
            }
            Err(fail)
        }
    }
}
