//! One transaction on SQLite.

use chrono::{DateTime, Utc};
use rusqlite::{Connection, TransactionBehavior};

use super::query::{failed, one};
use super::{
    boards, challenges, changes, clocks, comments, deliveries, followers, inbox, letters, lists, outbox, players,
    preferences, ratings, record, sessions, tokens, vacations, webhooks,
};
use crate::clock::Span;
use crate::store::*;
use crate::token::Key;

/// A transaction, rolled back when dropped.
pub(super) struct SqliteTransaction<'a> {
    inner: rusqlite::Transaction<'a>,
    writes: bool,
}

impl<'a> SqliteTransaction<'a> {
    pub(super) fn read(db: &'a mut Connection) -> Result<Self> {
        let inner = db.transaction_with_behavior(TransactionBehavior::Deferred).map_err(failed)?;
        // A deferred transaction sees the moment of its first read, which is to be this one.
        one(&inner, "SELECT one FROM server", [], |_| Ok(()))?;
        Ok(SqliteTransaction { inner, writes: false })
    }

    pub(super) fn write(db: &'a mut Connection) -> Result<Self> {
        let inner = db.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        Ok(SqliteTransaction { inner, writes: true })
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

impl Transaction for SqliteTransaction<'_> {
    fn commit(self: Box<Self>) -> Result<()> {
        self.inner.commit().map_err(failed)
    }

    fn server_id(&self) -> Result<String> {
        one(&self.inner, "SELECT server_id FROM server", [], |row| row.get(0))?
            .ok_or_else(|| StoreError::Failed("the database has lost its name".to_owned()))
    }

    fn reply_key(&self) -> Result<Key> {
        one(&self.inner, "SELECT reply_key FROM server WHERE reply_key IS NOT NULL", [], |row| row.get(0))?
            .map(Key::new)
            .ok_or_else(|| StoreError::Failed("the database has lost its key of reply tokens".to_owned()))
    }

    fn player(&self, userid: &str) -> Result<Option<Player>> {
        players::by_userid(&self.inner, userid)
    }

    fn player_by_id(&self, player: PlayerId) -> Result<Option<Player>> {
        players::by_id(&self.inner, player)
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

    fn pause_address(&mut self, player: PlayerId, address: &str, why: &str, now: DateTime<Utc>) -> Result<()> {
        players::pause_address(self.pen()?, player, address, why, now)
    }

    fn resume_address(&mut self, player: PlayerId, address: &str) -> Result<()> {
        players::resume_address(self.pen()?, player, address)
    }

    fn count_wrong_password(&mut self, userid: &str, now: DateTime<Utc>) -> Result<()> {
        players::count_wrong_password(self.pen()?, userid, now)
    }

    fn wrong_passwords(&self, userid: &str, since: DateTime<Utc>) -> Result<u32> {
        players::wrong_passwords(&self.inner, userid, since)
    }

    fn begin_session(&mut self, hash: &[u8; 32], player: PlayerId, now: DateTime<Utc>) -> Result<()> {
        sessions::begin(self.pen()?, hash, player, now)
    }

    fn session(&self, hash: &[u8; 32], since: DateTime<Utc>) -> Result<Option<PlayerId>> {
        sessions::player(&self.inner, hash, since)
    }

    fn end_session(&mut self, hash: &[u8; 32]) -> Result<()> {
        sessions::end(self.pen()?, hash)
    }

    fn end_sessions(&mut self, player: PlayerId) -> Result<()> {
        sessions::end_all(self.pen()?, player)
    }

    fn forget_sessions(&mut self, before: DateTime<Utc>) -> Result<()> {
        sessions::forget(self.pen()?, before)
    }

    fn add_login_link(&mut self, player: PlayerId, now: DateTime<Utc>) -> Result<LinkId> {
        sessions::add_link(self.pen()?, player, now)
    }

    fn login_link(&self, id: LinkId) -> Result<Option<LoginLink>> {
        sessions::link(&self.inner, id)
    }

    fn use_login_link(&mut self, id: LinkId) -> Result<()> {
        sessions::use_link(self.pen()?, id)
    }

    fn login_links_since(&self, player: PlayerId, since: DateTime<Utc>) -> Result<u32> {
        sessions::links_since(&self.inner, player, since)
    }

    fn set_settings(&mut self, player: PlayerId, settings: &Settings) -> Result<()> {
        players::set_settings(self.pen()?, player, settings)
    }

    fn set_notified(&mut self, player: PlayerId, notified: bool) -> Result<()> {
        players::set_notified(self.pen()?, player, notified)
    }

    fn begin_signoff(&mut self, player: PlayerId, code: &str, now: DateTime<Utc>) -> Result<()> {
        players::begin_signoff(self.pen()?, player, code, now)
    }

    fn leave(&mut self, player: PlayerId, now: DateTime<Utc>) -> Result<()> {
        players::leave(self.pen()?, player, now)
    }

    fn vacations(&self, player: PlayerId) -> Result<Vec<Span>> {
        vacations::of_player(&self.inner, player)
    }

    fn add_vacation(&mut self, player: PlayerId, span: &Span) -> Result<()> {
        vacations::add(self.pen()?, player, span)
    }

    fn cut_vacation(&mut self, player: PlayerId, now: DateTime<Utc>) -> Result<()> {
        vacations::cut(self.pen()?, player, now)
    }

    fn game_preferences(&self, player: PlayerId, game: &str) -> Result<GamePreferences> {
        preferences::of_player(&self.inner, player, game)
    }

    fn set_game_preferences(&mut self, player: PlayerId, game: &str, preferences: &GamePreferences) -> Result<()> {
        preferences::set(self.pen()?, player, game, preferences)
    }

    fn seekers(&self, game: &str) -> Result<Vec<Seeker>> {
        preferences::seekers(&self.inner, game)
    }

    fn add_token(&mut self, token: &PersonalToken) -> Result<()> {
        tokens::add(self.pen()?, token)
    }

    fn token(&self, hash: &[u8; 32]) -> Result<Option<PersonalToken>> {
        tokens::by_hash(&self.inner, hash)
    }

    fn tokens(&self, player: PlayerId) -> Result<Vec<PersonalToken>> {
        tokens::of_player(&self.inner, player)
    }

    fn token_used(&mut self, hash: &[u8; 32], now: DateTime<Utc>) -> Result<()> {
        tokens::used(self.pen()?, hash, now)
    }

    fn remove_token(&mut self, hash: &[u8; 32]) -> Result<()> {
        tokens::remove(self.pen()?, hash)
    }

    fn webhook(&self, player: PlayerId) -> Result<Option<Webhook>> {
        webhooks::of_player(&self.inner, player)
    }

    fn set_webhook(&mut self, webhook: &Webhook) -> Result<()> {
        webhooks::set(self.pen()?, webhook)
    }

    fn remove_webhook(&mut self, player: PlayerId) -> Result<()> {
        webhooks::remove(self.pen()?, player)
    }

    fn add_webhook_call(&mut self, player: PlayerId, board: u32, entry: u32, now: DateTime<Utc>) -> Result<()> {
        webhooks::add_call(self.pen()?, player, (board, entry), now)
    }

    fn due_webhook_calls(&self, now: DateTime<Utc>, most: u32) -> Result<Vec<WebhookCall>> {
        webhooks::due(&self.inner, now, most)
    }

    fn next_webhook_call(&self) -> Result<Option<DateTime<Utc>>> {
        webhooks::next(&self.inner)
    }

    fn remove_webhook_call(&mut self, id: i64) -> Result<()> {
        webhooks::remove_call(self.pen()?, id)
    }

    fn retry_webhook_call(&mut self, id: i64, due_at: DateTime<Utc>) -> Result<()> {
        webhooks::retry(self.pen()?, id, due_at)
    }

    fn add_open_challenge(&mut self, challenge: &OpenChallenge) -> Result<u32> {
        challenges::add(self.pen()?, challenge)
    }

    fn open_challenge(&self, number: u32) -> Result<Option<OpenChallenge>> {
        challenges::by_number(&self.inner, number)
    }

    fn open_challenges(&self, game: Option<&str>) -> Result<Vec<OpenChallenge>> {
        challenges::open(&self.inner, game)
    }

    fn close_open_challenge(&mut self, number: u32, now: DateTime<Utc>) -> Result<()> {
        challenges::close(self.pen()?, number, now)
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

    fn boards_after(&self, game: Option<&str>, player: Option<PlayerId>, after: u32, most: u32) -> Result<Vec<Board>> {
        boards::after(&self.inner, game, player, (after, most))
    }

    fn board_page(&self, list: &BoardList<'_>, cursor: Cursor, most: u32) -> Result<Vec<Board>> {
        lists::page(&self.inner, list, cursor, most)
    }

    fn tally(&self, player: PlayerId) -> Result<Tally> {
        lists::tally(&self.inner, player)
    }

    fn entries(&self, number: u32) -> Result<Vec<Entry>> {
        record::entries(&self.inner, number)
    }

    fn add_entry(&mut self, number: u32, entry: &Entry, to_move: Option<Seat>) -> Result<()> {
        record::add(self.pen()?, number, entry, to_move)
    }

    fn end_board(&mut self, number: u32, result: &BoardResult) -> Result<()> {
        boards::end(self.pen()?, number, result)
    }

    fn decline_board(&mut self, number: u32, by: PlayerId, now: DateTime<Utc>) -> Result<()> {
        boards::decline(self.pen()?, number, by, now)
    }

    fn waiting_for(&self, player: PlayerId) -> Result<Vec<u32>> {
        boards::waiting_for(&self.inner, player)
    }

    fn unanswered(&self, challenger: PlayerId) -> Result<u32> {
        boards::unanswered(&self.inner, challenger)
    }

    fn set_clock(&mut self, number: u32, clock: Option<&BoardClock>) -> Result<()> {
        clocks::set(self.pen()?, number, clock)
    }

    fn due_boards(&self, now: DateTime<Utc>, most: u32) -> Result<Vec<u32>> {
        clocks::due(&self.inner, now, most)
    }

    fn next_clock(&self) -> Result<Option<DateTime<Utc>>> {
        clocks::next(&self.inner)
    }

    fn set_seat(&mut self, number: u32, seat: Seat, state: &SeatState) -> Result<()> {
        boards::set_seat(self.pen()?, number, seat, state)
    }

    fn set_proposal(&mut self, number: u32, proposal: Option<Proposal>) -> Result<()> {
        boards::set_proposal(self.pen()?, number, proposal)
    }

    fn add_comment(&mut self, comment: &Comment) -> Result<()> {
        comments::add_comment(self.pen()?, comment)
    }

    fn comments(&self, number: u32) -> Result<Vec<Comment>> {
        comments::comments(&self.inner, number)
    }

    fn note(&self, number: u32, player: PlayerId) -> Result<Option<String>> {
        comments::note(&self.inner, number, player)
    }

    fn set_note(&mut self, number: u32, player: PlayerId, text: Option<&str>, now: DateTime<Utc>) -> Result<()> {
        comments::set_note(self.pen()?, number, player, text, now)
    }

    fn follow(&mut self, player: PlayerId, what: &Followed, ends_only: Option<bool>) -> Result<()> {
        followers::follow(self.pen()?, player, what, ends_only)
    }

    fn followers(&self, number: u32) -> Result<Vec<Follower>> {
        followers::of_board(&self.inner, number)
    }

    fn following(&self, player: PlayerId) -> Result<Vec<Following>> {
        followers::of_player(&self.inner, player)
    }

    fn last_change(&self) -> Result<i64> {
        changes::last(&self.inner)
    }

    fn changes_since(&self, seq: i64, most: u32) -> Result<Vec<BoardChange>> {
        changes::since(&self.inner, seq, most)
    }

    fn changes_for(&self, player: PlayerId, seq: i64) -> Result<Vec<BoardChange>> {
        changes::of_player(&self.inner, player, seq)
    }

    fn change_of(&self, number: u32) -> Result<i64> {
        changes::of_board(&self.inner, number)
    }

    fn standing(&self, game: &str, player: PlayerId) -> Result<Option<Standing>> {
        ratings::standing(&self.inner, game, player)
    }

    fn standings(&self, game: &str) -> Result<Vec<Standing>> {
        ratings::of_game(&self.inner, game)
    }

    fn standings_page(&self, game: &str, skip: u32, most: u32) -> Result<Vec<Standing>> {
        ratings::page(&self.inner, game, skip, most)
    }

    fn standings_of(&self, player: PlayerId) -> Result<Vec<Standing>> {
        ratings::of_player(&self.inner, player)
    }

    fn set_standing(&mut self, standing: &Standing) -> Result<()> {
        ratings::set_standing(self.pen()?, standing)
    }

    fn rate_board(&mut self, number: u32, changes: &[RatingChange; 2]) -> Result<()> {
        ratings::rate_board(self.pen()?, number, changes)
    }

    fn rating_changes(&self, number: u32) -> Result<Option<[RatingChange; 2]>> {
        ratings::changes(&self.inner, number)
    }

    fn rated_boards(&self) -> Result<Vec<u32>> {
        ratings::rated_boards(&self.inner)
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

    fn loose_notices(&self, now: DateTime<Utc>, most: u32) -> Result<Vec<OutboxNotice>> {
        outbox::loose(&self.inner, now, most)
    }

    fn bind_letter(&mut self, notices: &[OutboxId]) -> Result<()> {
        letters::bind(self.pen()?, notices)
    }

    fn due_letters(&self, now: DateTime<Utc>, most: u32) -> Result<Vec<Vec<OutboxNotice>>> {
        letters::due(&self.inner, now, most)
    }

    fn next_due(&self) -> Result<Option<DateTime<Utc>>> {
        outbox::next_due(&self.inner)
    }

    fn letter_sent(&mut self, letter: OutboxId, now: DateTime<Utc>) -> Result<()> {
        letters::sent(self.pen()?, letter, now)
    }

    fn letter_failed(&mut self, letter: OutboxId, error: &str, retry_at: Option<DateTime<Utc>>) -> Result<()> {
        letters::failed(self.pen()?, letter, error, retry_at)
    }

    fn deliveries(&self, letter: OutboxId) -> Result<Vec<Delivery>> {
        deliveries::of_letter(&self.inner, letter)
    }

    fn set_delivery(&mut self, letter: OutboxId, delivery: &Delivery) -> Result<()> {
        deliveries::set(self.pen()?, letter, delivery)
    }

    fn bounces_since(&self, address: &str, since: DateTime<Utc>) -> Result<u32> {
        deliveries::bounces_since(&self.inner, address, since)
    }

    fn hold(&mut self, notices: &[OutboxId]) -> Result<()> {
        outbox::hold(self.pen()?, notices)
    }

    fn resend(&mut self, id: OutboxId, now: DateTime<Utc>) -> Result<bool> {
        letters::resend(self.pen()?, id, now)
    }

    fn release_held(&mut self, player: PlayerId, due_at: DateTime<Utc>) -> Result<u32> {
        outbox::release(self.pen()?, player, due_at)
    }

    fn reminder(&self, board: u32, entry: u32) -> Result<Option<OutboxNotice>> {
        outbox::reminder(&self.inner, board, entry)
    }

    fn answers_since(&self, address: &str, since: DateTime<Utc>, saying: &str) -> Result<u32> {
        outbox::answers_since(&self.inner, address, since, saying)
    }

    fn outbox(&self, undelivered_only: bool, most: u32) -> Result<Vec<OutboxNotice>> {
        outbox::newest(&self.inner, undelivered_only, most)
    }
}
