//! Sections: what a letter says about one board, or in one notice about none. All notices about one board are one
//! section, which shows the board as the last of them left it.

use anyhow::Context;
use minijinja::value::Serde;
use minijinja::{Value, context};

use super::board::{DrawnBoard, draw};
use super::composer::Composer;
use super::html::MAX_PICTURES;
use super::reader::Reader;
use crate::command::MailForm;
use crate::message;
use crate::numbers::{BoardNumber, EntryNumber};
use crate::service::{Answer, AnswerEntry, BoardEntry, BoardEvent, BoardFacts, BoardNotice, BoardView};
use crate::service::{Notice, NoticeKind};
use crate::store::{OutboxNotice, Transaction};
use crate::token::{Login, NewPassword};

/// A section of a letter.
pub(super) struct Section {
    /// The notice that its templates are of.
    pub(super) kind: NoticeKind,
    /// The letter's subject, when this is its only section.
    pub(super) subject: String,
    pub(super) text: String,
    /// The heading above it when it is one of several.
    pub(super) title: Option<String>,
    /// The board that it is about.
    pub(super) board: Option<BoardNumber>,
    /// The boards in it, for a reader who wants pictures.
    pub(super) drawn: Vec<DrawnBoard>,
    /// The reader is to move on that board.
    pub(super) your_turn: bool,
    /// It answers a mail of which nothing was done.
    pub(super) refused: bool,
    /// The userid of the player whose text it passes on.
    pub(super) writer: Option<String>,
    /// It is about a board that the reader only follows.
    pub(super) follows: bool,
    /// The board in progress that the reader plays, and that a reply is meant for.
    pub(super) answerable: Option<BoardEntry>,
}

impl Section {
    /// What is asked of the reader comes first, then the rest by board.
    fn order(&self) -> (u8, Option<BoardNumber>) {
        let rank = match (self.kind, self.your_turn, self.board) {
            (NoticeKind::Answer, ..) => 0,
            (NoticeKind::Reminder, ..) => 1,
            (_, true, _) => 2,
            (_, false, Some(_)) => 3,
            (_, false, None) => 4,
        };
        (rank, self.board)
    }
}

/// All notices about one board.
struct AboutBoard {
    number: BoardNumber,
    /// Each with the length that the record had; oldest first, never empty.
    notices: Vec<(EntryNumber, BoardNotice)>,
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
        // A reminder of an earlier turn, or a proposal that is no longer open, is told by what came after it.
        let counts = |(of, notice): &&(EntryNumber, BoardNotice)| match notice.event {
            BoardEvent::Reminder { .. } => *of == entry,
            BoardEvent::Propose { .. } => last.facts.proposal.is_some(),
            _ => true,
        };
        let foremost = self.notices.iter().filter(counts).min_by_key(|(_, notice)| notice.event.kind());
        let event = foremost.map_or(&last.event, |(_, notice)| &notice.event).clone();
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
            clock: last.facts.clock.clone(),
            proposal: last.facts.proposal.clone(),
            comments: all().flat_map(|facts| facts.comments.clone()).collect(),
            note: last.facts.note.clone(),
            dropped: all().rev().find_map(|facts| facts.dropped.clone()),
        };
        Ok(Merged { notice: BoardNotice { event, facts }, entry, closed })
    }
}

impl Composer {
    /// The sections of a letter that tells these notices, the most urgent first.
    pub(super) fn sections(
        &self,
        tx: &dyn Transaction,
        reader: &Reader,
        notices: &[OutboxNotice],
    ) -> anyhow::Result<Vec<Section>> {
        let mut boards: Vec<AboutBoard> = Vec::new();
        let mut others = Vec::new();
        for row in notices {
            let board = match Notice::read(row)? {
                Notice::Board(board) => board,
                other => {
                    others.push(other);
                    continue;
                }
            };
            let number = row.board.with_context(|| format!("notice {} names no board", row.id.0))?;
            let notice = (row.entry.unwrap_or_default(), board);
            match boards.iter_mut().find(|about| about.number == number) {
                Some(about) => about.notices.push(notice),
                None => boards.push(AboutBoard { number, notices: vec![notice] }),
            }
        }
        let several = boards.len() + others.len() > 1;
        let mut sections = Vec::new();
        for about in boards {
            sections.push(self.about_board(tx, reader, about, several)?);
        }
        for notice in &others {
            sections.push(self.about_no_board(tx, reader, notice)?);
        }
        sections.sort_by_key(Section::order);
        Ok(sections)
    }

