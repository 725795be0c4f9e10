//! Processing of the inbox, the clocks and the outbox of an instance, and the time limit for processing in a one-shot
//! command.

use std::cell::Cell;
use std::fs::{File, TryLockError};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use chrono::{DateTime, Utc};

use super::instance::Instance;
use super::progress::{MailStep, WorkQueue};
use crate::compose::Composer;
use crate::config::Config;
use crate::mail::inbound::{InProgressMarker, InboxContext, ProcessedMail};
use crate::mail::outbound::{DeliveryReport, OutboxContext, SendError, Transport, process_outbox};
use crate::metrics::{self, LetterResult};
use crate::numbers::BoardNumber;
use crate::service::{ClockResult, Service, administration};
use crate::store::{self, InboxId, Location, OutboxNotice, Transaction, VerdictKind};
use crate::text;
use crate::world::Deadline;

/// The maximum number of boards whose clocks are processed in one transaction. Other writers wait for the transaction.
const BOARDS: u32 = 100;
/// The longest interval between checks of a queue.
pub(crate) const MAX_WAIT: Duration = Duration::from_secs(1);
/// Sending stops after this many failed letters without a successful one.
const FAILURES: usize = 3;
/// The shortest interval between checks of a queue.
const MIN_WAIT: Duration = Duration::from_millis(50);
/// After this time, a one-shot command starts no further batch, because a person or a mail server is waiting for it to
/// end. If mail keeps arriving, later commands process it. Most commands need a fraction of a second.
const WORKING: Duration = Duration::from_secs(10);
/// The longest wait for hashing a password.
const HASHING: Duration = Duration::from_secs(10);

/// The result of processing the outbox.
#[derive(Clone, Copy, Default)]
pub(crate) struct Sent {
    /// The number of sent letters.
    pub(crate) letters: usize,
    /// The number of letters that could not be sent.
    pub(crate) failed: usize,
    /// Whether a mail server did not answer.
    pub(crate) hung: bool,
}

/// Which kinds of scheduled work are due.
struct DueByTime {
    /// Whether unconfirmed accounts have expired.
    accounts: bool,
    /// Whether addresses of former players must be erased.
    addresses: bool,
    /// Whether a puzzle of the day must be chosen.
    puzzles: bool,
    /// Whether a board's clock or an event requires an action.
    clocks: bool,
}

impl Sent {
    /// Returns whether to stop sending: no letter was sent, and either too many letters failed, or none was tried
    /// because sending is paused.
    pub(crate) fn is_stuck(self) -> bool {
        self.letters == 0 && !(1..FAILURES).contains(&self.failed)
    }
}

impl Instance {
    /// Processes the inbox, the clocks and the outbox until nothing is due. Skips queues that another command is
    /// processing. If the mail server does not answer, the outbox waits for the next command.
    ///
    /// # Errors
    /// Errors of the store or of the transport's setup. Errors in the inbox or the clocks do not prevent sending
    /// letters.
    pub fn process_all(&mut self) -> anyhow::Result<()> {
        self.process_for(&TimeSlice::endless())
    }

    /// Processes at least one batch of each queue, and more until the time limit.
    pub(crate) fn process_for(&mut self, time: &TimeSlice) -> anyhow::Result<()> {
        let mut hung = false;
        loop {
            let incoming = self.process_incoming_exclusively(time);
            let sent = if hung { Sent::default() } else { self.send_exclusively(time)? };
            hung |= sent.hung;
            let played = self.let_robots_play(&|| time.goes_on(), &|| time.gives_way())?;
            let done = incoming? + sent.letters + played;
            let ends = match time.goes_on() {
                true => done == 0 && !self.inbox.wait(time.hashing()),
                // Send the letter about a computer player's move even after the time limit.
                false => played == 0 || time.gives_way(),
            };
            if ends {
                return Ok(());
            }
        }
    }

    /// Returns whether incoming mail or a clock is due.
    pub(crate) fn incoming_is_due(&mut self) -> store::Result<bool> {
        let mail = !self.is_under_maintenance()? && self.inbox.is_due(&mut *self.store)?;
        Ok(mail || is_due(&self.store.glance()?, (self.world.now)())?)
    }

