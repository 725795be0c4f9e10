//! Exports and imports letters and mail.

use std::collections::BTreeMap;

use serde_json::Value;

use super::fault::{Fault, Read, fault};
use super::lines::{DeliveryLine, MailLine, NoticeLine, VerdictLine};
use super::seal::{Seal, Secret, opened, sealed};
use crate::message;
use crate::service::notice::kind::NoticeKind;
use crate::store::{Delivery, InboxId, KeptMail, KeptNotice, NewNotice, OutboxId, PlayerId, SentAs, Verdict};

/// The userids of players, by their keys.
type Userids = BTreeMap<PlayerId, String>;

/// Returns the line of a notice for an export.
pub(super) fn notice_line(kept: KeptNotice, userids: &Userids) -> NoticeLine {
    let NewNotice { player, address, kind, board, entry, facts, in_reply_to, domain, created_at, due_at } = kept.notice;
    let deliveries = kept.deliveries.into_iter();
    NoticeLine {
        number: kept.id.0,
        player: player.and_then(|player| userids.get(&player).cloned()),
        address,
        kind,
        board,
        entry,
        facts,
        in_reply_to,
        domain,
        created_at,
        due_at,
        held: kept.held,
        letter: kept.letter.map(|letter| letter.0),
        bound_at: kept.bound_at,
        attempts: kept.attempts,
        sent_at: kept.sent_at,
        error: kept.error,
        sent_as: kept.sent_as.map(|sent| (sent.form.to_string(), sent.zone)),
        deliveries: deliveries
            .map(|Delivery { address, state, at, error }| DeliveryLine { address, state, at, error })
            .collect(),
    }
}

/// Returns the notice of a line, for this player.
pub(super) fn kept_notice(line: NoticeLine, player: Option<PlayerId>) -> Read<KeptNotice> {
    let NoticeLine { number, address, kind, board, entry, facts, in_reply_to, domain, created_at, due_at, .. } = line;
    let facts_are_told = serde_json::from_str::<Value>(&facts).is_ok_and(|facts| facts.is_object());
    if NoticeKind::named(&kind).is_none() || !facts_are_told {
        return fault(message!("import.notice", number, kind));
    }
    let sent_as = match line.sent_as {
        Some((form, zone)) => {
            let form = form.parse().map_err(|_| Fault::What(message!("import.notice", number, kind = &kind)))?;
            Some(SentAs { form, zone })
        }
        None => None,
    };
    let deliveries = line.deliveries.into_iter();
    Ok(KeptNotice {
        id: OutboxId(number),
        notice: NewNotice { player, address, kind, board, entry, facts, in_reply_to, domain, created_at, due_at },
        held: line.held,
        letter: line.letter.map(OutboxId),
        bound_at: line.bound_at,
        attempts: line.attempts,
        sent_at: line.sent_at,
        error: line.error,
        sent_as,
        deliveries: deliveries
            .map(|DeliveryLine { address, state, at, error }| Delivery { address, state, at, error })
            .collect(),
    })
}

/// Returns the line of a message for an export.
pub(super) fn mail_line(kept: KeptMail, userids: &Userids, seal: Option<&Seal>) -> MailLine {
    let (refusals, effects) = (kept.refusals, kept.effects);
    MailLine {
        number: kept.id.0,
        received_at: kept.received_at,
        via: kept.source,
        truncated: kept.truncated,
        attempts: kept.attempts,
        author: kept.author.and_then(|author| userids.get(&author).cloned()),
        raw: kept.raw.map(|raw| sealed(seal, Secret::Mail(kept.id.0), &raw)),
        verdict: kept.closed.map(|(verdict, closed_at)| {
            let Verdict { kind, sender, identity, commands, reason } = verdict;
            VerdictLine { kind, closed_at, sender, identity, commands, reason, refusals, effects }
        }),
    }
}

/// Returns the message of a line, by this author.
pub(super) fn kept_mail(line: MailLine, author: Option<PlayerId>, seal: Option<&Seal>) -> Read<KeptMail> {
    let number = line.number;
    if line.raw.is_none() && line.verdict.is_none() {
        return fault(message!("import.mail", number));
    }
    let (closed, refusals, effects) = match line.verdict {
        Some(VerdictLine { kind, closed_at, sender, identity, commands, reason, refusals, effects }) => {
            (Some((Verdict { kind, sender, identity, commands, reason }, closed_at)), refusals, effects)
        }
        None => (None, Vec::new(), Vec::new()),
    };
    Ok(KeptMail {
        id: InboxId(number),
        received_at: line.received_at,
        source: line.via,
        truncated: line.truncated,
        attempts: line.attempts,
        author,
        raw: line.raw.map(|raw| opened(seal, Secret::Mail(number), &raw)).transpose()?,
        closed,
        refusals,
        effects,
    })
}
