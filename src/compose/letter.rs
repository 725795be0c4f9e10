//! Composes notices as letters, and limits the length of answers, because a small message must not cause a huge
//! letter.

use anyhow::Context;
use chrono::{DateTime, Utc};
use minijinja::context;

use super::composer::Composer;
use super::html::{Html, Page};
use super::lines::{broken, fold_wide, whole};
use super::pictures::Reader;
use super::replies::{Replies, letter_id};
use super::section::Section;
use crate::command::MailForm;
use crate::message;
use crate::numbers::BoardNumber;
use crate::service::{Notice, NoticeKind, SHORT_ANSWER, block_of};
use crate::store::{self, OutboxNotice, Transaction};
use crate::text::squeezed;
use crate::token::{Unsubscribe, UnwantedLetters};

/// Notices composed as one letter. The same notices always produce the same letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    /// The recipient addresses. Empty if the player has no usable address.
    pub to: Vec<String>,
    /// The display name of the sender, if other players caused the letter.
    pub from: Option<String>,
    /// The subject in one line.
    pub subject: String,
    /// The text part. Prose has lines of at most 72 columns and other lines at most 78, unless a word is longer. Lines
    /// end with LF.
    pub text: String,
    /// The HTML part, if the reader wants one and the size limit of an answer leaves room for it.
    pub html: Option<Html>,
    /// The secret address for replies that need no password.
    pub reply_to: Option<String>,
    /// The secret token that stops similar letters. `None` in an answer to a message, and in letters from which the
    /// reader cannot unsubscribe.
    pub unsubscribe: Option<String>,
    /// The Message-ID; the IDs in this and the following fields include angle brackets. The Message-ID cannot be
    /// guessed, because it identifies replies that are not sent to the `Reply-To` address.
    pub message_id: String,
    /// The message that the letter answers; `None` if it is unsolicited.
    pub in_reply_to: Option<String>,
    /// The IDs for the `References` header: the threads of the letter's boards, the most urgent last, then the answered
    /// messages.
    pub references: Vec<String>,
    /// When the notices were bound into the letter. For notices that are not bound yet, the time of the newest notice.
    pub date: DateTime<Utc>,
}

impl Composer {
    /// Composes a letter from these notices, which must have the same reader. Reads other data, such as addresses and
    /// the boards at the time of the notices, from the transaction.
    ///
    /// # Errors
    /// If a template or the store fails, or there are no notices.
    pub fn letter(&self, tx: &Transaction<'_>, notices: &[OutboxNotice], address: &str) -> anyhow::Result<Letter> {
        let leading = notices.first().context("the letter has no notices")?;
        let reader = Reader::of_letter(tx, leading)?;
        let (sections, replies) = self.sections(tx, &reader, notices, address)?;
        let (subject, folded) = self.words(&reader, &sections, &replies)?;
        let text = broken(&folded);
        let limit = limit(&reader, notices);
        let (text, is_cut) = match limit {
            Some(most) if text.len() > most => (self.cut(&reader, &text, most)?, true),
            _ => (text, false),
        };
        let html = match reader.settings.mail {
            MailForm::Html if !is_cut => {
                let id = leading.message_id.trim_matches(['<', '>']);
                let text = whole(&folded);
                let preheader = self.preheader(&reader, &sections, &text)?;
                let page = Page { subject: &subject, text: &text, preheader: &preheader, id };
                let html = self.html(&page, &sections, &replies)?;
                limit.is_none_or(|most| text.len() + of_html(&html) <= most).then_some(html)
            }
            MailForm::Html | MailForm::Text | MailForm::Accessible => None,
        };
        let message_id = message_id(leading, replies.id.clone());
        let in_reply_to = notices.iter().find_map(|notice| notice.in_reply_to.clone());
        let unsubscribe = match in_reply_to {
            None => unsubscribe(tx, leading, &sections)?,
            Some(_) => None,
        };
        Ok(Letter {
            to: addressees(tx, notices)?,
            references: references(tx, &sections, notices, address)?,
            date: leading.bound_at.unwrap_or_else(|| newest(leading, notices)),
            from: self.display_name(&reader, &sections)?,
            subject,
            text,
            html,
            reply_to: replies.address,
            unsubscribe,
            message_id,
            in_reply_to,
        })
    }

