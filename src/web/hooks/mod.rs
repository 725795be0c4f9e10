//! Turns told at addresses that players have named: worked off in `serve`, each by a thread that may wait.
//!
//! A turn is written down in the transaction in which it comes, and told until the address has taken it: again after
//! growing pauses for a day, and no more when the board has moved on meanwhile. A crash between telling and noting it
//! tells it twice, under the same id.

mod public;
mod send;

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;

pub(super) use send::flaw;

use crate::config::Web;
use crate::store::{self, Store, Transaction, Webhook, WebhookCall};
use crate::world::World;
use send::Poster;

/// Addresses that are called at a time.
const HANDS: u32 = 8;
/// The longest wait between two looks.
const LOOK: Duration = Duration::from_secs(1);
/// The pause after the first failure; each further one is four times as long, up to the longest.
const FIRST_PAUSE: TimeDelta = TimeDelta::seconds(2);
const LONGEST_PAUSE: TimeDelta = TimeDelta::hours(6);
/// How long a turn is told in vain.
const GIVEN_UP: TimeDelta = TimeDelta::days(1);
/// Failures in a row after which nothing more is sent to an address.
const MOST_FAILURES: u32 = 20;

/// Whoever tells them, at work.
pub struct Hooks {
    look: Sender<()>,
    thread: JoinHandle<()>,
}

impl Hooks {
    /// Begins, with a database connection of its own.
    ///
    /// # Errors
    /// No thread can be made.
    pub fn start(config: &Web, store: Box<dyn Store>, world: World) -> anyhow::Result<Hooks> {
        let (look, told) = mpsc::channel();
        let mut hooks = Work { store, world, poster: Poster::new(config.private_webhooks), url: config.url.clone() };
        let thread = thread::Builder::new().name("webhooks".to_owned()).spawn(move || {
            loop {
                let worked = hooks.process_all();
                if let Err(error) = &worked {
                    tracing::error!(%error, "webhooks cannot be worked off; it is tried again");
                }
                // Not at once: what failed is likely to fail again.
                let wait = if worked.is_err() { LOOK } else { hooks.wait() };
                match told.recv_timeout(wait) {
                    Err(RecvTimeoutError::Disconnected) => break,
                    Ok(()) => while told.try_recv().is_ok() {},
                    Err(RecvTimeoutError::Timeout) => {}
                }
            }
        })?;
        Ok(Hooks { look, thread })
    }

    /// Turns may have come.
    pub fn look(&self) {
        // Gone only when it panicked, and joining it says so.
        let _ = self.look.send(());
    }

    /// Ends after the calls that are under way.
    pub fn stop(self) {
        drop(self.look);
        if self.thread.join().is_err() {
            tracing::error!("telling turns panicked");
        }
    }
}

struct Work {
    store: Box<dyn Store>,
    world: World,
    poster: Poster,
    /// How the world reaches the pages.
    url: Option<String>,
}

/// What is to be sent where.
type Post = (Webhook, String);

/// What is sent.
#[derive(Serialize)]
struct Turn {
    event: &'static str,
    id: i64,
    board: u32,
    game: String,
    /// The ply that is waited for.
    ply: u32,
    opponent: String,
    url: Option<String>,
}

impl Work {
    fn process_all(&mut self) -> store::Result<()> {
        loop {
            let now = (self.world.now)();
            let due = self.due(now)?;
            if due.is_empty() {
                return Ok(());
            }
            let poster = &self.poster;
            let outcomes: Vec<Option<Result<(), String>>> = thread::scope(|scope| {
                let hands = due.iter().map(|(turn, _)| {
                    let turn = turn.as_ref();
                    scope.spawn(move || turn.map(|(hook, body)| poster.send(hook, body, now)))
                });
                let hands: Vec<_> = hands.collect();
                let ended = hands.into_iter().map(|hand| hand.join());
                ended.map(|ended| ended.unwrap_or_else(|_| Some(Err("telling it panicked".to_owned())))).collect()
            });
            let mut tx = self.store.write()?;
            for ((_, call), outcome) in due.iter().zip(outcomes) {
                note(&mut *tx, call, outcome, self.world)?;
            }
            tx.commit()?;
        }
    }

