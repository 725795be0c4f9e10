//! The news about the boards of a letter. All notices about a board are merged, and the letter shows the board after
//! the last of them. The first sentences of a section, or a summary, report the events.

use anyhow::Context;

use super::composer::Composer;
use super::pictures::Reader;
use super::sentences::undone;
use crate::message;
use crate::numbers::{BoardNumber, EntryNumber};
use crate::service::{
    BoardEvent, BoardFacts, BoardNotice, BoardView, CupGame, EntryView, NoResult, NoticeKind, ProposalKind,
};
use crate::store::{Departure, EntryKind, Transaction};
use crate::text::Message;

/// Returns the sort key of a section with this kind. Answers and requests to the reader come first, then the remaining
/// boards, then sections without a board.
pub(crate) fn rank(kind: NoticeKind, your_turn: bool, board: Option<BoardNumber>) -> (u8, Option<BoardNumber>) {
    let rank = match (kind, your_turn, board) {
        (NoticeKind::Answer, ..) => 0,
        (NoticeKind::Reminder | NoticeKind::EventBegin, ..) => 1,
        (_, true, _) => 2,
        (_, false, Some(_)) => 3,
        (_, false, None) => 4,
    };
    (rank, board)
}

/// All notices about one board.
pub(crate) struct AboutBoard {
    pub(crate) number: BoardNumber,
    /// The notices, oldest first, each with the length of the record when it was created. Never empty.
    pub(crate) notices: Vec<(EntryNumber, BoardNotice)>,
}

/// The merged notices about one board.
struct Merged {
    /// A notice with the most important event. It shows the board after the last notice, with all news since the first.
    notice: BoardNotice,
    /// The length of the record after the last notice.
    entry: EntryNumber,
    /// The userids of the players who rejected or withdrew a proposal, unless the event reports this.
    closed: Vec<String>,
}

impl AboutBoard {
    fn merged(self) -> anyhow::Result<Merged> {
        let entry = self.notices.iter().map(|(entry, _)| *entry).max().unwrap_or_default();
        let (_, last) = self.notices.last().context("the section has no notices")?;
        let ends_or_reopens = |event: &BoardEvent| event.kind().ends_board() || *event == BoardEvent::Reopen;
        let last_end = self.notices.iter().rposition(|(_, notice)| ends_or_reopens(&notice.event));
        // Ignore reminders of an earlier turn, proposals that are no longer open, and ends that an administrator
        // reverted, because later notices replace them.
        let counts = |(nth, (of, notice)): &(usize, &(EntryNumber, BoardNotice))| match &notice.event {
            BoardEvent::Reminder { .. } => *of == entry,
            BoardEvent::Propose { .. } => last.facts.proposal.is_some(),
            event => !ends_or_reopens(event) || last_end == Some(*nth),
        };
        let of_kind = |(_, (_, notice)): &(usize, &(EntryNumber, BoardNotice))| notice.event.kind();
        let foremost = self.notices.iter().enumerate().filter(counts).min_by_key(of_kind);
        let event = foremost.map_or(&last.event, |(_, (_, notice))| &notice.event).clone();
        let closed = self.notices.iter().filter_map(|(_, notice)| match &notice.event {
            BoardEvent::Reject { by } | BoardEvent::Withdraw { by } if notice.event.kind() != event.kind() => {
                Some(by.clone())
            }
            _ => None,
        });
        let closed = closed.collect();
        let all = || self.notices.iter().map(|(_, notice)| &notice.facts);
        let facts = BoardFacts {
            since: all().map(|facts| facts.since).min().unwrap_or_default(),
            // If a reminder is the most important notice, show its clock. The clock of a later notice of the same turn
            // may differ.
            clock: match foremost {
                Some((_, (_, notice))) if matches!(notice.event, BoardEvent::Reminder { .. }) => &notice.facts.clock,
                _ => &last.facts.clock,
            }
            .clone(),
            away: last.facts.away.clone(),
            proposal: last.facts.proposal.clone(),
            cleared: all().rev().find_map(|facts| facts.cleared.clone()),
            comments: all().flat_map(|facts| facts.comments.clone()).collect(),
            hint: last.facts.hint.clone(),
            cup: all().rev().find_map(|facts| facts.cup.clone()),
            terms: last.facts.terms.clone(),
            note: last.facts.note.clone(),
            dropped: all().rev().find_map(|facts| facts.dropped.clone()),
        };
        Ok(Merged { notice: BoardNotice { event, facts }, entry, closed })
    }
}

