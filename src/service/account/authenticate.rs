//! Authentication: by passwords, and by the reply tokens that stand for them.
//!
//! A wrong password and an unknown userid get the same answer after the same work, so that nobody learns from either
//! who plays here. After ten wrong passwords for a userid within an hour, that userid waits.

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use chrono::{DateTime, TimeDelta, Utc};

use crate::command::{BoardAction, Command, Dmarc, GameCommand, Password};
use crate::message;
use crate::store::{self, Address, Player, ProposalKind, Transaction};
use crate::text::Message;
use crate::world::World;

use crate::service::board::view;
use crate::service::context::Context;
use crate::service::notice::reach;
use crate::service::rejection::{Reason, RequestResult};
use crate::service::request::{Origin, TokenGrant};

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

/// The password that was typed, or that a `-` stands for.
fn typed<'a>(password: &'a Password, from: &'a Origin) -> Option<&'a str> {
    match (password, from) {
        (Password::Given(password), _) => Some(password),
        (Password::FromContext, Origin::Shell { password }) => password.as_deref(),
        (Password::FromContext, Origin::Mail { .. } | Origin::Visitor | Origin::Known { .. }) => None,
    }
}

impl Context<'_> {
    /// The player of this userid, whose password this is or for whom a session or token speaks.
    pub(in crate::service) fn authenticate(&mut self, userid: &str, password: &Password) -> RequestResult<Player> {
        let player = self.authenticated(userid, password)?;
        if player.blocked_at.is_some() {
            let rejection = self.rejection(userid, message!("service.player-blocked", userid = player.userid));
            return Err(rejection.because(Reason::NotYours).into());
        }
        if let Origin::Mail { sender, dmarc_passed, .. } = &self.request.from {
            if player.settings.dmarc == Dmarc::Required {
                let known = self.tx.addresses(player.id)?;
                let own = |known: &Address| known.confirmed_at.is_some() && known.address.eq_ignore_ascii_case(sender);
                if !dmarc_passed || !known.iter().any(own) {
                    return self.refuse(userid, message!("service.dmarc-required", userid = player.userid));
                }
            }
            reach::heard_from(self.tx, &player, sender, self.request.now)?;
        }
        Ok(player)
    }

    /// The same where a session is not enough: whoever holds one for a minute must not keep the account for ever.
    pub(in crate::service) fn authenticate_with_password(
        &mut self,
        userid: &str,
        password: &Password,
    ) -> RequestResult<Player> {
        if let (Password::FromContext, Origin::Known { .. }) = (password, &self.request.from) {
            return self.refuse("-", message!("service.password-itself-needed"));
        }
        self.authenticate(userid, password)
    }

    fn authenticated(&mut self, userid: &str, password: &Password) -> RequestResult<Player> {
        match (password, &self.request.from) {
            (Password::FromContext, Origin::Known { userid: known, .. }) if known.eq_ignore_ascii_case(userid) => {
                if let Some(player) = self.tx.player(known)?.filter(|player| player.left_at.is_none()) {
                    return Ok(player);
                }
            }
            (Password::FromContext, Origin::Mail { token: Some(granted), .. }) => {
                return self.authenticate_by_token(userid, granted);
            }
            _ => {}
        }
        let Some(password) = typed(password, &self.request.from) else {
            let rejection = self.rejection("-", message!("service.no-password"));
            return Err(rejection.because(Reason::Unknown).into());
        };
        let wrong = match by_password(self.tx, userid, password, self.request.now)? {
            Ok(player) => return Ok(player),
            Err(wrong) => wrong,
        };
        let mut rejection = self.rejection(userid, wrong.message());
        match wrong {
            PasswordError::TooOften => Err(rejection.because(Reason::TooOften).into()),
            PasswordError::Wrong => {
                // With a word missing or too many, what was taken for something else may be the password.
                let end = rejection.line.find("***").map_or(0, |at| at + 3);
                if end < rejection.line.len() {
                    rejection.line.replace_range(end.., " …");
                }
                Err(rejection.because(Reason::Unknown).into())
            }
        }
    }

    /// The player for whom a reply token speaks, if what is asked lies within what it grants. A token that is behind
    /// its board's record no longer counts: its reader meant the board as the letter showed it.
    fn authenticate_by_token(&self, userid: &str, granted: &TokenGrant) -> RequestResult<Player> {
        let TokenGrant { userid: of, board: number, entry, proposal } = granted;
        let (at, answers_proposal) = match &self.request.line.command {
            Command::Game { command: GameCommand::AtBoard { board, action, .. }, .. } => {
                (Some(board), matches!(action, BoardAction::Accept | BoardAction::Reject))
            }
            _ => (None, false),
        };
        let player = self.tx.player(of)?.filter(|player| player.left_at.is_none());
        let board = self.tx.board(*number)?;
        let (Some(player), Some(board), true) = (player, board, at == Some(number) && of.eq_ignore_ascii_case(userid))
        else {
            return self.refuse("-", message!("service.token-for-another-board", userid = of, board = *number));
        };
        let message = match board.proposal {
            _ if board.entries != *entry => message!("service.answers-earlier-letter", board = *number),
            Some(open) if answers_proposal && Some(open.kind) != *proposal => {
                message!(
                    "service.letter-showed-other-proposal",
                    board = *number,
                    draw = open.kind == ProposalKind::Draw
                )
            }
            _ => return Ok(player),
        };
        let rejection = self.rejection("", message);
        Err(rejection.at_board(view::stored_view(&*self.tx, &board, self.now())?).into())
    }
}

/// Why a password does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::service) enum PasswordError {
    /// Too many wrong ones were tried.
    TooOften,
    /// It is wrong, or nobody has the userid.
    Wrong,
}

impl PasswordError {
    pub(in crate::service) fn message(self) -> Message {
        match self {
            PasswordError::TooOften => message!("service.too-many-wrong-passwords"),
            PasswordError::Wrong => message!("service.wrong-password"),
        }
    }
}

/// The player of this userid, whose password this is; a wrong one is counted.
pub(in crate::service) fn by_password(
    tx: &mut dyn Transaction,
    userid: &str,
    password: &str,
    now: DateTime<Utc>,
) -> store::Result<Result<Player, PasswordError>> {
    let key = userid.to_ascii_lowercase();
    if tx.wrong_passwords(&key, now - TimeDelta::hours(1))? >= WRONG_PASSWORDS_AN_HOUR {
        return Ok(Err(PasswordError::TooOften));
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
            Ok(Err(PasswordError::Wrong))
        }
    }
}
