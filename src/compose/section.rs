//! Sections: what a letter says of one matter. The notices of one board are one matter, told as the last of them left
//! it.

use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::{Deserialize, Serialize};

use crate::command::MailForm;
use crate::service::{BoardFacts, BoardView, Rejection, Response};
use crate::store::{OutboxNotice, Transaction};
use crate::token::Login;

use super::html::{Drawn, MAX_PICTURES};
use super::{Composer, Reader};

/// What one mail is answered with: the facts of an `answer` notice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Reply {
    /// One entry a command, in order, without those whose notice tells the sender already.
    pub entries: Vec<ReplyEntry>,
    /// The one board that it is about, if the sender plays there and it is in progress: an answer to the answer is
    /// meant for it.
    #[serde(default)]
    pub about: Option<At>,
}

/// A board and the length of its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct At {
    /// Its number.
    pub board: u32,
    /// How long its record is.
    pub entry: u32,
}

/// The answer to one command of a mail.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReplyEntry {
    /// Done.
    Answer(Box<Response>),
    /// Not done.
    Refused(Rejection),
}

/// What a letter says of one matter.
pub(super) struct Section {
    /// The name of its templates.
    pub(super) kind: String,
    pub(super) subject: String,
    pub(super) text: String,
    /// What it is about, above it among others.
    pub(super) title: Option<String>,
    pub(super) board: Option<u32>,
    /// The boards in it, for a reader who wants pictures.
    pub(super) drawn: Vec<Drawn>,
    /// The reader is to move on that board.
    pub(super) your_turn: bool,
    /// It answers a mail of which nothing was done.
    pub(super) refused: bool,
    /// Whose text it passes on.
    pub(super) writer: Option<String>,
    /// It is about a board that the reader only follows.
    pub(super) follows: bool,
    /// The board in progress that the reader plays, and that his answer is meant for.
    pub(super) answerable: Option<At>,
}

impl Section {
    /// What is asked of the reader goes first, and then by board.
    fn order(&self) -> (u8, Option<u32>) {
        let rank = match (self.kind.as_str(), self.your_turn, self.board) {
            ("answer", ..) => 0,
            ("reminder", ..) => 1,
            (_, true, _) => 2,
            (_, false, Some(_)) => 3,
            (_, false, None) => 4,
        };
        (rank, self.board)
    }
}

/// How much a kind of notice about a board matters beside others about it; 0 is most.
fn weight(kind: &str) -> usize {
    const KINDS: &[&str] =
        &["end", "lapse", "decline", "reminder", "propose", "challenge", "move", "reject", "withdraw", "chat"];
    KINDS.iter().position(|known| *known == kind).unwrap_or(KINDS.len())
}

impl Composer {
    /// The matters of these notices, the most urgent first.
    pub(super) fn sections(
        &self,
        tx: &dyn Transaction,
        reader: &Reader,
        notices: &[OutboxNotice],
    ) -> anyhow::Result<Vec<Section>> {
        let mut matters: Vec<Vec<&OutboxNotice>> = Vec::new();
        for notice in notices {
            let same = |matter: &&mut Vec<&OutboxNotice>| notice.board.is_some() && matter[0].board == notice.board;
            match matters.iter_mut().find(same) {
                Some(matter) => matter.push(notice),
                None => matters.push(vec![notice]),
            }
        }
        let several = matters.len() > 1;
        let mut sections = Vec::new();
        for matter in &matters {
            sections.push(match matter[0].board {
                Some(board) => self.about_board(tx, reader, board, matter, several)?,
                None => self.about_no_board(tx, reader, matter[0])?,
            });
        }
        sections.sort_by_key(Section::order);
        Ok(sections)
    }

