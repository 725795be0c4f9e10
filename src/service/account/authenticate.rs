//! Authentication: by passwords, and by the reply tokens that stand for them.
//!
//! A wrong password and an unknown userid get the same answer after the same work, so that nobody learns from either
//! who plays here.
//!
//! Wrong passwords are counted by their source: the shell, the sender of a mail, a client's address. After ten for one
//! userid within an hour, or thirty for any, the source waits, and nobody else. Whoever is known by a reply token or a
//! verified address never waits for their own account; whoever is known by a session or a personal token waits after the
//! thirty of their client ([`super::tries`]), since somebody else may have found it. A sender that only says it is the
//! player's own address waits after a hundred: otherwise whoever forges it could guess for ever.

use chrono::{DateTime, TimeDelta, Utc};
use sha2::{Digest, Sha256};

use crate::command::{AccountAction, BoardAction, Command, Dmarc, GameCommand, MaskedLine, Password, mask};
use crate::message;
use crate::metrics::{self, RefusedLogin};
use crate::store::{Address, Player, ProposalKind, Transaction};
use crate::text::Message;

use crate::service::account::known_hashes::{MissingHash, verify};
use crate::service::account::tries::{count_try, source_waits};
use crate::service::board::view;
use crate::service::context::{Context, Service};
use crate::service::error::ServiceResult;
use crate::service::notice::reach;
use crate::service::rejection::{Reason, RequestResult};
use crate::service::request::{BoardGrant, MessageGrant, Origin, TokenGrant};

/// Wrong passwords of one source for one userid within an hour, before the source waits.
const WRONG_PASSWORDS_AN_HOUR: u32 = 10;
/// The same for the player's own address, where nothing shows that it is no forgery: so many that a forger has to go to
/// some length to make the player wait, and too few to guess a password.
const WRONG_PASSWORDS_OF_OWN_ADDRESS: u32 = 100;

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
                return match granted {
                    TokenGrant::Board(granted) => self.authenticate_at_board(userid, granted),
                    TokenGrant::Message(granted) => self.authenticate_for_message(userid, granted),
                };
            }
            _ => {}
        }
        let Some(password) = typed(password, &self.request.from) else {
            self.count_try()?;
            let rejection = self.rejection("-", message!("service.no-password"));
            return Err(rejection.because(Reason::Unknown).into());
        };
        let asker = Asker { source: &self.request.source(), standing: self.standing(userid)? };
        let wrong = match self.service.by_password(self.tx, userid, password, &asker, self.request.now)? {
            Ok(player) => return Ok(player),
            Err(wrong) => wrong,
        };
        if wrong == PasswordError::TooOften {
            // A client that goes on is refused by a reading of the database in the end.
            self.count_try()?;
        }
        let mut rejection = self.rejection(userid, wrong.message());
        if wrong == PasswordError::Wrong {
            // With a word missing or too many, what was taken for something else may be the password.
            let end = rejection.line.find("***").map_or(0, |at| at + 3);
            if end < rejection.line.len() {
                rejection.line.replace_range(end.., " …");
            }
        }
        // Not even whether the userid is a player's is shown.
        let MaskedLine { line, at, .. } = mask(&rejection.line, rejection.at, &|_| false);
        (rejection.line, rejection.at) = (line, at);
        let reason = match wrong {
            PasswordError::TooOften => Reason::TooOften,
            PasswordError::Wrong => Reason::Unknown,
        };
        Err(rejection.because(reason).into())
    }

    /// How far the asker is known as this player without a password, as far as guessing goes.
    fn standing(&self, userid: &str) -> RequestResult<Standing> {
        let is = |known: &str| known.eq_ignore_ascii_case(userid);
        let standing = match &self.request.from {
            Origin::Known { userid: known, .. } if is(known) => Standing::LoggedIn,
            Origin::Mail { token: Some(granted), .. } if is(granted.userid()) => Standing::Proved,
            // Where the receiving server says who really sent a mail, a forged sender is anybody.
            Origin::Mail { sender, dmarc_passed, .. } if *dmarc_passed || self.service.authserv_id.is_none() => {
                match self.tx.player_by_address(sender)? {
                    Some(owner) if is(&owner.userid) && *dmarc_passed => Standing::Proved,
                    Some(owner) if is(&owner.userid) => Standing::Claimed,
                    _ => Standing::Unknown,
                }
            }
            Origin::Known { .. } | Origin::Mail { .. } | Origin::Shell { .. } | Origin::Visitor => Standing::Unknown,
        };
        Ok(standing)
    }

    /// The player who answers a message, if what is asked is a message to its writer.
    fn authenticate_for_message(&self, userid: &str, granted: &MessageGrant) -> RequestResult<Player> {
        let MessageGrant { userid: of, writer } = granted;
        let to_writer = match &self.request.line.command {
            Command::Account { action: AccountAction::Message(to), .. } => to == std::slice::from_ref(writer),
            _ => false,
        };
        let player = self.tx.player(of)?.filter(|player| player.left_at.is_none());
        match player.filter(|_| to_writer && of.eq_ignore_ascii_case(userid)) {
            Some(player) => Ok(player),
            None => self.refuse("-", message!("service.token-for-message", userid = of, writer)),
        }
    }

    /// The player for whom a reply token speaks at a board, if what is asked lies within what it grants. A token that is
    /// behind its board's record no longer counts: its reader meant the board as the letter showed it.
    fn authenticate_at_board(&self, userid: &str, granted: &BoardGrant) -> RequestResult<Player> {
        let BoardGrant { userid: of, board: number, entry, proposal } = granted;
        let (at, answers_proposal) = match &self.request.line.command {
            Command::Game { command: GameCommand::AtBoard { board, action, .. }, .. } => {
                (Some(board), matches!(action, BoardAction::Accept(_) | BoardAction::Reject))
            }
            _ => (None, false),
        };
        let player = self.tx.player(of)?.filter(|player| player.left_at.is_none());
        if let (Some(player), true) = (&player, at == Some(number) && of.eq_ignore_ascii_case(userid))
            && self.tx.open_challenge(*number)?.is_some()
            && self.tx.board(*number)?.is_none()
        {
            return Ok(player.clone());
        }
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
enum PasswordError {
    /// Too many wrong ones were tried.
    TooOften,
    /// It is wrong, or nobody has the userid.
    Wrong,
}

impl PasswordError {
    fn message(self) -> Message {
        match self {
            PasswordError::TooOften => message!("service.too-many-wrong-passwords"),
            PasswordError::Wrong => message!("service.wrong-password"),
        }
    }
}

/// Who gives a password.
struct Asker<'a> {
    /// Where wrong passwords are counted.
    source: &'a str,
    standing: Standing,
}

