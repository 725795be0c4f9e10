//! Works the outbox off.
//!
//! What is due for one player at one time is one letter: its notices are bound together before it is composed, and so
//! told together at every attempt. It goes to each of his addresses by itself, so that one that is refused keeps none of
//! the others back. A letter is told at least once, each time with the same Message-ID: its notices are marked as sent only
//! after the transport took it. One that fails is tried again after 5 minutes, then 10, 20, … with up to 20 % more or less, so that many
//! that failed together do not come back together; never later than 4 hours, and not at all 5 days after it was
//! written or when the receiving side says that it never will take it. A letter that cannot be composed counts as a
//! passing failure: a template is mended more often than a notice. A player without a confirmed address cannot be
//! told; for one whose every address is paused, notices are held.
//!
//! No letter holds up another: several hands send, and one that has to wait for a slow server keeps one hand. But after
//! three passing failures one behind the other the pass ends, because a server that does not answer takes its half
//! minute each time.

use std::collections::{BTreeSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

use super::{SendError, Transport, envelope};
use crate::compose::{Composer, own_address};
use crate::config::Config;
use crate::service::{self, Failure, NoticeKind, Service};
use crate::store::{self, Delivery, DeliveryState, OutboxId, OutboxNotice, PlayerId, Store, Transaction};
use crate::token::EnvelopeSender;
use crate::world::World;

const FIRST_RETRY: TimeDelta = TimeDelta::minutes(5);
const LAST_RETRY: TimeDelta = TimeDelta::hours(4);
const GIVEN_UP: TimeDelta = TimeDelta::days(5);
/// How many letters are taken from the store at once.
const BATCH: u32 = 50;
/// How many notices are bound at once; what is due for one player is one letter as far as it is among them.
const LOOSE: u32 = 5_000;
/// The most notices of a letter: each may bring a drawing of its board.
const MOST: usize = 40;
/// After so many passing failures one behind the other, the pass ends.
const FAILURES_IN_A_ROW: u32 = 3;
/// While every hand waits for a server: how often it is seen whether there is something else to do.
const LOOK: Duration = Duration::from_millis(500);
const NO_ADDRESS: &str = "no confirmed address";

/// What became of one notice, for the log.
#[derive(Debug)]
pub struct DeliveryReport<'a> {
    /// It.
    pub notice: &'a OutboxNotice,
    /// Where its letter went, or would have gone.
    pub to: &'a [String],
    /// Whether the transport took it.
    pub result: Result<(), SendError>,
    /// When it is tried again, if it is.
    pub retry_at: Option<DateTime<Utc>>,
}

/// What a pass works with.
pub struct OutboxContext<'a> {
    /// Facts → words.
    pub composer: &'a Composer,
    /// How letters leave.
    pub transport: &'a Transport,
    /// The server's own address, and whether its envelope senders are signed.
    pub config: &'a Config,
    /// Time and randomness.
    pub world: World,
}

/// A letter ready to be sent.
struct PreparedLetter {
    notices: Vec<OutboxNotice>,
    mail: Vec<u8>,
    /// Where it goes, and under which envelope sender.
    to: Vec<(String, String)>,
}

type Results = Vec<Result<(), SendError>>;

/// Tells what is due, oldest first, and gives how many letters were taken; `log` hears of each. It ends early when
/// `stopped` says so, with no letter half done.
///
/// # Errors
/// The store's. A letter that was not taken is no error here.
pub fn work_outbox(
    store: &mut dyn Store,
    office: &OutboxContext<'_>,
    stopped: &dyn Fn() -> bool,
    log: &mut dyn FnMut(&DeliveryReport<'_>),
) -> anyhow::Result<usize> {
    let transport = office.transport;
    let (give, take) = mpsc::channel::<PreparedLetter>();
    let (report, reports) = mpsc::channel::<(PreparedLetter, Results)>();
    let take = &Mutex::new(take);
    thread::scope(|scope| {
        // Gone with this closure: the hands then stop.
        let give = give;
        for _ in 0..transport.hands() {
            let report = report.clone();
            scope.spawn(move || {
                loop {
                    let parcel = take.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(parcel) = parcel else { break };
                    let results = send(transport, &parcel);
                    if report.send((parcel, results)).is_err() {
                        break;
                    }
                }
            });
        }
        let mut pass = Pass { store, office, log, sent: 0, failures: 0 };
        let (mut queue, mut in_hand) = (VecDeque::new(), BTreeSet::new());
        loop {
            let ends = stopped() || pass.failures >= FAILURES_IN_A_ROW;
            if ends {
                queue.clear();
            } else if queue.is_empty() && in_hand.len() < transport.hands() {
                queue = pass.prepare(&in_hand)?;
            }
            while in_hand.len() < transport.hands()
                && let Some(parcel) = queue.pop_front()
            {
                in_hand.insert(parcel.notices[0].id.0);
                give.send(parcel)?;
            }
            if in_hand.is_empty() {
                return Ok(pass.sent);
            }
            match reports.recv_timeout(LOOK) {
                Ok((parcel, results)) => {
                    in_hand.remove(&parcel.notices[0].id.0);
                    pass.settle(parcel, results)?;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => anyhow::bail!("nobody is left who sends letters"),
            }
        }
    })
}

/// Sends a letter to each of its addresses.
fn send(transport: &Transport, parcel: &PreparedLetter) -> Results {
    let send = |(address, sender): &(String, String)| {
        // Named by the id without the token, which is for the reader's eyes.
        let name = &parcel.notices[0].message_id;
        catch_unwind(AssertUnwindSafe(|| transport.send(&parcel.mail, sender, address, name)))
            .unwrap_or_else(|_| Err(SendError::Temporary("sending it panicked".to_owned())))
    };
    parcel.to.iter().map(send).collect()
}

/// One pass over the outbox.
struct Pass<'a> {
    store: &'a mut dyn Store,
    office: &'a OutboxContext<'a>,
    log: &'a mut dyn FnMut(&DeliveryReport<'_>),
    sent: usize,
    /// Passing ones, one behind the other.
    failures: u32,
}

