//! What a process does as one node of several that share a database, so that its leases outlive it only shortly.
//!
//! A node has its leases renewed while it serves. When it is killed, they expire, and another node does the work. Until
//! then nobody would; so a process that has the lock under which letters are sent from a data directory gives back what its
//! predecessor there has left.

use std::fs;
use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::Context;

use super::instance::Instance;
use super::progress::{Progress, WorkQueue};
use super::wake::Waker;
use crate::store::{self, Lease, Listener, NodeName, Store, Work, write_beside};
use crate::world::{Deadline, World};

/// How often leases are renewed; several attempts may fail before they expire.
pub(super) const RENEW: Duration = Duration::from_secs(5);
/// The longest wait for what others commit, after which renewing and stopping are thought of.
const LISTEN: Duration = Duration::from_secs(1);
/// How long commits of others gather, so that many of them wake the queues once.
const GATHER: Duration = Duration::from_millis(20);
/// The pause after the database could not be reached.
const RETRY: Duration = Duration::from_secs(1);

impl Instance {
    /// Gives back what the process before this one had leased, which has ended. Only for the process that holds the lock.
    pub(super) fn take_over_leases(&mut self) -> anyhow::Result<()> {
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

    /// Gives back every lease of this process, which ends.
    pub(super) fn give_up_leases(&mut self) -> store::Result<()> {
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

/// A thread that renews the leases of this node, says that it is there, and wakes it when another has committed something.
pub(super) struct NodeKeeper {
    stop: Sender<()>,
    thread: JoinHandle<()>,
}

impl NodeKeeper {
    /// Starts the thread, if others can share the database. From here on this node is known to be there.
    pub(super) fn start(instance: &Instance) -> anyhow::Result<Option<NodeKeeper>> {
        let Some(listener) = store::listen(&instance.config.location(&instance.data))? else { return Ok(None) };
        let (node, world, waker) = (instance.node.clone(), instance.world, instance.waker());
        let (store, progress) = (instance.open_store()?, Arc::clone(&instance.progress));
        let mut keeper = Keeper { store, listener, node, world, waker, progress };
        keeper.renew()?;
        let (stop, stopped) = mpsc::channel();
        let thread = thread::Builder::new().name("node".to_owned()).spawn(move || keeper.run(&stopped))?;
        Ok(Some(NodeKeeper { stop, thread }))
    }

    /// Waits until it has ended.
    pub(super) fn stop(self) {
        drop(self.stop);
        if self.thread.join().is_err() {
            tracing::error!("the thread that renews leases panicked");
        }
    }
}

struct Keeper {
    store: Box<dyn Store>,
    listener: Box<dyn Listener>,
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
                        tracing::error!(%error, "the leases of this node cannot be renewed; it is tried again");
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
                    tracing::warn!(%error, "what other nodes do is seen later: nothing is heard from the database");
                    thread::sleep(RETRY);
                }
            }
        }
    }

    fn renew(&mut self) -> store::Result<()> {
        let now = (self.world.now)();
        let lease = Lease::of(&self.node, now);
        let serving = Work::Serving(self.node.clone());
        write_beside(&mut *self.store, |tx| {
            tx.renew_leases(&lease)?;
            tx.take_lease(&serving, &lease, now)?;
            tx.forget_expired_leases(now)
        })
    }
}
