//! Letters: notices composed as mail.

use anyhow::Context;
use chrono::{DateTime, Utc};
use minijinja::context;

use crate::command::MailForm;
use crate::message;
use crate::numbers::BoardNumber;
use crate::service::{NoticeKind, block_of};
use crate::store::{self, OutboxNotice, Transaction};
use crate::text::squeezed;
use crate::token::{Unsubscribe, UnwantedLetters};

use super::composer::Composer;
use super::html::{Html, Page};
use super::lines::{broken, fold_wide, whole};
use super::reader::Reader;
use super::replies::{Replies, letter_id};
use super::section::Section;
use super::size;

/// The most letters about a position that are looked through for the one that was answered.
const MOST_ANSWERED: u32 = 6;

/// Notices composed as one mail; the same notices always give the same letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    /// The addresses it goes to; none when the player has none that can be sent to.
    pub to: Vec<String>,
    /// The display name that it comes under, when players other than its reader did what it tells.
    pub from: Option<String>,
    /// Its subject, one line.
    pub subject: String,
    /// The text part; prose in lines of at most 72 columns, other lines of at most 78, unless a word is longer; LF.
    pub text: String,
    /// The HTML part, for a reader who wants one.
    pub html: Option<Html>,
    /// Where a reply goes that counts by itself: for its reader alone.
    pub reply_to: Option<String>,
    /// The token that stops letters such as this one, for its reader alone; none in a letter that answers a mail.
    pub unsubscribe: Option<String>,
    /// Its Message-ID; this and the following have their angle brackets. Nobody can guess it, because a reply that does not
    /// go to the `Reply-To` is recognised by it.
    pub message_id: String,
    /// The mail it answers; `None` when it was written unasked.
    pub in_reply_to: Option<String>,
    /// The threads it belongs to: those of its boards, the most urgent last, then the mails it answers.
    pub references: Vec<String>,
    /// When it was first to be sent.
    pub date: DateTime<Utc>,
}

