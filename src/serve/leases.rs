//! The leases of this process as one of several nodes that share a database.
//!
//! A running node renews its leases. The leases of a killed node expire, and another node takes over the work. To avoid
//! this delay on a restart, a process that holds the lock of a data directory releases the leases of its predecessor
//! there.

use std::fs;
use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::thread;
use std::time::Duration;

use anyhow::Context;

use super::control_socket::Waker;
use super::instance::Instance;
use super::progress::{Progress, WorkQueue};
use super::worker::Worker;
use crate::store::{self, Lease, Listener, NodeName, Store, Work, write_with_retries};
use crate::world::{Deadline, World};

/// The interval between renewals of the leases; several renewals may fail before the leases expire.
pub(crate) const RENEW: Duration = Duration::from_secs(5);
/// The longest wait for commits of other nodes. After each wait, the thread checks whether to renew the leases or to
/// stop.
const LISTEN: Duration = Duration::from_secs(1);
/// The pause after a commit of another node wakes the server. Several commits during the pause wake it only once.
const GATHER: Duration = Duration::from_millis(20);
/// The pause after the connection to the database fails while the thread waits for commits.
const RETRY: Duration = Duration::from_secs(1);

impl Instance {
    /// Releases the leases of the previous process on this data directory. Requires `serve.lock` or
    /// `send.lock`.
    pub(crate) fn take_over_leases(&mut self) -> anyhow::Result<()> {
        let path = self.data.join("node");
        let before = match fs::read_to_string(&path) {
            Ok(name) => name,
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
        };
        if before == self.node.0 {
            return Ok(());
        }
        release(&mut *self.store, &NodeName(before))?;
        fs::write(&path, &self.node.0).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Releases all leases of this process before it ends.
    pub(crate) fn give_up_leases(&mut self) -> store::Result<()> {
        release(&mut *self.store, &self.node)
    }
}

fn release(store: &mut dyn Store, node: &NodeName) -> store::Result<()> {
    if !store.read()?.has_leases(node)? {
        return Ok(());
    }
    let mut tx = store.write()?;
    tx.release_leases(node)?;
    tx.commit()
}

/// Registers this node if nodes can share the database. Starts a thread that renews its leases, and wakes its server
/// after commits of other nodes.
pub(crate) fn keep_leases(instance: &Instance) -> anyhow::Result<Option<Worker>> {
    let Some(listener) = store::listen(&instance.config.location(&instance.data))? else { return Ok(None) };
    let (node, world, waker) = (instance.node.clone(), instance.world, instance.waker());
    let (store, progress) = (instance.open_store()?, Arc::clone(&instance.progress));
    let mut keeper = Keeper { store, listener, node, world, waker, progress };
    keeper.renew()?;
    Ok(Some(Worker::start("node", move |stopped| keeper.run(stopped))?))
}

struct Keeper {
    store: Box<dyn Store>,
    listener: Listener,
    node: NodeName,
    world: World,
    waker: Waker,
    progress: Arc<Progress>,
}

impl Keeper {
    fn run(&mut self, stopped: &Receiver<()>) {
        let mut renewed = Deadline::after(RENEW);
        while stopped.try_recv() == Err(TryRecvError::Empty) {
            if renewed.left().is_none() {
                renewed = Deadline::after(RENEW);
                match self.renew() {
                    Ok(()) => self.progress.made(WorkQueue::Leases),
                    Err(error) => {
                        tracing::error!(%error, "cannot renew the leases of this node; retrying");
                    }
                }
            }
            match self.listener.wait(LISTEN) {
                Ok(true) => {
                    self.waker.wake();
                    thread::sleep(GATHER);
                }
                Ok(false) => {}
                Err(error) => {
                    tracing::warn!(%error, "no notifications from the database; changes of other nodes arrive with a delay");
                    thread::sleep(RETRY);
                }
            }
        }
    }

    fn renew(&mut self) -> store::Result<()> {
        let now = (self.world.now)();
        let lease = Lease::of(&self.node, now);
        let serving = Work::Serving(self.node.clone());
        write_with_retries(&mut *self.store, |tx| {
            tx.renew_leases(&lease)?;
            tx.take_lease(&serving, &lease, now)?;
            tx.forget_expired_leases(now)
        })
    }
}
