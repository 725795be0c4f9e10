//! The boards of a letter. The notices about a board are merged, and show the board as the last of them left it.

use anyhow::Context;

use super::composer::Composer;
use super::reader::Reader;
use crate::numbers::{BoardNumber, EntryNumber};
use crate::service::{BoardEvent, BoardFacts, BoardNotice, BoardView, NoticeKind};
use crate::store::{EntryKind, Transaction};

/// Ranks a section of this kind in its letter. What is asked of the reader comes first, then the rest by board.
pub(super) fn rank(kind: NoticeKind, your_turn: bool, board: Option<BoardNumber>) -> (u8, Option<BoardNumber>) {
    let rank = match (kind, your_turn, board) {
        (NoticeKind::Answer, ..) => 0,
        (NoticeKind::Reminder, ..) => 1,
        (_, true, _) => 2,
        (_, false, Some(_)) => 3,
        (_, false, None) => 4,
    };
    (rank, board)
}

/// All notices about one board.
pub(super) struct AboutBoard {
    pub(super) number: BoardNumber,
    /// Each with the length that the record had; oldest first, never empty.
    pub(super) notices: Vec<(EntryNumber, BoardNotice)>,
}

/// What the notices about one board tell together.
struct Merged {
    /// The event that matters most, and the board as the last notice left it, with everything that is new since the
    /// first.
    notice: BoardNotice,
    /// The length of the record then.
    entry: EntryNumber,
    /// The userids of the players who closed a proposal, where that is not the event itself.
    closed: Vec<String>,
}

impl AboutBoard {
    fn merged(self) -> anyhow::Result<Merged> {
        let entry = self.notices.iter().map(|(entry, _)| *entry).max().unwrap_or_default();
        let (_, last) = self.notices.last().context("a section of no notices")?;
        let ends_or_reopens = |event: &BoardEvent| event.kind().ends_board() || *event == BoardEvent::Reopen;
        let last_end = self.notices.iter().rposition(|(_, notice)| ends_or_reopens(&notice.event));
        // A later notice replaces a reminder of an earlier turn, a closed proposal, and an end that was taken back.
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
            // A reminder gives another day, which a later notice of the same turn does not know of.
            clock: match foremost {
                Some((_, (_, notice))) if matches!(notice.event, BoardEvent::Reminder { .. }) => &notice.facts.clock,
                _ => &last.facts.clock,
            }
            .clone(),
            proposal: last.facts.proposal.clone(),
            cleared: all().rev().find_map(|facts| facts.cleared.clone()),
            comments: all().flat_map(|facts| facts.comments.clone()).collect(),
            hint: last.facts.hint.clone(),
            note: last.facts.note.clone(),
            dropped: all().rev().find_map(|facts| facts.dropped.clone()),
        };
        Ok(Merged { notice: BoardNotice { event, facts }, entry, closed })
    }
}

/// What the notices about one board tell, and the board.
pub(super) struct ToldBoard {
    pub(super) number: BoardNumber,
    pub(super) notice: BoardNotice,
    /// The userids of the players who closed a proposal, where that is not the event itself.
    pub(super) closed: Vec<String>,
    /// The players who did what is told.
    pub(super) actors: Vec<String>,
    pub(super) view: BoardView,
    /// The reader plays there.
    pub(super) plays: bool,
    /// The letter shows other boards in full.
    pub(super) brief: bool,
}

impl ToldBoard {
    pub(super) fn new(
        composer: &Composer,
        tx: &Transaction<'_>,
        reader: &Reader,
        about: AboutBoard,
    ) -> anyhow::Result<ToldBoard> {
        let number = about.number;
        let mut actors: Vec<String> = about.notices.iter().filter_map(|(_, notice)| doer(&notice.event)).collect();
        let Merged { notice, entry, closed } = about.merged()?;
        let mut view = notice.facts.board(tx, number, entry)?;
        composer.draw(&mut view, reader.shown())?;
        if notice.event == BoardEvent::Challenge {
            actors.extend(challenger(tx, reader, &view)?);
        }
        // Nobody does a forfeit, and a reminder tells again what was told.
        let news = view.news.iter().filter(|entry| entry.kind != EntryKind::Forfeit);
        actors.extend(news.filter_map(|entry| entry.userid.clone()));
        if matches!(notice.event, BoardEvent::Reminder { .. }) {
            actors.clear();
        }
        let plays = view.seats.iter().any(|seat| seat.userid == reader.userid);
        Ok(ToldBoard { number, notice, closed, actors, view, plays, brief: false })
    }

    /// Whether the reader is to move.
    pub(super) fn is_turn_of(&self, reader: &Reader) -> bool {
        self.view.no_result.is_none() && self.view.to_move.as_ref() == Some(&reader.userid)
    }

    /// Where its section is in the letter.
    pub(super) fn order(&self, reader: &Reader) -> (u8, Option<BoardNumber>) {
        rank(self.notice.event.kind(), self.is_turn_of(reader), Some(self.number))
    }

    /// Whether a reply about it counts.
    pub(super) fn is_answerable(&self) -> bool {
        self.plays
    }
}

/// Who made a board begin: the challenger, or the player who accepted the reader's open challenge.
fn challenger(tx: &Transaction<'_>, reader: &Reader, view: &BoardView) -> anyhow::Result<Option<String>> {
    let offered = tx.open_challenge(view.number)?.is_some_and(|open| open.challenger.userid == reader.userid);
    if !offered {
        return Ok(view.challenger.clone());
    }
    Ok(view.seats.iter().map(|seat| seat.userid.clone()).find(|userid| *userid != reader.userid))
}

/// The player who did what a notice tells, where the record does not hold that. A board that lapses is nobody's doing.
fn doer(event: &BoardEvent) -> Option<String> {
    match event {
        BoardEvent::Lapse { .. } => None,
        event => event.by().map(str::to_owned),
    }
}