/// The news about one board, and the board.
pub(crate) struct ShownBoard {
    pub(crate) number: BoardNumber,
    pub(crate) notice: BoardNotice,
    /// The userids of the players who rejected or withdrew a proposal, unless the event reports this.
    pub(crate) closed: Vec<String>,
    /// The players who caused the news.
    pub(crate) actors: Vec<String>,
    pub(crate) view: BoardView,
    /// Whether the reader is a player of the board.
    pub(crate) plays: bool,
    /// Whether the section contains only the news, because the letter shows enough other boards in full.
    pub(crate) brief: bool,
}

impl ShownBoard {
    pub(crate) fn new(
        composer: &Composer,
        tx: &Transaction<'_>,
        reader: &Reader,
        about: AboutBoard,
    ) -> anyhow::Result<ShownBoard> {
        let number = about.number;
        let mut actors: Vec<String> = about.notices.iter().filter_map(|(_, notice)| actor(&notice.event)).collect();
        let Merged { notice, entry, closed } = about.merged()?;
        let mut view = notice.facts.board(tx, number, entry)?;
        composer.draw(&mut view, reader.shown())?;
        if notice.event == BoardEvent::Challenge {
            actors.extend(challenger(tx, reader, &view)?);
        }
        // No player causes a forfeit or the effects of a withdrawal, and a reminder repeats earlier news.
        let is_caused = |entry: &&EntryView| {
            !matches!(entry.kind, EntryKind::Forfeit | EntryKind::Void) && Departure::of(&entry.text).is_none()
        };
        actors.extend(view.news.iter().filter(is_caused).filter_map(|entry| entry.userid.clone()));
        if matches!(notice.event, BoardEvent::Reminder { .. }) {
            actors.clear();
        }
        let plays = view.seats.iter().any(|seat| seat.userid == reader.userid);
        Ok(ShownBoard { number, notice, closed, actors, view, plays, brief: false })
    }

    /// Returns whether the reader is to move.
    pub(crate) fn is_turn_of(&self, reader: &Reader) -> bool {
        self.view.no_result.is_none() && self.view.to_move.as_ref() == Some(&reader.userid)
    }

    /// Returns the sort key of the board's section in the letter.
    pub(crate) fn order(&self, reader: &Reader) -> (u8, Option<BoardNumber>) {
        rank(self.notice.event.kind(), self.is_turn_of(reader), Some(self.number))
    }

    /// Returns whether replies about the board are valid.
    pub(crate) fn is_answerable(&self) -> bool {
        self.plays
    }
}

/// Returns the player who started a board: the challenger, or the player who accepted the reader's open challenge.
fn challenger(tx: &Transaction<'_>, reader: &Reader, view: &BoardView) -> anyhow::Result<Option<String>> {
    let offered = tx.open_challenge(view.number)?.is_some_and(|open| open.challenger.userid == reader.userid);
    if !offered {
        return Ok(view.challenger.clone());
    }
    Ok(view.seats.iter().map(|seat| seat.userid.clone()).find(|userid| *userid != reader.userid))
}

/// Returns the player who caused an event, if the event names one. No player causes a board to lapse.
fn actor(event: &BoardEvent) -> Option<String> {
    match event {
        BoardEvent::Lapse { .. } => None,
        event => event.by().map(str::to_owned),
    }
}

/// The maximum number of characters of a comment in a summary.
const QUOTED: usize = 60;

