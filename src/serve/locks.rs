//! The lock files of a data directory, the processes that hold a lock, and the queue processing of one-shot commands.
//!
//! One-shot commands do not wait for locks, because the holder may be suspended. Instead, the holder checks the queue
//! again after it has released the lock. This check finds all items that other commands stored before they failed to
//! get the lock. The processes that hold a lock are found in `/proc` on Linux.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::Context;

use super::instance::Instance;
use super::queues::{Sent, TimeSlice};
use crate::text;
use crate::world::Deadline;

/// The longest time that a starting server waits for running one-shot commands to stop. A command may stop late,
/// because it may wait up to 10 seconds for each database transaction.
const STARTING: Duration = Duration::from_secs(30);
/// The interval between attempts to get the lock.
const LOCK_RETRY: Duration = Duration::from_millis(50);
/// The maximum number of boards that a one-shot command searches for puzzles.
const MOST_SEARCHES: usize = 3;

impl Instance {
    /// Wakes the server after a one-shot command. If no server is running, processes the queues for a limited time, but
    /// skips a queue that another command is processing.
    ///
    /// # Errors
    /// Like [`Instance::process_all`]; or a lock file cannot be created.
    pub fn process_or_wake(&mut self) -> anyhow::Result<()> {
        let time = TimeSlice::of_command(self.lock_file("start.lock")?);
        loop {
            if !self.process_unless_served(&time)? {
                return Ok(());
            }
            // An analysis creates letters, so process the queues again.
            if !time.goes_on() || !self.analyse_exclusively()? {
                break;
            }
        }
        if self.search_puzzles_exclusively(&time)? {
            self.process_unless_served(&time)?;
        }
        Ok(())
    }

