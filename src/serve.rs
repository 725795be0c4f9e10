//! Works the inbox, the clocks and the outbox off, once or until stopped; while it serves, mail also comes in by LMTP,
//! from a Maildir and from a mailbox by IMAP.
//!
//! Who works is settled by locks in the data directory, which the kernel drops with their holder:
//!
//! - `serve.lock` is held exclusively by the one [`Instance::serve`] for its life. A program that is run once takes it
//!   shared in [`Instance::hand_over`]; when it cannot, a serve is at work, which it wakes through `serve.sock`.
//! - `work.lock` is held by the one program among those that works the boxes off just then.
//!
//! A wake that is missed is no loss: serve looks by itself each second.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::Context;
use chrono::{DateTime, Utc};
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::compose::Composer;
use crate::config::Config;
use crate::mail::inbound::imap;
use crate::mail::inbound::lmtp;
use crate::mail::inbound::maildir::Watched;
use crate::mail::{inbound, outbound};
use crate::service::Ticked;
use crate::store::{self, Store, Transaction, VerdictKind};
use crate::web;
use crate::world::World;

/// Boards whose clocks are dealt with in one transaction; whatever else wants to write waits for it.
const BOARDS: u32 = 100;
/// The longest wait of serve between two looks.
const LOOK: Duration = Duration::from_secs(1);
/// Pages that are made at a time.
const PAGES: usize = 4;
/// How often, and how long each time, serve waits at its start for programs that are just working the boxes off.
const PATIENCE: (u32, Duration) = (1_200, Duration::from_millis(50));

/// A data directory in use: its configuration, templates and database.
pub struct Instance {
    /// The data directory.
    pub data: PathBuf,
    /// What its configuration says.
    pub config: Config,
    /// Its templates.
    pub composer: Composer,
    /// Its database.
    pub store: Box<dyn Store>,
    /// Time and randomness.
    pub world: World,
    /// Made when the first letter is due: looking at a board needs no mail server.
    transport: Option<outbound::Transport>,
}

