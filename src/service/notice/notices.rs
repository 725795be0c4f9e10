//! Writes notices, in the transaction of the change that they report.

use chrono::{DateTime, TimeDelta, Utc};

use super::answer::BoardEntry;
use super::facts::{BoardEvent, BoardFacts, BoardNotice, Confirmation, Notice};
use super::kind::{Followers, NoticeKind};
use super::unsubscribe::TimedNotice;
use super::webhooks;
use crate::clock::Span;
use crate::command::{Command, GameCommand, OwnLetters};
use crate::numbers::{BoardNumber, EntryNumber};
use crate::rules::Seat;
use crate::service::board::clocks;
use crate::service::board::open::{DroppedReply, OpenBoard};
use crate::service::board::robots::hint_for;
use crate::service::board::view::{self, comments, proposal};
use crate::service::board::views::CommentView;
use crate::service::context::Service;
use crate::service::event::ties::cup_game;
use crate::service::request::{Origin, Request};
use crate::store::{
    self, Board, Channel, CountedKind, NewNotice, NoResult, OutboxId, Player, PlayerId, ShownTo, Transaction,
};

/// The delay of a letter to a player who may have the board's page open. If the page shows the content meanwhile, the
/// letter is not sent.
const SEEN_WITHIN: TimeDelta = TimeDelta::minutes(1);

/// The recipient of a notice, with the due time.
#[derive(Clone, Debug)]
pub struct Recipient {
    /// The player, if the recipient is one.
    pub player: Option<PlayerId>,
    /// The only address to use; `None` for all confirmed addresses of the player.
    pub address: Option<String>,
    /// The Message-ID of the answered message.
    pub in_reply_to: Option<String>,
    /// When the notice is due; `None` if it is held, because of the rhythm `once` or because the player has stopped
    /// letters.
    pub due_at: Option<DateTime<Utc>>,
}

impl Recipient {
    /// Creates a recipient for all confirmed addresses of a player.
    pub(crate) fn player(player: PlayerId, due_at: Option<DateTime<Utc>>) -> Recipient {
        Recipient { player: Some(player), address: None, in_reply_to: None, due_at }
    }
}

/// An event at a board, for its players and followers.
pub(crate) struct Announcement<'a> {
    board: &'a Board,
    event: BoardEvent,
    facts: BoardFacts,
    /// The players to notify: both players of the board, or one of them twice.
    players: [PlayerId; 2],
    dropped: Vec<DroppedReply>,
    /// The player who sent the request in the browser, if they made all new entries. The page shows them the result.
    seen_by: Option<PlayerId>,
    /// The players for whom the page of the board may be open in a browser.
    in_browser: Vec<PlayerId>,
}

impl<'a> Announcement<'a> {
    /// Creates the announcement of an event at the current state of a board, for both its players.
    pub(crate) fn of(board: &'a Board, event: BoardEvent, facts: BoardFacts) -> Announcement<'a> {
        let players = board.players.each_ref().map(|player| player.id);
        Announcement { board, event, facts, players, dropped: Vec::new(), seen_by: None, in_browser: Vec::new() }
    }

    /// Restricts the announcement to one player.
    pub(crate) fn only_for(self, player: PlayerId) -> Announcement<'a> {
        Announcement { players: [player, player], ..self }
    }

    /// Returns the state of the board, as stored with a notice.
    fn about(&self) -> BoardEntry {
        let Board { number, entries, proposal, .. } = self.board;
        BoardEntry { board: *number, entry: *entries, proposal: proposal.map(|open| open.kind) }
    }

    fn notice(&self, tx: &Transaction<'_>, reader: &Player) -> store::Result<Notice> {
        let seat = Seat::BOTH.into_iter().find(|seat| self.players[seat.index()] == reader.id);
        let dropped =
            self.dropped.iter().find(|dropped| Some(dropped.seat) == seat).map(|dropped| dropped.view.clone());
        let hint = hint_for(tx, self.board.number, reader)?;
        let note = tx.note(self.board.number, reader.id)?;
        let mut facts = BoardFacts { hint, note, dropped, ..self.facts.clone() };
        view::hide_comments(tx, self.board, ShownTo::Player(reader.id), &mut facts.comments)?;
        Ok(Notice::Board(BoardNotice { event: self.event.clone(), facts }))
    }