    /// Wakes the server, or processes the queues if there is no server. Returns whether it processed them.
    fn process_unless_served(&mut self, time: &TimeSlice) -> anyhow::Result<bool> {
        // The server that is starting will process the queues.
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

    /// Computes one requested analysis, unless another command is computing analyses. Returns whether it computed one.
    fn analyse_exclusively(&mut self) -> anyhow::Result<bool> {
        match self.try_lock("analyse.lock")? {
            Some(_analysing) => Ok(self.make_analyses(1, &|| false, &mut |_| true)? > 0),
            None => Ok(false),
        }
    }

    /// Searches a few boards for puzzles, unless another command is searching. Returns whether it found any.
    fn search_puzzles_exclusively(&mut self, time: &TimeSlice) -> anyhow::Result<bool> {
        match self.try_lock("analyse.lock")? {
            Some(_searching) => Ok(self.search_puzzles(MOST_SEARCHES, &|| !time.goes_on())? > 0),
            None => Ok(false),
        }
    }

    /// Processes the inbox and the clocks until nothing is due or the time is up, unless another command is processing
    /// them.
    pub(crate) fn process_incoming_exclusively(&mut self, time: &TimeSlice) -> anyhow::Result<usize> {
        let mut total = 0;
        while let Some(working) = self.try_lock("work.lock")? {
            self.read_marker()?;
            total += self.process_incoming(&|| {}, &|| time.goes_on())?;
            self.checkpoint()?;
            drop(working);
            // A command that could not get the lock relies on this process to process its mail.
            if !time.goes_on() || !self.incoming_is_due()? {
                break;
            }
        }
        Ok(total)
    }

    /// Sends due letters, unless another command is sending. If the mail server does not answer, the remaining letters
    /// wait for the next command.
    pub(crate) fn send_exclusively(&mut self, time: &TimeSlice) -> anyhow::Result<Sent> {
        let mut total = Sent::default();
        while !total.hung && self.letter_is_due()? {
            let Some(sending) = self.try_lock("send.lock")? else { break };
            self.take_over_leases()?;
            let sent = self.process_outbox_once(time)?;
            total = Sent { letters: total.letters + sent.letters, ..sent };
            // A command that could not get the lock relies on this process to send its letters.
            drop(sending);
            if sent.is_stuck() || !time.goes_on() {
                break;
            }
        }
        Ok(total)
    }

    /// Gets the exclusive lock of a server, which prevents other servers and makes one-shot commands skip the queues.
    /// Makes running commands stop.
    ///
    /// # Errors
    /// Another server is running, a command does not stop, or the file cannot be locked. The error names the process.
    pub fn lock_exclusively(&self) -> anyhow::Result<File> {
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

/// Describes the other processes that hold the lock of a file, such as "process 1234 (turnpost mail)".
pub(crate) fn holder(file: &File) -> String {
    let unseen = "a process that is not visible from here, perhaps in another container";
    visible(file).unwrap_or_else(|| unseen.to_owned())
}

fn visible(file: &File) -> Option<String> {
    let of = file.metadata().ok()?;
    let locks = fs::read_to_string("/proc/locks").ok()?;
    let mut ids: Vec<u32> = locks.lines().filter_map(|line| process(line, &of)).collect();
    ids.sort_unstable();
    ids.dedup();
    ids.retain(|id| *id != std::process::id());
    let described: Vec<String> = ids.into_iter().map(describe).collect();
    (!described.is_empty()).then(|| described.join(" and "))
}

/// Parses a line of `/proc/locks`; returns the process if it holds a lock of this file.
fn process(line: &str, of: &Metadata) -> Option<u32> {
    let (process, device, inode) = flock(line)?;
    // In `/proc/locks`, some file systems have a different device number, and files on other devices may have the same
    // inode.
    let is_ours = || has_open(process, of).unwrap_or_else(|| device == device_of(of.dev()));
    (inode == of.ino() && is_ours()).then_some(process)
}

/// Parses the process, device and inode of a held flock(2) lock from a line such as `1: FLOCK  ADVISORY  WRITE 1234
/// fe:00:10010747 0 EOF`. Lines of waiting processes have an arrow before `FLOCK`.
fn flock(line: &str) -> Option<(u32, &str, u64)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [_, "FLOCK", _, _, process, file, ..] = words[..] else { return None };
    let (device, inode) = file.rsplit_once(':')?;
    Some((process.parse().ok()?, device, inode.parse().ok()?))
}

/// Returns whether a process has a file open. Returns `None` if this process is not allowed to check, for example
/// because the other process belongs to another user.
fn has_open(process: u32, file: &Metadata) -> Option<bool> {
    let mut open = fs::read_dir(format!("/proc/{process}/fd")).ok()?.flatten();
    let is_file = |open: Metadata| (open.dev(), open.ino()) == (file.dev(), file.ino());
    Some(open.any(|entry| fs::metadata(entry.path()).is_ok_and(is_file)))
}

/// Formats a device number as in `/proc/locks`.
fn device_of(device: u64) -> String {
    let major = (device >> 8) & 0xfff | (device >> 32) & !0xfff;
    let minor = device & 0xff | (device >> 12) & 0xff_ff_ff_00;
    format!("{major:02x}:{minor:02x}")
}

fn describe(process: u32) -> String {
    let line = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    let command = command(&line).map_or_else(String::new, |command| format!(" ({command})"));
    format!("process {process}{command}")
}

/// Returns the program and subcommand of a command line. Other words may contain a password.
fn command(line: &[u8]) -> Option<String> {
    let line = String::from_utf8_lossy(line);
    let mut words = line.trim_end_matches('\0').split('\0');
    let program = Path::new(words.next()?).file_name().and_then(OsStr::to_str)?;
    let mut shown = vec![program];
    while let Some(word) = words.next() {
        match word {
            "--data" => drop(words.next()),
            option if option.starts_with('-') => {}
            "admin" if shown.len() == 1 => shown.push("admin"),
            word => {
                shown.push(word);
                break;
            }
        }
    }
    if words.next().is_some() {
        shown.push("…");
    }
    Some(text::line(&shown.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_in_command_lines_stay_hidden() {
        let shown = |line: &str| command(line.replace(' ', "\0").as_bytes()).unwrap();
        assert_eq!(shown("/usr/bin/turnpost --data /var/lib/turnpost serve"), "turnpost serve");
        assert_eq!(shown("turnpost mail"), "turnpost mail");
        assert_eq!(shown("turnpost marque move 1 alice wonderland f3"), "turnpost marque …");
        assert_eq!(shown("turnpost --json admin --data=x move file"), "turnpost admin move …");
        assert_eq!(shown("turnpost"), "turnpost");
        assert_eq!(command(b""), None);
    }

    #[test]
    fn a_waiting_process_is_not_the_holder_of_a_lock() {
        let held = Some((1234, "fe:00", 10_010_747));
        assert_eq!(flock("1: FLOCK  ADVISORY  WRITE 1234 fe:00:10010747 0 EOF"), held);
        assert_eq!(flock("1: FLOCK  ADVISORY  READ 1234 fe:00:10010747 0 EOF"), held);
        assert_eq!(flock("1: -> FLOCK  ADVISORY  WRITE 99 fe:00:10010747 0 EOF"), None);
        assert_eq!(flock("2: POSIX  ADVISORY  READ 5132 00:1b:10010747 128 128"), None);
        assert_eq!(device_of(0xfe00), "fe:00");
        assert_eq!(device_of(0x0010_3001), "30:101");
    }
}