impl Instance {
    /// Opens a data directory, and makes it (for its owner alone) when there is none.
    ///
    /// # Errors
    /// The directory, its configuration, a template or the database cannot be made or read.
    pub fn open(data: &Path, world: World) -> anyhow::Result<Instance> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(data)
            .with_context(|| format!("cannot make the data directory {}", data.display()))?;
        let config = Config::read(data)?;
        let composer = Composer::new(config.templates.as_deref(), config.web.url.as_deref())?;
        let store = store::open(&data.join("turnpost.db"), world)?;
        Ok(Instance { data: data.to_owned(), config, composer, store, world, transport: None })
    }

    /// Works the inbox, then what the clocks ask for, and then the outbox off, until nothing is due.
    ///
    /// # Errors
    /// The store's, or a transport that cannot be set up. An error in the inbox or at the clocks keeps no letters back.
    pub fn work_off(&mut self) -> anyhow::Result<()> {
        loop {
            let come = self.work_in();
            let sent = self.work_outbox(&|| false)?;
            if come? + sent == 0 {
                return Ok(());
            }
        }
    }

    /// Works the inbox and what the clocks ask for off, and gives how much that was; the letters are another's.
    fn work_in(&mut self) -> anyhow::Result<usize> {
        let mut done = 0;
        loop {
            let read = self.work_inbox();
            let ticked = self.work_clocks();
            let now = read? + ticked?;
            if now == 0 {
                break;
            }
            done += now;
        }
        self.store.settle()?;
        Ok(done)
    }

    fn work_inbox(&mut self) -> anyhow::Result<usize> {
        let service = self.config.service(self.world);
        inbound::work_inbox(&mut self.store, &service, &self.config.address, (self.world.now)(), &mut |dealt| {
            let (id, verdict) = (dealt.id.0, &dealt.verdict);
            let sender = verdict.sender.as_deref().unwrap_or("-");
            if verdict.kind == VerdictKind::Poison {
                tracing::error!(mail = id, sender, reason = verdict.reason, "mail set aside");
            } else {
                tracing::info!(mail = id, verdict = ?verdict.kind, sender, reason = verdict.reason, "mail read");
            }
        })
    }

    /// Mails come first: a move that has arrived counts, however late it is read.
    fn work_clocks(&mut self) -> anyhow::Result<usize> {
        let mut done = 0;
        loop {
            let now = (self.world.now)();
            if self.store.read()?.next_clock()?.is_none_or(|due| due > now) {
                return Ok(done);
            }
            let service = self.config.service(self.world);
            let mut tx = self.store.write()?;
            let ticked = service.tick(&mut *tx, now, BOARDS)?;
            tx.commit()?;
            for (board, became) in &ticked {
                match became {
                    Ticked::Broken => tracing::error!(board, "its record does not replay: `turnpost admin check`"),
                    _ => tracing::info!(board, ?became, "clock"),
                }
            }
            // Another process may have been faster.
            if ticked.is_empty() {
                return Ok(done);
            }
            done += ticked.len();
        }
    }

    fn work_outbox(&mut self, stopped: &dyn Fn() -> bool) -> anyhow::Result<usize> {
        let due = self.store.read()?.next_due()?;
        if due.is_none_or(|due| due > (self.world.now)()) {
            return Ok(0);
        }
        let transport = match &mut self.transport {
            Some(transport) => transport,
            none => none.insert(outbound::Transport::new(&self.config.transport, &self.data)?),
        };
        let office =
            outbound::OutboxContext { composer: &self.composer, transport, config: &self.config, world: self.world };
        outbound::work_outbox(&mut self.store, &office, stopped, &mut |told| {
            let (id, kind, message_id) = (told.notice.id.0, &told.notice.kind, &told.notice.message_id);
            let to = told.to.join(", ");
            match (&told.result, told.retry_at) {
                (Ok(()), _) => tracing::info!(letter = id, kind, to, message_id, "letter sent"),
                (Err(error), Some(at)) => {
                    tracing::warn!(letter = id, kind, to, message_id, %error, again = %at, "letter not sent");
                }
                (Err(error), None) => tracing::warn!(letter = id, kind, to, message_id, %error, "letter given up"),
            }
        })
    }

    /// After a command that was run once: wakes the serve that is at work, or does all due work itself.
    ///
    /// # Errors
    /// As [`Instance::work_off`], or a lock file that cannot be made.
    pub fn hand_over(&mut self) -> anyhow::Result<()> {
        let serving = self.lock_file("serve.lock")?;
        match serving.try_lock_shared() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                self.wake();
                return Ok(());
            }
            Err(TryLockError::Error(error)) => return Err(error).context("cannot lock serve.lock"),
        }
        let working = self.lock_file("work.lock")?;
        working.lock().context("cannot lock work.lock")?;
        self.work_off()
    }

    fn wake(&self) {
        wake(&self.data.join("serve.sock"));
    }

    /// Works the boxes off until SIGTERM or SIGINT. An error in a pass is logged, and the next pass tries again.
    ///
    /// # Errors
    /// Another serve is at work on this data directory, or it cannot be set up.
    pub fn serve(&mut self) -> anyhow::Result<()> {
        let _serving = self.lock_for_serving()?;
        let socket = self.bind()?;
        let stop = Arc::new(AtomicBool::new(false));
        let mut hooks = Vec::new();
        for signal in [SIGTERM, SIGINT] {
            hooks.push(signal_hook::flag::register(signal, Arc::clone(&stop))?);
            // Behind the flag, so that whoever is woken by it sees the flag.
            let wake = UnixDatagram::unbound()?;
            wake.connect(self.data.join("serve.sock"))?;
            hooks.push(signal_hook::low_level::pipe::register(signal, wake)?);
        }
        let lmtp = self.listen()?;
        let imap = self.watch()?;
        let web = self.open_pages()?;
        let webhooks = self.open_webhooks()?;
        let (letters, postman) = self.employ(&stop)?;
        let mut maildir = self.config.receive.maildir.clone().map(Watched::new);
        tracing::info!(data = %self.data.display(), address = self.config.address, "serving");
        while !stop.load(Ordering::Relaxed) {
            let taken = maildir.as_mut().map_or(Ok(()), |maildir| maildir.look(&mut self.store, self.world));
            let worked = self.work_in().map(drop);
            if let Some(web) = &web {
                web.look();
            }
            if let Some(webhooks) = &webhooks {
                webhooks.look();
            }
            // Gone only when it panicked, and joining it says so.
            let _ = letters.send(());
            let failed = taken.is_err() || worked.is_err();
            for error in [taken, worked].into_iter().filter_map(Result::err) {
                tracing::error!(error = format!("{error:#}"), "a pass failed; it is tried again");
            }
            // Not at once: what failed is likely to fail again.
            let wait = if failed { LOOK } else { self.wait(|tx| tx.next_clock()) };
            socket.set_read_timeout(Some(wait))?;
            // Woken, timed out or interrupted: each is a reason to look.
            let _ = socket.recv(&mut [0]);
        }
        if let Some(web) = web {
            web.stop();
        }
        if let Some(webhooks) = webhooks {
            webhooks.stop();
        }
        drop(letters);
        if postman.join().is_err() {
            tracing::error!("sending letters panicked");
        }
        // Before the hooks: until everything that was taken is kept, another signal changes nothing.
        if let Some(lmtp) = lmtp {
            lmtp.stop();
        }
        if let Some(imap) = imap {
            imap.stop();
        }
        for hook in hooks {
            signal_hook::low_level::unregister(hook);
        }
        let _ = std::fs::remove_file(self.data.join("serve.sock"));
        tracing::info!("stopped");
        Ok(())
    }

    /// Somebody who works the outbox off, with a database connection of his own, so that no mail that comes in waits for
    /// a mail server that takes long. He looks when he is told to, when a letter is due, and each second.
    fn employ(&self, stop: &Arc<AtomicBool>) -> anyhow::Result<(Sender<()>, JoinHandle<()>)> {
        let mut instance = Instance::open(&self.data, self.world)?;
        let stop = Arc::clone(stop);
        let (letters, told) = mpsc::channel();
        let postman = thread::Builder::new().name("letters".to_owned()).spawn(move || {
            loop {
                let worked = instance.work_outbox(&|| stop.load(Ordering::Relaxed));
                if let Err(error) = &worked {
                    tracing::error!(error = format!("{error:#}"), "a pass over the outbox failed; it is tried again");
                }
                // Not at once: what failed is likely to fail again.
                let wait = if worked.is_err() { LOOK } else { instance.wait(|tx| tx.next_due()) };
                match told.recv_timeout(wait) {
                    Err(RecvTimeoutError::Disconnected) => break,
                    Ok(()) => while told.try_recv().is_ok() {},
                    Err(RecvTimeoutError::Timeout) => {}
                }
            }
        })?;
        Ok((letters, postman))
    }

    /// Another connection to the database, for a thread of its own.
    fn open_store(&self) -> store::Result<Box<dyn Store>> {
        store::open(&self.data.join("turnpost.db"), self.world)
    }

    fn open_pages(&self) -> anyhow::Result<Option<web::Server>> {
        let Some(address) = self.config.web.listen else { return Ok(None) };
        let Instance { config, composer, .. } = Instance::open(&self.data, self.world)?;
        let mut stores: Vec<Box<dyn Store>> = Vec::new();
        for _ in 0..PAGES {
            stores.push(self.open_store()?);
        }
        let serving = self.data.join("serve.sock");
        let site = web::Site::new(config, composer, stores, self.world, Box::new(move || wake(&serving)));
        web::Server::start(address, site).map(Some)
    }

    /// Who tells turns at players' own addresses, with a database connection of his own: such an address may take long.
    fn open_webhooks(&self) -> anyhow::Result<Option<web::Webhooks>> {
        if self.config.web.listen.is_none() {
            return Ok(None);
        }
        let store = self.open_store()?;
        web::Webhooks::start(self.config.clone(), store, self.world).map(Some)
    }

    fn listen(&self) -> anyhow::Result<Option<lmtp::Server>> {
        let Some(address) = &self.config.receive.lmtp else { return Ok(None) };
        // Of its own: it waits for the disk while the boxes are worked off.
        let store = self.open_store()?;
        let serving = self.data.join("serve.sock");
        let instance = lmtp::Settings {
            address: self.config.address.clone(),
            sessions: self.config.receive.sessions,
            idle: Duration::from_secs(self.config.receive.idle),
            world: self.world,
            wake: Box::new(move || wake(&serving)),
        };
        lmtp::Server::start(address, instance, store).map(Some)
    }

    fn watch(&self) -> anyhow::Result<Option<imap::Watch>> {
        let Some(config) = &self.config.receive.imap else { return Ok(None) };
        let store = self.open_store()?;
        let serving = self.data.join("serve.sock");
        let wake = Box::new(move || wake(&serving));
        Ok(Some(imap::Watch::start(config.clone(), store, self.world, wake)?))
    }

    /// Until the next of something, and no longer than [`LOOK`].
    fn wait(&mut self, next: impl FnOnce(&dyn Transaction) -> store::Result<Option<DateTime<Utc>>>) -> Duration {
        let due = self.store.read().and_then(|tx| next(&*tx)).ok().flatten();
        let until = due.and_then(|due| (due - (self.world.now)()).to_std().ok()).unwrap_or(LOOK);
        until.clamp(Duration::from_millis(50), LOOK)
    }

    fn lock_for_serving(&self) -> anyhow::Result<File> {
        let file = self.lock_file("serve.lock")?;
        let (times, pause) = PATIENCE;
        for _ in 0..times {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::Error(error)) => return Err(error).context("cannot lock serve.lock"),
                Err(TryLockError::WouldBlock) => {}
            }
            // Shared holders are programs run once, which end; an exclusive one is a serve.
            if file.try_lock_shared().is_err() {
                break;
            }
            file.unlock()?;
            thread::sleep(pause);
        }
        anyhow::bail!("another turnpost serve is at work on {}; stop it first", self.data.display())
    }

    fn bind(&self) -> anyhow::Result<UnixDatagram> {
        let path = self.data.join("serve.sock");
        // Left behind by a serve that was killed: the lock says that there is no other.
        if let Err(error) = std::fs::remove_file(&path)
            && error.kind() != std::io::ErrorKind::NotFound
        {
            return Err(error).with_context(|| format!("cannot remove the old {}", path.display()));
        }
        UnixDatagram::bind(&path).with_context(|| format!("cannot make the socket {}", path.display()))
    }

    fn lock_file(&self, name: &str) -> anyhow::Result<File> {
        let path = self.data.join(name);
        OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(&path)
            .with_context(|| format!("cannot open {}", path.display()))
    }
}

/// Errors do not matter: serve looks by itself within a second.
fn wake(serving: &Path) {
    let _ = UnixDatagram::unbound().and_then(|socket| {
        socket.set_nonblocking(true)?;
        socket.send_to(b"!", serving)
    });
}
