//! Authenticates players by password, session or reply token, and asks them to confirm an action that may end a game if
//! their address is unconfirmed.
//!
//! A wrong password and an unknown userid get the same answer after the same work, so that the answer does not reveal
//! which userids exist.
//!
//! Wrong passwords are counted by their source: the shell, the sender of a message, a client's address. After ten for
//! one userid within an hour, or thirty in total, only this source has to wait. A sender with a reply token or a
//! verified address never waits for their own account. A sender with a session or a personal token waits only after
//! their client reaches the limit of thirty ([`super::login`]), because the token may be stolen. If no
//! mail is verified here (there is no `authserv_id`), a sender whose mail has the player's address has to wait after a
//! hundred: without this limit, a forger could guess passwords forever.

use chrono::TimeDelta;
use sha2::{Digest, Sha256};

use super::login::{count_try, source_waits};
use super::passwords::{PasswordChecks, Passwords, Stale};
use super::signup::{addresses_to_sign_up, awaits_all, is_from_guest};
use crate::clock::Span;
use crate::command::{
    AccountAction, BoardAction, Command, Dmarc, GameCommand, GamePreference, MaskedLine, Password, Setting, Shown, mask,
};
use crate::message;
use crate::metrics::{self, RefusedLogin};
use crate::numbers::EntryNumber;
use crate::service::board::open::OpenBoard;
use crate::service::board::{repeat, view};
use crate::service::context::{Context, Service};
use crate::service::notice::reach;
use crate::service::rejection::{Reason, RequestResult};
use crate::service::request::{BoardGrant, EventGrant, MessageGrant, Origin, Request, TokenGrant};
use crate::store::{self, Address, Board, CountedBy, CountedKind, Player, ProposalKind, Transaction};
use crate::text::{self, Message};

/// The maximum number of wrong passwords of one source for one userid within an hour.
pub(crate) const WRONG_PASSWORDS_AN_HOUR: u32 = 10;
/// The same limit for mail from the player's own address, if the receiving mail server does not verify senders. It is
/// high enough that a forger cannot easily lock the player out, and low enough that they cannot guess the password.
pub(crate) const WRONG_PASSWORDS_OF_OWN_ADDRESS: u32 = 100;