    /// Returns whether a reader has stopped the letters about this event. Players of the board are always reminded and
    /// notified of the end, so that they do not lose a game without notice.
    fn is_muted(&self, tx: &Transaction<'_>, reader: PlayerId) -> store::Result<bool> {
        let kind = self.event.kind();
        let is_always_sent = kind == NoticeKind::Reminder || kind.ends_board();
        Ok(!(is_always_sent && self.players.contains(&reader)) && tx.is_muted(reader, self.board.number)?)
    }

    /// Returns whether the notice is about a comment of a player whom the reader has blocked.
    fn is_blocked(&self, tx: &Transaction<'_>, reader: PlayerId) -> store::Result<bool> {
        let BoardEvent::Chat { by } = &self.event else { return Ok(false) };
        Ok(tx.blocked_by(reader)?.iter().any(|blocked| blocked.userid == *by))
    }

    /// Returns the players of the board, and the followers who receive this kind of event.
    fn readers(&self, tx: &Transaction<'_>) -> store::Result<Vec<PlayerId>> {
        let [first, second] = self.players;
        let mut readers = vec![first];
        if first != second {
            readers.push(second);
        }
        let followers = self.event.kind().followers();
        if followers == Followers::Nobody || self.board.terms.flags.private {
            return Ok(readers);
        }
        let is_chat = self.event.kind() == NoticeKind::Chat;
        for follower in tx.followers(self.board.number)? {
            if is_chat && view::hides_chat(tx, self.board, ShownTo::Player(follower.player))? {
                continue;
            }
            if (followers == Followers::All || !follower.ends_only) && !readers.contains(&follower.player) {
                readers.push(follower.player);
            }
        }
        Ok(readers)
    }
}

