//! Other answers than consent to a confirmation letter by the owner of an address.

use chrono::{DateTime, Utc};

use crate::clock::Span;
use crate::service::account::blocked::{confirmations_of, wants_no_confirmation};
use crate::service::account::lapse::UNCONFIRMED;
use crate::service::context::Service;
use crate::service::notice::facts::{Confirmation, Notice, Replied};
use crate::service::notice::notices::Recipient;
use crate::store::{self, BlockedSender, CountedBy, CountedKind, Transaction};

impl Service<'_> {
    /// Asks the owner of an address again, after their mail with this Message-ID neither agreed nor refused. Returns
    /// false if they were asked again before, or if no confirmation is pending.
    ///
    /// # Errors
    /// If the store fails.
    pub fn ask_again(
        &self,
        tx: &mut Transaction<'_>,
        address: &str,
        asked: &Confirmation,
        message_id: Option<&str>,
        now: DateTime<Utc>,
    ) -> store::Result<bool> {
        let Some(player) = tx.player(&asked.userid)? else { return Ok(false) };
        let waits = tx.awaited_codes(player.id)?.iter().any(|awaited| awaited.code == asked.code);
        if !waits
            || tx.counted(CountedKind::Letter, CountedBy::Source(&source(asked)), &Span::last(UNCONFIRMED, now))? > 0
        {
            return Ok(false);
        }
        self.answer_owner(tx, address, asked, Replied::Unclear, message_id, now)?;
        Ok(true)
    }

    /// Stops confirmation letters to an address at its owner's request. Returns false if they were already stopped.
    ///
    /// # Errors
    /// If the store fails.
    pub fn stop_confirmations(
        &self,
        tx: &mut Transaction<'_>,
        address: &str,
        asked: &Confirmation,
        message_id: Option<&str>,
        now: DateTime<Utc>,
    ) -> store::Result<bool> {
        if wants_no_confirmation(tx, address)? {
            return Ok(false);
        }
        let reason = format!("confirm {}", asked.userid);
        tx.block_sender(&BlockedSender { sender: confirmations_of(address), blocked_at: now, reason })?;
        self.answer_owner(tx, address, asked, Replied::Refused, message_id, now)?;
        Ok(true)
    }

    fn answer_owner(
        &self,
        tx: &mut Transaction<'_>,
        address: &str,
        asked: &Confirmation,
        replied: Replied,
        message_id: Option<&str>,
        now: DateTime<Utc>,
    ) -> store::Result<()> {
        tx.count(CountedKind::Letter, address, &source(asked), now)?;
        let notice = Notice::Confirm(Confirmation { replied: Some(replied), ..asked.clone() });
        let (address, in_reply_to) = (Some(address.to_owned()), message_id.map(str::to_owned));
        let recipient = Recipient { player: None, address, in_reply_to, due_at: Some(now) };
        self.add_notice(tx, &notice, None, recipient, now)
    }
}

/// Returns the source under which letters to the owner are counted.
fn source(asked: &Confirmation) -> String {
    format!("confirm {} {}", asked.userid, asked.code)
}