impl Context<'_, '_> {
    /// Returns the player with this userid if the password is right, or the session or token belongs to them.
    pub(crate) fn authenticate(&mut self, userid: &str, password: &Password) -> RequestResult<Player> {
        let player = self.authenticated(userid, password)?;
        self.proved = Some(player.id);
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

    /// Authenticates a player for an action for which a session is not sufficient, so that the thief of a session
    /// cannot take over the account.
    pub(crate) fn authenticate_with_password(&mut self, userid: &str, password: &Password) -> RequestResult<Player> {
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
                    TokenGrant::Event(granted) => self.authenticate_for_event(userid, granted),
                };
            }
            _ => {}
        }
        let Some(password) = self.request.typed(password) else {
            self.count_try()?;
            let rejection = self.rejection("-", message!("service.no-password"));
            return Err(rejection.because(Reason::Unknown).into());
        };
        let wrong = match self.by_password(userid, password)? {
            Ok(player) => return Ok(player),
            Err(wrong) => wrong,
        };
        if wrong == PasswordError::TooOften {
            // Count this attempt, too. After a few more, `refused_try` refuses the client without writing to the
            // database.
            self.count_try()?;
        }
        let mut rejection = self.rejection(userid, wrong.message());
        // Mask the userid, too, so that the answer does not reveal whether it exists.
        let how_much = Shown::in_answer(self.service.policy.shortest_password);
        let MaskedLine { line, at, .. } = mask(&rejection.line, rejection.at, how_much, &|_| false);
        (rejection.line, rejection.at) = (line, at);
        let reason = match wrong {
            PasswordError::TooOften => Reason::TooOften,
            PasswordError::Wrong => Reason::Unknown,
        };
        Err(rejection.because(reason).into())
    }

    /// Returns the player with this userid if the password is right, and counts a wrong one.
    pub(crate) fn by_password(&mut self, userid: &str, password: &str) -> RequestResult<Result<Player, PasswordError>> {
        let (source, now) = (self.request.source(), self.now());
        let Some(claim) = self.service.claim(&*self.tx, self.request, userid)? else {
            metrics::count_refused_login(RefusedLogin::TooOften);
            return Ok(Err(PasswordError::TooOften));
        };
        let right = self.passwords.is_right(password, claim.stored())?;
        let Claim { player, standing, counted_under, .. } = claim;
        if let Some(player) = player.filter(|_| right) {
            return Ok(Ok(player));
        }
        match standing {
            Standing::Proved => {}
            Standing::LoggedIn => count_try(self.tx, &source, now)?,
            Standing::Claimed | Standing::Unknown => {
                self.tx.count(CountedKind::WrongPassword, &counted_under, &source, now)?;
            }
        }
        metrics::count_refused_login(RefusedLogin::WrongPassword);
        Ok(Err(PasswordError::Wrong))
    }

    /// Returns the player who replies to another player's message. The request must be a message to the author of that
    /// message, or concern the replying player's own account.
    fn authenticate_for_message(&self, userid: &str, granted: &MessageGrant) -> RequestResult<Player> {
        let MessageGrant { userid: of, writer } = granted;
        let player = self.tx.player(of)?.filter(|player| player.left_at.is_none());
        let player = player.filter(|_| of.eq_ignore_ascii_case(userid));
        let is_allowed = match (&self.request.line.command, &player) {
            (Command::Account { action: AccountAction::Message(to), .. }, _) if to == std::slice::from_ref(writer) => {
                true
            }
            (_, Some(player)) => self.is_own_matter(player)?,
            (_, None) => false,
        };
        match player {
            Some(player) if is_allowed => Ok(player),
            _ => {
                let is_own = self.is_from_address_of(of)?;
                self.refuse("-", message!("service.token-for-message", userid = of, writer, is_own))
            }
        }
    }

    /// Returns the player who replies to a letter about events. The request must join one of these events, or concern
    /// the player's own account.
    fn authenticate_for_event(&self, userid: &str, granted: &EventGrant) -> RequestResult<Player> {
        let EventGrant { userid: of, events } = granted;
        let joins = match &self.request.line.command {
            Command::Account { action: AccountAction::Join(name), .. } => {
                events.iter().any(|event| event.eq_ignore_ascii_case(name))
            }
            _ => false,
        };
        let player = self.tx.player(of)?.filter(|player| player.left_at.is_none() && of.eq_ignore_ascii_case(userid));
        match player {
            Some(player) if joins || self.is_own_matter(&player)? => Ok(player),
            _ => self.refuse("-", message!("service.token-for-event", userid = of, events = events.clone())),
        }
    }

    /// Returns the player for whom a reply token is valid at a board, if the token permits the request. A token becomes
    /// invalid when an entry is added to the board's record, because the reader has not seen that entry.
    fn authenticate_at_board(&self, userid: &str, granted: &BoardGrant) -> RequestResult<Player> {
        let BoardGrant { userid: of, board: number, entry, proposal, .. } = granted;
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
        if let Some(player) = player.as_ref().filter(|_| of.eq_ignore_ascii_case(userid))
            && self.is_own_matter(player)?
        {
            return Ok(player.clone());
        }
        let board = self.tx.board(*number)?;
        let (Some(player), Some(board), true) = (player, board, at == Some(number) && of.eq_ignore_ascii_case(userid))
        else {
            let is_own = self.is_from_address_of(of)?;
            let message = message!("service.token-for-another-board", userid = of, board = *number, is_own);
            return self.refuse("-", message);
        };
        // A player who only follows the board is refused later, for that reason.
        if !board.plays(player.id) || self.is_free_of_position(&player, &board, *entry)? {
            return Ok(player);
        }
        let message = match board.proposal {
            _ if board.entries != *entry && board.to_move.is_none() => {
                message!("service.answers-letter-before-end", board = *number)
            }
            _ if board.entries != *entry => message!("service.answers-earlier-letter", board = *number),
            Some(open) if answers_proposal && Some(open.kind) != *proposal => {
                message!("service.letter-showed-other-proposal", board = *number, kind = text::word(&open.kind))
            }
            _ => return self.check_last_word(&player, &board, granted).map(|()| player),
        };
        let rejection = self.rejection("", message);
        Err(rejection.at_board(view::stored_view(&*self.tx, &board, self.now())?).into())
    }

    /// Returns whether the request is from the player's confirmed address and does not affect boards: it concerns
    /// settings, letters, events, messages, blocks or reports. The setting `dmarc` requires the password, because a
    /// sender who forges the address could otherwise turn it off.
    fn is_own_matter(&self, player: &Player) -> RequestResult<bool> {
        let action = match &self.request.line.command {
            Command::Account { action, .. } => Some(action),
            Command::Game { command: GameCommand::Preference { preference, .. }, .. } => match preference {
                GamePreference::Follow { .. } | GamePreference::Puzzles(_) => None,
                GamePreference::Seek(_) | GamePreference::Limit(_) => return Ok(false),
            },
            _ => return Ok(false),
        };
        let is_harmless = action.is_none_or(|action| match action {
            AccountAction::Set(settings) => !settings.iter().any(|setting| matches!(setting, Setting::Dmarc(_))),
            AccountAction::Message(_)
            | AccountAction::Join(_)
            | AccountAction::Leave(_)
            | AccountAction::ChallengeInEvent { .. }
            | AccountAction::Block(_)
            | AccountAction::Unblock(_)
            | AccountAction::Report(_) => true,
            _ => false,
        });
        Ok(is_harmless && self.is_from_address_of(&player.userid)?)
    }

    /// Returns whether the request is from a confirmed address of the player with this userid.
    fn is_from_address_of(&self, userid: &str) -> RequestResult<bool> {
        let Origin::Mail { sender, dmarc_passed, .. } = &self.request.from else { return Ok(false) };
        let owner = self.tx.player_by_address(sender)?.filter(|_| self.service.trusts_sender(*dmarc_passed));
        Ok(owner.is_some_and(|owner| owner.userid.eq_ignore_ascii_case(userid)))
    }

    /// Returns whether the request does not depend on the position: a comment, a note, or a repeated action.
    fn is_free_of_position(&self, player: &Player, board: &Board, entry: EntryNumber) -> RequestResult<bool> {
        let Command::Game { command: GameCommand::AtBoard { action, .. }, .. } = &self.request.line.command else {
            return Ok(false);
        };
        if matches!(action, BoardAction::Chat | BoardAction::Note) {
            return Ok(true);
        }
        if entry >= board.entries {
            return Ok(false);
        }
        let open = OpenBoard::open(&*self.tx, board.clone(), self.now())?;
        Ok(repeat::is_done(&*self.tx, &open, player.id, action, entry)?)
    }
}

