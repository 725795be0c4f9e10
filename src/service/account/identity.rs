//! Who asks: passwords, and the reply tokens that stand for them.
//!
//! A wrong password and an unknown userid get the same answer after the same work, so that nobody learns from either
//! who plays here. Ten wrong ones for a userid within an hour, and it waits.

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use chrono::{DateTime, TimeDelta, Utc};

use crate::command::{Command, Dmarc, GameCommand, Password};
use crate::store::{self, Address, Player, Transaction};
use crate::world::World;

use crate::service::board::play;
use crate::service::notice::reach;
use crate::service::{Origin, Reason, Request, RequestError, RequestResult, TokenGrant, refusal, refuse};

/// Wrong passwords for one userid within an hour, before it waits.
const WRONG_PASSWORDS_AN_HOUR: u32 = 10;

/// The hash of a password, in PHC form.
pub(in crate::service) fn hash(world: World, password: &str) -> String {
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
        (Password::FromContext, Origin::Mail { .. } | Origin::Visitor | Origin::Known { .. }) => None,
    }
}

/// The player of this userid, whose password this is, or for whom a reply token speaks.
pub(in crate::service) fn player(
    tx: &mut dyn Transaction,
    request: &Request,
    userid: &str,
    password: &Password,
) -> RequestResult<Player> {
    let player = made_out(tx, request, userid, password)?;
    if let Origin::Mail { sender, dmarc_passed, .. } = &request.from {
        if player.settings.dmarc == Dmarc::Required {
            let known = tx.addresses(player.id)?;
            let his = |known: &Address| known.confirmed_at.is_some() && known.address.eq_ignore_ascii_case(sender);
            if !dmarc_passed || !known.iter().any(his) {
                let message = format!(
                    "{} takes mail in this name only from a registered address, and only when DMARC shows that it \
                     comes from there.",
                    player.userid
                );
                return refuse(request, userid, message);
            }
        }
        reach::heard_from(tx, &player, sender, request.now)?;
    }
    Ok(player)
}

/// The same where a session is not enough: whoever holds one for a minute must not keep the account for ever.
pub(in crate::service) fn player_with_password(
    tx: &mut dyn Transaction,
    request: &Request,
    userid: &str,
    password: &Password,
) -> RequestResult<Player> {
    if let (Password::FromContext, Origin::Known { .. }) = (password, &request.from) {
        return refuse(request, "-", "This needs the password itself, also from somebody who is logged in.");
    }
    player(tx, request, userid, password)
}

fn made_out(tx: &mut dyn Transaction, request: &Request, userid: &str, password: &Password) -> RequestResult<Player> {
    if let (Password::FromContext, Origin::Known { userid: known, .. }) = (password, &request.from)
        && known.eq_ignore_ascii_case(userid)
        && let Some(player) = tx.player(known)?.filter(|player| player.left_at.is_none())
    {
        return Ok(player);
    }
    if let (Password::FromContext, Origin::Mail { token: Some(granted), .. }) = (password, &request.from) {
        return by_token(tx, request, userid, granted);
    }
    let Some(password) = typed(password, &request.from) else {
        let message = "A \"-\" stands for a password, and none came with it.";
        return Err(refusal(request, "-", message, None).of(Reason::Unknown));
    };
    match by_password(tx, userid, password, request.now)? {
        Ok(player) => Ok(player),
        Err(wrong) => {
            let mut fail = refusal(request, userid, wrong.to_string(), None);
            if let (Wrong::Password, RequestError::Rejected(refused)) = (wrong, &mut fail) {
                // With a word missing or too many, what was taken for something else may be the password.
                let end = refused.line.find("***").map_or(0, |at| at + 3);
                if end < refused.line.len() {
                    refused.line.replace_range(end.., " …");
                }
            }
            Err(fail.of(match wrong {
                Wrong::TooOften => Reason::TooOften,
                Wrong::Password => Reason::Unknown,
            }))
        }
    }
}

/// Why a password does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(in crate::service) enum Wrong {
    #[error("Too many wrong passwords for this userid; try again in an hour.")]
    TooOften,
    #[error("No player has this userid and this password.")]
    Password,
}

/// The player of this userid, whose password this is; a wrong one is counted.
pub(in crate::service) fn by_password(
    tx: &mut dyn Transaction,
    userid: &str,
    password: &str,
    now: DateTime<Utc>,
) -> store::Result<Result<Player, Wrong>> {
    let key = userid.to_ascii_lowercase();
    if tx.wrong_passwords(&key, now - TimeDelta::hours(1))? >= WRONG_PASSWORDS_AN_HOUR {
        return Ok(Err(Wrong::TooOften));
    }
    let player = tx.player(userid)?;
    // Somebody unknown is compared with a hash all the same (of no password), so that the answer takes as long.
    let nobody = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    let stored = player.as_ref().map_or(nobody, |player| &player.password_hash);
    let right = PasswordHash::new(stored)
        .is_ok_and(|stored| Argon2::default().verify_password(password.as_bytes(), &stored).is_ok());
    match player {
        Some(player) if right => Ok(Ok(player)),
        _ => {
            tx.count_wrong_password(&key, now)?;
            Ok(Err(Wrong::Password))
        }
    }
}

/// The player for whom a reply token speaks, if what is asked lies within what it grants. A token that is behind its
/// board's record counts no more: what its reader meant, he meant for the board as the letter showed it.
fn by_token(tx: &dyn Transaction, request: &Request, userid: &str, granted: &TokenGrant) -> RequestResult<Player> {
    let TokenGrant { userid: of, board: number, entry } = granted;
    let at = match &request.line.command {
        Command::Game { command: GameCommand::AtBoard { board, .. }, .. } => Some(board),
        _ => None,
    };
    let (player, board) = (tx.player(of)?.filter(|player| player.left_at.is_none()), tx.board(*number)?);
    let (Some(player), Some(board), true) = (player, board, at == Some(number) && of.eq_ignore_ascii_case(userid))
    else {
        let message = format!(
            "In answer to this letter, \"-\" speaks for {of} at board {number} only; anything else needs the password."
        );
        return refuse(request, "-", message);
    };
    if board.entries == *entry {
        return Ok(player);
    }
    let message = format!("This answers an earlier letter: board {number} has changed since it was written.");
    let mut fail = refusal(request, "", message, None);
    if let RequestError::Rejected(refused) = &mut fail {
        refused.board = Some(Box::new(play::view_now(tx, request.now, &board, None)?));
    }
    Err(fail)
}
