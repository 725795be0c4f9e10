//! The lock files of a data directory, and the program that runs once.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::thread;
use std::time::Duration;

use anyhow::Context;

use super::instance::Instance;
use super::queues::Sent;

/// How often a starting server tries to get its lock while programs that run once hold it.
const LOCK_ATTEMPTS: u32 = 1_200;
/// The wait between two attempts.
const LOCK_RETRY: Duration = Duration::from_millis(50);

/// How many boards a program that runs once searches for puzzles.
const MOST_SEARCHES: usize = 3;

impl Instance {
    /// Called after a command that was run once: wakes the server, or processes all that is due if there is none.
    ///
    /// # Errors
    /// As [`Instance::process_all`], or a lock file that cannot be created.
    pub fn process_or_wake(&mut self) -> anyhow::Result<()> {
        loop {
            if !self.process_if_alone()? {
                return Ok(());
            }
            // Letters bring what was analysed.
            if !self.analyse_alone()? {
                break;
            }
        }
        if self.search_puzzles_alone()? {
            self.process_if_alone()?;
        }
        Ok(())
    }

    /// Processes all that is due, unless there is a server, which it wakes then; tells whether it did.
    fn process_if_alone(&mut self) -> anyhow::Result<bool> {
        let serving = self.lock_file("serve.lock")?;
        match serving.try_lock_shared() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                self.waker().wake();
                return Ok(false);
            }
            Err(TryLockError::Error(error)) => return Err(error).context("cannot lock serve.lock"),
        }
        self.process_all()?;
        Ok(true)
    }

    /// Makes the analyses that are waited for, unless another program does; tells whether there were any. Programs with
    /// mails to process do not wait for it.
    fn analyse_alone(&mut self) -> anyhow::Result<bool> {
        let analysing = self.lock_file("analyse.lock")?;
        match analysing.try_lock() {
            Ok(()) => Ok(self.make_analyses(&|| false, &mut |_| true)? > 0),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error).context("cannot lock analyse.lock"),
        }
    }

    /// Searches a few boards for puzzles, unless another program does; tells whether any are new.
    fn search_puzzles_alone(&mut self) -> anyhow::Result<bool> {
        let searching = self.lock_file("analyse.lock")?;
        match searching.try_lock() {
            Ok(()) => Ok(self.search_puzzles(MOST_SEARCHES, &|| false)? > 0),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error).context("cannot lock analyse.lock"),
        }
    }

    /// Processes the inbox and the clocks until nothing is due, while no other program does.
    pub(super) fn process_incoming_alone(&mut self) -> anyhow::Result<usize> {
        let working = self.lock_file("work.lock")?;
        working.lock().context("cannot lock work.lock")?;
        self.take_mark()?;
        let processed = self.process_incoming(&|| {})?;
        self.settle()?;
        Ok(processed)
    }

    /// Sends what is due, unless another program is sending: that one looks again before it ends. After the first letter
    /// that a mail server does not answer, the others wait for the next program.
    pub(super) fn send_alone(&mut self) -> anyhow::Result<Sent> {
        let mut total = Sent::default();
        while !total.hung && self.letter_is_due()? {
            let sending = self.lock_file("send.lock")?;
            match sending.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => break,
                Err(TryLockError::Error(error)) => return Err(error).context("cannot lock send.lock"),
            }
            self.take_over_leases()?;
            let sent = self.process_outbox_once()?;
            total = Sent { letters: total.letters + sent.letters, ..sent };
            // Who found the lock held has left, so what came of them meanwhile is left to this program.
            drop(sending);
            if sent.is_stuck() {
                break;
            }
        }
        Ok(total)
    }

    /// Takes the lock that a server has, so that there is none. Programs that run once leave the queues alone meanwhile.
    ///
    /// # Errors
    /// There is a server, or the file cannot be locked.
    pub fn lock_alone(&self) -> anyhow::Result<File> {
        let file = self.lock_file("serve.lock")?;
        for _ in 0..LOCK_ATTEMPTS {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::Error(error)) => return Err(error).context("cannot lock serve.lock"),
                Err(TryLockError::WouldBlock) => {}
            }
            // Shared holders are programs that run once, which end; an exclusive holder is a server.
            if file.try_lock_shared().is_err() {
                break;
            }
            file.unlock()?;
            thread::sleep(LOCK_RETRY);
        }
        anyhow::bail!("another turnpost serve is at work on {}; stop it first", self.data.display())
    }

    pub(super) fn lock_file(&self, name: &str) -> anyhow::Result<File> {
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
