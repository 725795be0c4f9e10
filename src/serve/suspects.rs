//! Mails over which a process died.
//!
//! Whether it was the mail's doing is shown by trying the mail alone, in a process that first prints who wrote the mail
//! and changes nothing. When that one
//! crashes too, the mail is set aside; when it ends well, something else killed the first process, and the mail is
//! processed like any other. When it is killed from outside, by somebody who wants the memory back perhaps, nothing is
//! shown, and the mail is tried later.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};

use anyhow::Context;
use chrono::TimeDelta;
use signal_hook::consts::{SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};

use super::instance::Instance;
use crate::mail::inbound::{CrashMark, HeaderAuthor};
use crate::metrics;
use crate::store::{InboxId, Store};

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
            (_, Some(SIGABRT | SIGBUS | SIGFPE | SIGILL | SIGSEGV | SIGSYS | SIGTRAP)) => Trial::Crashes,
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
        program.arg("--data").arg(&self.data).arg("try-mail").arg(mail.to_string()).stdin(Stdio::null());
        let ran = program.stderr(Stdio::inherit()).output().context("cannot run this program again")?;
        let status = ran.status;
        match Trial::of(status) {
            Trial::Harmless => {
                tracing::info!(mail, "the process before this one died while it processed a harmless mail");
            }
            Trial::Crashes => {
                let author: Option<HeaderAuthor> = serde_json::from_slice(&ran.stdout).ok();
                self.set_aside_after_crash(InboxId(mail), author.as_ref())?;
                metrics::count_set_aside();
                tracing::error!(mail, %status, "mail set aside: it crashes the program; see `turnpost admin mail {mail}`");
            }
            Trial::Unclear => {
                self.inbox.wait_until(InboxId(mail), (self.world.now)() + LATER);
                tracing::warn!(mail, %status, "a mail that may have killed a process is tried again later");
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_crash_counts_against_a_mail() {
        let exit = |code: i32| ExitStatus::from_raw(code << 8);
        assert_eq!(Trial::of(exit(0)), Trial::Harmless);
        assert_eq!(Trial::of(exit(PANICKED)), Trial::Crashes);
        for signal in [SIGSEGV, SIGABRT, SIGBUS] {
            assert_eq!(Trial::of(ExitStatus::from_raw(signal)), Trial::Crashes);
        }
        let killed = [signal_hook::consts::SIGTERM, 9].map(ExitStatus::from_raw);
        assert!(killed.into_iter().chain([exit(75), exit(1)]).all(|status| Trial::of(status) == Trial::Unclear));
    }
}