impl Service<'_> {
    /// Notifies the players and followers of a board about a request's result. Returns the recipients.
    pub(crate) fn notify(
        &self,
        tx: &mut Transaction<'_>,
        request: &Request,
        open: &mut OpenBoard,
        event: BoardEvent,
    ) -> store::Result<Vec<PlayerId>> {
        let mut facts = self.board_facts(tx, open, request.now)?;
        let entries = open.since < open.board.entries;
        // Without a new entry, only the current comment is new, not every comment since the last entry.
        if let Some(by) = event.by().filter(|_| !entries) {
            let said = Some(request.comment_text()).filter(|said| !said.is_empty());
            facts.comments =
                said.map(|text| CommentView { userid: by.to_owned(), text, said_at: None }).into_iter().collect();
        }
        if entries || event == BoardEvent::Challenge {
            webhooks::turn_came(tx, &open.board, request.now)?;
        }
        let in_browser_now = match event {
            BoardEvent::Challenge => Vec::new(),
            _ => self.players_in_browser(tx, open, request.now)?,
        };
        let dropped = std::mem::take(&mut open.dropped);
        let mut announcement = Announcement::of(&open.board, event, facts);
        announcement.dropped = dropped;
        announcement.in_browser = in_browser_now;
        announcement.seen_by = in_browser(tx, request)?.filter(|player| open.news_are_of(*player));
        self.announce(tx, Some(request), &announcement, request.now)
    }

    /// Returns the players who probably use the page of a board: those who made their last entry on the board in the
    /// browser, and those who have made no entry but are logged in.
    fn players_in_browser(
        &self,
        tx: &Transaction<'_>,
        open: &OpenBoard,
        now: DateTime<Utc>,
    ) -> store::Result<Vec<PlayerId>> {
        let mut players = Vec::new();
        for seat in Seat::BOTH {
            let player = open.board.players[seat.index()].id;
            let is_there = match open.last_via(seat) {
                Some(via) => via == Channel::Web,
                None => self.is_logged_in(tx, player, now)?,
            };
            if is_there {
                players.push(player);
            }
        }
        Ok(players)
    }

    /// Returns the facts about a board for a notice created now.
    pub(crate) fn board_facts(
        &self,
        tx: &Transaction<'_>,
        open: &OpenBoard,
        now: DateTime<Utc>,
    ) -> store::Result<BoardFacts> {
        let board = &open.board;
        let is_drawn = board.to_move.is_none() && board.result.as_ref().is_none_or(|result| result.winner.is_none());
        let names_cup = board.event.is_some() && (board.entries == EntryNumber::START || is_drawn);
        let is_removed = board.no_result.is_some_and(NoResult::is_out_of_play);
        Ok(BoardFacts {
            since: open.since,
            cup: if names_cup { cup_game(tx, board.number)? } else { None },
            clock: clocks::view(tx, board, now)?,
            away: view::away(tx, board, now)?,
            proposal: proposal(board),
            cleared: open.cleared.clone(),
            hint: None,
            comments: comments(tx, board, Some(open.since), board.entries)?,
            terms: if is_removed { board.terms.without(self.policy.time_control()).to_string() } else { String::new() },
            note: None,
            dropped: None,
        })
    }

    /// Writes a notice to the readers of an announcement. Omits readers who have no address, are blocked, have muted
    /// the board, or see the result in the browser. Returns the notified readers, and those who have
    /// blocked the author.
    pub(crate) fn announce(
        &self,
        tx: &mut Transaction<'_>,
        request: Option<&Request>,
        announcement: &Announcement<'_>,
        now: DateTime<Utc>,
    ) -> store::Result<Vec<PlayerId>> {
        let mut notified = Vec::new();
        let (board, about) = (announcement.board, announcement.about());
        let to_move = board.to_move.map(|seat| board.players[seat.index()].id);
        for reader in announcement.readers(tx)? {
            // A player without an address plays from the command line, and is informed there.
            if tx.addresses(reader)?.is_empty() {
                continue;
            }
            let Some(player) = tx.player_by_id(reader)?.filter(|player| player.blocked_at.is_none()) else { continue };
            let spares = player.settings.own == OwnLetters::Off;
            if spares && announcement.seen_by == Some(reader) {
                continue;
            }
            let in_reply_to = request.map_or(Ok(None), |request| asked_by(tx, request, reader))?;
            if in_reply_to.is_none() && announcement.is_muted(tx, reader)? {
                continue;
            }
            // A blocked author must not notice the block, so the answer names this reader as notified.
            if announcement.is_blocked(tx, reader)? {
                notified.push(reader);
                continue;
            }
            let notice = announcement.notice(tx, &player)?;
            let timed = TimedNotice {
                kind: notice.kind(),
                about: Some(about),
                your_turn: to_move == Some(reader),
                actor: request.and_then(actor),
            };
            let due_at = match in_reply_to {
                Some(_) => Some(now),
                None => self.due_at(tx, &player, &timed, now)?,
            };
            let may_be_seen = spares && due_at == Some(now) && announcement.in_browser.contains(&reader);
            let due_at = if may_be_seen { Some(now + SEEN_WITHIN) } else { due_at };
            if due_at.is_some() {
                self.note_turn_letter(tx, &player, &timed)?;
            }
            let recipient = Recipient { in_reply_to, ..Recipient::player(reader, due_at) };
            self.add_notice(tx, &notice, Some(about), recipient, now)?;
            notified.push(reader);
        }
        Ok(notified)
    }

    /// Lists a player's notices about a board that are delayed, because the board's page may show their content
    /// first.
    ///
    /// # Errors
    /// If the store fails.
    pub fn notices_to_see(
        &self,
        tx: &Transaction<'_>,
        player: PlayerId,
        board: BoardNumber,
        now: DateTime<Utc>,
    ) -> store::Result<Vec<OutboxId>> {
        let second = TimeDelta::seconds(1);
        let due = Span { from: now + second, until: now + SEEN_WITHIN + second };
        tx.notices_due(player, board, &due)
    }

    /// Removes notices whose content a page has shown to their player.
    ///
    /// # Errors
    /// If the store fails.
    pub fn forget_seen(&self, tx: &mut Transaction<'_>, notices: &[OutboxId]) -> store::Result<()> {
        notices.iter().try_for_each(|notice| tx.remove_notice(*notice))
    }

    /// Writes a notice to a player. The notice must not be about a board.
    pub(crate) fn write_to(
        &self,
        tx: &mut Transaction<'_>,
        notice: &Notice,
        to: PlayerId,
        now: DateTime<Utc>,
    ) -> store::Result<()> {
        let Some(player) = tx.player_by_id(to)?.filter(|player| player.blocked_at.is_none()) else { return Ok(()) };
        let timed = TimedNotice { kind: notice.kind(), about: None, your_turn: false, actor: None };
        let due_at = self.due_at(tx, &player, &timed, now)?;
        self.add_notice(tx, notice, None, Recipient::player(to, due_at), now)
    }

    /// Writes a notice to each player whom the policy lists as an administrator. Returns whether one of them has a
    /// confirmed address.
    ///
    /// # Errors
    /// If the store fails.
    pub fn write_to_administrators(
        &self,
        tx: &mut Transaction<'_>,
        notice: &Notice,
        now: DateTime<Utc>,
    ) -> store::Result<bool> {
        let mut is_reachable = false;
        for userid in &self.policy.administrators {
            if let Some(player) = tx.player(userid)?.filter(|player| player.blocked_at.is_none()) {
                self.write_to(tx, notice, player.id, now)?;
                is_reachable |= tx.addresses(player.id)?.iter().any(|address| address.confirmed_at.is_some());
            }
        }
        Ok(is_reachable)
    }

    /// Asks the owner of an address for confirmation.
    pub(crate) fn ask_to_confirm(
        &self,
        tx: &mut Transaction<'_>,
        request: &Request,
        (player, userid): (PlayerId, &str),
        address: &str,
    ) -> store::Result<()> {
        // Reuse the code of an earlier request, so that the codes in both letters are valid.
        let awaited = tx.awaited_codes(player)?.into_iter().find(|of| of.address.eq_ignore_ascii_case(address));
        let is_new = awaited.is_none();
        let code = awaited.map_or_else(|| self.world.letters(12), |awaited| awaited.code);
        tx.count(CountedKind::Letter, address, &request.source(), request.now)?;
        if is_new {
            tx.add_address(player, address, Some(&code), request.now)?;
        }
        let in_reply_to = match &request.from {
            Origin::Mail { sender, message_id, .. } if sender.eq_ignore_ascii_case(address) => message_id.clone(),
            _ => None,
        };
        let owner = tx.player_by_address(address)?.filter(|owner| owner.id != player).map(|owner| owner.userid);
        let notice = Notice::Confirm(Confirmation { userid: userid.to_owned(), code, owner, replied: None });
        let address = Some(address.to_owned());
        let recipient = Recipient { player: None, address, in_reply_to, due_at: Some(request.now) };
        self.add_notice(tx, &notice, None, recipient, request.now)
    }

    /// Writes a notice to the outbox. `about` is its board and the last entry of the board's record.
    ///
    /// # Errors
    /// If the store fails.
    pub fn add_notice(
        &self,
        tx: &mut Transaction<'_>,
        notice: &Notice,
        about: Option<BoardEntry>,
        to: Recipient,
        now: DateTime<Utc>,
    ) -> store::Result<()> {
        let Recipient { player, address, in_reply_to, due_at } = to;
        tx.write_notice(&NewNotice {
            player,
            address,
            kind: notice.kind().name().to_owned(),
            board: about.map(|about| about.board),
            entry: about.map(|about| about.entry),
            facts: notice.to_json()?,
            in_reply_to,
            domain: self.domain.to_owned(),
            created_at: now,
            due_at,
        })
    }
}

/// Returns the player who sent a request from a page in the browser.
fn in_browser(tx: &Transaction<'_>, request: &Request) -> store::Result<Option<PlayerId>> {
    match &request.from {
        Origin::Known { userid, via: Channel::Web } => Ok(tx.player(userid)?.map(|player| player.id)),
        _ => Ok(None),
    }
}

/// Returns the userid of the player who acts at a board by this request.
fn actor(request: &Request) -> Option<&str> {
    match &request.line.command {
        Command::Game { command: GameCommand::AtBoard { userid, .. }, .. } => Some(userid),
        _ => None,
    }
}

/// Returns the Message-ID of the request's message, if it is from a confirmed address of this player or contains
/// their token.
pub(crate) fn asked_by(tx: &Transaction<'_>, request: &Request, player: PlayerId) -> store::Result<Option<String>> {
    let Origin::Mail { sender, message_id, token, .. } = &request.from else { return Ok(None) };
    let owner = match token {
        Some(granted) => tx.player(granted.userid())?,
        None => tx.player_by_address(sender)?,
    };
    Ok(owner.filter(|owner| owner.id == player).and(message_id.clone()))
}
