//! Sections of letters: the text about one board, or about one notice without a board. All notices about one board
//! form one section, which shows the board after the last of them.

use anyhow::Context;
use minijinja::value::Serde;
use minijinja::{Value, context};

use super::answers::DrawnCurve;
use super::board::{DrawnBoard, MAX_PICTURES};
use super::composer::Composer;
use super::news::{AboutBoard, ShownBoard, rank};
use super::pictures::Reader;
use super::replies::Replies;
use crate::clock::rfc3339;
use crate::command::MailForm;
use crate::message;
use crate::numbers::{BoardNumber, EntryNumber};
use crate::rules::catalogue;
use crate::service::{
    Answer, AnswerEntry, AsOf, BoardAnalysis, BoardEntry, BoardEvent, BoardView, Notice, NoticeKind, OfferView,
    PuzzleNotice, ReadNotice, Response, Silence, SilenceOf, asks_last_word, board_view, boards_in_letter,
    events_in_letter, message_writer, noticed_puzzle, puzzles_in_letter, read_notices,
};
use crate::store::{self, NoResult, OutboxNotice, Transaction};
use crate::text::{Message, squeezed};
use crate::token::{Calendar, Invitation, Login, NewPassword};

/// The maximum number of boards that a letter shows in full. For further boards, the letter lists only the news.
const FULL_BOARDS: usize = 5;
/// The number of plies after which the players of a board probably know how to reply.
const KNOWN_AFTER: u32 = 3;

/// A section of a letter.
// All kinds of sections share these fields, because a letter combines sections of different kinds.
pub(crate) struct Section {
    /// The kind of notice, which selects the templates.
    pub(crate) kind: NoticeKind,
    /// The letter's subject if this is its only section.
    pub(crate) subject: String,
    /// The text, with soft breaks.
    pub(crate) text: String,
    /// The heading above the section if the letter has several. The preview of a letter with one section shows it too.
    pub(crate) title: Option<String>,
    /// A short summary for a letter with several sections.
    pub(crate) summary: Option<String>,
    pub(crate) board: Option<BoardNumber>,
    /// The board to whose thread the section belongs: its own board, or that of the answered message.
    pub(crate) thread: Option<BoardNumber>,
    /// In an answer, the length of the record of `thread`. The player probably replied to the letter about this entry.
    pub(crate) answers: Option<EntryNumber>,
    /// The boards in the section, for a reader who wants pictures.
    pub(crate) drawn: Vec<DrawnBoard>,
    /// The curves in the section, for a reader who wants pictures.
    pub(crate) curves: Vec<DrawnCurve>,
    /// Whether the reader is to move on this board.
    pub(crate) your_turn: bool,
    /// The section's row in the table of a letter about many boards.
    pub(crate) row: Option<Value>,
    /// An example of a reply that names the board, for a letter about several boards: `3 f4`.
    pub(crate) example: Option<String>,
    /// The reader's deadline for the move.
    pub(crate) deadline: Option<String>,
    /// Whether the section answers a message without any successful command.
    pub(crate) refused: bool,
    /// The number of rejected commands in the answered message.
    pub(crate) rejected: usize,
    /// The userid of the player whose text the section forwards.
    pub(crate) writer: Option<String>,
    /// The players who caused the news.
    pub(crate) actors: Vec<String>,
    /// Whether the reader only follows the board.
    pub(crate) follows: bool,
    /// The name of the event that the section is about, or to which its board belongs.
    pub(crate) event: Option<String>,
}

impl Section {
    /// Returns the sort key: answers and requests to the reader first, then by board. The rejected commands of a
    /// message come last if others succeeded.
    fn order(&self) -> (u8, Option<BoardNumber>) {
        match self.kind {
            NoticeKind::Answer if self.rejected > 0 && !self.refused => (5, self.board),
            kind => rank(kind, self.your_turn, self.board),
        }
    }
}

/// Facts about the letter that the text of a section depends on.
struct Worded<'a> {
    reader: &'a Reader,
    replies: &'a Replies,
    /// Whether the letter has other sections.
    several: bool,
    /// Whether a reply is sent to the player whose messages the letter forwards.
    to_writer: bool,
    /// Whether the letter asks only one question that *yes* can answer: whether the reader takes part in the next
    /// edition of an event.
    asks_once: bool,
}

