//! Renaming players, and removing them or their addresses from all that is kept.

use chrono::{DateTime, Utc};

use super::{InboxId, OutboxId, PlayerId, Result};
use crate::numbers::BoardNumber;

/// A player who is removed, after they have [left](super::Players::leave).
#[derive(Clone, Copy, Debug)]
pub struct RemovedPlayer<'a> {
    /// The player's key.
    pub player: PlayerId,
    /// The userid that they had.
    pub userid: &'a str,
    /// The addresses that they had.
    pub addresses: &'a [String],
    /// The userid that they have from now on.
    pub new_userid: &'a str,
}

/// The commands of a mail and what became of it, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailWords {
    /// The commands as understood, one a line.
    pub commands: String,
    /// The reason of the verdict.
    pub reason: String,
}

/// The facts of a notice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoticeFacts {
    /// The notice.
    pub notice: OutboxId,
    /// The board that it is about.
    pub board: Option<BoardNumber>,
    /// Its facts, as JSON.
    pub facts: String,
}

/// Where userids and addresses stand beside the tables of players and boards.
pub trait PlayerNames {
    /// Renames a player. Their boards keep the userid that they began with: [`Board::began_as`](super::Board). Fails
    /// when another player has the userid.
    fn rename(&mut self, player: PlayerId, userid: &str) -> Result<()>;
    /// Lists every address that letters to a player went to, or would, and those from which their mails came.
    fn addresses_of_letters(&self, player: PlayerId) -> Result<Vec<String>>;
    /// Notes an address of a player who left at `now`, for [`PlayerNames::left_addresses`].
    fn add_left_address(&mut self, address: &str, now: DateTime<Utc>) -> Result<()>;
    /// Lists noted addresses to which no letter is under way, after the mails that came before have ended; at most `most`.
    fn left_addresses(&self, most: u32) -> Result<Vec<String>>;
    /// Removes the note of an address.
    fn remove_left_address(&mut self, address: &str) -> Result<()>;
    /// Erases an address from what is kept of letters and mails that have ended, and from what limits count. `shown_as`
    /// takes its place where there must be one.
    fn erase_address(&mut self, address: &str, shown_as: &str) -> Result<()>;
    /// Changes every text that contains this one, in any case: what players wrote, and words about mails and letters.
    /// Records and the facts of notices are not changed.
    fn change_texts(&mut self, containing: &str, change: &dyn Fn(&str) -> String) -> Result<()>;
    /// Renames a player who is removed, and removes their vacations and settings, the letters to them, the mails from
    /// their addresses and the userid that their boards began with.
    fn erase(&mut self, removed: &RemovedPlayer<'_>) -> Result<()>;
    /// Gives all that a player has to another one, who keeps what both have, and removes the first with their ratings,
    /// sessions and settings. No board that was not declined may have both.
    fn merge_players(&mut self, old: PlayerId, new: PlayerId) -> Result<()>;
    /// Lists the notices whose facts contain a text, in any case.
    fn facts_with(&self, text: &str) -> Result<Vec<NoticeFacts>>;
    /// Replaces the facts of a notice.
    fn set_facts(&mut self, notice: OutboxId, facts: &str) -> Result<()>;
    /// Lists the mails whose commands or reason contain a text.
    fn mails_with(&self, text: &str) -> Result<Vec<(InboxId, MailWords)>>;
    /// Replaces the commands and the reason of a mail.
    fn set_mail_words(&mut self, mail: InboxId, words: &MailWords) -> Result<()>;
}
