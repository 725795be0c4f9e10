//! Messages during whose processing a process died.
//!
//! A trial shows whether the message is at fault: another process prints the author, processes the message, and rolls
//! back. If the trial crashes or uses too much processor time, the message is quarantined. If it succeeds, the first
//! process died for another reason, and the message is processed normally. If it is killed or times out, the result is
//! unclear, and the message is retried later.

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

/// The timeout of a trial, including waits for the database and for a processor.
const TRIAL: Duration = Duration::from_secs(20);
/// The limit on a trial's processor time, in seconds. Most messages take a few milliseconds.
const COMPUTING: u64 = 5;
/// The delay before retrying a message after an unclear trial.
const LATER: TimeDelta = TimeDelta::minutes(10);
/// The exit status of a program that panicked.
const PANICKED: i32 = 101;

/// The result of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trial {
    /// The message can be processed.
    Harmless,
    /// The message crashes the program.
    Crashes,
    /// The trial was killed, or could not start.
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
    /// Removes the mark of a message in progress, and tries the message that the previous process was processing when
    /// it died. Requires the lock.
    pub(crate) fn take_mark(&mut self) -> anyhow::Result<()> {
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
        let mut program = Command::new(std::env::current_exe().context("cannot find the path of this program")?);
        program.arg("--data").arg(&self.data).arg("try-mail").arg(mail.to_string());
        let until = Deadline::after(TRIAL);
        let ended = child::run(&mut program, b"", &|| until.left()).context("cannot run this program again")?;
        let status = ended.status;
        let author: Option<HeaderAuthor> = serde_json::from_slice(&ended.out).ok();
        match Trial::of(status) {
            Trial::Harmless => {
                tracing::info!(mail, "the previous process died while processing a harmless message");
            }
            Trial::Crashes => {
                self.set_aside_after_crash(InboxId(mail), author.as_ref())?;
                metrics::count_set_aside();
                tracing::error!(mail, %status, "mail set aside: it crashes the program; see `turnpost admin mail {mail}`");
            }
            Trial::Unclear => {
                let (now, sender) = ((self.world.now)(), author.as_ref().map(|author| &*author.sender));
                self.inbox.postpone(InboxId(mail), sender, now..now + LATER);
                tracing::warn!(mail, %status, "retrying a message later that may have killed a process");
            }
        }
        Ok(())
    }
}

/// Limits the processor time of this process, which is a trial.
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
    fn only_a_crash_quarantines_a_message() {
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