    /// Returns the subject and the text of a letter with these sections, with soft breaks.
    fn words(&self, reader: &Reader, sections: &[Section], replies: &Replies) -> anyhow::Result<(String, String)> {
        let (mut subject, text) = match sections {
            [only] => (only.subject.clone(), only.text.clone()),
            several => self.several(reader, several, replies)?,
        };
        if let Some(foremost) = of_one_thread(sections) {
            subject.clone_from(&foremost.subject);
        }
        Ok((squeezed(&subject), fold_wide(&text) + "\n"))
    }

    /// Returns the sender's display name, which includes the other players who caused the letter: `alice via Turnpost`.
    /// Returns `None` if no other player caused it.
    fn display_name(&self, reader: &Reader, sections: &[Section]) -> anyhow::Result<Option<String>> {
        let mut players: Vec<String> = Vec::new();
        for player in sections.iter().flat_map(|section| &section.actors) {
            if *player != reader.userid && !players.contains(player) {
                players.push(player.clone());
            }
        }
        if players.is_empty() {
            return Ok(None);
        }
        self.message(&message!("compose.from", players)).map(Some)
    }

    /// Returns the letter's preview in a list of messages: the first paragraph of its text and, if it has one section,
    /// the section's title and deadline.
    fn preheader(&self, reader: &Reader, sections: &[Section], text: &str) -> anyhow::Result<String> {
        let begins: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
        let facts = match sections {
            [only] => context! { title => only.title.clone(), deadline => only.deadline.clone() },
            _ => context! {},
        };
        let facts = reader.context(context! { begins => begins.join(" "), ..facts });
        Ok(squeezed(&self.templates.fill("mail/preheader.txt", facts)?))
    }

    /// Returns the subject and the text of a letter with several sections.
    fn several(&self, reader: &Reader, sections: &[Section], replies: &Replies) -> anyhow::Result<(String, String)> {
        let boards = |wanted: &dyn Fn(&Section) -> bool| -> Vec<String> {
            sections.iter().filter(|s| wanted(s)).filter_map(|s| s.board).map(|number| number.to_string()).collect()
        };
        let summaries =
            sections.iter().filter(|section| !section.your_turn).filter_map(|section| section.summary.clone());
        let is_of_event = |section: &&Section| {
            matches!(section.kind, NoticeKind::EventBegin | NoticeKind::EventEnd | NoticeKind::EventAbsence)
        };
        let event = sections.iter().find(is_of_event);
        let is_within = |section: &Section| event.is_some_and(|event| section.event == event.event);
        let facts = reader.context(context! {
            texts => sections.iter().map(|section| section.text.clone()).collect::<Vec<_>>(),
            titles => sections.iter().map(|section| section.title.clone()).collect::<Vec<_>>(),
            boards => boards(&|_| true),
            turns => boards(&|section| section.your_turn && section.kind != NoticeKind::Reminder),
            subjects => sections.iter().map(|section| squeezed(&section.subject)).collect::<Vec<_>>(),
            event => event.map(|section| squeezed(&section.subject)),
            boards_of_event => boards(&is_within),
            other_boards => boards(&|section| !is_within(section)),
            reminders => boards(&|section| section.kind == NoticeKind::Reminder),
            over => sections.iter().all(|section| section.kind.ends_board()),
            summaries => summaries.collect::<Vec<_>>(),
            refused => sections.iter().any(|section| section.refused),
            rejected => sections.iter().map(|section| section.rejected).sum::<usize>(),
            answered => sections.iter().any(|section| section.kind == NoticeKind::Answer),
            reports => sections.iter().filter(|section| section.kind == NoticeKind::Report).count(),
            writers => sections.iter().filter_map(|section| section.writer.clone()).collect::<Vec<_>>(),
            rows => sections.iter().filter_map(|section| section.row.clone()).collect::<Vec<_>>(),
            numbered => replies.are_numbered(),
            examples => sections.iter().filter_map(|section| section.example.clone()).collect::<Vec<_>>(),
        });
        Ok((
            self.templates.fill("mail/several.subject", facts.clone())?,
            self.templates.fill_softly("mail/several.txt", facts)?,
        ))
    }
}

