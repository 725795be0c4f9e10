//! The worker of the computer players: a thread that thinks outside of transactions. Between moves, it computes the
//! analyses that players have requested, and searches finished boards for puzzles.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError};

use super::engine::{Asked, EngineFault, Engines, best_move};
use super::instance::Instance;
use super::progress::WorkQueue;
use crate::player::{SearchLimits, Stop, think};
use crate::service::{Rejection, Response, RobotAction, RobotMind, RobotTask, ServiceError, administration};
use crate::store::{self, Lease, ProposalKind, Transaction, Work, write_with_retries};
use crate::world::Deadline;

/// The maximum number of boards searched for puzzles before the next check for moves and analyses.
const MOST_SEARCHES: usize = 20;

/// Plays the moves of the computer players after each notification, one at a time, and computes analyses while no move
/// is due. Starts nothing new after `stop` is set. If this interrupts a computer player that is thinking, the next
/// process decides the move.
pub(crate) fn play(instance: &mut Instance, stop: &AtomicBool, notified: &Receiver<()>) {
    let stopped = || stop.load(Ordering::Relaxed);
    instance.engines = Some(Engines::of(&instance.data));
    while notified.recv().is_ok() {
        while notified.try_recv().is_ok() {}
        play_now(instance, &stopped);
        // Moves have priority over analyses, even between two positions of an analysis.
        let analysed = instance.make_analyses(usize::MAX, &stopped, &mut |instance| match notified.try_recv() {
            Ok(()) => {
                while notified.try_recv().is_ok() {}
                play_now(instance, &stopped);
                true
            }
            Err(TryRecvError::Empty) => true,
            Err(TryRecvError::Disconnected) => false,
        });
        match analysed {
            // Wake the server, because letters and pages show the analyses.
            Ok(1..) => instance.waker().wake(),
            Ok(0) => {}
            Err(error) => tracing::error!(error = format!("{error:#}"), "an analysis failed; retrying"),
        }
        // After the next notification, which arrives within a second, the search continues with the remaining boards.
        if let Err(error) = instance.search_puzzles(MOST_SEARCHES, &stopped) {
            tracing::error!(error = format!("{error:#}"), "a search for puzzles failed; retrying");
        }
    }
}

fn play_now(instance: &mut Instance, stopped: Stop<'_>) {
    match instance.let_robots_play(&|| !stopped(), stopped) {
        // Wake the server, because letters and pages show the moves.
        Ok(1..) => instance.waker().wake(),
        Ok(0) => {}
        Err(error) => tracing::error!(error = format!("{error:#}"), "a computer player failed; retrying"),
    }
}

impl Instance {
    /// Lets the computer players act; returns the number of their actions. No player starts to think after `goes_on`
    /// returns false. A player still thinking when `stop` returns true does not move.
    ///
    /// # Errors
    /// Errors of the store.
    pub(crate) fn let_robots_play(&mut self, goes_on: &dyn Fn() -> bool, stop: Stop<'_>) -> anyhow::Result<usize> {
        let tasks = {
            let tx = self.store.glance()?;
            if administration::maintenance(&tx)?.is_some() {
                return Ok(0);
            }
            self.config.service(self.world).robot_tasks(&tx)?
        };
        let mut done = 0;
        for task in tasks {
            if !goes_on() {
                break;
            }
            done += usize::from(self.do_task(&task, stop)?);
            self.progress.made(WorkQueue::Robots);
        }
        // The remaining tasks must wait: another node is doing them, or their engine failed and is retried later.
        self.progress.made(WorkQueue::Robots);
        Ok(done)
    }

    /// Decides and performs the action of a computer player, unless another node does so or the decision fails. Returns
    /// whether the action was performed.
    fn do_task(&mut self, task: &RobotTask, stop: Stop<'_>) -> store::Result<bool> {
        if !self.lease(&Work::Robot(task.board), |tx| task.is_due(tx))? {
            return Ok(false);
        }
        // If the decision was interrupted, the next process decides again.
        let Some(action) = self.decide(task, stop).filter(|_| !stop()) else { return Ok(false) };
        match self.act(task, &action)? {
            Some(Ok(_)) => Ok(true),
            Some(Err(rejection)) => {
                tracing::error!(board = task.board.0, reason = %rejection.message, "the action of a computer player was rejected");
                Ok(false)
            }
            None => Ok(false),
        }
    }

    /// Performs the action of a computer player. Releases its lease if the action was accepted. Returns `None` if the
    /// board has changed.
    fn act(&mut self, task: &RobotTask, action: &RobotAction) -> store::Result<Option<Result<Response, Rejection>>> {
        let (service, now) = (self.config.service(self.world), (self.world.now)());
        let acted = write_with_retries(&mut *self.store, |tx| {
            tx.set_savepoint()?;
            let acted = service.act_as_robot(tx, task, action, now)?;
            match acted {
                Some(Ok(_)) => {
                    tx.release_savepoint()?;
                    tx.release_lease(&Work::Robot(task.board), &self.node)?;
                }
                _ => tx.undo_to_savepoint()?,
            }
            Ok(acted)
        });
        acted.map_err(ServiceError::without_password)
    }
}

