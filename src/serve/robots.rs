//! The computer players at work: they think on a thread of their own, outside any transaction. Between moves, the thread
//! makes the analyses that players have asked for, and searches finished boards for puzzles.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError};

use super::engine::{Asked, EngineFault, Engines, best_move};
use super::instance::Instance;
use super::progress::WorkQueue;
use crate::player::{Effort, Stop, think};
use crate::service::{Rejection, Response, RobotAction, RobotMind, RobotTask, ServiceError};
use crate::store::{self, Lease, ProposalKind, Store, Transaction, Work, write_beside};
use crate::world::Deadline;

/// How many boards are searched for puzzles before moves and analyses have their turn again.
const MOST_SEARCHES: usize = 20;

/// Lets the computer players play whenever it is notified, one of them at a time, and makes analyses while nobody waits for
/// a move; nothing is done any more once `stop` is set. What was being thought about when the program ended is thought
/// about by the next.
pub(super) fn play(instance: &mut Instance, stop: &AtomicBool, notified: &Receiver<()>) {
    let stopped = || stop.load(Ordering::Relaxed);
    instance.engines = Some(Engines::of(&instance.data));
    while notified.recv().is_ok() {
        while notified.try_recv().is_ok() {}
        play_now(instance, &stopped);
        // Moves come before analyses, between two positions of one as well.
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
            // Letters and pages tell them.
            Ok(1..) => instance.waker().wake(),
            Ok(0) => {}
            Err(error) => tracing::error!(error = format!("{error:#}"), "an analysis failed; it is tried again"),
        }
        // What is left of many boards is searched when the thread is notified again, which is each second.
        if let Err(error) = instance.search_puzzles(MOST_SEARCHES, &stopped) {
            tracing::error!(error = format!("{error:#}"), "a search for puzzles failed; it is tried again");
        }
    }
}

fn play_now(instance: &mut Instance, stopped: Stop<'_>) {
    match instance.let_robots_play(&|| !stopped(), stopped) {
        // Their moves are told by letters and pages.
        Ok(1..) => instance.waker().wake(),
        Ok(0) => {}
        Err(error) => tracing::error!(error = format!("{error:#}"), "a computer player failed; it tries again"),
    }
}

impl Instance {
    /// Lets the computer players act, and returns the number of their actions. No player begins to think once `goes_on`
    /// returns false; a player that is thinking when `stop` returns true does not move.
    ///
    /// # Errors
    /// The store's.
    pub(super) fn let_robots_play(&mut self, goes_on: &dyn Fn() -> bool, stop: Stop<'_>) -> anyhow::Result<usize> {
        if self.is_under_maintenance()? {
            return Ok(0);
        }
        let tasks = self.config.service(self.world).robot_tasks(&self.store.read()?)?;
        let mut done = 0;
        for task in tasks {
            if !goes_on() {
                break;
            }
            done += usize::from(self.do_task(&task, stop)?);
            self.progress.made(WorkQueue::Robots);
        }
        // The remaining tasks have to wait: another node has them, or their program failed and is asked again later.
        self.progress.made(WorkQueue::Robots);
        Ok(done)
    }

    /// Does what a computer player is to do, unless another node does or the decision fails; returns whether it was done.
    fn do_task(&mut self, task: &RobotTask, stop: Stop<'_>) -> store::Result<bool> {
        if !self.lease(&Work::Robot(task.board), |tx| task.is_due(tx))? {
            return Ok(false);
        }
        // A decision after too short a time is left to the next program.
        let Some(action) = self.decide(task, stop).filter(|_| !stop()) else { return Ok(false) };
        match self.act(task, &action)? {
            Some(Ok(_)) => Ok(true),
            Some(Err(rejection)) => {
                tracing::error!(board = task.board.0, reason = %rejection.message, "a computer player was refused");
                Ok(false)
            }
            None => Ok(false),
        }
    }

    /// Does what a computer player has decided, and gives its lease back, beside what others write; nothing when the board
    /// has changed since.
    fn act(&mut self, task: &RobotTask, action: &RobotAction) -> store::Result<Option<Result<Response, Rejection>>> {
        let (service, now) = (self.config.service(self.world), (self.world.now)());
        let acted = write_beside(&mut *self.store, |tx| {
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
    /// Makes at most `most` of the requested analyses, until `stop` returns true or `between`, which is called between two
    /// positions, returns false. Returns how many were made.
    ///
    /// # Errors
    /// The store's.
    pub(super) fn make_analyses(
        &mut self,
        most: usize,
        stop: Stop<'_>,
        between: &mut dyn FnMut(&mut Instance) -> bool,
    ) -> anyhow::Result<usize> {
        let (mut made, mut of_others) = (0, Vec::new());
        while made < most {
            let service = self.config.service(self.world);
            let Some(mut task) = service.next_analysis(&self.store.read()?, &of_others)? else { return Ok(made) };
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
            let told = if goes_on { service.keep_analysis(&mut tx, &task, (self.world.now)())? } else { 0 };
            tx.release_lease(&work, &self.node)?;
            tx.commit()?;
            if !goes_on {
                return Ok(made);
            }
            tracing::info!(board = task.board().0, told, "analysed");
            made += 1;
            if told > 0 {
                self.waker().wake();
            }
        }
        Ok(made)
    }
}

impl Instance {
    /// What a computer player does: it thinks about a move, lets its opponent take one back or abandon the game, and agrees to
    /// no draw.
    fn decide(&mut self, task: &RobotTask, stop: Stop<'_>) -> Option<RobotAction> {
        match (task.proposal, task.mind) {
            (Some(ProposalKind::Undo | ProposalKind::Abandon), _) => Some(RobotAction::Accept),
            (Some(_), _) => Some(RobotAction::Reject),
            // What a program says of its chances is on no scale that we know.
            (None, RobotMind::Engine) => self.ask_engine(task, stop).map(|text| RobotAction::Move { text, hint: None }),
            (None, RobotMind::Level(level)) => {
                // The same at each try, and different at each board and turn.
                let seed = u64::from(task.board.0) << 32 | u64::from(task.entry.0);
                let robots = &self.config.robot;
                let of_level = level.effort(&*task.position, robots.threads());
                let effort = Effort { memory: robots.memory, ..of_level };
                let deadline = Deadline::after(robots.time());
                // Whoever has no more time moves by what was found until then.
                let is_over = || stop() || deadline.left().is_none();
                let thought = think(&*task.position, effort, seed, &is_over)?;
                if deadline.left().is_none() {
                    let (board, robot, playouts) = (task.board.0, &task.userid, thought.playouts);
                    tracing::info!(board, robot, playouts, "a computer player's time was over");
                }
                Some(task.action(thought))
            }
        }
    }

    /// Leases a piece of work; false when another node is doing it, or has done it since it was listed.
    fn lease(&mut self, work: &Work, is_due: impl Fn(&Transaction<'_>) -> store::Result<bool>) -> store::Result<bool> {
        let (lease, now) = (Lease::of(&self.node, (self.world.now)()), (self.world.now)());
        write_beside(&mut *self.store, |tx| Ok(is_due(tx)? && tx.take_lease(work, &lease, now)?))
    }

    /// The move of a program; nothing when it failed, or is to be left alone for a while after it did.
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