impl Composer {
    /// Returns the sections of a letter with these notices, the most urgent first, and the ways to reply. `own` is
    /// the server's address.
    pub(crate) fn sections(
        &self,
        tx: &Transaction<'_>,
        reader: &Reader,
        notices: &[OutboxNotice],
        own: &str,
    ) -> anyhow::Result<(Vec<Section>, Replies)> {
        let mut boards: Vec<AboutBoard> = Vec::new();
        let mut others = Vec::new();
        let read = read_notices(notices)?;
        let open = boards_in_letter(&read);
        let events = events_in_letter(&read);
        let to_writer = message_writer(&read).is_some();
        let is_whole = asks_last_word(&read) || !events.is_empty() || !puzzles_in_letter(&read).is_empty();
        for ReadNotice { row, notice } in read {
            let board = match notice {
                Notice::Board(board) => board,
                other => {
                    others.push(other);
                    continue;
                }
            };
            let number = row.board.with_context(|| format!("notice {} has no board", row.id.0))?;
            let notice = (row.entry.unwrap_or_default(), board);
            match boards.iter_mut().find(|about| about.number == number) {
                Some(about) => about.notices.push(notice),
                None => boards.push(AboutBoard { number, notices: vec![notice] }),
            }
        }
        let several = boards.len() + others.len() > 1;
        let mut boards: Vec<ShownBoard> =
            boards.into_iter().map(|about| ShownBoard::new(self, tx, reader, about)).collect::<anyhow::Result<_>>()?;
        boards.sort_by_key(|shown| shown.order(reader));
        boards.iter_mut().skip(FULL_BOARDS).for_each(|shown| shown.brief = true);
        let replies = match notices.first() {
            Some(leading) => Replies::new(tx, leading, &can_be_answered(open, &boards, &others), is_whole, own)?,
            None => Replies::default(),
        };
        let proposes = boards.iter().any(|shown| shown.view.proposal.is_some());
        let asks_once = !proposes && events.iter().filter(|event| event.asks).count() == 1;
        let worded = Worded { reader, replies: &replies, several, to_writer, asks_once };
        let mut sections = Vec::new();
        for shown in boards {
            sections.push(self.about_board(tx, &worded, shown)?);
        }
        for notice in &others {
            sections.push(self.about_no_board(tx, &worded, notice)?);
        }
        sections.sort_by_key(Section::order);
        Ok((sections, replies))
    }

    fn about_board(&self, tx: &Transaction<'_>, worded: &Worded<'_>, shown: ShownBoard) -> anyhow::Result<Section> {
        let Worded { reader, replies, several, .. } = worded;
        let your_turn = shown.is_turn_of(reader);
        let offered = tx.open_challenge(shown.number)?.map(|open| open.challenger.userid);
        let terms = match shown.notice.event {
            BoardEvent::Challenge => self.terms(tx, reader, &shown.view)?,
            _ => String::new(),
        };
        let opening = shown.opening(&reader.userid, offered.as_deref(), &terms);
        let (closed, summary) = (shown.closings(&reader.userid), shown.summary(&reader.userid));
        let ShownBoard { number, notice, actors, view: mut board, plays, brief, .. } = shown;
        let mut drawn = self.drawn(reader, [&mut board])?;
        let known = brief || board.plies.0 >= KNOWN_AFTER;
        let (kind, reply) = (notice.event.kind(), replies.facts(number));
        let example = board.drawn.as_ref().and_then(|drawn| drawn.example.as_ref());
        let facts = context! { board => Serde(&board), facts => Serde(&notice), several, offered, reply };
        let facts = context! { opening => Serde(opening), closed => Serde(closed), ..facts };
        let facts = reader.context(context! { kind => kind.name(), brief, known, your_turn, ..facts });
        let row = context! { number => number.0, game => &board.title, seats => Serde(&board.seats), your_turn, plays,
        over => board.to_move.is_none() || board.no_result.is_some(), clock => Serde(&board.clock) };
        let section = self.section(kind, facts)?;
        drawn.iter_mut().for_each(|board| board.brief = !section.text.contains(&board.drawing));
        // A letter with one section shows its title only in the preview of the HTML part.
        let titled = *several || reader.settings.mail == MailForm::Html;
        let summary = several.then(|| self.message(&summary)).transpose()?;
        Ok(Section {
            your_turn,
            follows: !plays,
            event: board.event.as_ref().map(|edition| edition.name.clone()),
            drawn,
            title: titled.then(|| self.title(&board)).transpose()?,
            summary,
            board: Some(number),
            thread: Some(number),
            row: Some(row),
            example: example.filter(|_| your_turn).map(|example| format!("{number} {example}")),
            deadline: board.clock.as_ref().filter(|_| your_turn).and_then(|clock| clock.deadline).map(rfc3339),
            actors,
            ..section
        })
    }

