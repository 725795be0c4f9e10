//! Injects faults: a database operation fails, or the process dies.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::world::Random;
use turnpost::store::StoreFaults;

/// The planned fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plan {
    /// No fault is planned.
    Sound,
    /// The process ends after this many steps. A step is a statement or a commit.
    DieAfter(u32),
    /// The process ends right after the commit that follows this many others.
    DieAfterCommits(u32),
    /// The process is dead, and all operations fail.
    Dead,
    /// After this many steps, one step fails.
    FailAfter(u32),
    /// The next commit fails.
    FailToCommit,
    /// The next transaction cannot begin, because the database is busy.
    Busy,
}

/// The fault that has occurred, if any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fired {
    /// No fault occurred.
    Nothing,
    /// A database operation failed.
    Failed,
    /// The process died.
    Died,
}

/// The planned fault of the running process, and another process that may interrupt it. Only one of the two processes
/// runs at a time.
pub(crate) struct Faults {
    state: Mutex<(Plan, Fired)>,
    guest: Mutex<Guest>,
}

/// The work of the interrupting process. Returns the number of messages to which that process gave a verdict.
type Turn = Box<dyn FnOnce() -> anyhow::Result<usize> + Send>;

/// The state of an interrupting process.
enum Guest {
    /// No process will interrupt the running one.
    None,
    /// The interrupting process runs after this many further transactions have begun.
    After(usize, Turn),
    /// The interrupting process has run.
    Done(anyhow::Result<usize>),
}

impl Faults {
    /// Plans no fault.
    pub(crate) fn none() -> Faults {
        Faults { state: Mutex::new((Plan::Sound, Fired::Nothing)), guest: Mutex::new(Guest::None) }
    }

    /// Schedules an interrupting process. It runs after this many transactions have begun, before the next one. No
    /// fault occurs while it runs.
    pub(crate) fn let_in(&self, after: usize, turn: Turn) {
        *self.guest() = Guest::After(after, turn);
    }

    /// Cancels the interrupting process. Returns the number of its verdicts, which is 0 if it has not run.
    pub(crate) fn keep_out(&self) -> anyhow::Result<usize> {
        match std::mem::replace(&mut *self.guest(), Guest::None) {
            Guest::Done(done) => done,
            Guest::None | Guest::After(..) => Ok(0),
        }
    }

    fn guest(&self) -> MutexGuard<'_, Guest> {
        self.guest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs the interrupting process if it is due.
    fn before_transaction(&self) {
        let turn = match &mut *self.guest() {
            Guest::After(more @ 1.., _) => return *more -= 1,
            guest @ Guest::After(0, _) => std::mem::replace(guest, Guest::None),
            Guest::None | Guest::Done(_) => return,
        };
        // The interrupting process also begins transactions and thus calls this function, so the lock must be released.
        let Guest::After(_, turn) = turn else { return };
        let planned = std::mem::replace(&mut *self.state(), (Plan::Sound, Fired::Nothing));
        let done = turn();
        *self.guest() = Guest::Done(done);
        *self.state() = planned;
    }

    /// Plans a random fault within the next database operations.
    pub(crate) fn arm(&self, random: &mut Random) {
        let moments = match random.below(3) {
            0 => random.below(20),
            1 => random.below(200),
            _ => random.below(2_000),
        } as u32;
        self.plan(match random.below(8) {
            0..3 => Plan::DieAfter(moments),
            3 | 4 => Plan::DieAfterCommits(random.below(4) as u32),
            5 => Plan::FailAfter(moments),
            6 => Plan::FailToCommit,
            _ => Plan::Busy,
        });
    }

    /// Plans a fault in the next transaction: at its beginning, in its first step, at its commit, or right after the
    /// commit.
    pub(crate) fn arm_at_commit(&self, random: &mut Random) {
        self.plan(*random.pick(&[Plan::DieAfterCommits(0), Plan::DieAfter(0), Plan::FailToCommit, Plan::Busy]));
    }

    /// Ends the process now.
    pub(crate) fn die(&self) {
        *self.state() = (Plan::Dead, Fired::Died);
    }

    /// Cancels the plan. Returns the fault that has occurred since the plan was created.
    pub(crate) fn disarm(&self) -> Fired {
        std::mem::replace(&mut *self.state(), (Plan::Sound, Fired::Nothing)).1
    }

    fn plan(&self, plan: Plan) {
        *self.state() = (plan, Fired::Nothing);
    }

    fn state(&self) -> MutexGuard<'_, (Plan, Fired)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Applies the plan to a step of this kind. Returns whether the step fails.
    fn at(&self, moment: Moment) -> bool {
        let mut state = self.state();
        let (next, fails) = state.0.at(moment);
        let fired = match (next, fails) {
            (Plan::Dead, _) => Fired::Died,
            (_, true) => Fired::Failed,
            (_, false) => state.1,
        };
        *state = (next, fired);
        fails
    }
}

/// The kinds of steps that can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    Begin,
    Statement,
    Commit,
}

impl Plan {
    /// Returns the plan after a step, and whether the step fails.
    fn at(self, moment: Moment) -> (Plan, bool) {
        match (self, moment) {
            (Plan::Dead, _) => (Plan::Dead, true),
            (Plan::Busy, Moment::Begin) | (Plan::FailToCommit, Moment::Commit) => (Plan::Sound, true),
            (Plan::DieAfterCommits(0), Moment::Commit) => (Plan::Dead, false),
            (Plan::DieAfterCommits(more), Moment::Commit) => (Plan::DieAfterCommits(more - 1), false),
            (Plan::DieAfter(0), Moment::Statement | Moment::Commit) => (Plan::Dead, true),
            (Plan::DieAfter(more), Moment::Statement | Moment::Commit) => (Plan::DieAfter(more - 1), false),
            (Plan::FailAfter(0), Moment::Statement | Moment::Commit) => (Plan::Sound, true),
            (Plan::FailAfter(more), Moment::Statement | Moment::Commit) => (Plan::FailAfter(more - 1), false),
            (plan, _) => (plan, false),
        }
    }
}

impl StoreFaults for Faults {
    fn fails_to_begin(&self) -> bool {
        self.before_transaction();
        self.at(Moment::Begin)
    }

    fn fails_in_statement(&self) -> bool {
        self.at(Moment::Statement)
    }

    fn fails_to_commit(&self) -> bool {
        self.at(Moment::Commit)
    }
}