/// Whether somebody who gives a password is its player.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// A reply token or a verified address shows it: nothing is counted.
    Proved,
    /// A session or a personal token shows it, as long as nobody else has found that.
    LoggedIn,
    /// The mail names the player's own address as its sender, which anybody can.
    Claimed,
    /// Nothing shows it.
    Unknown,
}

impl Service<'_> {
    /// Whether a word that stands where no password is asked for is a player's password all the same.
    ///
    /// # Errors
    /// The hash that is missing to tell.
    pub fn is_password_of(&self, player: &Player, word: &str) -> Result<bool, MissingHash> {
        verify(self.world, &player.userid, word, &player.password_hash)
    }

    /// The player of this userid, whose password this is; a wrong one is counted.
    fn by_password(
        &self,
        tx: &mut dyn Transaction,
        userid: &str,
        password: &str,
        asker: &Asker<'_>,
        now: DateTime<Utc>,
    ) -> ServiceResult<Result<Player, PasswordError>> {
        let player = tx.player(userid)?;
        let of = player.as_ref().map_or_else(|| bucket(userid), |player| player.userid.to_ascii_lowercase());
        let since = now - TimeDelta::hours(1);
        let of_userid = || tx.wrong_passwords(Some(&of), asker.source, since);
        let waits = match asker.standing {
            Standing::Proved => false,
            Standing::LoggedIn => source_waits(tx, asker.source, now)?,
            Standing::Claimed => of_userid()? >= WRONG_PASSWORDS_OF_OWN_ADDRESS,
            Standing::Unknown => of_userid()? >= WRONG_PASSWORDS_AN_HOUR || source_waits(tx, asker.source, now)?,
        };
        if waits {
            metrics::count_refused_login(RefusedLogin::TooOften);
            return Ok(Err(PasswordError::TooOften));
        }
        // Somebody unknown is compared with a hash all the same (of no password), so that the answer takes as long.
        let nobody =
            "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
        let stored = player.as_ref().map(|player| player.password_hash.as_str()).filter(|stored| !stored.is_empty());
        let right = verify(self.world, userid, password, stored.unwrap_or(nobody))?;
        match player {
            Some(player) if right => Ok(Ok(player)),
            _ => {
                match asker.standing {
                    Standing::Proved => {}
                    Standing::LoggedIn => count_try(tx, asker.source, now)?,
                    Standing::Claimed | Standing::Unknown => tx.count_wrong_password(&of, asker.source, now)?,
                }
                metrics::count_refused_login(RefusedLogin::WrongPassword);
                Ok(Err(PasswordError::Wrong))
            }
        }
    }
}

/// What a userid that is nobody's is counted under: one of 256, which does not tell what was typed. It may have been a
/// password.
fn bucket(userid: &str) -> String {
    format!("?{:02x}", Sha256::digest(userid.to_ascii_lowercase())[0])
}