/// Returns the IDs for the `References` header: the threads of the letter's boards, the most urgent last, then the
/// answered messages.
fn references(
    tx: &Transaction<'_>,
    sections: &[Section],
    notices: &[OutboxNotice],
    address: &str,
) -> store::Result<Vec<String>> {
    let domain = address.rsplit_once('@').map_or(address, |(_, domain)| domain);
    let mut references = Vec::new();
    for section in sections.iter().rev() {
        let Some(board) = section.thread else { continue };
        references.push(format!("<board-{board}.{}@{domain}>", tx.server_id()?));
        references.extend(answered(tx, section, board, &notices[0])?);
    }
    references.extend(notices.iter().filter_map(|notice| notice.in_reply_to.clone()));
    references.dedup();
    Ok(references)
}

/// Returns the Message-ID of the letter to which the player probably replied, if the section answers a player's message
/// about one board.
fn answered(
    tx: &Transaction<'_>,
    section: &Section,
    board: BoardNumber,
    leading: &OutboxNotice,
) -> store::Result<Option<String>> {
    let (Some(player), Some(entry)) = (&leading.player, section.answers) else { return Ok(None) };
    let Some(letter) = tx.letters_about(player.id, board, entry, leading.id, 1)?.pop() else { return Ok(None) };
    let Some(answered) = tx.letter(letter)?.into_iter().next() else { return Ok(None) };
    Ok(Some(message_id(&answered, letter_id(&answered, &tx.reply_key()?))))
}

/// Returns the Message-ID of the letter that starts with this notice, including its secret part.
fn message_id(leading: &OutboxNotice, secret: Option<String>) -> String {
    match (secret, leading.message_id.rsplit_once('@')) {
        (Some(secret), Some((local, domain))) => format!("{local}.{secret}@{domain}"),
        _ => leading.message_id.clone(),
    }
}

/// Returns the section that determines a letter's subject, if all its sections belong to one thread: the section about
/// the board if there is one, otherwise the first section.
fn of_one_thread(sections: &[Section]) -> Option<&Section> {
    let first = sections.first().filter(|first| first.thread.is_some())?;
    let same = sections.iter().all(|section| section.thread == first.thread);
    same.then(|| sections.iter().find(|section| section.board.is_some()).unwrap_or(first))
}

/// Returns the time of a letter's newest notice.
fn newest(leading: &OutboxNotice, notices: &[OutboxNotice]) -> DateTime<Utc> {
    notices.iter().map(|notice| notice.created_at).max().unwrap_or(leading.created_at)
}

/// Returns the token that stops similar letters; `None` if the reader cannot unsubscribe from them.
fn unsubscribe(tx: &Transaction<'_>, leading: &OutboxNotice, sections: &[Section]) -> store::Result<Option<String>> {
    let Some(player) = leading.player.as_ref().and_then(|player| u32::try_from(player.id.0).ok()) else {
        return Ok(None);
    };
    let Some(letters) = unwanted(sections) else { return Ok(None) };
    Ok(Some(Unsubscribe { player, letters }.sign(&tx.reply_key()?)))
}

