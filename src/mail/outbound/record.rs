//! Records the results of sending a letter, and schedules retries.
//!
//! The first retry follows after 5 minutes, the next ones after 10, 20, … minutes, with up to 20 % jitter, so that
//! letters that failed together are not retried together. The interval is at most 4 hours. Retries end 5 days after the
//! notices were bound into the letter: the notices may be much older, because they were held. Every letter gets a
//! minimum number of attempts: we may have been down for days, or the mail server may have refused everything.

use chrono::{DateTime, TimeDelta, Utc};

use super::letter::{PreparedLetter, SendError, SendResult, work};
use super::prepare::{OutboxContext, out_of_reach};
use crate::clock::Span;
use crate::service::{Failure, Service};
use crate::store::{self, Delivery, DeliveryState, InboxId, OutboxId, OutboxNotice, Store, Transaction};
use crate::world::World;

const FIRST_RETRY: TimeDelta = TimeDelta::minutes(5);
const LAST_RETRY: TimeDelta = TimeDelta::hours(4);
const GIVEN_UP: TimeDelta = TimeDelta::days(5);
/// The minimum number of attempts, which take about 9 hours.
const LEAST_ATTEMPTS: u32 = 8;

/// The recorded result of a letter.
pub(crate) struct Recorded {
    pub(crate) result: SendResult,
    /// The time of the next attempt.
    pub(crate) retry_at: Option<DateTime<Utc>>,
    /// For each notice, the message that caused it.
    pub(crate) causes: Vec<Option<InboxId>>,
}

/// Records the result for each recipient. If an address has received the letter and no retry is needed, adds the letter
/// to `sent`, so that the caller marks it as sent. `causes` contains the message that caused each notice.
pub(crate) fn record(
    tx: &mut Transaction<'_>,
    outbox: &OutboxContext<'_>,
    letter: &PreparedLetter,
    results: &[SendResult],
    causes: Vec<Option<InboxId>>,
    sent: &mut Vec<OutboxId>,
) -> store::Result<Recorded> {
    let now = (outbox.world.now)();
    let service = outbox.config.service(outbox.world);
    let leading = &letter.notices[0];
    let results = &update_relay(outbox, letter, results, now)[..];
    for (recipient, result) in letter.recipients.iter().zip(results) {
        // Without an access token, the letter was not sent to the server.
        if !matches!(result, Err(SendError::Unauthorized(_))) {
            record_delivery(&service, tx, leading.id, &recipient.address, result, now)?;
        }
    }
    let any_failed = results.iter().any(Result::is_err);
    let is_sent = |delivery: &Delivery| delivery.state == DeliveryState::Sent;
    let any_sent = !any_failed || tx.deliveries(leading.id)?.iter().any(is_sent);
    let result = combined(results, any_sent);
    let retry_at = match &result {
        Err(error) if !error.is_permanent() => retry_at(leading, now, &outbox.world),
        _ => None,
    };
    match &result {
        Ok(()) => sent.push(leading.id),
        // The reader's last reachable address was paused because of this failure: hold the letter.
        Err(SendError::Permanent(_)) if out_of_reach(tx, leading)? => tx.hold(&ids(&letter.notices))?,
        // The letter remains due until an access token is available again.
        Err(SendError::Unauthorized(_)) => {}
        Err(error) => tx.letter_failed(leading.id, &error.to_string(), retry_at)?,
    }
    Ok(Recorded { result, retry_at, causes })
}

/// Updates the state of the mail server, and returns the results. Permanent refusals by a suspected server are replaced
/// by policy errors, because they say nothing about the recipients.
fn update_relay(
    outbox: &OutboxContext<'_>,
    letter: &PreparedLetter,
    results: &[SendResult],
    now: DateTime<Utc>,
) -> Vec<SendResult> {
    let mut results = results.to_vec();
    let Some(relay) = outbox.transport.relay() else { return results };
    for (recipient, result) in letter.recipients.iter().zip(&mut results) {
        match result {
            Ok(()) => relay.accepted(),
            Err(SendError::Permanent(said)) => {
                if relay.refused(&recipient.address, said, now) {
                    *result = Err(SendError::Policy(std::mem::take(said)));
                }
            }
            Err(SendError::Relay(said)) => relay.refused_us(said, now),
            Err(SendError::Unauthorized(why)) => relay.unauthorized(why, now),
            Err(SendError::Policy(said)) => relay.refused_policy(said, now),
            Err(SendError::Temporary(_) | SendError::Hung(_)) => {}
        }
    }
    results
}