impl Pass<'_> {
    /// Composes what is due and in nobody's hand. What cannot be sent at all is settled here.
    fn prepare(&mut self, in_hand: &BTreeSet<i64>) -> anyhow::Result<VecDeque<PreparedLetter>> {
        let now = (self.office.world.now)();
        bind(self.store, now)?;
        let mut due = self.store.read()?.due_letters(now, BATCH)?;
        due.retain(|notices| notices.first().is_some_and(|leading| !in_hand.contains(&leading.id.0)));
        let mut parcels = VecDeque::new();
        for notices in due {
            let parcel = catch_unwind(AssertUnwindSafe(|| self.parcel(&notices)))
                .unwrap_or_else(|_| Err(SendError::Temporary("composing it panicked".to_owned())));
            match parcel {
                Ok(Some((mail, to))) => parcels.push_back(PreparedLetter { notices, mail, to }),
                Ok(None) => {
                    let mut tx = self.store.write()?;
                    tx.hold(&ids(&notices))?;
                    tx.commit()?;
                    tracing::info!(letter = notices[0].id.0, "letter held: its reader's every address is paused");
                }
                Err(error) => {
                    self.settle(PreparedLetter { notices, mail: Vec::new(), to: Vec::new() }, vec![Err(error)])?
                }
            }
        }
        Ok(parcels)
    }

    /// The mail, and where it goes; nothing when its reader is out of reach.
    #[allow(clippy::type_complexity, reason = "it is the better half of a PreparedLetter")]
    fn parcel(&mut self, notices: &[OutboxNotice]) -> Result<Option<(Vec<u8>, Vec<(String, String)>)>, SendError> {
        let temporary = |error: &dyn std::fmt::Display| SendError::Temporary(format!("it cannot be composed: {error}"));
        let Config { address: own, signed_senders, web, .. } = self.office.config;
        let tx = self.store.read().map_err(|error| temporary(&error))?;
        let letter =
            self.office.composer.letter(&*tx, notices, own).map_err(|error| temporary(&format!("{error:#}")))?;
        if letter.to.is_empty() {
            let held = out_of_reach(&*tx, &notices[0]).map_err(|error| temporary(&error))?;
            return if held { Ok(None) } else { Err(SendError::Permanent(NO_ADDRESS.to_owned())) };
        }
        let done = tx.deliveries(notices[0].id).map_err(|error| temporary(&error))?;
        let key = tx.reply_key().map_err(|error| temporary(&error))?;
        let is_done = |to: &String| {
            let at = done.iter().find(|delivery| delivery.address.eq_ignore_ascii_case(to));
            at.is_some_and(|delivery| delivery.state != DeliveryState::Failed)
        };
        let sender = |to: &str| {
            let letter = u32::try_from(notices[0].id.0).ok().filter(|_| *signed_senders)?;
            own_address(own, &format!("b-{}", EnvelopeSender::sign(letter, to, &key)))
        };
        let to = letter.to.iter().filter(|to| !is_done(to));
        let to = to.map(|to| (to.clone(), sender(to).unwrap_or_else(|| own.clone()))).collect();
        Ok(Some((envelope(&letter, own, web.url.as_deref())?.formatted(), to)))
    }

    /// Writes down what became of a letter: it is done when every address has it or never will.
    fn settle(&mut self, parcel: PreparedLetter, results: Results) -> anyhow::Result<()> {
        let now = (self.office.world.now)();
        let service = self.office.config.service(self.office.world);
        let leading = &parcel.notices[0];
        let mut tx = self.store.write()?;
        for ((address, _), result) in parcel.to.iter().zip(&results) {
            note(&service, &mut *tx, leading.id, address, result, now)?;
        }
        let failed = |kind: fn(&SendError) -> bool| {
            results.iter().filter_map(|result| result.as_ref().err()).find(|error| kind(error)).cloned()
        };
        let temporary = failed(|error| matches!(error, SendError::Temporary(_)));
        let permanent = failed(|error| matches!(error, SendError::Permanent(_)));
        let any_sent = tx.deliveries(leading.id)?.iter().any(|delivery| delivery.state == DeliveryState::Sent);
        let result = match (temporary, permanent) {
            (Some(error), _) => Err(error),
            (None, Some(error)) if !any_sent => Err(error),
            _ => Ok(()),
        };
        let retry_at = match &result {
            Err(SendError::Temporary(_)) => retry_at(leading, now, &self.office.world),
            _ => None,
        };
        match &result {
            Ok(()) => tx.letter_sent(leading.id, now)?,
            // Its last address was paused by this: it waits, as does what comes after it.
            Err(SendError::Permanent(_)) if out_of_reach(&*tx, leading)? => tx.hold(&ids(&parcel.notices))?,
            Err(error) => tx.letter_failed(leading.id, &error.to_string(), retry_at)?,
        }
        tx.commit()?;
        match &result {
            Ok(()) => (self.sent, self.failures) = (self.sent + 1, 0),
            Err(SendError::Temporary(_)) => self.failures += 1,
            Err(SendError::Permanent(_)) => self.failures = 0,
        }
        let to: Vec<String> = parcel.to.into_iter().map(|(address, _)| address).collect();
        for notice in &parcel.notices {
            (self.log)(&DeliveryReport { notice, to: &to, result: result.clone(), retry_at });
        }
        Ok(())
    }
}