/// Returns the category of letters to which these sections belong; `None` if the reader cannot unsubscribe.
fn unwanted(sections: &[Section]) -> Option<UnwantedLetters> {
    let mut boards = sections.iter().filter_map(|section| section.board);
    let Some(first) = boards.next() else {
        let message = |section: &Section| matches!(section.kind, NoticeKind::Message | NoticeKind::Broadcast);
        if sections.iter().any(message) {
            return Some(UnwantedLetters::Messages);
        }
        let puzzle = |section: &Section| section.kind == NoticeKind::Puzzle;
        return sections.iter().any(puzzle).then_some(UnwantedLetters::Puzzles);
    };
    if boards.all(|board| board == first) {
        return Some(UnwantedLetters::Board(first));
    }
    let followed = sections.iter().filter(|section| section.board.is_some()).all(|section| section.follows);
    Some(if followed { UnwantedLetters::Followed } else { UnwantedLetters::Boards })
}

/// Returns the recipient addresses of a letter: the one address that all its notices name, or the player's confirmed
/// addresses, without paused ones. Omits addresses that the administrator has blocked. A blocked player has none.
///
/// # Errors
/// Errors of the store.
pub fn addressees(tx: &Transaction<'_>, notices: &[OutboxNotice]) -> store::Result<Vec<String>> {
    let Some(leading) = notices.first() else { return Ok(Vec::new()) };
    if let Some(address) = &leading.address
        && notices.iter().all(|notice| notice.address.as_ref() == Some(address))
    {
        return unblocked(tx, vec![address.clone()]);
    }
    let Some(player) = leading.player.as_ref().map(|player| player.id) else { return Ok(Vec::new()) };
    if tx.player_by_id(player)?.is_some_and(|player| player.blocked_at.is_some()) {
        return Ok(Vec::new());
    }
    let known = tx.addresses(player)?.into_iter();
    let open = known.filter(|known| known.confirmed_at.is_some() && known.paused.is_none());
    unblocked(tx, open.map(|known| known.address).collect())
}

/// Returns the addresses without those that the administrator has blocked.
fn unblocked(tx: &Transaction<'_>, addresses: Vec<String>) -> store::Result<Vec<String>> {
    let mut open = Vec::new();
    for address in addresses {
        if block_of(tx, &address)?.is_none() {
            open.push(address);
        }
    }
    Ok(open)
}

/// The maximum size in octets of an answer, including its pictures.
const MAX_ANSWER: usize = 256 * 1024;
/// The size in octets that is reserved for the headers of a letter to a stranger.
const HEADERS: usize = 850;

/// Returns the maximum size in octets of a letter with these notices. Returns `None` for an unsolicited letter, which
/// has no limit.
pub(crate) fn limit(reader: &Reader, notices: &[OutboxNotice]) -> Option<usize> {
    let mut answers = notices.iter().filter(|notice| NoticeKind::of(notice) == Some(NoticeKind::Answer)).peekable();
    answers.peek()?;
    if !reader.userid.is_empty() {
        return Some(MAX_ANSWER);
    }
    let octets = |notice| match Notice::read(notice) {
        Ok(Notice::Answer(answer)) => answer.octets.unwrap_or(SHORT_ANSWER) as usize,
        _ => SHORT_ANSWER as usize,
    };
    Some(answers.map(octets).sum::<usize>().saturating_sub(HEADERS))
}

/// Returns the size in octets that an HTML part takes in a letter, with its pictures in base64.
pub(crate) fn of_html(html: &Html) -> usize {
    html.html.len() + html.pictures.iter().map(|picture| picture.png.len().div_ceil(3) * 4).sum::<usize>()
}

impl Composer {
    /// Shortens a text at a line end and adds a note. The result has at most this many octets if the note fits.
    pub(crate) fn cut(&self, reader: &Reader, text: &str, most: usize) -> anyhow::Result<String> {
        let more = match reader.userid.is_empty() {
            true => message!("compose.cut-for-stranger"),
            false => message!("compose.cut", most = most / 1024),
        };
        let more = broken(&fold_wide(&self.message(&more)?));
        let room = most.saturating_sub(more.len() + 2);
        let mut end = 0;
        for line in text.split_inclusive('\n') {
            if end + line.len() > room {
                break;
            }
            end += line.len();
        }
        Ok(format!("{}\n\n{more}\n", text[..end].trim_end()))
    }
}
