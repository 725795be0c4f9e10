//! Prepares letters: composes and encodes them on several cores, and finds their recipients.

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use chrono::{DateTime, Utc};

use super::letter::{PreparedLetter, Recipient, SendError, encode};
use super::transport::Transport;
use crate::compose::{Composer, own_address};
use crate::config::Config;
use crate::numbers::BoardNumber;
use crate::service::{self, Failure};
use crate::store::{
    self, Delivery, DeliveryState, InboxId, NodeName, OutboxId, OutboxNotice, Store, Transaction, Work,
};
use crate::token::{ENVELOPE_TAG, EnvelopeSender, Key};
use crate::world::{Deadline, World};

/// How many letters each additional thread prepares before they are sent: few, so that the mail server does not wait
/// for them, but enough to justify starting a thread.
const LETTERS: usize = 3;

/// The parameters of processing the outbox.
pub struct OutboxContext<'a> {
    /// Composes letters from notices.
    pub composer: &'a Composer,
    /// Sends the letters.
    pub transport: &'a Transport,
    /// The configuration of the server, for example its own address.
    pub config: &'a Config,
    /// The node to which letters are leased; `None` if no other node can share the database.
    pub node: Option<&'a NodeName>,
    /// No further batch is leased after this time. Letters in flight are still sent.
    pub until: Option<Deadline>,
    /// The source of time and randomness.
    pub world: World,
}

impl OutboxContext<'_> {
    /// Releases a lease of this node.
    pub(crate) fn release(&self, tx: &mut Transaction<'_>, work: &Work) -> store::Result<()> {
        self.node.map_or(Ok(()), |node| tx.release_lease(work, node))
    }
}

/// The result of sending one notice, for the log.
#[derive(Debug)]
pub struct DeliveryReport<'a> {
    /// The notice.
    pub notice: &'a OutboxNotice,
    /// The message that caused the notice.
    pub mail: Option<InboxId>,
    /// The addresses to which the letter was sent or should have been sent.
    pub to: &'a [String],
    /// Whether the transport accepted the letter.
    pub result: Result<(), SendError>,
    /// The time of the next attempt.
    pub retry_at: Option<DateTime<Utc>>,
}

/// A letter ready to be sent, or `None` if its reader is unreachable.
pub(crate) type Prepared = Result<Option<PreparedLetter>, SendError>;

/// Prepares a letter. A panic is reported as a temporary error.
pub(crate) fn prepare(tx: &Transaction<'_>, outbox: &OutboxContext<'_>, notices: &[OutboxNotice]) -> Prepared {
    catch_unwind(AssertUnwindSafe(|| compose(tx, outbox, notices)))
        .unwrap_or_else(|_| Err(SendError::Temporary("composing it panicked".to_owned())))
}

/// Reads ahead the rows that the letters need.
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
            Err(SendError::Permanent("no confirmed address except blocked ones".to_owned()))
        };
    }
    let deliveries = tx.deliveries(notices[0].id).map_err(|error| temporary(&error))?;
    let key = tx.reply_key().map_err(|error| temporary(&error))?;
    let waiting = letter.to.iter().filter(|address| !is_done(&deliveries, address));
    let recipients = waiting.map(|address| recipient(outbox, notices[0].id, address, &key)).collect();
    let mail = encode(&letter, &config.address, config.web.url.as_deref())?.formatted();
    Ok(Some(PreparedLetter { notices: notices.to_vec(), mail, recipients }))
}

/// Converts an error of composing a letter into a temporary error: its cause is usually a template, which the
/// administrator can fix.
pub(crate) fn temporary(error: &dyn Display) -> SendError {
    SendError::Temporary(format!("it cannot be composed: {error}"))
}