    /// Processes the inbox and the clocks until nothing is due, or `goes_on` returns false after a batch. Returns the
    /// number of processed messages and scheduled items. Calls `processed` after each batch, so that its letters do not
    /// wait for the next batch.
    pub(crate) fn process_incoming(
        &mut self,
        processed: &dyn Fn(),
        goes_on: &dyn Fn() -> bool,
    ) -> anyhow::Result<usize> {
        self.check_clock()?;
        self.see_clocks()?;
        let (mut total, mut nothing_due) = (0, false);
        loop {
            let mails = self.process_inbox();
            match mails {
                Ok(1..) => processed(),
                // The previous pass found no due clocks, and no message has arrived since.
                Ok(0) if nothing_due => break,
                _ => {}
            }
            let clocks = self.process_clocks(goes_on);
            let (mails, clocks) = (mails?, clocks?);
            if clocks > 0 {
                processed();
            } else if mails == 0 {
                break;
            }
            nothing_due = clocks == 0;
            total += mails + clocks;
            if !goes_on() {
                break;
            }
        }
        self.since_checkpoint += total;
        Ok(total)
    }

    /// Erases the deleted data of processed messages from the disk.
    pub(crate) fn checkpoint(&mut self) -> store::Result<()> {
        if self.since_checkpoint > 0 {
            self.store.checkpoint()?;
            self.since_checkpoint = 0;
        }
        Ok(())
    }

    /// Returns whether maintenance pauses mail and computer players.
    fn is_under_maintenance(&mut self) -> store::Result<bool> {
        Ok(administration::maintenance(&self.store.glance()?)?.is_some())
    }

    fn process_inbox(&mut self) -> anyhow::Result<usize> {
        let service = self.config.service(self.world);
        let inbox = inbox_context(&self.config, &service, &self.composer);
        let (now, progress) = (self.world.now, &self.progress);
        let mut closed = |mail: &ProcessedMail| {
            progress.made(WorkQueue::Mail);
            log_mail(mail, now());
        };
        let processed = self.inbox.process(&mut *self.store, &inbox, &mut closed);
        progress.tried(MailStep::Processing, processed.is_err(), now());
        Ok(processed?)
    }

    /// Opens the file that marks the message in progress. If the previous process died while processing a message,
    /// counts that crash. The caller must hold `work.lock` or `serve.lock`.
    pub(crate) fn read_marker(&mut self) -> anyhow::Result<()> {
        let path = self.data.join("processing");
        let (marker, crashed) =
            InProgressMarker::open(&path).with_context(|| format!("cannot open {}", path.display()))?;
        self.inbox.mark_with(marker);
        let Some(mail) = crashed else { return Ok(()) };
        let service = self.config.service(self.world);
        let inbox = inbox_context(&self.config, &service, &self.composer);
        if let Some(mail) = self.inbox.count_crash(&mut *self.store, &inbox, mail)? {
            log_mail(&mail, (self.world.now)());
        }
        Ok(())
    }

    /// Processes the clocks and other scheduled work. Call this after processing the inbox, so that a player whose move
    /// has arrived in time does not forfeit.
    fn process_clocks(&mut self, goes_on: &dyn Fn() -> bool) -> anyhow::Result<usize> {
        let DueByTime { accounts, addresses, puzzles, clocks } = self.due_by_time()?;
        let mut total = 0;
        // Process clocks first: boards must not wait for the following steps, which may fail.
        if clocks {
            total += self.tick(goes_on)?;
        }
        if accounts {
            self.write(|service, tx, now| service.lapse_accounts(tx, now))?;
        }
        if addresses {
            total += self.write(|_, tx, _| Service::erase_left_addresses(tx))?;
        }
        if puzzles {
            total += self.write(|service, tx, now| service.choose_puzzles_of_day(tx, now))?;
        }
        Ok(total)
    }

    /// Finds the scheduled work that is due; usually there is none.
    fn due_by_time(&mut self) -> anyhow::Result<DueByTime> {
        let now = (self.world.now)();
        let tx = self.store.glance()?;
        tx.read_ahead(|tx| {
            drop((Service::has_lapsed_accounts(tx, now), Service::has_left_addresses(tx)));
            drop((Service::wants_puzzle_of_day(tx, now), is_due(tx, now)));
        })?;
        let due = DueByTime {
            accounts: Service::has_lapsed_accounts(&tx, now)?,
            addresses: Service::has_left_addresses(&tx)?,
            puzzles: Service::wants_puzzle_of_day(&tx, now)?,
            clocks: is_due(&tx, now)?,
        };
        let next_clock = tx.next_clock()?;
        drop(tx);
        self.next_clock = next_clock;
        Ok(due)
    }