    fn about_no_board(&self, tx: &Transaction<'_>, worded: &Worded<'_>, notice: &Notice) -> anyhow::Result<Section> {
        let mut login = None;
        let mut writer = None;
        let mut event = None;
        match notice {
            Notice::Answer(answer) => return self.answered(tx, worded, answer),
            Notice::Analysis(analysed) => return self.analysed(worded.reader, analysed),
            Notice::Puzzle(puzzle) => return self.puzzle(tx, worded, puzzle),
            Notice::Login(link) => login = Some(Login { link: u32::try_from(link.link)? }.sign(&tx.reply_key()?)),
            Notice::Password(link) => {
                login = Some(NewPassword { link: u32::try_from(link.link)? }.sign(&tx.reply_key()?));
            }
            Notice::Message(text) | Notice::Broadcast(text) => {
                writer = Some(text.by.clone()).filter(|by| !by.is_empty());
            }
            Notice::EventBegin(facts)
            | Notice::EventReport(facts)
            | Notice::EventEnd(facts)
            | Notice::EventAbsence(facts) => event = Some(facts.name.clone()),
            Notice::Board(_) | Notice::Confirm(_) | Notice::Pause(_) | Notice::Quarantined(_) | Notice::Report(_) => {}
        }
        let answerable = worded.replies.address.is_some() && (event.is_some() || worded.to_writer);
        let facts = worded
            .reader
            .context(context! { answerable, asks_once => worded.asks_once, facts => Serde(notice), login });
        let actors = writer.iter().cloned().collect();
        Ok(Section { writer, actors, event, ..self.section(notice.kind(), facts)? })
    }

    /// Returns the section with an analysis.
    fn analysed(&self, reader: &Reader, analysed: &BoardAnalysis) -> anyhow::Result<Section> {
        let facts = reader.context(self.analysis_facts(analysed)?);
        let curves = self.curves(reader, [analysed])?;
        Ok(Section { curves, thread: Some(analysed.number), ..self.section(NoticeKind::Analysis, facts)? })
    }

    /// Returns the section with a puzzle.
    fn puzzle(&self, tx: &Transaction<'_>, worded: &Worded<'_>, notice: &PuzzleNotice) -> anyhow::Result<Section> {
        let Worded { reader, replies, several, .. } = worded;
        let Some(mut puzzle) = noticed_puzzle(tx, notice)? else {
            let game = catalogue::find(&notice.game).map_or(&*notice.game, |game| game.title());
            let facts = reader.context(context! { withdrawn => notice.number.0, game });
            return self.section(NoticeKind::Puzzle, facts);
        };
        self.draw(&mut puzzle.position, reader.shown())?;
        let drawn = self.drawn(reader, [&mut puzzle.position])?;
        let answerable = replies.address.is_some() && !several;
        let facts = reader.context(context! { puzzle => Serde(&puzzle), answerable });
        let title = self.message(&message!("compose.puzzle-title", game = puzzle.title, number = puzzle.number))?;
        Ok(Section { drawn, title: Some(title), ..self.section(NoticeKind::Puzzle, facts)? })
    }

