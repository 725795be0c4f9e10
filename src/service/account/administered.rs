//! An administrator's changes to a player: a new password, another userid, a block, a merge of two accounts.

use chrono::{DateTime, Utc};

use super::blocked::wants_no_confirmation;
use super::leave::{ClosedBoards, Written, erase_addresses, own_addresses, rename_in_facts};
use super::passwords::{self, Passwords};
use super::signup::is_of_feed;
use crate::command::is_userid;
use crate::message;
use crate::numbers::BoardNumber;
use crate::service::board::robots::{is_kept_for_robots, robot_level};
use crate::service::board::{clocks, rate};
use crate::service::context::{Context, Service};
use crate::service::notice::facts::{Notice, PlayerText};
use crate::service::notice::reach;
use crate::service::rejection::{Rejection, split_rejection_without_password};
use crate::service::request::{Origin, Request};
use crate::store::{
    self, Address, Board, EditionRef, MailWords, OpenChallenge, Player, PlayerRef, RemovedPlayer, Transaction,
};
use crate::text::replace_word;

/// The number of random characters in a password from an administrator, five bits each.
const PASSWORD_LETTERS: usize = 16;

/// Why a player was not renamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotRenamed {
    /// The userid is invalid.
    Invalid,
    /// Another player has the userid.
    Taken,
    /// The new userid is reserved for computer players, or the player is a computer player.
    Robots,
}

/// The effects of removing a player.
#[derive(Clone, Debug)]
pub struct Removal {
    /// The name under which the player's boards and comments are shown from now on.
    pub shown_as: String,
    /// The boards that the removal ended.
    pub closed: ClosedBoards,
}