    fn about_board(
        &self,
        tx: &dyn Transaction,
        reader: &Reader,
        number: u32,
        notices: &[&OutboxNotice],
        several: bool,
    ) -> anyhow::Result<Section> {
        let mut all = Vec::new();
        for notice in notices {
            all.push((*notice, serde_json::from_str::<BoardFacts>(&notice.facts)?));
        }
        let last_entry = notices.iter().filter_map(|notice| notice.entry).max().unwrap_or_default();
        let last = &all[all.len() - 1].1;
        // A reminder of an earlier turn, or a proposal that is no longer open, is told by what came after it.
        let counts = |(notice, _): &&(&OutboxNotice, BoardFacts)| match notice.kind.as_str() {
            "reminder" => notice.entry == Some(last_entry),
            "propose" => last.proposal.is_some(),
            _ => true,
        };
        let foremost = all.iter().filter(counts).min_by_key(|(notice, _)| weight(&notice.kind));
        let (notice, foremost) = foremost.unwrap_or(&all[all.len() - 1]);
        let facts = BoardFacts {
            since: all.iter().map(|(_, facts)| facts.since).min().unwrap_or_default(),
            clock: last.clock.clone(),
            proposal: last.proposal.clone(),
            comments: all.iter().flat_map(|(_, facts)| facts.comments.clone()).collect(),
            note: last.note.clone(),
            dropped: all.iter().rev().find_map(|(_, facts)| facts.dropped.clone()),
            by: foremost.by.clone(),
            reminders: foremost.reminders,
        };
        let board = facts.board(tx, number, last_entry)?;
        let kind = notice.kind.clone();
        let offered = tx.open_challenge(number)?.map(|offer| offer.challenger.userid);
        let closed = all.iter().filter(|(other, _)| matches!(other.kind.as_str(), "reject" | "withdraw"));
        let closed: Vec<_> =
            closed.filter(|(other, _)| other.kind != kind).map(|(_, facts)| facts.by.clone()).collect();
        let title = title(&board);
        let drawn = drawn(reader, [&board])?;
        let your_turn = !board.declined && board.to_move.as_ref() == Some(&reader.userid);
        let plays = board.seats.iter().any(|seat| seat.userid == reader.userid);
        let goes_on = board.to_move.is_some() && !matches!(kind.as_str(), "end" | "decline" | "lapse");
        let answerable = (plays && goes_on).then_some(At { board: number, entry: last_entry });
        let told = reader.told(context! {
            board => Serde(board), facts => Serde(facts), several, offered, closed,
        });
        Ok(Section {
            your_turn,
            follows: !plays,
            drawn,
            title: Some(title),
            board: Some(number),
            answerable,
            ..self.section(&kind, told)?
        })
    }

    fn about_no_board(&self, tx: &dyn Transaction, reader: &Reader, notice: &OutboxNotice) -> anyhow::Result<Section> {
        if notice.kind != "answer" {
            let facts: serde_json::Value = serde_json::from_str(&notice.facts)?;
            let writer = facts["by"].as_str().map(str::to_owned);
            // Signed here, so that no table holds it.
            let login = match facts["link"].as_u64().and_then(|link| u32::try_from(link).ok()) {
                Some(link) => Some(Login { link }.sign(&tx.reply_key()?)),
                None => None,
            };
            let told = reader.told(context! { facts => Serde(facts), login });
            return Ok(Section { writer, ..self.section(&notice.kind, told)? });
        }
        let reply: Reply = serde_json::from_str(&notice.facts)?;
        let texts = reply.entries.iter().map(|entry| match entry {
            ReplyEntry::Answer(answer) => self.answer_to(reader, answer),
            ReplyEntry::Refused(refused) => self.refused_to(reader, refused),
        });
        let texts = texts.collect::<anyhow::Result<Vec<_>>>()?;
        let refused = reply.entries.iter().all(|entry| matches!(entry, ReplyEntry::Refused(_)));
        let answerable = reply.about;
        let boards = reply.entries.iter().flat_map(|entry| match entry {
            ReplyEntry::Answer(answer) => answer.boards(),
            ReplyEntry::Refused(refused) => refused.board.as_deref().map_or(&[][..], std::slice::from_ref),
        });
        let drawn = drawn(reader, boards)?;
        Ok(Section { refused, answerable, drawn, ..self.section("answer", reader.told(context! { texts, refused }))? })
    }

    fn section(&self, kind: &str, facts: Value) -> anyhow::Result<Section> {
        Ok(Section {
            kind: kind.to_owned(),
            subject: self.templates.fill(&format!("mail/{kind}.subject"), facts.clone())?,
            text: self.templates.fill(&format!("mail/{kind}.txt"), facts)?,
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
}

/// The pictures of boards, for a reader who wants them.
fn drawn<'a>(reader: &Reader, boards: impl IntoIterator<Item = &'a BoardView>) -> anyhow::Result<Vec<Drawn>> {
    let boards = boards.into_iter().filter(|board| reader.form == MailForm::Html && !board.declined);
    boards.take(MAX_PICTURES).map(Drawn::new).collect()
}

/// `Marque board 3: alice against bob`
fn title(board: &BoardView) -> String {
    let players: Vec<&str> = board.seats.iter().map(|seat| seat.userid.as_str()).collect();
    format!("{} board {}: {}", board.title, board.number, players.join(" against "))
}
