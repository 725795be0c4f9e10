//! The boards of a letter. The notices about a board are merged, and show the board after the last of them.

use anyhow::Context;

use super::composer::Composer;
use super::pictures::Reader;
use crate::numbers::{BoardNumber, EntryNumber};
use crate::service::{BoardEvent, BoardFacts, BoardNotice, BoardView, NoticeKind};
use crate::store::{EntryKind, Transaction};

/// Returns the sort key of a section with this kind. Requests to the reader come first, then the rest by board.
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
    /// The notices with the length of the record at that time; oldest first, never empty.
    pub(crate) notices: Vec<(EntryNumber, BoardNotice)>,
}

/// The merged notices about one board.
struct Merged {
    /// The most important event, and the board after the last notice, with everything that is new since the first.
    notice: BoardNotice,
    /// The length of the record at that time.
    entry: EntryNumber,
    /// The userids of the players who closed a proposal, unless that is the event itself.
    closed: Vec<String>,
}

impl AboutBoard {
    fn merged(self) -> anyhow::Result<Merged> {
        let entry = self.notices.iter().map(|(entry, _)| *entry).max().unwrap_or_default();
        let (_, last) = self.notices.last().context("a section of no notices")?;
        let ends_or_reopens = |event: &BoardEvent| event.kind().ends_board() || *event == BoardEvent::Reopen;
        let last_end = self.notices.iter().rposition(|(_, notice)| ends_or_reopens(&notice.event));
        // A later notice replaces a reminder of an earlier turn, a closed proposal, and a reverted end.
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
            // A reminder contains a different day, which a later notice of the same turn does not know.
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
            note: last.facts.note.clone(),
            dropped: all().rev().find_map(|facts| facts.dropped.clone()),
        };
        Ok(Merged { notice: BoardNotice { event, facts }, entry, closed })
    }
}

/// The news about one board, and the board.
pub(crate) struct ToldBoard {
    pub(crate) number: BoardNumber,
    pub(crate) notice: BoardNotice,
    /// The userids of the players who closed a proposal, unless that is the event itself.
    pub(crate) closed: Vec<String>,
    /// The players who caused the news.
    pub(crate) actors: Vec<String>,
    pub(crate) view: BoardView,
    /// Whether the reader is a player of the board.
    pub(crate) plays: bool,
    /// Whether the letter shows other boards in full.
    pub(crate) brief: bool,
}

impl ToldBoard {
    pub(crate) fn new(
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
        // No player causes a forfeit, and a reminder repeats earlier news.
        let news = view.news.iter().filter(|entry| entry.kind != EntryKind::Forfeit);
        actors.extend(news.filter_map(|entry| entry.userid.clone()));
        if matches!(notice.event, BoardEvent::Reminder { .. }) {
            actors.clear();
        }
        let plays = view.seats.iter().any(|seat| seat.userid == reader.userid);
        Ok(ToldBoard { number, notice, closed, actors, view, plays, brief: false })
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

/// Returns the player who caused a notice if the record does not contain them. No player causes a board to lapse.
fn doer(event: &BoardEvent) -> Option<String> {
    match event {
        BoardEvent::Lapse { .. } => None,
        event => event.by().map(str::to_owned),
    }
}
