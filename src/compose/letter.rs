//! Letters: notices composed as mail.

use anyhow::Context;
use chrono::{DateTime, Utc};
use minijinja::context;

use crate::command::MailForm;
use crate::service::NoticeKind;
use crate::store::{self, OutboxNotice, ProposalKind, Transaction};
use crate::token::{Proposed, Token, Unsubscribe, UnwantedLetters};

use super::board::DrawnBoard;
use super::composer::Composer;
use super::filters::WIDTH;
use super::html::Html;
use super::reader::Reader;
use super::section::Section;

/// Notices composed as one mail; the same notices always give the same letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    /// The addresses it goes to; none when the player has none that can be sent to.
    pub to: Vec<String>,
    /// Its subject, one line.
    pub subject: String,
    /// The text part; lines of at most 78 columns, LF.
    pub text: String,
    /// The HTML part, for a reader who wants one.
    pub html: Option<Html>,
    /// Where a reply goes that counts by itself: for its reader alone.
    pub reply_to: Option<String>,
    /// The token that stops letters such as this one, for its reader alone; none in a letter that answers a mail.
    pub unsubscribe: Option<String>,
    /// Its Message-ID; this and the following have their angle brackets. It holds the token too, because a reply that does
    /// not go to the `Reply-To` still says what it answers.
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
    pub fn letter(&self, tx: &dyn Transaction, notices: &[OutboxNotice], address: &str) -> anyhow::Result<Letter> {
        let leading = notices.first().context("a letter of no notices")?;
        let reader = Reader::of(tx, leading.player.as_ref())?;
        let mut sections = self.sections(tx, &reader, notices)?;
        let (subject, text) = self.words(&reader, &mut sections)?;
        let token = token(tx, leading, &sections)?;
        let reply_to = token.as_ref().and_then(|token| own_address(address, token));
        let html = match reader.form {
            MailForm::Html => {
                let id = leading.message_id.trim_matches(['<', '>']);
                let reply_to = reply_to.as_deref().map(|address| (address, subject.as_str()));
                Some(self.html_part(&reader, &mut sections, &text, id, reply_to)?)
            }
            MailForm::Text | MailForm::Accessible => None,
        };
        let message_id = match (&token, leading.message_id.rsplit_once('@')) {
            (Some(token), Some((local, domain))) => format!("{local}.{token}@{domain}"),
            _ => leading.message_id.clone(),
        };
        let in_reply_to = notices.iter().find_map(|notice| notice.in_reply_to.clone());
        let unsubscribe = match in_reply_to {
            None => unsubscribe(tx, leading, &sections)?,
            Some(_) => None,
        };
        Ok(Letter {
            to: addressees(tx, notices)?,
            references: references(tx, &sections, notices, address)?,
            date: leading.bound_at.unwrap_or_else(|| newest(leading, notices)),
            subject,
            text,
            html,
            reply_to,
            unsubscribe,
            message_id,
            in_reply_to,
        })
    }

    /// The subject and the text of a letter of these sections.
    fn words(&self, reader: &Reader, sections: &mut [Section]) -> anyhow::Result<(String, String)> {
        let (subject, text) = match sections {
            [only] => (std::mem::take(&mut only.subject), std::mem::take(&mut only.text)),
            several => self.several(reader, several)?,
        };
        let subject = subject.split_whitespace().collect::<Vec<_>>().join(" ");
        // What a template leaves too wide (a long userid, a line as somebody typed it) is broken here.
        let text: Vec<_> = text.lines().map(|line| textwrap::fill(line, WIDTH)).collect();
        Ok((subject, text.join("\n") + "\n"))
    }

    /// The HTML part; `reply_to` is where a reply goes that counts by itself, and the subject that it answers.
    fn html_part(
        &self,
        reader: &Reader,
        sections: &mut [Section],
        text: &str,
        id: &str,
        reply_to: Option<(&str, &str)>,
    ) -> anyhow::Result<Html> {
        // A click answers for the board that the token is of, if that is shown first and waits for the reader.
        let asked = sections.iter().find_map(|section| section.answerable).map(|about| about.board);
        let boards: Vec<DrawnBoard> =
            sections.iter_mut().flat_map(|section| std::mem::take(&mut section.drawn)).collect();
        let to_move =
            boards.first().is_some_and(|first| Some(first.number) == asked && first.waits_for(&reader.userid));
        self.html(text, &boards, id, reply_to.filter(|_| to_move))
    }

    /// The subject and the text of a letter of several sections.
    fn several(&self, reader: &Reader, sections: &[Section]) -> anyhow::Result<(String, String)> {
        let boards = |wanted: &dyn Fn(&Section) -> bool| -> Vec<String> {
            sections.iter().filter(|s| wanted(s)).filter_map(|s| s.board).map(|number| number.to_string()).collect()
        };
        let facts = reader.context(context! {
            texts => sections.iter().map(|section| section.text.clone()).collect::<Vec<_>>(),
            titles => sections.iter().map(|section| section.title.clone()).collect::<Vec<_>>(),
            boards => boards(&|_| true),
            turns => boards(&|section| section.your_turn),
            refused => sections.iter().any(|section| section.refused),
            answered => sections.iter().any(|section| section.kind == NoticeKind::Answer),
            writers => sections.iter().filter_map(|section| section.writer.clone()).collect::<Vec<_>>(),
        });
        Ok((
            self.templates.fill("mail/several.subject", facts.clone())?,
            self.templates.fill("mail/several.txt", facts)?,
        ))
    }
}

