//! One transaction on SQLite.

use chrono::{DateTime, Utc};
use rusqlite::{Connection, TransactionBehavior};

use super::query::{failed, one};
use super::{boards, inbox, outbox, players};
use crate::store::*;

/// A transaction, rolled back when dropped.
pub(super) struct Transaction<'a> {
    inner: rusqlite::Transaction<'a>,
    writes: bool,
}

impl<'a> Transaction<'a> {
    pub(super) fn read(db: &'a mut Connection) -> Result<Self> {
        let inner = db.transaction_with_behavior(TransactionBehavior::Deferred).map_err(failed)?;
        // A deferred transaction sees the moment of its first read, which is to be this one.
        one(&inner, "SELECT one FROM server", [], |_| Ok(()))?;
        Ok(Transaction { inner, writes: false })
    }

    pub(super) fn write(db: &'a mut Connection) -> Result<Self> {
        let inner = db.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        Ok(Transaction { inner, writes: true })
    }

    /// The connection, to change something: a reading transaction that began to write could fail at any moment.
    fn pen(&self) -> Result<&Connection> {
        if self.writes {
            Ok(&self.inner)
        } else {
            Err(StoreError::Failed("a reading transaction was asked to write".to_owned()))
        }
    }
}

impl Ledger for Transaction<'_> {
    fn commit(self: Box<Self>) -> Result<()> {
        self.inner.commit().map_err(failed)
    }

    fn server_id(&self) -> Result<String> {
        one(&self.inner, "SELECT server_id FROM server", [], |row| row.get(0))?
            .ok_or_else(|| StoreError::Failed("the database has lost its name".to_owned()))
    }

    fn player(&self, userid: &str) -> Result<Option<Player>> {
        players::by_userid(&self.inner, userid)
    }

    fn players(&self) -> Result<Vec<Player>> {
        players::every(&self.inner)
    }

    fn player_by_address(&self, address: &str) -> Result<Option<Player>> {
        players::by_address(&self.inner, address)
    }

    fn add_player(&mut self, userid: &str, password_hash: &str, now: DateTime<Utc>) -> Result<PlayerId> {
        players::add(self.pen()?, userid, password_hash, now)
    }

    fn set_password(&mut self, player: PlayerId, password_hash: &str) -> Result<()> {
        players::set_password(self.pen()?, player, password_hash)
    }

    fn addresses(&self, player: PlayerId) -> Result<Vec<Address>> {
        players::addresses(&self.inner, player)
    }

    fn add_address(&mut self, player: PlayerId, address: &str, code: Option<&str>, now: DateTime<Utc>) -> Result<()> {
        players::add_address(self.pen()?, player, address, code, now)
    }

    fn remove_address(&mut self, player: PlayerId, address: &str) -> Result<()> {
        players::remove_address(self.pen()?, player, address)
    }

    fn confirm_address(&mut self, player: PlayerId, code: &str, now: DateTime<Utc>) -> Result<Option<String>> {
        players::confirm_address(self.pen()?, player, code, now)
    }

    fn count_wrong_password(&mut self, userid: &str, now: DateTime<Utc>) -> Result<()> {
        players::count_wrong_password(self.pen()?, userid, now)
    }

    fn wrong_passwords(&self, userid: &str, since: DateTime<Utc>) -> Result<u32> {
        players::wrong_passwords(&self.inner, userid, since)
    }

    fn add_board(&mut self, board: &NewBoard) -> Result<u32> {
        boards::add(self.pen()?, board)
    }

    fn board(&self, number: u32) -> Result<Option<Board>> {
        boards::by_number(&self.inner, number)
    }

    fn boards(&self, game: Option<&str>, player: Option<PlayerId>, active_only: bool) -> Result<Vec<Board>> {
        boards::list(&self.inner, game, player, active_only)
    }

    fn moves(&self, number: u32) -> Result<Vec<Move>> {
        boards::moves(&self.inner, number)
    }

    fn add_move(&mut self, number: u32, mv: &Move, to_move: Option<Seat>) -> Result<()> {
        boards::add_move(self.pen()?, number, mv, to_move)
    }

    fn end_board(&mut self, number: u32, result: &BoardResult) -> Result<()> {
        boards::end(self.pen()?, number, result)
    }

    fn decline_board(&mut self, number: u32, by: PlayerId, now: DateTime<Utc>) -> Result<()> {
        boards::decline(self.pen()?, number, by, now)
    }

    fn add_comment(&mut self, comment: &Comment) -> Result<()> {
        boards::add_comment(self.pen()?, comment)
    }

    fn comments(&self, number: u32) -> Result<Vec<Comment>> {
        boards::comments(&self.inner, number)
    }

    fn add_mail(&mut self, raw: &[u8], truncated: bool, via: &str, now: DateTime<Utc>) -> Result<InboxId> {
        inbox::add(self.pen()?, raw, truncated, via, now)
    }

    fn waiting_mail(&self, most: u32) -> Result<Vec<InboxMail>> {
        inbox::waiting(&self.inner, most)
    }

    fn count_attempt(&mut self, id: InboxId) -> Result<u32> {
        inbox::count_attempt(self.pen()?, id)
    }

    fn mail_seen(&self, identity: &str) -> Result<Option<InboxId>> {
        inbox::seen(&self.inner, identity)
    }

    fn close_mail(&mut self, id: InboxId, verdict: &Verdict, now: DateTime<Utc>) -> Result<()> {
        inbox::close(self.pen()?, id, verdict, now)
    }

    fn inbox(&self, most: u32) -> Result<Vec<InboxRow>> {
        inbox::newest(&self.inner, most)
    }

    fn add_notice(&mut self, notice: &NewNotice) -> Result<OutboxId> {
        outbox::add(self.pen()?, notice)
    }

    fn due_notices(&self, now: DateTime<Utc>, most: u32) -> Result<Vec<OutboxNotice>> {
        outbox::due(&self.inner, now, most)
    }

    fn next_due(&self) -> Result<Option<DateTime<Utc>>> {
        outbox::next_due(&self.inner)
    }

    fn notice_sent(&mut self, id: OutboxId, now: DateTime<Utc>) -> Result<()> {
        outbox::sent(self.pen()?, id, now)
    }

    fn notice_failed(&mut self, id: OutboxId, error: &str, retry_at: Option<DateTime<Utc>>) -> Result<()> {
        outbox::failed(self.pen()?, id, error, retry_at)
    }

    fn resend(&mut self, id: OutboxId, now: DateTime<Utc>) -> Result<bool> {
        outbox::resend(self.pen()?, id, now)
    }

    fn outbox(&self, undelivered_only: bool, most: u32) -> Result<Vec<OutboxNotice>> {
        outbox::newest(&self.inner, undelivered_only, most)
    }
}