impl ShownBoard {
    /// Returns the first sentences of the section, or no sentences if the section begins with the news. `offered` is
    /// the creator of the open challenge that became the board, and `terms` describes its terms in words.
    pub(crate) fn opening(&self, reader: &str, offered: Option<&str>, terms: &str) -> Vec<Message> {
        let view = &self.view;
        let (number, game, first, second) = (view.number, &view.title, &view.seats[0].userid, &view.seats[1].userid);
        let by = self.notice.event.by().unwrap_or_default();
        let you = by == reader;
        vec![match &self.notice.event {
            BoardEvent::Challenge => return self.challenge(reader, offered, terms),
            BoardEvent::Propose { .. } => match (view.proposal.as_ref().map(|open| open.kind), you) {
                (None, _) => return Vec::new(),
                (Some(ProposalKind::Draw), true) => message!("board.you-offer-draw"),
                (Some(ProposalKind::Draw), false) => message!("board.offers-draw", by),
                (Some(ProposalKind::Undo), true) => message!("board.you-request-undo", moves = undone(&view.moves, by)),
                (Some(ProposalKind::Undo), false) => {
                    message!("board.requests-undo", by, moves = undone(&view.moves, by))
                }
                (Some(ProposalKind::Abandon), true) => message!("board.you-offer-end", event = self.event_name()),
                (Some(ProposalKind::Abandon), false) => message!("board.offers-end", by, event = self.event_name()),
            },
            BoardEvent::Reject { .. } if you => message!("board.you-rejected"),
            BoardEvent::Reject { .. } => message!("board.rejected", by),
            BoardEvent::Withdraw { .. } if you => message!("board.you-withdrew"),
            BoardEvent::Withdraw { .. } => message!("board.withdrew", by),
            BoardEvent::Chat { .. } if you => message!("board.you-wrote", number),
            BoardEvent::Chat { .. } => message!("board.wrote", by, number),
            BoardEvent::Decline { .. } if you => message!("board.you-declined", number, game, first, second),
            BoardEvent::Decline { .. } => message!("board.declined", by, number, game, first, second),
            BoardEvent::Lapse { .. } => {
                let event = view.event.as_ref().map(|edition| edition.name.clone()).unwrap_or_default();
                // In a ladder, only the challenged player can lose a place.
                let place = view.challenger.as_ref().is_some_and(|challenger| challenger != by);
                match you {
                    true => message!("board.you-let-lapse", number, game, first, second, event, place),
                    false => {
                        let wins = self.plays;
                        message!("board.let-lapse", by, number, game, first, second, event, place, wins)
                    }
                }
            }
            BoardEvent::Void => message!("board.is-void", number, game, first, second),
            BoardEvent::Move | BoardEvent::End | BoardEvent::Reopen | BoardEvent::Reminder { .. } => return Vec::new(),
        }]
    }

    fn challenge(&self, reader: &str, offered: Option<&str>, terms: &str) -> Vec<Message> {
        let view = &self.view;
        let (number, game, [first, second]) = (view.number, &view.title, [&view.seats[0], &view.seats[1]]);
        if first.userid == second.userid {
            return vec![message!("board.begins-alone", game, number)];
        }
        let (own, other) = if first.userid == reader { (first, &second.userid) } else { (second, &first.userid) };
        let event = self.event_name();
        let within = match &self.notice.facts.cup {
            Some(CupGame { round, left, third, .. }) => {
                message!("board.in-round", event = &event, round = *round, left = *left, third = *third)
            }
            None => message!("board.in-event", event = &event),
        };
        let challenger = view.challenger.as_deref();
        let cannot_decline = challenger == Some(other) && !event.is_empty();
        let begins = match offered {
            Some(by) if by == reader => message!("board.challenge-accepted", other, game, number),
            Some(by) => message!("board.you-accepted-challenge", by, game, number),
            None if challenger == Some(reader) => message!("board.you-challenge", other, game, event, terms),
            None if challenger == Some(other) => message!("board.challenges-you", other, game, event, terms),
            None => message!("board.begins", game, number, other, event, within, terms),
        };
        let forced = (offered.is_none() && cannot_decline).then(|| message!("board.cannot-decline"));
        let is_replay = self.notice.facts.cup.as_ref().is_some_and(|cup| cup.replay);
        let replays = is_replay.then(|| message!("board.replays"));
        let side = message!("board.your-side", side = own.side.clone());
        [Some(begins), replays, forced, Some(side)].into_iter().flatten().collect()
    }

