//! Shows stored data to administrators, including data that players may not see, and resends letters.

use chrono::{DateTime, TimeDelta, Utc};

pub use super::account::blocked::{block_sender, sender_name, unblock_sender};
pub use super::account::blocks::broadcast_readers;
use super::context::Service;
use super::notice::letter::{read_notices, secrets_in_letter};
pub use super::request::clean as clean_text;
pub use super::shown::masked_mail;
use crate::clock::Span;
use crate::message;
use crate::numbers::BoardNumber;
pub use crate::service::account::administered::{boards_to_merge, is_removed};
pub use crate::service::account::reports::limited_names;
pub use crate::service::account::reports::{blocked_rows, suspicion_rows};
pub use crate::service::board::record::{remove_comment, removed_comment, story};
use crate::store::{
    self, Board, Counts, OldestWork, OpenChallenge, OutboxNotice, Player, PlayerId, StopCause, Transaction,
};
pub use crate::store::{
    Act, ActKind, Actor, Delivery, DeliveryState, InboxId, OutboxId, Report, ReportPage, ReportRow, Stop,
};
use crate::text::Message;
use crate::token;

/// Returns one page of a report for administrators.
///
/// # Errors
/// If the store fails.
pub fn report(tx: &Transaction<'_>, report: &Report<'_>, page: ReportPage) -> store::Result<Vec<ReportRow>> {
    tx.report(report, page)
}

/// Counts the players, boards, letters and other data of the server.
///
/// # Errors
/// If the store fails.
pub fn counts(tx: &Transaction<'_>, now: DateTime<Utc>) -> store::Result<Counts> {
    tx.counts(now)
}

/// Returns how many reports about players were sent in the last week.
///
/// # Errors
/// If the store fails.
pub fn reports_in_a_week(tx: &Transaction<'_>, now: DateTime<Utc>) -> store::Result<u32> {
    tx.acts_of_kind(ActKind::Report, &Span::last(TimeDelta::days(7), now))
}

/// Returns when the oldest due work in each queue became due. Omits work that is scheduled for the future.
///
/// # Errors
/// If the store fails.
pub fn oldest_work(service: &Service<'_>, tx: &Transaction<'_>, now: DateTime<Utc>) -> store::Result<OldestWork> {
    let robots: Vec<String> = service.robots().map(|(userid, _)| userid).collect();
    let OldestWork { mail, clock, letter, webhook_call, robot } = tx.oldest_work(&robots)?;
    let due = |at: Option<DateTime<Utc>>| at.filter(|at| *at <= now);
    Ok(OldestWork { mail, clock: due(clock), letter: due(letter), webhook_call: due(webhook_call), robot })
}

/// Finds a player by userid, ignoring case.
///
/// # Errors
/// If the store fails.
pub fn player(tx: &Transaction<'_>, userid: &str) -> store::Result<Option<Player>> {
    tx.player(userid)
}

/// Lists the userids of all players who have not left.
///
/// # Errors
/// If the store fails.
pub fn userids(tx: &Transaction<'_>) -> store::Result<Vec<String>> {
    let players = tx.players()?.into_iter().filter(|player| player.left_at.is_none());
    Ok(players.map(|player| player.userid).collect())
}

/// Lists the addresses of all players.
///
/// # Errors
/// If the store fails.
pub fn addresses(tx: &Transaction<'_>) -> store::Result<Vec<String>> {
    let mut addresses = Vec::new();
    for player in tx.players()? {
        addresses.extend(tx.addresses(player.id)?.into_iter().map(|known| known.address));
    }
    Ok(addresses)
}

/// Returns the numbers of a player's boards in progress.
///
/// # Errors
/// If the store fails.
pub fn boards_of(tx: &Transaction<'_>, player: PlayerId) -> store::Result<Vec<BoardNumber>> {
    Ok(tx.boards(None, Some(player), true)?.into_iter().map(|board| board.number).collect())
}

/// Returns a board, even if its record cannot be replayed.
///
/// # Errors
/// If the store fails.
pub fn board(tx: &Transaction<'_>, number: BoardNumber) -> store::Result<Option<Board>> {
    tx.board(number)
}

/// Returns a challenge that was neither accepted nor withdrawn.
///
/// # Errors
/// If the store fails.
pub fn open_challenge(tx: &Transaction<'_>, number: BoardNumber) -> store::Result<Option<OpenChallenge>> {
    Ok(tx.open_challenge(number)?.filter(|challenge| challenge.closed_at.is_none()))
}

/// Returns the text for a player whose open challenge the administrator withdraws.
pub fn withdrawn_challenge(number: BoardNumber, reason: &str) -> Message {
    message!("service.challenge-withdrawn", number, reason)
}

