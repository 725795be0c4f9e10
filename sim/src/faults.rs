//! Faults of the database and of the process.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::random::Random;
use turnpost::store::StoreFaults;

/// What is to go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plan {
    /// Everything works.
    Sound,
    /// The process ends after so many moments at which a statement runs or a transaction is committed.
    DieAfter(u32),
    /// The process ends right after so many commits.
    DieAfterCommits(u32),
    /// The process is dead: nothing works any more.
    Dead,
    /// A statement fails once, after so many moments.
    FailAfter(u32),
    /// A commit fails once.
    FailToCommit,
    /// The database is busy once.
    Busy,
}

/// How a plan of faults ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fired {
    /// Nothing went wrong.
    Nothing,
    /// Something failed.
    Failed,
    /// The process died.
    Died,
}

/// The faults of the server's processes and database, of which one runs at a time.
pub(crate) struct Faults {
    state: Mutex<(Plan, Fired)>,
    guest: Mutex<Guest>,
}

/// What another process does while the running one works; returns how many mails it closed.
type Turn = Box<dyn FnOnce() -> anyhow::Result<usize> + Send>;

/// Another process that may interrupt the running one.
enum Guest {
    /// There is none.
    None,
    /// It runs after this many further transactions have begun.
    After(usize, Turn),
    /// It has run.
    Done(anyhow::Result<usize>),
}

impl Faults {
    /// None yet.
    pub(crate) fn none() -> Faults {
        Faults { state: Mutex::new((Plan::Sound, Fired::Nothing)), guest: Mutex::new(Guest::None) }
    }

    /// Runs another process before a transaction begins, after this many others have. Nothing fails while it runs.
    pub(crate) fn let_in(&self, after: usize, turn: Turn) {
        *self.guest() = Guest::After(after, turn);
    }

    /// Ends this, and returns the result of the other process; 0 if it has not run.
    pub(crate) fn keep_out(&self) -> anyhow::Result<usize> {
        match std::mem::replace(&mut *self.guest(), Guest::None) {
            Guest::Done(done) => done,
            Guest::None | Guest::After(..) => Ok(0),
        }
    }

    fn guest(&self) -> MutexGuard<'_, Guest> {
        self.guest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs the other process if it is time.
    fn before_transaction(&self) {
        let turn = match &mut *self.guest() {
            Guest::After(more @ 1.., _) => return *more -= 1,
            guest @ Guest::After(0, _) => std::mem::replace(guest, Guest::None),
            Guest::None | Guest::Done(_) => return,
        };
        // It begins transactions as well, so the lock is not held.
        let Guest::After(_, turn) = turn else { return };
        let planned = std::mem::replace(&mut *self.state(), (Plan::Sound, Fired::Nothing));
        let done = turn();
        *self.guest() = Guest::Done(done);
        *self.state() = planned;
    }

    /// Plans a fault for what is done next.
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

    /// Plans a fault at the first commit, or right after it.
    pub(crate) fn arm_at_commit(&self, random: &mut Random) {
        self.plan(*random.pick(&[Plan::DieAfterCommits(0), Plan::DieAfter(0), Plan::FailToCommit, Plan::Busy]));
    }

    /// The process dies now.
    pub(crate) fn die(&self) {
        *self.state() = (Plan::Dead, Fired::Died);
    }

    /// Plans nothing any more; tells what went wrong.
    pub(crate) fn disarm(&self) -> Fired {
        std::mem::replace(&mut *self.state(), (Plan::Sound, Fired::Nothing)).1
    }

    fn plan(&self, plan: Plan) {
        *self.state() = (plan, Fired::Nothing);
    }

    fn state(&self) -> MutexGuard<'_, (Plan, Fired)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What happens by the plan at a moment of this kind; true: it fails.
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

/// The kinds of moments at which something can go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    Begin,
    Statement,
    Commit,
}

impl Plan {
    /// What is planned after a moment, and whether that fails.
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
