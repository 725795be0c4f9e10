//! The computer players at work: they think on a thread of their own, outside any transaction.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;

use super::instance::Instance;
use crate::player::think;
use crate::service::{RobotAction, RobotTask, ServiceError};
use crate::store::{ProposalKind, Store};

/// Lets the computer players play whenever it is notified, one of them at a time; nobody moves any more once `stop` is set.
/// What one was thinking about when the program ended is thought about by the next.
pub(super) fn play(instance: &mut Instance, stop: &AtomicBool, notified: &Receiver<()>) {
    while notified.recv().is_ok() {
        while notified.try_recv().is_ok() {}
        match instance.let_robots_play(&|| stop.load(Ordering::Relaxed)) {
            // Their moves are told by letters and pages.
            Ok(1..) => instance.waker().wake(),
            Ok(0) => {}
            Err(error) => tracing::error!(error = format!("{error:#}"), "a computer player failed; it tries again"),
        }
    }
}

impl Instance {
    /// Lets the computer players do what they are to do, until `stop` says so; returns how much that was.
    ///
    /// # Errors
    /// The store's.
    pub(super) fn let_robots_play(&mut self, stop: &dyn Fn() -> bool) -> anyhow::Result<usize> {
        let service = self.config.service(self.world);
        let tasks = service.robot_tasks(&*self.store.read()?)?;
        let mut done = 0;
        for task in tasks {
            if stop() {
                break;
            }
            let Some(action) = decide(&task, stop) else { continue };
            // What was thought in too short a time is thought again by the next program.
            if stop() {
                break;
            }
            let mut tx = self.store.write()?;
            let acted = match service.act_as_robot(&mut *tx, &task, action, (self.world.now)()) {
                Ok(acted) => acted,
                Err(ServiceError::Store(error)) => return Err(error.into()),
                // It gives no password.
                Err(ServiceError::MissingHash(_)) => continue,
            };
            match acted {
                Some(Ok(_)) => {
                    tx.commit()?;
                    done += 1;
                }
                Some(Err(rejection)) => {
                    tracing::error!(board = task.board.0, reason = %rejection.message, "a computer player was refused");
                }
                None => {}
            }
        }
        Ok(done)
    }
}

/// What a computer player does: it thinks about a move, lets its opponent take one back, and agrees to no draw.
fn decide(task: &RobotTask, stop: &dyn Fn() -> bool) -> Option<RobotAction> {
    match task.proposal {
        Some(ProposalKind::Undo) => Some(RobotAction::Accept),
        Some(_) => Some(RobotAction::Reject),
        None => {
            // The same at each try, and different at each board and turn.
            let seed = u64::from(task.board.0) << 32 | u64::from(task.entry.0);
            think(&*task.position, task.level.effort(), seed, stop).map(|thought| RobotAction::Move(thought.text))
        }
    }
}