fn ids(notices: &[OutboxNotice]) -> Vec<OutboxId> {
    notices.iter().map(|notice| notice.id).collect()
}

fn out_of_reach(tx: &dyn Transaction, notice: &OutboxNotice) -> store::Result<bool> {
    notice.player.as_ref().map_or(Ok(false), |player| Ok(service::out_of_reach(tx, player.id)?.is_some()))
}

/// What became of a letter at one address.
fn note(
    service: &Service<'_>,
    tx: &mut dyn Transaction,
    letter: OutboxId,
    address: &str,
    result: &Result<(), SendError>,
    at: DateTime<Utc>,
) -> store::Result<()> {
    let (state, error) = match result {
        Ok(()) => (DeliveryState::Sent, None),
        Err(error @ SendError::Temporary(_)) => (DeliveryState::Failed, Some(error.to_string())),
        Err(error @ SendError::Permanent(_)) => {
            let failure = Failure::new(&error.to_string());
            let state = if service.refused_there(tx, address, &failure, at)? {
                tracing::warn!(letter = letter.0, address, why = failure.said, "address paused");
                // Once it is sent to again, it may have this letter, too.
                DeliveryState::Failed
            } else {
                DeliveryState::Refused
            };
            (state, Some(error.to_string()))
        }
    };
    tx.set_delivery(letter, &Delivery { address: address.to_owned(), state, at, error })
}

/// Makes letters of the notices that are due.
fn bind(store: &mut dyn Store, now: DateTime<Utc>) -> store::Result<()> {
    // Most passes find nothing, and need not hold up whoever writes.
    if store.read()?.loose_notices(now, 1)?.is_empty() {
        return Ok(());
    }
    let mut tx = store.write()?;
    let mut letters: Vec<(Option<PlayerId>, Vec<OutboxId>)> = Vec::new();
    for notice in tx.loose_notices(now, LOOSE)? {
        let reader = reader(&*tx, &notice)?;
        match letters.iter_mut().find(|(of, ids)| of.is_some() && *of == reader && ids.len() < MOST) {
            Some((_, ids)) => ids.push(notice.id),
            None => letters.push((reader, vec![notice.id])),
        }
    }
    for (_, ids) in &letters {
        tx.bind_letter(ids)?;
    }
    tx.commit()
}

/// The player at whose addresses a notice may be told; `None` when it is for one address that is not his.
fn reader(tx: &dyn Transaction, notice: &OutboxNotice) -> store::Result<Option<PlayerId>> {
    let player = notice.player.as_ref().map(|player| player.id);
    let (Some(address), Some(id)) = (&notice.address, player) else { return Ok(player) };
    let known = tx.addresses(id)?;
    let his = known.iter().any(|known| known.confirmed_at.is_some() && known.address.eq_ignore_ascii_case(address));
    Ok(player.filter(|_| his && NoticeKind::of(notice) == Some(NoticeKind::Answer)))
}

/// When a notice that failed at `now` is tried again; `None`: no more.
pub fn retry_at(notice: &OutboxNotice, now: DateTime<Utc>, world: &World) -> Option<DateTime<Utc>> {
    if now - notice.created_at >= GIVEN_UP {
        return None;
    }
    // The seventh doubling is beyond the cap already; more would only overflow.
    let wait = (FIRST_RETRY * 2_i32.pow(notice.attempts.min(6))).min(LAST_RETRY);
    let wait = TimeDelta::seconds(wait.num_seconds() * i64::from(world.jitter()) / 100);
    Some(now + wait.min(LAST_RETRY))
}