    /// Returns the curves of analyses, for a reader who wants pictures.
    fn curves<'a>(
        &self,
        reader: &Reader,
        analyses: impl IntoIterator<Item = &'a BoardAnalysis>,
    ) -> anyhow::Result<Vec<DrawnCurve>> {
        let analyses = analyses.into_iter().filter(|_| reader.settings.mail == MailForm::Html).take(MAX_PICTURES);
        analyses.filter_map(|analysed| self.curve(analysed).transpose()).collect()
    }

    /// Returns the section that answers a message.
    fn answered(&self, tx: &Transaction<'_>, worded: &Worded<'_>, answer: &Answer) -> anyhow::Result<Section> {
        let Worded { reader, replies, several, .. } = worded;
        let mut answer = answer.clone();
        // Sign the links here, because the outbox does not store them.
        for offer in answer.entries.iter_mut().flat_map(offers_of_mut) {
            if offer.flags.private && offer.challenger == reader.userid {
                offer.invitation = Some(Invitation { challenge: offer.number }.sign(&tx.reply_key()?));
            }
        }
        for entry in &mut answer.entries {
            if let AnswerEntry::Done(done) = entry
                && let Response::Calendar { number, token, .. } = &mut **done
            {
                *token = number
                    .map(|calendar| -> store::Result<String> { Ok(Calendar { calendar }.sign(&tx.reply_key()?)) })
                    .transpose()?;
            }
        }
        for board in answer.entries.iter_mut().flat_map(boards_of) {
            self.draw(board, reader.shown())?;
        }
        // In a letter with several sections, readers would think that "Nothing was changed" applies to the whole
        // letter.
        let alone = answer.done == 0 && !several;
        let texts = answer.entries.iter().map(|entry| match entry {
            AnswerEntry::Done(response) => self.answer_to(reader, response),
            AnswerEntry::Rejected(rejection) => self.refused_to(reader, rejection, alone),
        });
        let texts = texts.collect::<anyhow::Result<Vec<_>>>()?;
        let rejected = answer.entries.iter().filter(|entry| matches!(entry, AnswerEntry::Rejected(_))).count();
        let (refused, done) = (answer.done == 0 && rejected == texts.len(), answer.done);
        let drawn = self.drawn(reader, answer.entries.iter_mut().flat_map(boards_of))?;
        let curves = self.curves(reader, answer.entries.iter().filter_map(analysis_of))?;
        let answerable = |number: BoardNumber| answer.boards().any(|about| about.board == number);
        let mut offers: Vec<&OfferView> = answer.entries.iter().flat_map(offers_of).collect();
        offers.retain(|offer| answerable(offer.number));
        let is_offer = |number: BoardNumber| offers.iter().any(|offer| offer.number == number);
        let boards: Vec<BoardEntry> = answer.boards().filter(|of| !is_offer(of.board)).collect();
        let playing = examples(tx, reader, &boards)?;
        let is_shown = |number: BoardNumber| is_offer(number) || playing.iter().any(|(of, _)| *of == number);
        let own =
            |of: BoardEntry| replies.shown_address(of.board).map(|address| context! { board => of.board.0, address });
        let addresses: Vec<Value> = answer.boards().filter(|of| is_shown(of.board)).filter_map(own).collect();
        let examples: Vec<String> = playing.into_iter().map(|(_, example)| example).collect();
        let prefixed = replies.are_numbered();
        let offers: Vec<Value> = offers.iter().map(|offer| offer_facts(offer, reader)).collect();
        let unsolved = matches!(answer.entries.as_slice(), [only] if is_unsolved_puzzle(only));
        let solves = unsolved && replies.address.is_some() && !replies.has_boards() && !several;
        let about = answer.only_board();
        let (thread, answers) = (about.map(|about| about.board), about.map(|about| about.entry));
        let topic = thread.map_or(Ok(None), |board| topic(tx, board))?;
        let silence = Serde(answer.silence.map(|silence| announced(silence, reader)));
        let facts = context! {
            topic, texts, refused, rejected, done, several, examples, addresses, offers, prefixed, solves, silence
        };
        let section = self.section(NoticeKind::Answer, reader.context(facts))?;
        Ok(Section { thread, answers, refused, rejected, drawn, curves, ..section })
    }

    fn section(&self, kind: NoticeKind, facts: Value) -> anyhow::Result<Section> {
        let name = kind.name();
        Ok(Section {
            kind,
            subject: self.templates.fill(&format!("mail/{name}.subject"), facts.clone())?,
            text: self.templates.fill_softly(&format!("mail/{name}.txt"), facts)?,
            title: None,
            summary: None,
            board: None,
            thread: None,
            answers: None,
            drawn: Vec::new(),
            curves: Vec::new(),
            your_turn: false,
            row: None,
            example: None,
            deadline: None,
            follows: false,
            refused: false,
            rejected: 0,
            writer: None,
            actors: Vec::new(),
            event: None,
        })
    }

    /// Returns the pictures of boards, for a reader who wants them.
    fn drawn<'a>(
        &self,
        reader: &Reader,
        boards: impl IntoIterator<Item = &'a mut BoardView>,
    ) -> anyhow::Result<Vec<DrawnBoard>> {
        let boards = boards.into_iter().filter(|board| {
            reader.settings.mail == MailForm::Html && !board.no_result.is_some_and(NoResult::is_out_of_play)
        });
        boards.take(MAX_PICTURES).map(|board| DrawnBoard::new(self, board, &reader.userid)).collect()
    }

    /// Returns the terms of a board in words: `9 cells a side, rated, 21 days a move`. For a reader who cannot see the
    /// board, they include the default size.
    fn terms(&self, tx: &Transaction<'_>, reader: &Reader, board: &BoardView) -> anyhow::Result<String> {
        let default = catalogue::find(&board.game).filter(|_| reader.settings.mail == MailForm::Accessible);
        let options = match default {
            Some(game) if board.options.is_empty() => game.built_in(),
            _ => &board.options,
        };
        let time_control = tx.board(board.number)?.map(|board| board.terms.time_control).unwrap_or_default();
        let (move_days, all_days, fischer) = (time_control.forfeit, time_control.total, Serde(time_control.fischer));
        let game = &board.game;
        let facts = context! { board => Serde(board.flags), game, options, move_days, all_days, fischer };
        Ok(squeezed(&self.templates.fill("part/terms.txt", facts)?))
    }

    /// Returns the title of a board: `Marque board 3: alice against bob`.
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