/// Why a password was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PasswordError {
    /// Too many wrong passwords preceded this one.
    TooOften,
    /// The password is wrong, or the userid does not exist.
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

/// The evidence for a sender's identity, apart from the password.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// A reply token or a verified address proves the identity. Wrong passwords are not counted.
    Proved,
    /// A session or a personal token proves the identity, unless it was stolen.
    LoggedIn,
    /// The message names the player's own address as its sender, which can be forged.
    Claimed,
    /// There is no evidence.
    Unknown,
}

/// A request's claim to be from a player, before the password is checked.
pub(crate) struct Claim {
    userid: String,
    /// The player; `None` if the userid does not exist.
    player: Option<Player>,
    standing: Standing,
    /// The key under which a wrong password is counted.
    counted_under: String,
}

impl Claim {
    /// Returns the hash to compare the password with. For an unknown userid, it is a dummy hash, so that the answer
    /// takes the same time.
    fn stored(&self) -> &str {
        const NOBODYS: &str =
            "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
        let stored = self.player.as_ref().map(|player| player.password_hash.as_str());
        stored.filter(|stored| !stored.is_empty()).unwrap_or(NOBODYS)
    }

    /// Adds the comparison of a password with the player's hash to `checks`.
    pub(crate) fn check(&self, password: &str, checks: &mut PasswordChecks) {
        checks.check(&self.userid, password, self.stored());
    }
}