/// Returns all notices of the letter that contains this notice, in order, or only this notice if it is not in a letter.
/// Returns no notices if the notice does not exist.
///
/// # Errors
/// If the store fails.
pub fn letter(tx: &Transaction<'_>, notice: OutboxId) -> store::Result<Vec<OutboxNotice>> {
    let of_letter = tx.letter(notice)?;
    if !of_letter.is_empty() {
        return Ok(of_letter);
    }
    let Some(notice) = tx.outbox(u32::MAX)?.into_iter().find(|row| row.id == notice) else {
        return Ok(Vec::new());
    };
    match notice.letter {
        Some(letter) => tx.letter(letter),
        None => Ok(vec![notice]),
    }
}

/// Returns the delivery state of a letter for each address.
///
/// # Errors
/// If the store fails.
pub fn deliveries(tx: &Transaction<'_>, letter: OutboxId) -> store::Result<Vec<Delivery>> {
    tx.deliveries(letter)
}

/// Replaces reply tokens, login links, codes and invitations in the text of the letter with these notices by `***`.
///
/// # Errors
/// If the store fails, or a notice cannot be read.
pub fn without_secrets(tx: &Transaction<'_>, notices: &[OutboxNotice], text: String) -> store::Result<String> {
    let key = tx.reply_key()?;
    let text = token::redacted(&text, &key).unwrap_or(text);
    let secrets = secrets_in_letter(&read_notices(notices)?, &key);
    Ok(secrets.iter().fold(text, |text, secret| text.replace(secret.as_str(), "***")))
}

/// Adds an act to the log of acts if `done` is true. Returns `done`.
///
/// # Errors
/// If the store fails.
pub fn log_if(tx: &mut Transaction<'_>, done: bool, act: &Act) -> store::Result<bool> {
    if done {
        tx.add_act(act)?;
    }
    Ok(done)
}

/// Requeues a quarantined message. Returns `false` if it is not quarantined.
///
/// # Errors
/// If the store fails.
pub fn put_mail_back(tx: &mut Transaction<'_>, mail: InboxId) -> store::Result<bool> {
    tx.put_mail_back(mail)
}

/// Returns the abandoned letters.
///
/// # Errors
/// If the store fails.
pub fn given_up(tx: &Transaction<'_>) -> store::Result<Vec<OutboxId>> {
    tx.given_up()
}

/// Returns the letters sent or abandoned since this time, optionally only those to a player or an address.
///
/// # Errors
/// If the store fails.
pub fn letters_since(tx: &Transaction<'_>, since: DateTime<Utc>, to: Option<&str>) -> store::Result<Vec<OutboxId>> {
    tx.letters_since(since, to)
}

/// Returns the current maintenance, with the administrator's text for players; `None` if there is none.
///
/// # Errors
/// If the store fails.
pub fn maintenance(tx: &Transaction<'_>) -> store::Result<Option<Stop>> {
    tx.lasting(StopCause::Maintenance)
}

/// Returns the current pause of all clocks, with the administrator's reason; `None` if there is none.
///
/// # Errors
/// If the store fails.
pub fn clocks_paused(tx: &Transaction<'_>) -> store::Result<Option<Stop>> {
    tx.lasting(StopCause::Paused)
}

/// Abandons the letter that contains this notice if the letter was not sent. Returns `false` if there is no unsent
/// letter.
///
/// # Errors
/// If the store fails.
pub fn drop_letter(tx: &mut Transaction<'_>, notice: OutboxId, why: &str, now: DateTime<Utc>) -> store::Result<bool> {
    tx.drop_letter(notice, why, now)
}

impl Service<'_> {
    /// Suspends the sending of letters, and stops all clocks. Returns when the suspension began.
    ///
    /// # Errors
    /// If the store fails.
    pub fn hold_letters(&self, tx: &mut Transaction<'_>, now: DateTime<Utc>) -> store::Result<DateTime<Utc>> {
        let since = tx.letters_held_at()?.unwrap_or(now);
        tx.set_letters_held_at(Some(since))?;
        self.begin_standstill(tx, StopCause::Held, "", now)?;
        Ok(since)
    }

    /// Resumes the sending of letters, and restarts all clocks. Returns `false` if letters were not held.
    ///
    /// # Errors
    /// If the store fails.
    pub fn release_letters(&self, tx: &mut Transaction<'_>, now: DateTime<Utc>) -> store::Result<bool> {
        let held = tx.letters_held_at()?.is_some();
        tx.set_letters_held_at(None)?;
        self.end_standstill(tx, StopCause::Held, now)?;
        Ok(held)
    }
}

/// Queues the letter that contains this notice for sending again, even if it was already sent or abandoned. Returns
/// `false` if the notice does not exist.
///
/// # Errors
/// If the store fails.
pub fn resend(tx: &mut Transaction<'_>, notice: OutboxId, now: DateTime<Utc>) -> store::Result<bool> {
    tx.resend(notice, now)
}