/// The threads that a letter belongs to: those of its boards, the most urgent last, then the mails it answers.
fn references(
    tx: &dyn Transaction,
    sections: &[Section],
    notices: &[OutboxNotice],
    address: &str,
) -> store::Result<Vec<String>> {
    let domain = address.rsplit_once('@').map_or(address, |(_, domain)| domain);
    let mut references = Vec::new();
    for board in sections.iter().rev().filter_map(|section| section.board) {
        references.push(format!("<board-{board}.{}@{domain}>", tx.server_id()?));
    }
    references.extend(notices.iter().filter_map(|notice| notice.in_reply_to.clone()));
    references.dedup();
    Ok(references)
}

/// The token of a letter: for the first of its boards, which is the most urgent, as the letter shows it.
fn token(tx: &dyn Transaction, leading: &OutboxNotice, sections: &[Section]) -> store::Result<Option<String>> {
    let boards = || sections.iter().filter_map(|section| section.answerable);
    let Some(first) = boards().next() else { return Ok(None) };
    let Some(player) = leading.player.as_ref().and_then(|player| u32::try_from(player.id.0).ok()) else {
        return Ok(None);
    };
    let proposal = first.proposal.map(|kind| match kind {
        ProposalKind::Draw => Proposed::Draw,
        ProposalKind::Undo => Proposed::Undo,
    });
    let token = Token {
        player,
        proposal,
        board: first.board,
        entry: boards().filter(|at| at.board == first.board).map(|at| at.entry).max().unwrap_or(first.entry),
        several: boards().any(|at| at.board != first.board),
    };
    Ok(Some(token.sign(&tx.reply_key()?)))
}

/// When the newest notice of a letter was written.
fn newest(leading: &OutboxNotice, notices: &[OutboxNotice]) -> DateTime<Utc> {
    notices.iter().map(|notice| notice.created_at).max().unwrap_or(leading.created_at)
}

/// The token that stops letters such as this one, if its reader has not asked for it.
fn unsubscribe(tx: &dyn Transaction, leading: &OutboxNotice, sections: &[Section]) -> store::Result<Option<String>> {
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
fn addressees(tx: &dyn Transaction, notices: &[OutboxNotice]) -> store::Result<Vec<String>> {
    let Some(leading) = notices.first() else { return Ok(Vec::new()) };
    if let Some(address) = &leading.address
        && notices.iter().all(|notice| notice.address.as_ref() == Some(address))
    {
        return Ok(vec![address.clone()]);
    }
    let Some(player) = leading.player.as_ref().map(|player| player.id) else { return Ok(Vec::new()) };
    if tx.player_by_id(player)?.is_some_and(|player| player.blocked_at.is_some()) {
        return Ok(Vec::new());
    }
    let known = tx.addresses(player)?.into_iter();
    let open = known.filter(|known| known.confirmed_at.is_some() && known.paused.is_none());
    Ok(open.map(|known| known.address).collect())
}

/// The server's address with something behind its name (plus addressing, RFC 5233); `None` when that would be longer
/// than a local part may be (RFC 5321, 4.5.3.1.1). For a reply token, the Message-ID then carries it alone.
pub fn own_address(own: &str, detail: &str) -> Option<String> {
    let (name, domain) = own.rsplit_once('@')?;
    let local = format!("{name}+{detail}");
    (local.len() <= 64).then(|| format!("{local}@{domain}"))
}
