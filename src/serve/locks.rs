//! The lock files of a data directory, and the queue processing of one-shot commands.
//!
//! One-shot commands do not wait for locks, because the holder may be suspended. Instead, the holder checks the queue
//! again after it has released the lock. This check finds all items that other commands stored before they failed to
//! get the lock.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::thread;
use std::time::Duration;

use anyhow::Context;

use super::instance::Instance;
use super::lock_holders::holder;
use super::queues::Sent;
use super::time_slice::TimeSlice;
use crate::world::Deadline;

/// How long a starting server waits for one-shot commands, which stop when they notice it. In the worst case, a command
/// is running the trial of a message, which takes 20 seconds, and then waits 10 seconds for the database.
const STARTING: Duration = Duration::from_secs(30);
/// The interval between attempts to get the lock.
const LOCK_RETRY: Duration = Duration::from_millis(50);

/// The most boards that a one-shot command searches for puzzles.
const MOST_SEARCHES: usize = 3;

impl Instance {
    /// Wakes the server after a one-shot command. Without a server, processes the queues for a limited time, except for
    /// work that another command has started.
    ///
    /// # Errors
    /// Like [`Instance::process_all`]; or a lock file cannot be created.
    pub fn process_or_wake(&mut self) -> anyhow::Result<()> {
        let time = TimeSlice::of_command(self.lock_file("start.lock")?);
        loop {
            if !self.process_if_alone(&time)? {
                return Ok(());
            }
            // An analysis creates letters, so process the queues again.
            if !time.goes_on() || !self.analyse_alone()? {
                break;
            }
        }
        if self.search_puzzles_alone(&time)? {
            self.process_if_alone(&time)?;
        }
        Ok(())
    }

    /// Wakes the server, or processes the queues if there is no server. Returns whether it processed them.
    fn process_if_alone(&mut self, time: &TimeSlice) -> anyhow::Result<bool> {
        // A starting server is about to process the queues.
        if time.gives_way() {
            return Ok(false);
        }
        let serving = self.lock_file("serve.lock")?;
        match serving.try_lock_shared() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                self.waker().wake();
                return Ok(false);
            }
            Err(TryLockError::Error(error)) => return Err(error).context("cannot lock serve.lock"),
        }
        self.process_for(time)?;
        Ok(true)
    }

    /// Makes one requested analysis, unless another command is making analyses. Returns whether it made one.
    fn analyse_alone(&mut self) -> anyhow::Result<bool> {
        match self.try_lock("analyse.lock")? {
            Some(_analysing) => Ok(self.make_analyses(1, &|| false, &mut |_| true)? > 0),
            None => Ok(false),
        }
    }

    /// Searches a few boards for puzzles, unless another command is searching. Returns whether it found any.
    fn search_puzzles_alone(&mut self, time: &TimeSlice) -> anyhow::Result<bool> {
        match self.try_lock("analyse.lock")? {
            Some(_searching) => Ok(self.search_puzzles(MOST_SEARCHES, &|| !time.goes_on())? > 0),
            None => Ok(false),
        }
    }

    /// Processes the inbox and the clocks until nothing is due, unless another command is processing them.
    pub(crate) fn process_incoming_alone(&mut self, time: &TimeSlice) -> anyhow::Result<usize> {
        let mut total = 0;
        while let Some(working) = self.try_lock("work.lock")? {
            self.take_mark()?;
            total += self.process_incoming(&|| {}, &|| time.goes_on())?;
            self.settle()?;
            drop(working);
            // A command that could not get the lock relies on this process for its mail.
            if !time.goes_on() || !self.incoming_is_due()? {
                break;
            }
        }
        Ok(total)
    }

    /// Sends due letters, unless another command is sending. If the mail server does not answer, the remaining letters
    /// wait for the next command.
    pub(crate) fn send_alone(&mut self, time: &TimeSlice) -> anyhow::Result<Sent> {
        let mut total = Sent::default();
        while !total.hung && self.letter_is_due()? {
            let Some(sending) = self.try_lock("send.lock")? else { break };
            self.take_over_leases()?;
            let sent = self.process_outbox_once(time)?;
            total = Sent { letters: total.letters + sent.letters, ..sent };
            // A command that could not get the lock relies on this process for its letters.
            drop(sending);
            if sent.is_stuck() || !time.goes_on() {
                break;
            }
        }
        Ok(total)
    }

    /// Gets the exclusive lock of a server, which prevents other servers and makes one-shot commands skip the queues.
    /// Running commands are asked to stop.
    ///
    /// # Errors
    /// Another server is running, a command does not stop, or the file cannot be locked. The error names the process.
    pub fn lock_alone(&self) -> anyhow::Result<File> {
        let (file, data) = (self.lock_file("serve.lock")?, self.data.display());
        let (until, mut starting) = (Deadline::after(STARTING), None);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::Error(error)) => return Err(error).context("cannot lock serve.lock"),
                Err(TryLockError::WouldBlock) => {}
            }
            // Only one-shot commands hold shared locks, and they end soon. A server holds an exclusive lock.
            if file.try_lock_shared().is_err() {
                anyhow::bail!("another turnpost serve is running on {data}: {}; stop it first", holder(&file));
            }
            file.unlock()?;
            if until.left().is_none() {
                let (holder, seconds) = (holder(&file), STARTING.as_secs());
                anyhow::bail!(
                    "{holder} holds {data}/serve.lock and has not ended within {seconds} seconds; end it first"
                );
            }
            if starting.is_none() {
                starting = self.try_lock("start.lock")?;
            }
            thread::sleep(LOCK_RETRY);
        }
    }

    /// Tries to get a lock; `None` if another process holds it.
    fn try_lock(&self, name: &str) -> anyhow::Result<Option<File>> {
        let file = self.lock_file(name)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error).with_context(|| format!("cannot lock {name}")),
        }
    }

    pub(crate) fn lock_file(&self, name: &str) -> anyhow::Result<File> {
        let path = self.data.join(name);
        OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(&path)
            .with_context(|| format!("cannot open {}", path.display()))
    }
}