impl Service<'_> {
    /// Lists the password hashes that a request needs. They are computed before the transaction of the request.
    ///
    /// # Errors
    /// If the store fails.
    pub fn password_checks(&self, tx: &Transaction<'_>, request: &Request) -> store::Result<PasswordChecks> {
        let mut checks = PasswordChecks::default();
        let command = &request.line.command;
        if let Some((userid, password)) = command.credentials()
            && let Some(password) = request.typed(password)
            && let Some(claim) = self.claim(tx, request, userid)?
        {
            claim.check(password, &mut checks);
        }
        let new = match command {
            Command::Signup { userid, password, addresses }
                if tx.player(userid)?.is_some_and(|player| !is_from_guest(&request.from, &player)) =>
            {
                let addresses = addresses_to_sign_up(&request.from, addresses);
                if awaits_all(tx, userid, &addresses)?
                    && let Some(password) = request.typed(password)
                    && let Some(claim) = self.claim(tx, request, userid)?
                {
                    claim.check(password, &mut checks);
                }
                None
            }
            Command::Signup { userid, password, .. } => Some((userid, password)),
            Command::ChangePassword { userid, new, .. } => Some((userid, new)),
            Command::NewPassword { userid, code, new } if self.password_link(tx, code, request.now)?.is_some() => {
                Some((userid, new))
            }
            _ => None,
        };
        if let Some((userid, new)) = new
            && let Some(new) = request.typed(new)
        {
            checks.new_hash(userid, new);
        }
        Ok(checks)
    }

    /// Adds a check to find out whether a word in an unexpected place is a player's password.
    pub fn check_word(&self, player: &Player, word: &str, checks: &mut PasswordChecks) {
        checks.check(&player.userid, word, &player.password_hash);
    }

    /// Returns whether a word is a player's password: see [`Service::check_word`].
    ///
    /// # Errors
    /// If the word was not checked, or the password has changed since.
    pub fn is_password_of(&self, player: &Player, word: &str, passwords: &Passwords) -> Result<bool, Stale> {
        passwords.is_right(word, &player.password_hash)
    }

    /// Returns a request's claim to be from this player; `None` after too many wrong passwords.
    pub(crate) fn claim(&self, tx: &Transaction<'_>, request: &Request, userid: &str) -> store::Result<Option<Claim>> {
        let (source, now) = (request.source(), request.now);
        let player = tx.player(userid)?;
        let counted_under = player.as_ref().map_or_else(|| bucket(userid), |player| player.userid.to_ascii_lowercase());
        let hour = Span::last(TimeDelta::hours(1), now);
        let by = CountedBy::Both { of: &counted_under, source: &source };
        let wrong = || tx.counted(CountedKind::WrongPassword, by, &hour);
        let standing = self.standing(tx, request, userid)?;
        let waits = match standing {
            Standing::Proved => false,
            Standing::LoggedIn => source_waits(tx, &source, now)?,
            Standing::Claimed => wrong()? >= WRONG_PASSWORDS_OF_OWN_ADDRESS,
            Standing::Unknown => wrong()? >= WRONG_PASSWORDS_AN_HOUR || source_waits(tx, &source, now)?,
        };
        Ok((!waits).then(|| Claim { userid: userid.to_owned(), player, standing, counted_under }))
    }

    /// Returns the evidence that the requester is this player, apart from the password.
    fn standing(&self, tx: &Transaction<'_>, request: &Request, userid: &str) -> store::Result<Standing> {
        let is = |known: &str| known.eq_ignore_ascii_case(userid);
        let standing = match &request.from {
            Origin::Known { userid: known, .. } if is(known) => Standing::LoggedIn,
            Origin::Mail { token: Some(granted), .. } if is(granted.userid()) => Standing::Proved,
            Origin::Mail { sender, dmarc_passed, .. } if self.trusts_sender(*dmarc_passed) => {
                match tx.player_by_address(sender)? {
                    Some(owner) if is(&owner.userid) && *dmarc_passed => Standing::Proved,
                    Some(owner) if is(&owner.userid) => Standing::Claimed,
                    _ => Standing::Unknown,
                }
            }
            Origin::Known { .. } | Origin::Mail { .. } | Origin::Shell { .. } | Origin::Visitor => Standing::Unknown,
        };
        Ok(standing)
    }
}

/// Returns the key for counting attempts on an unknown userid: one of 256, because the typed text may be a password
/// and must not be stored.
fn bucket(userid: &str) -> String {
    format!("?{:02x}", Sha256::digest(userid.to_ascii_lowercase())[0])
}

impl Context<'_, '_> {
    /// Refuses an action that may end a game if it is from an unconfirmed address, unless the reply token is from the
    /// letter that asked the player to confirm this action.
    pub(crate) fn check_last_word(&self, player: &Player, board: &Board, granted: &BoardGrant) -> RequestResult<()> {
        let Origin::Mail { sender, .. } = &self.request.from else { return Ok(()) };
        let Some(line) = self.last_word(board).filter(|_| !granted.agreed) else { return Ok(()) };
        let own = |known: &Address| known.confirmed_at.is_some() && known.address.eq_ignore_ascii_case(sender);
        if self.tx.addresses(player.id)?.iter().any(own) {
            return Ok(());
        }
        let line = format!("{} {line}", board.number);
        let message = message!("service.last-word-asked", sender, userid = &player.userid, line);
        Err(self.rejection("", message).at_board(view::stored_view(&*self.tx, board, self.now())?).into())
    }

    /// Returns the command that a reply must contain to confirm the action; `None` if it needs no confirmation.
    fn last_word(&self, board: &Board) -> Option<String> {
        let Command::Game { command: GameCommand::AtBoard { action, .. }, .. } = &self.request.line.command else {
            return None;
        };
        let accepts_end = || board.proposal.is_some_and(|open| open.kind != ProposalKind::Undo);
        Some(match action {
            BoardAction::Resign => "resign".to_owned(),
            BoardAction::Decline => "decline".to_owned(),
            BoardAction::Propose => "propose".to_owned(),
            BoardAction::Abandon => "abandon".to_owned(),
            BoardAction::Accept(_) if accepts_end() => "accept".to_owned(),
            BoardAction::If(Some(plan)) if plan.resigns() => format!("if {plan}"),
            _ => return None,
        })
    }
}