/// Combines the results into one for the whole letter. `SendError::Hung` takes precedence over other temporary errors,
/// and a temporary error over a permanent one. A permanent error is returned only if no address received the letter.
fn combined(results: &[SendResult], any_sent: bool) -> SendResult {
    let errors = || results.iter().filter_map(|result| result.as_ref().err());
    let hung = errors().find(|error| matches!(error, SendError::Hung(_)));
    let temporary = errors().find(|error| !error.is_permanent());
    let permanent = errors().find(|_| !any_sent);
    hung.or(temporary).or(permanent).map_or(Ok(()), |error| Err(error.clone()))
}

fn record_delivery(
    service: &Service<'_>,
    tx: &mut Transaction<'_>,
    letter: OutboxId,
    address: &str,
    result: &SendResult,
    at: DateTime<Utc>,
) -> store::Result<()> {
    let (state, error) = match result {
        Ok(()) => (DeliveryState::Sent, None),
        Err(error) if !error.is_permanent() => (DeliveryState::Failed, Some(error.to_string())),
        Err(error) => {
            let failure = Failure::new(&error.to_string());
            if service.refused_there(tx, address, &failure, at)? {
                tracing::warn!(letter = letter.0, address, why = failure.said, "address paused");
            }
            (DeliveryState::Refused, Some(error.to_string()))
        }
    };
    tx.set_delivery(letter, &Delivery { address: address.to_owned(), state, at, error })
}

/// Holds a letter whose reader is unreachable.
pub(crate) fn hold(store: &mut dyn Store, notices: &[OutboxNotice], outbox: &OutboxContext<'_>) -> store::Result<()> {
    let mut tx = store.write()?;
    tx.hold(&ids(notices))?;
    outbox.release(&mut tx, &work(notices))?;
    tx.commit()?;
    tracing::info!(letter = notices[0].id.0, "letter held: every address of its reader is paused");
    Ok(())
}

fn ids(notices: &[OutboxNotice]) -> Vec<OutboxId> {
    notices.iter().map(|notice| notice.id).collect()
}

/// Returns the time of the next attempt after a failure at `now`; `None` if there is no further attempt.
pub fn retry_at(notice: &OutboxNotice, now: DateTime<Utc>, world: &World) -> Option<DateTime<Utc>> {
    let is_old = !Span::last(GIVEN_UP, now).contains(notice.bound_at.unwrap_or(notice.created_at));
    if is_old && notice.attempts + 1 >= LEAST_ATTEMPTS {
        return None;
    }
    // Six doublings already exceed the maximum, and more might overflow.
    let wait = (FIRST_RETRY * 2_i32.pow(notice.attempts.min(6))).min(LAST_RETRY);
    let wait = TimeDelta::seconds(wait.num_seconds() * i64::from(world.jitter()) / 100);
    Some(now + wait.min(LAST_RETRY))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_is_finished_after_the_last_delivery_or_failure() {
        let (sent, busy, dead) =
            (Ok(()), Err(SendError::Temporary("busy".to_owned())), Err(SendError::Permanent("dead".to_owned())));
        assert_eq!(combined(&[sent.clone(), sent.clone()], true), sent);
        assert_eq!(combined(&[sent.clone(), dead.clone()], true), sent);
        assert_eq!(combined(&[dead.clone(), busy.clone(), sent.clone()], true), busy);
        assert_eq!(combined(std::slice::from_ref(&dead), true), sent, "another address received the letter earlier");
        assert_eq!(combined(std::slice::from_ref(&dead), false), dead);
        assert_eq!(combined(&[], false), sent);
    }
}
