//! Letter → encoded message and recipients.

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::context::OutboxContext;
use super::encode::encode;
use super::prepared_letter::{PreparedLetter, Recipient};
use super::send_error::SendError;
use crate::compose::own_address;
use crate::service;
use crate::store::{self, Delivery, DeliveryState, OutboxId, OutboxNotice, Transaction};
use crate::token::{ENVELOPE_TAG, EnvelopeSender, Key};

/// A letter that is ready to be sent, or `None` if its reader is unreachable.
pub(crate) type Prepared = Result<Option<PreparedLetter>, SendError>;

/// Prepares a letter. A panic is reported as a temporary error.
pub(crate) fn prepare(tx: &Transaction<'_>, outbox: &OutboxContext<'_>, notices: &[OutboxNotice]) -> Prepared {
    catch_unwind(AssertUnwindSafe(|| compose(tx, outbox, notices)))
        .unwrap_or_else(|_| Err(SendError::Temporary("composing it panicked".to_owned())))
}

/// Reads together what letters need.
pub(crate) fn read_ahead(tx: &Transaction<'_>, letters: &[&[OutboxNotice]]) -> store::Result<()> {
    let players = || letters.iter().filter_map(|notices| Some(notices[0].player.as_ref()?.id));
    tx.read_ahead(|tx| {
        drop((tx.server_id(), tx.reply_key()));
        for player in players() {
            drop((tx.player_by_id(player), tx.addresses(player)));
        }
        for notices in letters {
            drop((tx.sent_as(notices[0].id), tx.deliveries(notices[0].id)));
            for board in notices.iter().filter_map(|notice| notice.board) {
                drop((tx.board(board), tx.entries(board), tx.comments(board), tx.open_challenge(board)));
            }
        }
    })?;
    let addresses = players().map(|player| tx.addresses(player)).collect::<store::Result<Vec<_>>>()?;
    tx.read_ahead(|tx| {
        for known in addresses.iter().flatten() {
            drop(service::block_of(tx, &known.address));
        }
    })
}

fn compose(tx: &Transaction<'_>, outbox: &OutboxContext<'_>, notices: &[OutboxNotice]) -> Prepared {
    let config = outbox.config;
    let letter =
        outbox.composer.letter(tx, notices, &config.address).map_err(|error| temporary(&format!("{error:#}")))?;
    if letter.to.is_empty() {
        let held = out_of_reach(tx, &notices[0]).map_err(|error| temporary(&error))?;
        return if held {
            Ok(None)
        } else {
            Err(SendError::Permanent("no confirmed address that is not blocked".to_owned()))
        };
    }
    let deliveries = tx.deliveries(notices[0].id).map_err(|error| temporary(&error))?;
    let key = tx.reply_key().map_err(|error| temporary(&error))?;
    let waiting = letter.to.iter().filter(|address| !is_done(&deliveries, address));
    let recipients = waiting.map(|address| recipient(outbox, notices[0].id, address, &key)).collect();
    let mail = encode(&letter, &config.address, config.web.url.as_deref())?.formatted();
    Ok(Some(PreparedLetter { notices: notices.to_vec(), mail, recipients }))
}

/// Classifies an error as temporary: it is more often in a template, which can be fixed, than in a notice.
pub(crate) fn temporary(error: &dyn Display) -> SendError {
    SendError::Temporary(format!("it cannot be composed: {error}"))
}

/// Returns whether the letter was sent to this address, or never will be.
fn is_done(deliveries: &[Delivery], address: &str) -> bool {
    let delivery = deliveries.iter().find(|delivery| delivery.address.eq_ignore_ascii_case(address));
    delivery.is_some_and(|delivery| delivery.state != DeliveryState::Failed)
}

fn recipient(outbox: &OutboxContext<'_>, letter: OutboxId, address: &str, key: &Key) -> Recipient {
    let own = &outbox.config.address;
    let signed = || {
        let letter = u32::try_from(letter.0).ok().filter(|_| outbox.config.signed_senders)?;
        own_address(own, &format!("{ENVELOPE_TAG}{}", EnvelopeSender::sign(letter, address, key)))
    };
    Recipient { address: address.to_owned(), envelope_sender: signed().unwrap_or_else(|| own.clone()) }
}

/// Returns whether every address of a notice's reader is paused.
pub(crate) fn out_of_reach(tx: &Transaction<'_>, notice: &OutboxNotice) -> store::Result<bool> {
    notice.player.as_ref().map_or(Ok(false), |player| Ok(service::out_of_reach(tx, player.id)?.is_some()))
}
