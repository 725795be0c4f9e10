//! Faults of the database and of the process.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::random::Random;
use crate::store::StoreFaults;

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
pub(super) enum Fired {
    /// Nothing went wrong.
    Nothing,
    /// Something failed.
    Failed,
    /// The process died.
    Died,
}

/// The faults of the server's process and database.
pub(super) struct Faults(Mutex<(Plan, Fired)>);

impl Faults {
    /// None yet.
    pub(super) fn none() -> Faults {
        Faults(Mutex::new((Plan::Sound, Fired::Nothing)))
    }

    /// Plans a fault for what is done next.
    pub(super) fn arm(&self, random: &mut Random) {
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
    pub(super) fn arm_at_commit(&self, random: &mut Random) {
        self.plan(*random.pick(&[Plan::DieAfterCommits(0), Plan::DieAfter(0), Plan::FailToCommit, Plan::Busy]));
    }

    /// The process dies now.
    pub(super) fn die(&self) {
        *self.state() = (Plan::Dead, Fired::Died);
    }

    /// Plans nothing any more; tells what went wrong.
    pub(super) fn disarm(&self) -> Fired {
        std::mem::replace(&mut *self.state(), (Plan::Sound, Fired::Nothing)).1
    }

    fn plan(&self, plan: Plan) {
        *self.state() = (plan, Fired::Nothing);
    }

    fn state(&self) -> MutexGuard<'_, (Plan, Fired)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
        self.at(Moment::Begin)
    }

    fn fails_in_statement(&self) -> bool {
        self.at(Moment::Statement)
    }

    fn fails_to_commit(&self) -> bool {
        self.at(Moment::Commit)
    }
}