impl Service<'_> {
    /// Returns a random password for an administrator to pass on.
    pub fn random_password(&self) -> String {
        self.world.letters(PASSWORD_LETTERS)
    }

    /// Hashes a new password in PHC form. Call it outside transactions, because it takes tens of milliseconds.
    pub fn hash_password(&self, new: &str) -> String {
        passwords::hash(self.world, new)
    }

    /// Sets a player's password hash, ends their sessions and removes their tokens.
    ///
    /// # Errors
    /// If the store fails.
    pub fn reset_password(&self, tx: &mut Transaction<'_>, player: &Player, hash: &str) -> store::Result<()> {
        tx.set_password(player.id, hash)?;
        tx.end_sessions(player.id)?;
        Ok(())
    }

    /// Resumes letters to a paused address, as if mail from it had arrived. Returns false if the address is not the
    /// player's, or not paused.
    ///
    /// # Errors
    /// If the store fails.
    pub fn unpause(
        &self,
        tx: &mut Transaction<'_>,
        player: &Player,
        address: &str,
        now: DateTime<Utc>,
    ) -> store::Result<bool> {
        let known = tx.addresses(player.id)?;
        let paused = known.iter().any(|known| known.address.eq_ignore_ascii_case(address) && known.paused.is_some());
        if paused {
            reach::heard_from(tx, player, address, now)?;
        }
        Ok(paused)
    }

    /// Adds an address to a player, either confirmed or with a letter that asks its owner to confirm it.
    ///
    /// # Errors
    /// If the store fails.
    pub fn add_address(
        &self,
        tx: &mut Transaction<'_>,
        player: &Player,
        address: &str,
        confirmed: bool,
        now: DateTime<Utc>,
    ) -> store::Result<Result<(), Rejection>> {
        let request = Request::without_line(Origin::Shell { password: None }, None, now);
        let (same, others): (Vec<_>, Vec<_>) =
            tx.addresses(player.id)?.into_iter().partition(|known| known.address.eq_ignore_ascii_case(address));
        if same.iter().any(|known| known.confirmed_at.is_some()) {
            let message = message!("service.address-of-player", address, userid = player.userid.clone());
            return Ok(Err(request.rejection("", message)));
        }
        let all: Vec<String> = others.into_iter().map(|known| known.address).chain([address.to_owned()]).collect();
        let no_passwords = Passwords::default();
        let context = Context::new(*self, &mut *tx, &request, &no_passwords);
        if let Err(rejection) = split_rejection_without_password(context.check_addresses(Some(player.id), &all))? {
            return Ok(Err(rejection));
        }
        if same.is_empty() {
            // The new address is added to the others, so it replaces none of them.
            for known in tx.addresses(player.id)?.into_iter().filter(|known| known.replaced) {
                tx.set_replaced(player.id, &known.address, false)?;
            }
        }
        if !confirmed {
            if wants_no_confirmation(tx, address)? {
                let message = message!("service.address-wants-no-confirmation", address);
                return Ok(Err(request.rejection("", message)));
            }
            self.ask_to_confirm(tx, &request, (player.id, &player.userid), address)?;
            return Ok(Ok(()));
        }
        let before = reach::before_change(tx, player, now)?;
        tx.add_address(player.id, address, None, now)?;
        if !same.is_empty() {
            self.remove_replaced(tx, player, now)?;
        }
        reach::after_change(tx, player, before, now)?;
        Ok(Ok(()))
    }

    /// Confirms an address of a player. Returns false if no such address awaits confirmation.
    ///
    /// # Errors
    /// If the store fails.
    pub fn confirm_waiting(
        &self,
        tx: &mut Transaction<'_>,
        player: &Player,
        address: &str,
        now: DateTime<Utc>,
    ) -> store::Result<Result<bool, Rejection>> {
        let waits = |known: &Address| known.confirmed_at.is_none() && known.address.eq_ignore_ascii_case(address);
        if !tx.addresses(player.id)?.iter().any(waits) {
            return Ok(Ok(false));
        }
        Ok(self.add_address(tx, player, address, true, now)?.map(|()| true))
    }

    /// Renames a player. The first hashes of their boards do not change, although they contain the original userid.
    ///
    /// # Errors
    /// If the store fails.
    pub fn rename_player(
        &self,
        tx: &mut Transaction<'_>,
        player: &Player,
        userid: &str,
    ) -> store::Result<Result<(), NotRenamed>> {
        if !is_userid(userid) || is_of_feed(userid) || userid.ends_with('.') {
            return Ok(Err(NotRenamed::Invalid));
        }
        if is_kept_for_robots(userid) || robot_level(&player.userid).is_some() {
            return Ok(Err(NotRenamed::Robots));
        }
        if tx.player(userid)?.is_some_and(|other| other.id != player.id) {
            return Ok(Err(NotRenamed::Taken));
        }
        tx.rename(player.id, userid)?;
        tx.rename_counted(&player.userid, userid)?;
        rename_in_facts(tx, &player.userid, userid, Written::Kept)?;
        Ok(Ok(()))
    }

    /// Blocks a player: the server refuses their commands and sends them no letters. Their sessions end, and their
    /// boards end as if they had left.
    ///
    /// # Errors
    /// If the store fails.
    pub fn block(
        &self,
        tx: &mut Transaction<'_>,
        player: &Player,
        now: DateTime<Utc>,
    ) -> store::Result<Result<ClosedBoards, Rejection>> {
        tx.set_blocked(player.id, Some(now))?;
        tx.end_sessions(player.id)?;
        let request = Request::without_line(Origin::Shell { password: None }, None, now);
        let passwords = &Passwords::default();
        split_rejection_without_password(Context::new(*self, tx, &request, passwords).close_boards(player))
    }

    /// Unblocks a player.
    ///
    /// # Errors
    /// If the store fails.
    pub fn unblock(&self, tx: &mut Transaction<'_>, player: &Player) -> store::Result<()> {
        tx.set_blocked(player.id, None)
    }

    /// Withdraws an open challenge. Sends a text to the challenger if they have an address.
    ///
    /// # Errors
    /// If the store fails, or the challenge is not open.
    pub fn withdraw_challenge(
        &self,
        tx: &mut Transaction<'_>,
        challenge: &OpenChallenge,
        text: &str,
        now: DateTime<Utc>,
    ) -> store::Result<()> {
        tx.close_open_challenge(challenge.number, now)?;
        let challenger = challenge.challenger.id;
        if tx.addresses(challenger)?.is_empty() {
            return Ok(());
        }
        let notice = Notice::Message(PlayerText { by: String::new(), text: text.to_owned() });
        self.write_to(tx, &notice, challenger, now)
    }

    /// Removes a player: resigns their boards as if they had left, and erases their data. Boards and comments remain,
    /// under another name.
    ///
    /// # Errors
    /// If the store fails.
    pub fn remove_player(
        &self,
        tx: &mut Transaction<'_>,
        player: &Player,
        now: DateTime<Utc>,
    ) -> store::Result<Result<Removal, Rejection>> {
        let addresses = own_addresses(&*tx, player)?;
        let closed = if player.left_at.is_none() {
            let request = Request::without_line(Origin::Shell { password: None }, None, now);
            match split_rejection_without_password(
                Context::new(*self, tx, &request, &Passwords::default()).close_account(player),
            )? {
                Ok(closed) => closed,
                Err(rejection) => return Ok(Err(rejection)),
            }
        } else {
            ClosedBoards::default()
        };
        let shown_as = former_name(player);
        let userid = &player.userid;
        tx.erase(&RemovedPlayer { player: player.id, userid, addresses: &addresses, new_userid: &shown_as })?;
        rename_in_facts(tx, userid, &shown_as, Written::Kept)?;
        rename_in_mails(tx, userid, &shown_as)?;
        erase_addresses(tx, &addresses, now)?;
        Ok(Ok(Removal { shown_as, closed }))
    }
}

