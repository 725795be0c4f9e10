//! Notices → letters: notices that are due for the same player are bound into one letter.
//!
//! They are bound before the letter is composed, so that every attempt sends the same letter. A code or link is sent in
//! a separate letter. Notices for an unreachable player are held, and bound once the player is reachable again.

use chrono::{DateTime, Utc};

use super::prepare::out_of_reach;
use crate::service::NoticeKind;
use crate::store::{self, OutboxId, OutboxNotice, PlayerId, Transaction};

/// How many notices one call binds.
const BATCH: u32 = 5_000;
/// The most notices of a letter, because each may add a drawing of its board.
const MAX_NOTICES: usize = 40;

/// Binds the notices that are due into letters.
pub(crate) fn bundle(tx: &mut Transaction<'_>, now: DateTime<Utc>) -> store::Result<()> {
    let mut letters: Vec<(Option<PlayerId>, Vec<OutboxId>)> = Vec::new();
    let loose = tx.loose_notices(now, BATCH)?;
    tx.read_ahead(|tx| {
        for player in loose.iter().filter_map(|notice| notice.player.as_ref()) {
            drop(tx.addresses(player.id));
        }
    })?;
    for notice in loose {
        if notice.address.is_none() && out_of_reach(tx, &notice)? {
            tx.hold(&[notice.id])?;
            tracing::info!(notice = notice.id.0, "held: every address of its reader is paused");
            continue;
        }
        let reader = reader(tx, &notice)?;
        match letters.iter_mut().find(|(of, ids)| of.is_some() && *of == reader && ids.len() < MAX_NOTICES) {
            Some((_, ids)) => ids.push(notice.id),
            None => letters.push((reader, vec![notice.id])),
        }
    }
    let letters: Vec<Vec<OutboxId>> = letters.into_iter().map(|(_, ids)| ids).collect();
    tx.bind_letters(&letters, now)
}

/// Returns the player whose letters may include a notice; `None` if the notice is for an address that is not the
/// player's, or needs a separate letter.
fn reader(tx: &Transaction<'_>, notice: &OutboxNotice) -> store::Result<Option<PlayerId>> {
    if NoticeKind::of(notice).is_some_and(NoticeKind::is_sent_alone) {
        return Ok(None);
    }
    let player = notice.player.as_ref().map(|player| player.id);
    let (Some(address), Some(id)) = (&notice.address, player) else { return Ok(player) };
    let known = tx.addresses(id)?;
    let own = known.iter().any(|known| known.confirmed_at.is_some() && known.address.eq_ignore_ascii_case(address));
    Ok(player.filter(|_| own && NoticeKind::of(notice) == Some(NoticeKind::Answer)))
}