impl Instance {
    /// Computes at most `most` of the requested analyses, until `stop` returns true or `between` returns false.
    /// `between` runs between two positions. Returns the number of analyses.
    ///
    /// # Errors
    /// Errors of the store.
    pub(crate) fn make_analyses(
        &mut self,
        most: usize,
        stop: Stop<'_>,
        between: &mut dyn FnMut(&mut Instance) -> bool,
    ) -> anyhow::Result<usize> {
        let (mut made, mut of_others) = (0, Vec::new());
        while made < most {
            let service = self.config.service(self.world);
            let Some(mut task) = service.next_analysis(&self.store.glance()?, &of_others)? else { return Ok(made) };
            let work = Work::Analysis(task.board());
            if !self.lease(&work, |tx| task.is_due(tx))? {
                of_others.push(task.board());
                continue;
            }
            let mut goes_on = true;
            while goes_on && task.go_on(stop) {
                goes_on = !stop() && between(self);
            }
            let mut tx = self.store.write()?;
            let service = self.config.service(self.world);
            let letters = if goes_on { service.keep_analysis(&mut tx, &task, (self.world.now)())? } else { 0 };
            tx.release_lease(&work, &self.node)?;
            tx.commit()?;
            if !goes_on {
                return Ok(made);
            }
            tracing::info!(board = task.board().0, letters, "analysed");
            made += 1;
            if letters > 0 {
                self.waker().wake();
            }
        }
        Ok(made)
    }
}

impl Instance {
    /// Decides the action of a computer player. It accepts proposals to undo a move or to abandon the game, rejects
    /// draws, and otherwise chooses a move.
    fn decide(&mut self, task: &RobotTask, stop: Stop<'_>) -> Option<RobotAction> {
        match (task.proposal, task.mind) {
            (Some(ProposalKind::Undo | ProposalKind::Abandon), _) => Some(RobotAction::Accept),
            (Some(_), _) => Some(RobotAction::Reject),
            // Give no hint, because the evaluations of external engines have an unknown scale.
            (None, RobotMind::Engine) => self.ask_engine(task, stop).map(|text| RobotAction::Move { text, hint: None }),
            (None, RobotMind::Level(level)) => {
                // All attempts at a turn use the same seed. Other turns and boards have different seeds.
                let seed = u64::from(task.board.0) << 32 | u64::from(task.entry.0);
                let robots = &self.config.robot;
                let of_level = level.limits(&*task.position, robots.threads());
                let limits = SearchLimits { memory: robots.memory, ..of_level };
                let deadline = Deadline::after(robots.time());
                // When the time is up, the player chooses a move from the results so far.
                let is_over = || stop() || deadline.left().is_none();
                let found = think(&*task.position, limits, seed, &is_over)?;
                if deadline.left().is_none() {
                    let (board, robot, playouts) = (task.board.0, &task.userid, found.playouts);
                    tracing::info!(board, robot, playouts, "a computer player used all of its time");
                }
                Some(task.action(found))
            }
        }
    }

    /// Leases a piece of work; returns false if another node is doing it or has done it.
    fn lease(&mut self, work: &Work, is_due: impl Fn(&Transaction<'_>) -> store::Result<bool>) -> store::Result<bool> {
        let (lease, now) = (Lease::of(&self.node, (self.world.now)()), (self.world.now)());
        write_with_retries(&mut *self.store, |tx| Ok(is_due(tx)? && tx.take_lease(work, &lease, now)?))
    }

    /// Requests a move from an external engine. Returns `None` after a failure, during the delay before a retry, if the
    /// server is stopping, and in a one-shot command.
    fn ask_engine(&mut self, task: &RobotTask, stop: Stop<'_>) -> Option<String> {
        let RobotTask { board, entry, userid, position, game, options, moves, .. } = task;
        let (engines, engine) = (self.engines.as_mut()?, self.config.robot.of(userid)?);
        if !engines.is_due(*board, *entry, (self.world.now)()) {
            return None;
        }
        match best_move(engine, Asked { game, options, moves, position: &**position }, stop) {
            Ok(text) => {
                engines.succeeded(userid, *board);
                Some(text)
            }
            Err(EngineFault::Stopped) => None,
            Err(fault) => {
                engines.failed(userid, (*board, *entry), &fault, (self.world.now)());
                None
            }
        }
    }
}

impl Instance {
    /// Searches at most `most` boards for puzzles, until `stop` returns true. Returns the number of new puzzles. If two
    /// nodes search the same board, each puzzle is stored once.
    ///
    /// # Errors
    /// Errors of the store.
    pub(crate) fn search_puzzles(&mut self, most: usize, stop: &dyn Fn() -> bool) -> anyhow::Result<usize> {
        let mut total = 0;
        for _ in 0..most {
            if stop() {
                break;
            }
            let next = self.config.service(self.world).next_puzzle_search(&self.store.glance()?)?;
            let Some(mut task) = next else { break };
            task.search();
            let board = task.board().0;
            let mut tx = self.store.write()?;
            let new = self.config.service(self.world).keep_puzzles(&mut tx, task)?;
            tx.commit()?;
            tracing::info!(board, new, "searched for puzzles");
            total += new;
        }
        Ok(total)
    }
}