/// Returns the name that replaces the userid of a removed player.
fn former_name(player: &Player) -> String {
    format!("former player {}", player.id.0)
}

/// Returns whether a player was removed. A userid has no spaces, in contrast to the name that replaces it.
pub fn is_removed(player: &Player) -> bool {
    player.userid.contains(' ')
}

/// Replaces a name in the stored commands of incoming mail, and in the reasons why the mail was refused.
pub(crate) fn rename_in_mails(tx: &mut Transaction<'_>, old: &str, new: &str) -> store::Result<()> {
    for (mail, MailWords { commands, reason }) in tx.mails_with(old)? {
        let words = MailWords { commands: replace_word(&commands, old, new), reason: replace_word(&reason, old, new) };
        tx.set_mail_words(mail, &words)?;
    }
    Ok(())
}

/// Why two players cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotMerged {
    /// Both userids belong to one player.
    Same,
    /// One of the players is a computer player.
    Robots,
    /// The two players played each other on these boards. After a merge, one player would have both sides.
    Together(Vec<BoardNumber>),
    /// Both players take or took part in this edition of an event. After a merge, the edition would lack a player.
    InEdition(EditionRef),
}

/// Lists the boards that `new` would take over from `old`, both active and finished, or says why the two players cannot
/// be merged.
///
/// # Errors
/// If the store fails.
pub fn boards_to_merge(
    tx: &Transaction<'_>,
    old: &Player,
    new: &Player,
) -> store::Result<Result<Vec<Board>, NotMerged>> {
    if old.id == new.id {
        return Ok(Err(NotMerged::Same));
    }
    if is_kept_for_robots(&old.userid) || is_kept_for_robots(&new.userid) {
        return Ok(Err(NotMerged::Robots));
    }
    let boards = tx.boards(None, Some(old.id), false)?;
    let together = boards.iter().filter(|board| board.plays(new.id));
    let together: Vec<BoardNumber> = together.map(|board| board.number).collect();
    if !together.is_empty() {
        return Ok(Err(NotMerged::Together(together)));
    }
    Ok(match tx.edition_of_both(old.id, new.id)? {
        Some(edition) => Err(NotMerged::InEdition(edition)),
        None => Ok(boards),
    })
}

impl Service<'_> {
    /// Transfers everything from `old` to `new`, recomputes the ratings, and removes `old`. Returns the number of
    /// transferred boards. The first hashes of these boards do not change, although they contain the original userids.
    /// On declined boards that both play, `old` remains as a former player, because a board needs two players.
    ///
    /// # Errors
    /// If the store fails.
    pub fn merge_players(
        &self,
        tx: &mut Transaction<'_>,
        old: &Player,
        new: &Player,
        now: DateTime<Utc>,
    ) -> store::Result<Result<usize, NotMerged>> {
        let boards = match boards_to_merge(tx, old, new)? {
            Ok(boards) => boards,
            Err(why) => return Ok(Err(why)),
        };
        let first_rated = boards.iter().filter_map(|board| board.rated_as).min();
        let rated = first_rated.map(|position| rate::un_rate_from(tx, position)).transpose()?;
        let mut waiting = clocks::count_up(tx, old, now)?;
        let before = reach::before_change(tx, new, now)?;
        if !tx.merge_players(old.id, new.id)? {
            tx.leave(old.id, now)?;
            tx.anonymize(old.id, &former_name(old))?;
        }
        tx.rename_counted(&old.userid, &new.userid)?;
        for seated in waiting.iter_mut().flat_map(|board| &mut board.players) {
            if seated.id == old.id {
                *seated = PlayerRef { id: new.id, userid: new.userid.clone() };
            }
        }
        clocks::rewind(tx, waiting)?;
        reach::after_change(tx, new, before, now)?;
        rate::rate_again(tx, &rated.unwrap_or_default())?;
        rename_in_facts(tx, &old.userid, &new.userid, Written::Kept)?;
        rename_in_mails(tx, &old.userid, &new.userid)?;
        Ok(Ok(boards.len()))
    }
}
