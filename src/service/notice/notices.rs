//! Whom to tell what: notices, written in the transaction of the change they tell.
//!
//! A notice about a board holds what the board alone does not tell for ever: which of its entries are new to the
//! reader, the clock, the proposal and the comments as they were, his own note. So its letter can be composed later, at
//! any time, and says the same.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::command::{Command, Letters, Rhythm, Verb};
use crate::rules::Seat;
use crate::store::{self, NewNotice, Player, PlayerId, StoreError, Transaction};

use crate::service::board::live::Live;
use crate::service::board::view::{Moment, board_view, comments};
use crate::service::board::views::{BoardView, ClockView, CommentView, DroppedView, ProposalView};
use crate::service::board::{clocks, play};
use crate::service::notice::webhooks as hooks;
use crate::service::{Origin, Request, Service};

/// What a notice about a board holds.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct BoardFacts {
    /// The reader knows this much of the record.
    pub since: u32,
    /// The clock of the player to move.
    pub clock: Option<ClockView>,
    /// The open proposal.
    pub proposal: Option<ProposalView>,
    /// What was said.
    pub comments: Vec<CommentView>,
    /// The reader's private note.
    pub note: Option<String>,
    /// A prepared reply of the reader's that came to nothing.
    pub dropped: Option<DroppedView>,
    /// Who did what the notice tells, where the record does not say it: who declined, rejected, chatted.
    pub by: Option<String>,
    /// Of reminders: how many there were on this ply, this one with it.
    pub reminders: u32,
}

impl BoardFacts {
    /// The board as it was when the notice was written.
    ///
    /// # Errors
    /// The store's; also when there is no such board or entry.
    pub fn board(&self, tx: &dyn Transaction, number: u32, entry: u32) -> store::Result<BoardView> {
        let mut view = board_view(tx, number, Moment::Entry(entry), Some(self.since), false)?
            .ok_or_else(|| StoreError::Failed(format!("there is no board {number} at entry {entry}")))?;
        view.clock.clone_from(&self.clock);
        view.proposal.clone_from(&self.proposal);
        view.comments.clone_from(&self.comments);
        Ok(view)
    }
}

/// Something about a board to be told to its players and followers.
pub(in crate::service) struct News<'a> {
    pub(in crate::service) kind: &'a str,
    pub(in crate::service) number: u32,
    pub(in crate::service) players: [PlayerId; 2],
    pub(in crate::service) entry: u32,
    pub(in crate::service) facts: BoardFacts,
    pub(in crate::service) dropped: Vec<(Seat, DroppedView)>,
}

impl<'a> News<'a> {
    /// News of a board as it is, for both its players.
    pub(in crate::service) fn of(board: &store::Board, kind: &'a str, facts: BoardFacts) -> News<'a> {
        let players = [board.players[0].id, board.players[1].id];
        News { kind, number: board.number, players, entry: board.entries, facts, dropped: Vec::new() }
    }
}

impl Service<'_> {
    /// The news of a board after a request: entries, or whatever `kind` tells.
    pub(in crate::service) fn tell(
        &self,
        tx: &mut dyn Transaction,
        request: &Request,
        live: &mut Live,
        kind: &str,
        by: Option<&str>,
    ) -> store::Result<Vec<PlayerId>> {
        let mut facts = self.facts(tx, live, request.now)?;
        // Without a new entry, new is what is said now, and not all that was said since the last one.
        if let Some(by) = by.filter(|_| live.since == live.board.entries) {
            let said = Some(play::said(request)).filter(|said| !said.is_empty());
            facts.comments = said.map(|text| CommentView { userid: by.to_owned(), text }).into_iter().collect();
        }
        facts.by = by.map(str::to_owned);
        let news = News { dropped: std::mem::take(&mut live.dropped), ..News::of(&live.board, kind, facts) };
        if live.since < live.board.entries || kind == "challenge" {
            hooks::turn_came(tx, &live.board, request.now)?;
        }
        self.tell_news(tx, Some(request), news, request.now)
    }

    /// What a notice of now would hold.
    pub(in crate::service) fn facts(
        &self,
        tx: &dyn Transaction,
        live: &Live,
        now: DateTime<Utc>,
    ) -> store::Result<BoardFacts> {
        let board = &live.board;
        Ok(BoardFacts {
            since: live.since,
            clock: clocks::view(tx, board, now)?,
            proposal: proposal(board),
            comments: comments(tx, board, live.since, board.entries)?,
            ..BoardFacts::default()
        })
    }

    /// Writes a notice to each player and follower of a board; gives whom it was told.
    pub(in crate::service) fn tell_news(
        &self,
        tx: &mut dyn Transaction,
        request: Option<&Request>,
        news: News<'_>,
        now: DateTime<Utc>,
    ) -> store::Result<Vec<PlayerId>> {
        let [first, second] = news.players;
        let mut readers = vec![first];
        if first != second {
            readers.push(second);
        }
        let ends = matches!(news.kind, "end" | "decline" | "lapse");
        let private = tx.board(news.number)?.is_some_and(|board| board.private);
        if !private && (ends || matches!(news.kind, "move" | "chat")) {
            let followers = tx.followers(news.number)?.into_iter();
            let followers =
                followers.filter(|follower| (ends || !follower.ends_only) && !readers.contains(&follower.player));
            let followers: Vec<PlayerId> = followers.map(|follower| follower.player).collect();
            readers.extend(followers);
        }
        let mut told = Vec::new();
        for reader in readers {
            // Somebody who plays from the shell and has no address is told there.
            if tx.addresses(reader)?.is_empty() {
                continue;
            }
            let mut facts = news.facts.clone();
            facts.note = tx.note(news.number, reader)?;
            let seat = Seat::BOTH.into_iter().find(|seat| news.players[seat.index()] == reader);
            facts.dropped = news.dropped.iter().find(|(of, _)| Some(*of) == seat).map(|(_, dropped)| dropped.clone());
            let in_reply_to = request.map_or(Ok(None), |request| asked_by(tx, request, reader))?;
            let due_at = match (&in_reply_to, news.kind) {
                (Some(_), _) => Some(now),
                (None, kind) => self.rhythm(tx, reader, kind, request.and_then(actor), now)?,
            };
            tx.add_notice(&NewNotice {
                player: Some(reader),
                address: None,
                kind: news.kind.to_owned(),
                board: Some(news.number),
                entry: Some(news.entry),
                facts: json(&facts)?,
                in_reply_to,
                domain: self.domain.to_owned(),
                created_at: now,
                due_at,
            })?;
            told.push(reader);
        }
        Ok(told)
    }