    /// Returns the name of the event of the board; empty if it belongs to no event.
    fn event_name(&self) -> String {
        self.view.event.as_ref().map(|edition| edition.name.clone()).unwrap_or_default()
    }

    /// Returns the sentences about proposals that players rejected or withdrew, about a game that an event counts as a
    /// draw because it has no result, and about a cup tie that thinking time decided because neither game has a winner.
    pub(crate) fn closings(&self, reader: &str) -> Vec<Message> {
        let closed = self.closed.iter().map(|by| match by == reader {
            true => message!("board.you-closed-proposal"),
            false => message!("board.closed-proposal", by),
        });
        let winner = self.notice.facts.cup.as_ref().and_then(|cup| cup.winner.as_ref());
        let tie = winner.filter(|_| self.notice.event == BoardEvent::End).map(|who| match who == reader {
            true => message!("board.you-won-tie"),
            false => message!("board.won-tie", who),
        });
        let is_drawn = self.notice.event == BoardEvent::End && self.view.no_result == Some(NoResult::Abandoned);
        let event = self.event_name();
        let counts = (is_drawn && !event.is_empty()).then(|| message!("board.counts-as-draw", event));
        closed.chain(counts).chain(tie).collect()
    }

    /// Returns a summary for a letter about several boards.
    pub(crate) fn summary(&self, reader: &str) -> Message {
        let view = &self.view;
        let (number, seats) = (view.number, &view.seats);
        let other = if seats[0].userid == reader { &seats[1].userid } else { &seats[0].userid };
        let by = self.notice.event.by().unwrap_or_default();
        let is_out_of_play = view.no_result.is_some_and(|why| why != NoResult::Abandoned);
        match (&self.notice.event, &view.proposal) {
            (BoardEvent::End, _) if view.no_result == Some(NoResult::Abandoned) => {
                message!("board.over-abandoned", number)
            }
            (BoardEvent::End, _) => match view.result.as_ref().and_then(|result| result.winner.as_ref()) {
                None => message!("board.summary-draw", number),
                Some(who) if who == reader => message!("board.summary-you-won", number),
                Some(who) => message!("board.summary-won", number, who),
            },
            (BoardEvent::Void, _) => message!("board.summary-void", number),
            (BoardEvent::Reopen, _) => message!("board.summary-reopened", number),
            (BoardEvent::Lapse { .. }, _) if view.event.is_some() => match by == reader {
                true => message!("board.summary-you-lost-unmoved", number),
                false => message!("board.summary-lost-unmoved", number, by, wins = self.plays),
            },
            (BoardEvent::Lapse { .. } | BoardEvent::Decline { .. }, _) => message!("board.summary-not-played", number),
            _ if is_out_of_play => message!("board.summary-not-played", number),
            (BoardEvent::Challenge, _) if view.challenger.as_ref() == Some(other) => {
                message!("board.summary-challenges-you", other, number)
            }
            (BoardEvent::Challenge, _) => message!("board.summary-new", number, other),
            (BoardEvent::Propose { .. }, Some(open)) => {
                let what = super::sentences::proposed(open.kind);
                match by == reader {
                    true => message!("board.summary-you-propose", number, what),
                    false => message!("board.summary-proposes", number, by, what),
                }
            }
            (BoardEvent::Chat { .. }, _) => {
                let said = view.comments.last().and_then(|comment| comment.text.lines().next()).unwrap_or_default();
                let (text, is_cut) = (said.chars().take(QUOTED).collect::<String>(), said.chars().count() > QUOTED);
                match by == reader {
                    true => message!("board.summary-you-wrote", number, text, is_cut),
                    false => message!("board.summary-wrote", number, by, text, is_cut),
                }
            }
            (BoardEvent::Reject { .. } | BoardEvent::Withdraw { .. }, _) => message!("board.summary-closed", number),
            _ => match view.news.last() {
                None => message!("board.summary-closed", number),
                Some(last) if last.kind == EntryKind::Move => match last.userid.as_deref().unwrap_or_default() {
                    who if who == reader => message!("board.summary-you-played", number, text = &last.text),
                    who => message!("board.summary-played", number, who, text = &last.text),
                },
                Some(_) => message!("board.summary-taken-back", number),
            },
        }
    }
}
