//! Mails over which a process died.
//!
//! A trial shows whether the mail is at fault: another process prints the author and processes the mail without changing
//! anything. If that process crashes or uses too much processor time, the mail is set aside. If it succeeds, something else
//! killed the first process, and the mail is processed like any other. If it is killed or does not end in time, the trial
//! proves nothing, and the mail is tried again later.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus};
use std::time::Duration;

use anyhow::Context;
use chrono::TimeDelta;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use signal_hook::consts::{SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP, SIGXCPU};

use super::instance::Instance;
use crate::child;
use crate::mail::inbound::{CrashMark, HeaderAuthor};
use crate::metrics;
use crate::store::{InboxId, Store};
use crate::world::Deadline;

/// How long a trial may take, including waits for the database and for a processor.
const TRIAL: Duration = Duration::from_secs(20);
/// The processor time of a trial, in seconds. Most mails take a few milliseconds.
const COMPUTING: u64 = 5;
/// When a mail whose trial showed nothing is tried again.
const LATER: TimeDelta = TimeDelta::minutes(10);
/// The exit status of a program that panicked.
const PANICKED: i32 = 101;

/// What the trial of a mail shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trial {
    /// It can be processed.
    Harmless,
    /// It crashes whoever processes it.
    Crashes,
    /// The process was killed, or could not try it.
    Unclear,
}

impl Trial {
    fn of(status: ExitStatus) -> Trial {
        match (status.code(), status.signal()) {
            (Some(0), _) => Trial::Harmless,
            (Some(PANICKED), _) => Trial::Crashes,
            (_, Some(SIGABRT | SIGBUS | SIGFPE | SIGILL | SIGSEGV | SIGSYS | SIGTRAP | SIGXCPU)) => Trial::Crashes,
            _ => Trial::Unclear,
        }
    }
}

impl Instance {
    /// Takes the mark of the mail that is being processed, and tries the mail over which the process before this one died.
    /// Only for the process that holds the lock.
    pub(super) fn take_mark(&mut self) -> anyhow::Result<()> {
        let path = self.data.join("processing");
        let (mark, suspect) = CrashMark::open(&path).with_context(|| format!("cannot open {}", path.display()))?;
        self.inbox.mark_in(mark);
        match suspect {
            Some(suspect) => self.try_alone(suspect),
            None => Ok(()),
        }
    }

    fn try_alone(&mut self, InboxId(mail): InboxId) -> anyhow::Result<()> {
        if self.store.read()?.waiting(InboxId(mail))?.is_none() {
            return Ok(());
        }
        let mut program = Command::new(std::env::current_exe().context("where is this program?")?);
        program.arg("--data").arg(&self.data).arg("try-mail").arg(mail.to_string());
        let until = Deadline::after(TRIAL);
        let ended = child::run(&mut program, b"", &|| until.left()).context("cannot run this program again")?;
        let status = ended.status;
        let author: Option<HeaderAuthor> = serde_json::from_slice(&ended.out).ok();
        match Trial::of(status) {
            Trial::Harmless => {
                tracing::info!(mail, "the process before this one died while it processed a harmless mail");
            }
            Trial::Crashes => {
                self.set_aside_after_crash(InboxId(mail), author.as_ref())?;
                metrics::count_set_aside();
                tracing::error!(mail, %status, "mail set aside: it crashes the program; see `turnpost admin mail {mail}`");
            }
            Trial::Unclear => {
                let (now, sender) = ((self.world.now)(), author.as_ref().map(|author| &*author.sender));
                self.inbox.postpone(InboxId(mail), sender, now..now + LATER);
                tracing::warn!(mail, %status, "a mail that may have killed a process is tried again later");
            }
        }
        Ok(())
    }
}

/// Limits the processor time of this process, which is the trial of a mail.
///
/// # Errors
/// The limit cannot be set.
pub fn limit_trial() -> io::Result<()> {
    let Rlimit { maximum, .. } = getrlimit(Resource::Cpu);
    let current = Some(maximum.map_or(COMPUTING, |most| most.min(COMPUTING)));
    Ok(setrlimit(Resource::Cpu, Rlimit { current, maximum })?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_crash_counts_against_a_mail() {
        let exit = |code: i32| ExitStatus::from_raw(code << 8);
        assert_eq!(Trial::of(exit(0)), Trial::Harmless);
        assert_eq!(Trial::of(exit(PANICKED)), Trial::Crashes);
        for signal in [SIGSEGV, SIGABRT, SIGBUS, SIGXCPU] {
            assert_eq!(Trial::of(ExitStatus::from_raw(signal)), Trial::Crashes);
        }
        let killed = [signal_hook::consts::SIGTERM, 9].map(ExitStatus::from_raw);
        assert!(killed.into_iter().chain([exit(75), exit(1)]).all(|status| Trial::of(status) == Trial::Unclear));
    }
}