    /// When a letter to this player is due by his own rhythm; `None`: not before he has done something.
    fn rhythm(
        &self,
        tx: &mut dyn Transaction,
        player: PlayerId,
        kind: &str,
        actor: Option<&str>,
        now: DateTime<Utc>,
    ) -> store::Result<Option<DateTime<Utc>>> {
        let Some(player) = tx.player_by_id(player)? else { return Ok(Some(now)) };
        match player.settings.rhythm {
            _ if player.settings.letters == Letters::None => Ok(None),
            _ if kind == "reminder" => Ok(Some(now)),
            Rhythm::Each => Ok(Some(now)),
            Rhythm::Daily(hour) => Ok(Some(clocks::calendar(tx, &player)?.next_hour(now, hour))),
            // What he does himself is no letter that he has yet to answer, and goes out with what it releases.
            Rhythm::Once if actor.is_some_and(|actor| actor.eq_ignore_ascii_case(&player.userid)) => Ok(Some(now)),
            Rhythm::Once if player.notified => Ok(None),
            Rhythm::Once => {
                tx.set_notified(player.id, true)?;
                Ok(Some(now))
            }
        }
    }

    /// A player has shown up: what was held back for him is due.
    pub(in crate::service) fn acted(
        &self,
        tx: &mut dyn Transaction,
        player: &Player,
        now: DateTime<Utc>,
    ) -> store::Result<()> {
        if player.notified && player.settings.letters == Letters::All {
            let released = tx.release_held(player.id, now)?;
            tx.set_notified(player.id, released > 0)?;
        }
        Ok(())
    }

    /// A text from one player to another.
    pub(in crate::service) fn pass_on(
        &self,
        tx: &mut dyn Transaction,
        (kind, by, text): (&str, &str, &str),
        to: PlayerId,
        now: DateTime<Utc>,
    ) -> store::Result<()> {
        self.write_to(tx, kind, to, serde_json::json!({ "by": by, "text": text }).to_string(), now)
    }

    /// A notice to a player that is about no board.
    pub(in crate::service) fn write_to(
        &self,
        tx: &mut dyn Transaction,
        kind: &str,
        to: PlayerId,
        facts: String,
        now: DateTime<Utc>,
    ) -> store::Result<()> {
        let wanted = tx.player_by_id(to)?.is_none_or(|player| player.settings.letters == Letters::All);
        tx.add_notice(&NewNotice {
            player: Some(to),
            address: None,
            kind: kind.to_owned(),
            board: None,
            entry: None,
            facts,
            in_reply_to: None,
            domain: self.domain.to_owned(),
            created_at: now,
            due_at: wanted.then_some(now),
        })?;
        Ok(())
    }

    /// Asks the owner of an address to confirm it.
    pub(in crate::service) fn ask_to_confirm(
        &self,
        tx: &mut dyn Transaction,
        request: &Request,
        (player, userid): (PlayerId, &str),
        address: &str,
    ) -> store::Result<()> {
        let code = self.world.letters(12);
        tx.add_address(player, address, Some(&code), request.now)?;
        let in_reply_to = match &request.from {
            Origin::Mail { sender, message_id, .. } if sender.eq_ignore_ascii_case(address) => message_id.clone(),
            _ => None,
        };
        tx.add_notice(&NewNotice {
            player: None,
            address: Some(address.to_owned()),
            kind: "confirm".to_owned(),
            board: None,
            entry: None,
            facts: serde_json::json!({ "userid": userid, "code": code }).to_string(),
            in_reply_to,
            domain: self.domain.to_owned(),
            created_at: request.now,
            due_at: Some(request.now),
        })?;
        Ok(())
    }
}

pub(in crate::service) fn proposal(board: &store::Board) -> Option<ProposalView> {
    let proposal = board.proposal?;
    Some(ProposalView { kind: proposal.kind, by: board.players[proposal.by.index()].userid.clone() })
}

fn json(facts: &BoardFacts) -> store::Result<String> {
    serde_json::to_string(facts)
        .map_err(|error| StoreError::Failed(format!("facts cannot be written as JSON: {error}")))
}

/// Who does something at a board.
fn actor(request: &Request) -> Option<&str> {
    match &request.line.command {
        Command::Game { verb: Verb::At { userid, .. }, .. } => Some(userid),
        _ => None,
    }
}

/// The Message-ID of this request's mail, if it came from a confirmed address of this player or with his token.
fn asked_by(tx: &dyn Transaction, request: &Request, player: PlayerId) -> store::Result<Option<String>> {
    let Origin::Mail { sender, message_id, token, .. } = &request.from else { return Ok(None) };
    let owner = match token {
        Some(granted) => tx.player(&granted.userid)?,
        None => tx.player_by_address(sender)?,
    };
    Ok(owner.filter(|owner| owner.id == player).and(message_id.clone()))
}
