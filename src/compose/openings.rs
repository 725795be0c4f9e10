//! The first sentences of letters about boards, and the summaries of boards in a letter about several.

use super::told_board::ToldBoard;
use crate::message;
use crate::service::{BoardEvent, NoResult, ProposalKind};
use crate::store::EntryKind;
use crate::text::Message;

/// The maximum number of characters of a comment in a summary.
const QUOTED: usize = 60;

impl ToldBoard {
    /// Returns the first sentences of the section; empty if it begins with the news. `offered` is the creator of the
    /// open challenge that became the board, and `terms` describes its terms in words.
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
                (Some(ProposalKind::Undo), true) => message!("board.you-request-undo"),
                (Some(ProposalKind::Undo), false) => message!("board.requests-undo", by),
                (Some(ProposalKind::Abandon), true) => message!("board.you-offer-end"),
                (Some(ProposalKind::Abandon), false) => message!("board.offers-end", by),
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
                match you {
                    true => message!("board.you-let-lapse", number, game, first, second, event),
                    false => message!("board.let-lapse", by, number, game, first, second, event),
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
        let event = view.event.as_ref().map(|edition| edition.name.clone()).unwrap_or_default();
        let challenger = view.challenger.as_deref();
        let cannot_decline = challenger == Some(other) && !event.is_empty();
        let begins = match offered {
            Some(by) if by == reader => message!("board.challenge-accepted", other, game, number),
            Some(by) => message!("board.you-accepted-challenge", by, game, number),
            None if challenger == Some(reader) => message!("board.you-challenge", other, game, event, terms),
            None if challenger == Some(other) => message!("board.challenges-you", other, game, event, terms),
            None => message!("board.begins", game, number, other, event, terms),
        };
        let forced = (offered.is_none() && cannot_decline).then(|| message!("board.cannot-decline"));
        let side = message!("board.your-side", side = own.side.clone());
        [Some(begins), forced, Some(side)].into_iter().flatten().collect()
    }

    /// Returns the sentences about open proposals that players closed.
    pub(crate) fn closings(&self, reader: &str) -> Vec<Message> {
        let closed = self.closed.iter().map(|by| match by == reader {
            true => message!("board.you-closed-proposal"),
            false => message!("board.closed-proposal", by),
        });
        closed.collect()
    }

    /// Returns a summary for a letter about several boards.
    pub(crate) fn gist(&self, reader: &str) -> Message {
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
                None => message!("board.gist-draw", number),
                Some(who) if who == reader => message!("board.gist-you-won", number),
                Some(who) => message!("board.gist-won", number, who),
            },
            (BoardEvent::Void, _) => message!("board.gist-void", number),
            (BoardEvent::Reopen, _) => message!("board.gist-reopened", number),
            (BoardEvent::Lapse { .. } | BoardEvent::Decline { .. }, _) => message!("board.gist-not-played", number),
            _ if is_out_of_play => message!("board.gist-not-played", number),
            (BoardEvent::Challenge, _) if view.challenger.as_ref() == Some(other) => {
                message!("board.gist-challenges-you", other, number)
            }
            (BoardEvent::Challenge, _) => message!("board.gist-new", number, other),
            (BoardEvent::Propose { .. }, Some(open)) => {
                let what = super::sentences::proposed(open.kind);
                match by == reader {
                    true => message!("board.gist-you-propose", number, what),
                    false => message!("board.gist-proposes", number, by, what),
                }
            }
            (BoardEvent::Chat { .. }, _) => {
                let said = view.comments.last().and_then(|comment| comment.text.lines().next()).unwrap_or_default();
                let (text, is_cut) = (said.chars().take(QUOTED).collect::<String>(), said.chars().count() > QUOTED);
                match by == reader {
                    true => message!("board.gist-you-wrote", number, text, is_cut),
                    false => message!("board.gist-wrote", number, by, text, is_cut),
                }
            }
            (BoardEvent::Reject { .. } | BoardEvent::Withdraw { .. }, _) => message!("board.gist-closed", number),
            _ => match view.news.last() {
                None => message!("board.gist-closed", number),
                Some(last) if last.kind == EntryKind::Move => match last.userid.as_deref().unwrap_or_default() {
                    who if who == reader => message!("board.gist-you-played", number, text = &last.text),
                    who => message!("board.gist-played", number, who, text = &last.text),
                },
                Some(_) => message!("board.gist-taken-back", number),
            },
        }
    }
}