    /// Processes the clocks of boards until none is due or `goes_on` returns false.
    fn tick(&mut self, goes_on: &dyn Fn() -> bool) -> anyhow::Result<usize> {
        let mut total = 0;
        loop {
            let now = (self.world.now)();
            let service = self.config.service(self.world);
            let mut tx = self.store.write()?;
            let ticked = service.tick(&mut tx, now, BOARDS)?;
            tx.commit()?;
            self.progress.made(WorkQueue::Clocks);
            for (BoardNumber(board), became) in &ticked {
                match became {
                    ClockResult::Broken => tracing::error!(board, "its record does not replay: `turnpost admin check`"),
                    _ => tracing::info!(board, ?became, "clock"),
                }
            }
            total += ticked.len();
            // `ticked` is empty if another process has just processed the due clocks.
            if ticked.is_empty() || !goes_on() || !is_due(&self.store.glance()?, (self.world.now)())? {
                return Ok(total);
            }
        }
    }

    /// Calls the service in a separate transaction, and commits it.
    fn write<T>(
        &mut self,
        call: impl FnOnce(&Service<'_>, &mut Transaction<'_>, DateTime<Utc>) -> store::Result<T>,
    ) -> store::Result<T> {
        let mut tx = self.store.write()?;
        let done = call(&self.config.service(self.world), &mut tx, (self.world.now)())?;
        tx.commit()?;
        Ok(done)
    }

    /// Erases messages and letters whose retention period has ended.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn forget_old(&mut self) -> anyhow::Result<()> {
        if self.config.policy.keeps_all() {
            return Ok(());
        }
        let now = (self.world.now)();
        loop {
            let mut tx = self.store.write()?;
            let forgotten = self.config.service(self.world).forget_old(&mut tx, now)?;
            if forgotten == 0 {
                break;
            }
            tx.commit()?;
            self.since_checkpoint += forgotten as usize;
            tracing::info!(count = forgotten, "erased old messages and letters");
        }
        Ok(self.checkpoint()?)
    }

    /// Processes the outbox until nothing is due or `stopped` returns true. Returns the number of letters sent.
    pub(crate) fn process_outbox(&mut self, stopped: &dyn Fn() -> bool) -> anyhow::Result<usize> {
        if let Some(transport) = &self.transport {
            transport.close_idle();
        }
        if !self.letter_is_due()? {
            return Ok(0);
        }
        let progress = Arc::clone(&self.progress);
        self.send(stopped, None, &mut |report| {
            progress.made(WorkQueue::Letters);
            log_delivery(report);
        })
    }

    /// Processes the outbox until nothing is due, the mail server does not answer, or the time limit is reached.
    pub(crate) fn process_outbox_once(&mut self, time: &TimeSlice) -> anyhow::Result<Sent> {
        let (hung, mut failed) = (Cell::new(false), 0);
        let letters = self.send(&|| hung.get() || time.gives_way(), time.until(), &mut |report| {
            failed += usize::from(report.result.is_err() && is_leading(report.notice));
            hung.set(hung.get() || matches!(report.result, Err(SendError::Hung(_))));
            log_delivery(report);
        })?;
        if let Some(transport) = self.transport.as_ref().filter(|_| hung.get()) {
            transport.hangs((self.world.now)());
        }
        Ok(Sent { letters, failed, hung: hung.get() })
    }

    fn send(
        &mut self,
        stopped: &dyn Fn() -> bool,
        until: Option<Deadline>,
        log: &mut dyn FnMut(&DeliveryReport<'_>),
    ) -> anyhow::Result<usize> {
        let Instance { composer, composing, config, data, node, store, transport, world, .. } = self;
        let transport = match transport {
            Some(transport) => transport,
            none => none.insert(Transport::new(config, data)?),
        };
        // An SQLite database needs no leases, because only one process sends its letters.
        let is_shared = matches!(config.location(data), Location::Postgres(_));
        let node = is_shared.then_some(&*node);
        let outbox = OutboxContext { composer, transport, config, node, until, world: *world };
        process_outbox(&mut **store, composing, &outbox, stopped, log)
    }

    /// Returns when the next letter is due.
    pub(crate) fn next_letter(&mut self) -> store::Result<Option<DateTime<Utc>>> {
        self.store.glance()?.next_due()
    }

    pub(crate) fn letter_is_due(&mut self) -> store::Result<bool> {
        let due = self.next_letter()?;
        Ok(due.is_some_and(|due| due <= (self.world.now)()))
    }

    /// Returns how long to wait for work that is due at `due`: at least [`MIN_WAIT`] and at most [`MAX_WAIT`].
    pub(crate) fn wait_until(&self, due: Option<DateTime<Utc>>) -> Duration {
        let until = due.and_then(|due| (due - (self.world.now)()).to_std().ok()).unwrap_or(MAX_WAIT);
        until.clamp(MIN_WAIT, MAX_WAIT)
    }
}