    /// What is due, with what is to be sent where.
    fn due(&mut self, now: DateTime<Utc>) -> store::Result<Vec<(Option<Post>, WebhookCall)>> {
        let tx = self.store.read()?;
        let calls = tx.due_webhook_calls(now, HANDS)?.into_iter();
        calls.map(|call| Ok((turn(&*tx, self.url.as_deref(), &call)?, call))).collect()
    }

    /// Until the next call, and no longer than [`LOOK`].
    fn wait(&mut self) -> Duration {
        let due = self.store.read().and_then(|tx| tx.next_webhook_call()).ok().flatten();
        let until = due.and_then(|due| (due - (self.world.now)()).to_std().ok()).unwrap_or(LOOK);
        until.clamp(Duration::from_millis(50), LOOK)
    }
}

/// What is to be sent where; `None` when the turn is past or nothing is sent there.
fn turn(tx: &dyn Transaction, url: Option<&str>, call: &WebhookCall) -> store::Result<Option<Post>> {
    let (hook, board) = (tx.webhook(call.player)?, tx.board(call.board)?);
    let (Some(hook), Some(board)) = (hook.filter(|hook| hook.paused.is_none()), board) else { return Ok(None) };
    let seat = board.to_move.filter(|seat| board.players[seat.index()].id == call.player);
    let Some(seat) = seat.filter(|_| board.entries == call.entry) else { return Ok(None) };
    let turn = Turn {
        event: "your-turn",
        id: call.id,
        board: board.number,
        game: board.game,
        ply: board.plies + 1,
        opponent: board.players[seat.other().index()].userid.clone(),
        url: url.map(|url| format!("{url}/boards/{}", board.number)),
    };
    let body = serde_json::to_string(&turn);
    Ok(Some((hook, body.map_err(|error| store::StoreError::Failed(error.to_string()))?)))
}

/// Notes how a call went; `None`: there was nothing to tell any more.
fn note(
    tx: &mut dyn Transaction,
    call: &WebhookCall,
    outcome: Option<Result<(), String>>,
    world: World,
) -> store::Result<()> {
    let hook = tx.webhook(call.player)?;
    let (Some(outcome), Some(mut hook)) = (outcome, hook) else { return tx.remove_webhook_call(call.id) };
    let now = (world.now)();
    match outcome {
        Ok(()) => {
            tracing::info!(call = call.id, board = call.board, "turn told at a webhook");
            hook.failures = 0;
            tx.remove_webhook_call(call.id)?;
        }
        Err(why) => {
            hook.failures += 1;
            let again = now + pause(call.attempts, world);
            tracing::warn!(call = call.id, board = call.board, why, failures = hook.failures, "a webhook failed");
            if hook.failures >= MOST_FAILURES {
                hook.paused = Some((now, format!("{MOST_FAILURES} calls failed in a row; the last: {why}")));
            }
            match hook.paused.is_none() && again - call.created_at < GIVEN_UP {
                true => tx.retry_webhook_call(call.id, again)?,
                false => tx.remove_webhook_call(call.id)?,
            }
        }
    }
    tx.set_webhook(&hook)
}

/// How long to wait after a failure that so many came before.
fn pause(before: u32, world: World) -> TimeDelta {
    let times = 4_i32.checked_pow(before).unwrap_or(i32::MAX);
    let pause = FIRST_PAUSE.checked_mul(times).unwrap_or(LONGEST_PAUSE).min(LONGEST_PAUSE);
    pause * world.jitter().cast_signed() / 100
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_within_a_day() {
        let world = World { now: || DateTime::UNIX_EPOCH, random: |bytes| bytes.fill(128) };
        assert_eq!(world.jitter(), 100);
        let pauses: Vec<i64> = (0..9).map(|n| pause(n, world).num_seconds()).collect();
        assert_eq!(pauses, [2, 8, 32, 128, 512, 2_048, 8_192, 21_600, 21_600]);
        assert_eq!(pause(u32::MAX, world), LONGEST_PAUSE);
    }
}
