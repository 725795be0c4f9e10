//! Quarantine: a message that cannot be processed is closed and retained, and its author and the administrators are
//! informed.

use std::panic::catch_unwind;

use serde::{Deserialize, Serialize};

use super::super::context::InboxContext;
use super::super::headers::{header_end, message_id, sender, without_mbox_line};
use super::super::machine;
use super::super::read::MAX_HEADERS;
use super::conversation::{Conversation, refusal};
use crate::message;
use crate::service::{Answer, Notice, SetAsideMail, block_of};
use crate::store::{self, InboxId, Transaction, Verdict, VerdictKind};
use crate::text::Message;

/// The author of a message according to its headers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeaderAuthor {
    /// The address in the single `From`.
    pub sender: String,
    /// The Message-ID, with angle brackets.
    pub message_id: Option<String>,
}

impl HeaderAuthor {
    /// Reads the headers of a message; `None` if they cannot be read or identify machine mail.
    pub fn of(raw: &[u8], own_address: &str) -> Option<HeaderAuthor> {
        catch_unwind(|| {
            let raw = without_mbox_line(raw);
            let head = &raw[..header_end(raw).unwrap_or(raw.len()).min(MAX_HEADERS)];
            let (headers, _) = mailparse::parse_headers(head).ok()?;
            let sender = sender(&headers)?;
            let machine = machine::reason(&headers, Some(&sender), own_address, "");
            machine.is_none().then(|| HeaderAuthor { sender, message_id: message_id(&headers) })
        })
        .ok()
        .flatten()
    }
}

/// Quarantines a message that cannot be processed, and informs the administrators, and its author if they are a player.
///
/// # Errors
/// Returns errors of the store.
pub(crate) fn set_aside(
    tx: &mut Transaction<'_>,
    inbox: &InboxContext<'_>,
    mail: InboxId,
    author: Option<&HeaderAuthor>,
    reason: &Message,
) -> store::Result<Verdict> {
    let sender = author.map(|author| author.sender.clone());
    let reason = inbox.words(reason);
    let verdict = Verdict {
        kind: VerdictKind::Poison,
        sender: sender.clone(),
        // A copy is not rejected, because a newer program may be able to process it.
        identity: None,
        commands: String::new(),
        reason: reason.clone(),
    };
    tx.set_mail_aside(mail, &verdict, inbox.now)?;
    let notice = Notice::SetAside(SetAsideMail { mail: mail.0, sender, reason });
    inbox.service.write_to_administrators(tx, &notice, inbox.now)?;
    if let Some(author) = author {
        tell_author(tx, inbox, author)?;
    }
    Ok(verdict)
}

fn tell_author(tx: &mut Transaction<'_>, inbox: &InboxContext<'_>, author: &HeaderAuthor) -> store::Result<()> {
    let Some(player) = tx.player_by_address(&author.sender)?.filter(|player| player.blocked_at.is_none()) else {
        return Ok(());
    };
    if block_of(tx, &author.sender)?.is_some() {
        return Ok(());
    }
    let conversation = Conversation::of(inbox, author.message_id.as_deref(), Some(author.sender.clone()), Some(player));
    let entries = vec![refusal(message!("mail.set-aside"))];
    conversation.refuse(tx, Answer { entries, ..Answer::default() }).map(drop)
}