/// Returns a sentence that announces a period in which the server does not answer mail.
fn announced(silence: Silence, reader: &Reader) -> Message {
    let message = match silence.of {
        SilenceOf::AnHour => message!("compose.silence-an-hour"),
        SilenceOf::Refused => message!("compose.silence-refused"),
        SilenceOf::WithoutCommand => message!("compose.silence-without-command"),
        SilenceOf::Stranger => message!("compose.silence-stranger"),
        SilenceOf::StrangersRequests => message!("compose.silence-strangers-requests"),
    };
    message.with("until", rfc3339(silence.until)).with("zone", &*reader.settings.zone)
}

/// Returns whether an answer shows a puzzle whose solution its reader does not know yet.
fn is_unsolved_puzzle(entry: &AnswerEntry) -> bool {
    let AnswerEntry::Done(response) = entry else { return false };
    matches!(&**response, Response::Puzzle(answer) if !answer.verdict.as_ref().is_some_and(|verdict| verdict.right))
}

fn boards_of(entry: &mut AnswerEntry) -> &mut [BoardView] {
    match entry {
        AnswerEntry::Done(response) => response.boards_mut(),
        AnswerEntry::Rejected(rejection) => rejection.board.as_deref_mut().map_or(&mut [], std::slice::from_mut),
    }
}

fn analysis_of(entry: &AnswerEntry) -> Option<&BoardAnalysis> {
    match entry {
        AnswerEntry::Done(response) => match &**response {
            Response::Analysed(analysed) => Some(analysed),
            _ => None,
        },
        AnswerEntry::Rejected(_) => None,
    }
}

/// Returns the open challenges in an answer.
fn offers_of(entry: &AnswerEntry) -> &[OfferView] {
    match entry {
        AnswerEntry::Done(response) => response.offers(),
        AnswerEntry::Rejected(_) => &[],
    }
}

fn offers_of_mut(entry: &mut AnswerEntry) -> &mut [OfferView] {
    match entry {
        AnswerEntry::Done(response) => response.offers_mut(),
        AnswerEntry::Rejected(_) => &mut [],
    }
}

/// Returns the boards in progress of an answer about several boards, each with an example of a valid reply: `3 MOVE` or
/// `3 chat`. Returns no boards for an answer about one board, because replies to it need no number.
fn examples(tx: &Transaction<'_>, reader: &Reader, boards: &[BoardEntry]) -> store::Result<Vec<(BoardNumber, String)>> {
    let mut examples = Vec::new();
    for of in boards.iter().filter(|_| boards.len() > 1) {
        let Some(board) = board_view(tx, of.board, AsOf::Entry(of.entry), None, true)? else { continue };
        let Some(to_move) = board.to_move.as_ref().filter(|_| board.no_result.is_none()) else { continue };
        let word = if *to_move == reader.userid { "MOVE" } else { "chat" };
        examples.push((of.board, format!("{} {word}", of.board)));
    }
    Ok(examples)
}

/// Returns the description of a board or open challenge for the subject of an answer.
fn topic(tx: &Transaction<'_>, number: BoardNumber) -> store::Result<Option<Value>> {
    let game = match tx.board(number)? {
        Some(board) => Some(board.game),
        None => tx.open_challenge(number)?.map(|challenge| challenge.game),
    };
    let game = game.and_then(|game| catalogue::find(&game));
    Ok(game.map(|game| context! { title => game.title(), number => number.0 }))
}

/// Returns the facts for a template about replies to an open challenge.
fn offer_facts(offer: &OfferView, reader: &Reader) -> Value {
    context! { number => offer.number.0, own => offer.challenger == reader.userid }
}

/// Returns the boards of a letter that a reply can concern.
fn can_be_answered(mut open: Vec<BoardEntry>, boards: &[ShownBoard], others: &[Notice]) -> Vec<BoardEntry> {
    let shown = |number| boards.iter().any(|board| board.number == number && board.is_answerable());
    let answered = |number| {
        let answers =
            others.iter().filter_map(|notice| if let Notice::Answer(answer) = notice { Some(answer) } else { None });
        answers.flat_map(Answer::boards).any(|about| about.board == number)
    };
    open.retain(|of| shown(of.board) || answered(of.board));
    open
}