/// Returns whether a board's clock or an event requires an action.
fn is_due(tx: &Transaction<'_>, now: DateTime<Utc>) -> store::Result<bool> {
    Ok(tx.next_clock()?.is_some_and(|due| due <= now) || Service::has_due_events(tx, now)?)
}

fn inbox_context<'a>(config: &'a Config, service: &'a Service<'a>, composer: &'a Composer) -> InboxContext<'a> {
    InboxContext { service, server_address: &config.address, composer, now: (service.world.now)() }
}

/// Logs and counts a processed message.
fn log_mail(mail: &ProcessedMail, now: DateTime<Utc>) {
    let (id, verdict) = (mail.id.0, &mail.verdict);
    metrics::count_mail(&text::word(&verdict.kind), (now - mail.received_at).num_seconds());
    let sender = verdict.sender.as_deref().unwrap_or("-");
    if verdict.kind == VerdictKind::Poison {
        tracing::error!(mail = id, sender, reason = verdict.reason, "mail quarantined");
    } else {
        tracing::info!(mail = id, verdict = ?verdict.kind, sender, reason = verdict.reason, "mail read");
    }
}

/// Returns whether a notice leads its letter. Each letter is counted once, with its leading notice.
fn is_leading(notice: &OutboxNotice) -> bool {
    notice.letter.is_none_or(|letter| letter == notice.id)
}

/// Logs the result of each notice of a letter, and counts the attempt to send the letter.
fn log_delivery(report: &DeliveryReport<'_>) {
    let (id, kind, message_id) = (report.notice.id.0, &report.notice.kind, &report.notice.message_id);
    let (to, mail) = (report.to.join(", "), report.mail.map(|InboxId(number)| number));
    if is_leading(report.notice) {
        metrics::count_letter(match (&report.result, report.retry_at) {
            (Ok(()), _) => LetterResult::Sent,
            (Err(_), Some(_)) => LetterResult::Failed,
            (Err(_), None) => LetterResult::GivenUp,
        });
    }
    match (&report.result, report.retry_at) {
        (Ok(()), _) => tracing::info!(letter = id, mail, kind, to, message_id, "letter sent"),
        (Err(error), Some(at)) => {
            tracing::warn!(letter = id, mail, kind, to, message_id, %error, again = %at, "letter not sent");
        }
        (Err(error), None) => tracing::warn!(letter = id, mail, kind, to, message_id, %error, "letter given up"),
    }
}

/// The time limit for processing the queues.
pub(crate) struct TimeSlice {
    until: Option<Deadline>,
    /// `start.lock`, which a starting server holds while it waits for this process.
    starting: Option<File>,
}

impl TimeSlice {
    /// Creates a time slice without a limit.
    pub(crate) fn endless() -> TimeSlice {
        TimeSlice { until: None, starting: None }
    }

    /// Creates the time slice of a one-shot command, which starts now. `starting` is `start.lock`.
    pub(crate) fn of_command(starting: File) -> TimeSlice {
        TimeSlice { until: Some(Deadline::after(WORKING)), starting: Some(starting) }
    }

    /// Returns the time after which no batch starts.
    pub(crate) fn until(&self) -> Option<Deadline> {
        self.until
    }

    /// Returns the longest wait for hashing a password.
    pub(crate) fn hashing(&self) -> Duration {
        self.until.map_or(HASHING, |until| until.left().unwrap_or_default().min(HASHING))
    }

    /// Returns whether another batch may start.
    pub(crate) fn goes_on(&self) -> bool {
        self.until.is_none_or(|until| until.left().is_some()) && !self.gives_way()
    }

    /// Returns whether a starting server is waiting for this process to end. In this case, the process must stop as
    /// quickly as a server after SIGTERM.
    pub(crate) fn gives_way(&self) -> bool {
        let Some(starting) = &self.starting else { return false };
        let is_held = matches!(starting.try_lock_shared(), Err(TryLockError::WouldBlock));
        if !is_held {
            let _ = starting.unlock();
        }
        is_held
    }
}