/// Returns whether the letter need not be sent to this address again. If the mailbox did not exist, the address was
/// paused. The letter is sent again after the pause.
fn is_done(deliveries: &[Delivery], address: &str) -> bool {
    let delivery = deliveries.iter().find(|delivery| delivery.address.eq_ignore_ascii_case(address));
    delivery.is_some_and(|delivery| match delivery.state {
        DeliveryState::Failed => false,
        DeliveryState::Refused => delivery.error.as_deref().is_none_or(|said| !Failure::new(said).is_dead()),
        DeliveryState::Sent | DeliveryState::Bounced => true,
    })
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
    notice.player.as_ref().map_or(Ok(false), |player| Ok(tx.out_of_reach(player.id)?.is_some()))
}

/// Returns how many letters to prepare in one call. Without further connections, this is one letter, which is sent as
/// soon as it is prepared.
pub(crate) fn letters_at_once(further: &[Box<dyn Store>]) -> usize {
    1 + LETTERS * further.len()
}

/// Prepares letters, given as their notices, and returns them in the same order. Each connection is used by a separate
/// thread. The letters about one board are prepared by the same thread, so that the board is drawn only once.
pub(crate) fn prepare_all(
    store: &mut dyn Store,
    further: &mut [Box<dyn Store>],
    outbox: &OutboxContext<'_>,
    letters: &[Vec<OutboxNotice>],
) -> Vec<Prepared> {
    let boards = by_board(letters);
    let next = AtomicUsize::new(0);
    let prepare_some = |store: &mut dyn Store| -> Vec<(usize, Prepared)> {
        let boards = std::iter::from_fn(|| boards.get(next.fetch_add(1, Ordering::Relaxed)));
        boards.flat_map(|places| prepare_together(store, outbox, letters, places)).collect()
    };
    let mut prepared = thread::scope(|scope| {
        let further = further.iter_mut().take(boards.len().saturating_sub(1));
        let threads: Vec<_> = further
            .filter_map(|store| {
                let thread = thread::Builder::new().name("composer".to_owned());
                // If a further thread cannot be started, the other threads prepare its letters.
                thread.spawn_scoped(scope, || prepare_some(&mut **store)).ok()
            })
            .collect();
        let mut prepared = prepare_some(store);
        for thread in threads {
            prepared.extend(thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        prepared
    });
    prepared.sort_by_key(|(place, _)| *place);
    prepared.into_iter().map(|(_, prepared)| prepared).collect()
}

/// Prepares the letters with these indexes, in one transaction. If a letter fails, begins another transaction for the
/// next letter.
fn prepare_together(
    store: &mut dyn Store,
    outbox: &OutboxContext<'_>,
    letters: &[Vec<OutboxNotice>],
    places: &[usize],
) -> Vec<(usize, Prepared)> {
    let mut done: Vec<(usize, Prepared)> = Vec::new();
    while let [first, rest @ ..] = &places[done.len()..] {
        let begun = store.read().and_then(|tx| {
            let left: Vec<_> = places[done.len()..].iter().map(|&place| &letters[place][..]).collect();
            read_ahead(&tx, &left)?;
            Ok(tx)
        });
        match begun {
            Ok(tx) => {
                done.push((*first, prepare(&tx, outbox, &letters[*first])));
                for place in rest {
                    // A transaction cannot be used after a failed statement.
                    if done.last().is_some_and(|(_, prepared)| prepared.is_err()) {
                        break;
                    }
                    done.push((*place, prepare(&tx, outbox, &letters[*place])));
                }
            }
            Err(error) => done.push((*first, Err(temporary(&error)))),
        }
    }
    done
}

/// Groups the indexes of letters by board; each letter without a board forms a separate group.
fn by_board(letters: &[Vec<OutboxNotice>]) -> Vec<Vec<usize>> {
    let mut boards: Vec<(Option<BoardNumber>, Vec<usize>)> = Vec::new();
    for (place, notices) in letters.iter().enumerate() {
        let board = notices[0].board;
        match boards.iter_mut().find(|(of, _)| of.is_some() && *of == board) {
            Some((_, places)) => places.push(place),
            None => boards.push((board, vec![place])),
        }
    }
    boards.into_iter().map(|(_, places)| places).collect()
}