    fn about_board(
        &self,
        tx: &dyn Transaction,
        reader: &Reader,
        about: AboutBoard,
        several: bool,
    ) -> anyhow::Result<Section> {
        let number = about.number;
        let Merged { notice, entry, closed } = about.merged()?;
        let kind = notice.event.kind();
        let mut board = notice.facts.board(tx, number, entry)?;
        draw(&mut board)?;
        let drawn = drawn(reader, [&mut board])?;
        let offered = tx.open_challenge(number)?.map(|open| open.challenger.userid);
        let plays = board.seats.iter().any(|seat| seat.userid == reader.userid);
        let goes_on = board.to_move.is_some() && !kind.ends_board();
        let facts = context! { board => Serde(&board), facts => Serde(&notice), several, offered, closed };
        Ok(Section {
            your_turn: !board.declined && board.to_move.as_ref() == Some(&reader.userid),
            follows: !plays,
            drawn,
            title: Some(self.title(&board)?),
            board: Some(number),
            answerable: (plays && goes_on).then_some(BoardEntry {
                board: number,
                entry,
                proposal: notice.facts.proposal.as_ref().map(|proposal| proposal.kind),
            }),
            ..self.section(kind, reader.context(facts))?
        })
    }

    fn about_no_board(&self, tx: &dyn Transaction, reader: &Reader, notice: &Notice) -> anyhow::Result<Section> {
        let mut login = None;
        let mut writer = None;
        match notice {
            Notice::Answer(answer) => return self.answered(reader, answer),
            Notice::Login(link) => login = Some(Login { link: u32::try_from(link.link)? }.sign(&tx.reply_key()?)),
            Notice::Password(link) => {
                login = Some(NewPassword { link: u32::try_from(link.link)? }.sign(&tx.reply_key()?));
            }
            Notice::Message(text) | Notice::Broadcast(text) => writer = Some(text.by.clone()),
            Notice::Board(_) | Notice::Confirm(_) | Notice::Pause(_) => {}
        }
        let facts = reader.context(context! { facts => Serde(notice), login });
        Ok(Section { writer, ..self.section(notice.kind(), facts)? })
    }

    /// The section that answers a mail.
    fn answered(&self, reader: &Reader, answer: &Answer) -> anyhow::Result<Section> {
        let mut answer = answer.clone();
        for board in answer.entries.iter_mut().flat_map(boards_of) {
            draw(board)?;
        }
        let texts = answer.entries.iter().map(|entry| match entry {
            AnswerEntry::Done(response) => self.answer_to(reader, response),
            AnswerEntry::Rejected(rejection) => self.refused_to(reader, rejection),
        });
        let texts = texts.collect::<anyhow::Result<Vec<_>>>()?;
        let refused = answer.entries.iter().all(|entry| matches!(entry, AnswerEntry::Rejected(_)));
        let drawn = drawn(reader, answer.entries.iter_mut().flat_map(boards_of))?;
        let facts = reader.context(context! { texts, refused });
        Ok(Section { refused, answerable: answer.about, drawn, ..self.section(NoticeKind::Answer, facts)? })
    }

    fn section(&self, kind: NoticeKind, facts: Value) -> anyhow::Result<Section> {
        let name = kind.name();
        Ok(Section {
            kind,
            subject: self.templates.fill(&format!("mail/{name}.subject"), facts.clone())?,
            text: self.templates.fill(&format!("mail/{name}.txt"), facts)?,
            title: None,
            board: None,
            drawn: Vec::new(),
            your_turn: false,
            follows: false,
            refused: false,
            writer: None,
            answerable: None,
        })
    }

    /// `Marque board 3: alice against bob`
    fn title(&self, board: &BoardView) -> anyhow::Result<String> {
        let userid = |seat: usize| board.seats.get(seat).map(|seat| seat.userid.as_str()).unwrap_or_default();
        self.message(&message!(
            "compose.board-title",
            game = &board.title,
            number = board.number,
            first = userid(0),
            second = userid(1),
        ))
    }
}

/// The boards that an answer shows.
fn boards_of(entry: &mut AnswerEntry) -> &mut [BoardView] {
    match entry {
        AnswerEntry::Done(response) => response.boards_mut(),
        AnswerEntry::Rejected(rejection) => rejection.board.as_deref_mut().map_or(&mut [], std::slice::from_mut),
    }
}

/// The pictures of boards, for a reader who wants them.
fn drawn<'a>(reader: &Reader, boards: impl IntoIterator<Item = &'a mut BoardView>) -> anyhow::Result<Vec<DrawnBoard>> {
    let boards = boards.into_iter().filter(|board| reader.form == MailForm::Html && !board.declined);
    boards.take(MAX_PICTURES).map(DrawnBoard::new).collect()
}