impl Composer {
    /// The letter that tells these notices, which are all for the same reader. Reads what it needs (the boards as they
    /// were, addresses) from the transaction.
    ///
    /// # Errors
    /// A template or the store that fails; also when there is no notice.
    pub fn letter(&self, tx: &Transaction<'_>, notices: &[OutboxNotice], address: &str) -> anyhow::Result<Letter> {
        let leading = notices.first().context("a letter of no notices")?;
        let reader = Reader::of_letter(tx, leading)?;
        let (sections, replies) = self.sections(tx, &reader, notices, address)?;
        let (subject, folded) = self.words(&reader, &sections, &replies)?;
        let text = broken(&folded);
        let limit = size::limit(&reader, notices);
        let (text, is_cut) = match limit {
            Some(most) if text.len() > most => (self.cut(&reader, &text, most)?, true),
            _ => (text, false),
        };
        let html = match reader.form {
            MailForm::Html if !is_cut => {
                let id = leading.message_id.trim_matches(['<', '>']);
                let text = whole(&folded);
                let preheader = self.preheader(&reader, &sections, &text)?;
                let page = Page { subject: &subject, text: &text, preheader: &preheader, id, reader: &reader.userid };
                let html = self.html(&page, &sections, &replies)?;
                limit.is_none_or(|most| text.len() + size::of_html(&html) <= most).then_some(html)
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

    /// The subject and the text of a letter of these sections, with soft breaks.
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

    /// Whose doing the letter tells: `alice via Turnpost`.
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

    /// What a list of mails shows of the letter beside its subject: how its text begins and, where it is about one board,
    /// which.
    fn preheader(&self, reader: &Reader, sections: &[Section], text: &str) -> anyhow::Result<String> {
        let begins: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
        let facts = match sections {
            [only] => context! { title => only.title.clone(), deadline => only.deadline.clone() },
            _ => context! {},
        };
        let facts = reader.context(context! { begins => begins.join(" "), ..facts });
        Ok(squeezed(&self.templates.fill("mail/preheader.txt", facts)?))
    }

    /// The subject and the text of a letter of several sections.
    fn several(&self, reader: &Reader, sections: &[Section], replies: &Replies) -> anyhow::Result<(String, String)> {
        let boards = |wanted: &dyn Fn(&Section) -> bool| -> Vec<String> {
            sections.iter().filter(|s| wanted(s)).filter_map(|s| s.board).map(|number| number.to_string()).collect()
        };
        let gists = sections.iter().filter(|section| !section.your_turn).filter_map(|section| section.gist.clone());
        let facts = reader.context(context! {
            texts => sections.iter().map(|section| section.text.clone()).collect::<Vec<_>>(),
            titles => sections.iter().map(|section| section.title.clone()).collect::<Vec<_>>(),
            boards => boards(&|_| true),
            turns => boards(&|section| section.your_turn && section.kind != NoticeKind::Reminder),
            reminders => boards(&|section| section.kind == NoticeKind::Reminder),
            over => sections.iter().all(|section| section.kind.ends_board()),
            gists => gists.collect::<Vec<_>>(),
            refused => sections.iter().any(|section| section.refused),
            rejected => sections.iter().map(|section| section.rejected).sum::<usize>(),
            answered => sections.iter().any(|section| section.kind == NoticeKind::Answer),
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

/// The threads that a letter belongs to: those of its boards, the most urgent last, then the mails it answers.
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

/// The Message-ID of the letter to whose board a section is an answer, if it was sent before.
fn answered(
    tx: &Transaction<'_>,
    section: &Section,
    board: BoardNumber,
    leading: &OutboxNotice,
) -> store::Result<Option<String>> {
    let (Some(player), Some(entry)) = (&leading.player, section.answers) else { return Ok(None) };
    let letters = tx.letters_about(player.id, board, entry, MOST_ANSWERED)?;
    let Some(letter) = letters.into_iter().find(|letter| letter.0 < leading.id.0) else { return Ok(None) };
    let Some(told) = tx.letter(letter)?.into_iter().next() else { return Ok(None) };
    Ok(Some(message_id(&told, letter_id(&told, &tx.reply_key()?))))
}

/// The Message-ID of the letter that a notice leads, with its secret part.
fn message_id(leading: &OutboxNotice, secret: Option<String>) -> String {
    match (secret, leading.message_id.rsplit_once('@')) {
        (Some(secret), Some((local, domain))) => format!("{local}.{secret}@{domain}"),
        _ => leading.message_id.clone(),
    }
}

/// The section that gives a letter its subject, when all its sections belong to one thread: the one about the board, or else
/// the first.
fn of_one_thread(sections: &[Section]) -> Option<&Section> {
    let first = sections.first().filter(|first| first.thread.is_some())?;
    let same = sections.iter().all(|section| section.thread == first.thread);
    same.then(|| sections.iter().find(|section| section.board.is_some()).unwrap_or(first))
}

/// When the newest notice of a letter was written.
fn newest(leading: &OutboxNotice, notices: &[OutboxNotice]) -> DateTime<Utc> {
    notices.iter().map(|notice| notice.created_at).max().unwrap_or(leading.created_at)
}

/// The token that stops letters such as this one, if its reader has not asked for it.
fn unsubscribe(tx: &Transaction<'_>, leading: &OutboxNotice, sections: &[Section]) -> store::Result<Option<String>> {
    let Some(player) = leading.player.as_ref().and_then(|player| u32::try_from(player.id.0).ok()) else {
        return Ok(None);
    };
    let Some(letters) = unwanted(sections) else { return Ok(None) };
    Ok(Some(Unsubscribe { player, letters }.sign(&tx.reply_key()?)))
}

/// The letters that are such as a letter of these sections; `None` when it is one that nobody can do without.
fn unwanted(sections: &[Section]) -> Option<UnwantedLetters> {
    let mut boards = sections.iter().filter_map(|section| section.board);
    let Some(first) = boards.next() else {
        if !sections.is_empty() && sections.iter().all(|section| section.kind == NoticeKind::Puzzle) {
            return Some(UnwantedLetters::Puzzles);
        }
        let message = |section: &Section| matches!(section.kind, NoticeKind::Message | NoticeKind::Broadcast);
        return sections.iter().any(message).then_some(UnwantedLetters::Messages);
    };
    if boards.all(|board| board == first) {
        return Some(UnwantedLetters::Board(first));
    }
    let followed = sections.iter().filter(|section| section.board.is_some()).all(|section| section.follows);
    Some(if followed { UnwantedLetters::Followed } else { UnwantedLetters::Boards })
}

/// Where a letter goes: to the one address that all its notices name, or to the player's confirmed addresses that are not
/// paused.
///
/// # Errors
/// The store's.
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

/// The addresses among these that the administrator has not blocked.
fn unblocked(tx: &Transaction<'_>, addresses: Vec<String>) -> store::Result<Vec<String>> {
    let mut open = Vec::new();
    for address in addresses {
        if block_of(tx, &address)?.is_none() {
            open.push(address);
        }
    }
    Ok(open)
}
