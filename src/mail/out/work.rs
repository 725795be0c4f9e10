//! Works the outbox off.
//!
//! What is due for one player at one time is one letter: its notices are bound together before it is composed, and so
//! told together at every attempt. A letter is told at least once, each time with the same Message-ID: its notices are marked as sent only
//! after the transport took it. One that fails is tried again after 5 minutes, then 10, 20, … with up to 20 % more or less, so that many
//! that failed together do not come back together; never later than 4 hours, and not at all 5 days after it was
//! written or when the receiving side says that it never will take it. A letter that cannot be composed counts as a
//! passing failure: a template is mended more often than a notice. A player without a confirmed address cannot be
//! told. No notice holds up another; but after three passing failures one behind the other the pass ends, because a
//! server that does not answer takes its half minute each time.

use std::panic::{AssertUnwindSafe, catch_unwind};

use chrono::{DateTime, TimeDelta, Utc};

use super::{SendError, Transport, envelope};
use crate::compose::{Composer, Letter};
use crate::config::Config;
use crate::store::{self, Ledger, OutboxId, OutboxNotice, PlayerId, Store};
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
const NO_ADDRESS: &str = "no confirmed address";

/// What became of one notice, for the log.
#[derive(Debug)]
pub struct Told<'a> {
    /// It.
    pub notice: &'a OutboxNotice,
    /// Where its letter went, or would have gone.
    pub to: &'a [String],
    /// Whether the transport took it.
    pub result: Result<(), SendError>,
    /// When it is tried again, if it is.
    pub retry_at: Option<DateTime<Utc>>,
}

/// Tells what is due, oldest first, and gives how many letters were taken; `log` hears of each.
///
/// # Errors
/// The store's. A letter that was not taken is no error here.
pub fn work_outbox(
    store: &mut dyn Store,
    composer: &Composer,
    transport: &Transport,
    config: &Config,
    world: &World,
    log: &mut dyn FnMut(&Told<'_>),
) -> anyhow::Result<usize> {
    let mut sent = 0;
    let mut failures = 0;
    loop {
        bind(store, (world.now)())?;
        let due = store.read()?.due_letters((world.now)(), BATCH)?;
        if due.is_empty() {
            return Ok(sent);
        }
        for notices in &due {
            let Some(leading) = notices.first() else { continue };
            let mut to = Vec::new();
            let told = catch_unwind(AssertUnwindSafe(|| -> Result<(), SendError> {
                let letter = compose(store, composer, notices, &config.address)?;
                to.clone_from(&letter.to);
                if letter.to.is_empty() {
                    return Err(SendError::Permanent(NO_ADDRESS.to_owned()));
                }
                // Named by the id without the token, which is for the reader's eyes.
                transport.send(&envelope(&letter, &config.address)?, &leading.message_id)
            }));
            let result = told.unwrap_or_else(|_| Err(SendError::Temporary("composing it panicked".to_owned())));
            let now = (world.now)();
            let retry_at = match &result {
                Err(SendError::Temporary(_)) => retry_at(leading, now, world),
                _ => None,
            };
            let mut ledger = store.write()?;
            match &result {
                Ok(()) => ledger.letter_sent(leading.id, now)?,
                Err(error) => ledger.letter_failed(leading.id, &error.to_string(), retry_at)?,
            }
            ledger.commit()?;
            match &result {
                Ok(()) => (sent, failures) = (sent + 1, 0),
                Err(SendError::Temporary(_)) => failures += 1,
                Err(SendError::Permanent(_)) => failures = 0,
            }
            for notice in notices {
                log(&Told { notice, to: &to, result: result.clone(), retry_at });
            }
            if failures >= FAILURES_IN_A_ROW {
                return Ok(sent);
            }
        }
    }
}

/// Makes letters of the notices that are due.
fn bind(store: &mut dyn Store, now: DateTime<Utc>) -> store::Result<()> {
    // Most passes find nothing, and need not hold up whoever writes.
    if store.read()?.loose_notices(now, 1)?.is_empty() {
        return Ok(());
    }
    let mut ledger = store.write()?;
    let mut letters: Vec<(Option<PlayerId>, Vec<OutboxId>)> = Vec::new();
    for notice in ledger.loose_notices(now, LOOSE)? {
        let reader = reader(&*ledger, &notice)?;
        match letters.iter_mut().find(|(of, ids)| of.is_some() && *of == reader && ids.len() < MOST) {
            Some((_, ids)) => ids.push(notice.id),
            None => letters.push((reader, vec![notice.id])),
        }
    }
    for (_, ids) in &letters {
        ledger.bind_letter(ids)?;
    }
    ledger.commit()
}

/// The player at whose addresses a notice may be told; `None` when it is for one address that is not his.
fn reader(ledger: &dyn Ledger, notice: &OutboxNotice) -> store::Result<Option<PlayerId>> {
    let player = notice.player.as_ref().map(|(id, _)| *id);
    let (Some(address), Some(id)) = (&notice.address, player) else { return Ok(player) };
    let known = ledger.addresses(id)?;
    let his = known.iter().any(|known| known.confirmed_at.is_some() && known.address.eq_ignore_ascii_case(address));
    Ok(player.filter(|_| his && notice.kind == "answer"))
}

fn compose(
    store: &mut dyn Store,
    composer: &Composer,
    notices: &[OutboxNotice],
    address: &str,
) -> Result<Letter, SendError> {
    let temporary = |error: &dyn std::fmt::Display| SendError::Temporary(format!("it cannot be composed: {error}"));
    let ledger = store.read().map_err(|error| temporary(&error))?;
    composer.letter(&*ledger, notices, address).map_err(|error| temporary(&format!("{error:#}")))
}

/// When a notice that failed at `now` is tried again; `None`: no more.
pub fn retry_at(notice: &OutboxNotice, now: DateTime<Utc>, world: &World) -> Option<DateTime<Utc>> {
    if now - notice.created_at >= GIVEN_UP {
        return None;
    }
    // The seventh doubling is beyond the cap already; more would only overflow.
    let wait = (FIRST_RETRY * 2_i32.pow(notice.attempts.min(6))).min(LAST_RETRY);
    let mut random = [0; 2];
    (world.random)(&mut random);
    let percent = 80 + i64::from(u16::from_be_bytes(random)) * 41 / 65_536;
    Some(now + TimeDelta::seconds(wait.num_seconds() * percent / 100).min(LAST_RETRY))
}
