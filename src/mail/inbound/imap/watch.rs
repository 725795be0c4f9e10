//! The thread that connects, looks, waits for more, and begins again when the connection dies.

use std::net::{Shutdown, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use chrono::TimeDelta;

use super::mailbox::Mailbox;
use super::round::Known;
use super::trouble::Trouble;
use super::wire::Wire;
use crate::config::Imap;
use crate::store::Store;
use crate::world::World;

/// Between two looks at a server that does not tell of new mail.
const POLL: Duration = Duration::from_secs(60);
/// After a look that brought nothing, although the server had told of new mail.
const PAUSE: Duration = Duration::from_secs(1);
/// The first wait after trouble that may pass; each next one is twice as long, up to the second.
const AGAIN: (Duration, Duration) = (Duration::from_secs(2), Duration::from_secs(300));
/// The wait after trouble that will not pass by itself.
const SLOWLY: Duration = Duration::from_secs(900);
/// A connection that lasted so long was a good one: what comes after it is new trouble.
const GOOD: TimeDelta = TimeDelta::minutes(1);
/// How long stopping waits for a batch that is being kept and put away.
const GRACE: Duration = Duration::from_secs(5);

/// A mailbox that is watched.
pub struct Watch {
    shared: Arc<Shared>,
    thread: JoinHandle<()>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    stopping: bool,
    phase: Phase,
    /// A second handle of the socket, to wake the thread by.
    socket: Option<TcpStream>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// No connection yet, and nothing to lose; the thread cannot be woken.
    #[default]
    Connecting,
    /// The server or the time is waited for.
    Waiting,
    /// Mails are under way.
    Busy,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what the thread is about to do. False when it is to stop.
    fn enter(&self, phase: Phase) -> bool {
        let mut state = self.state();
        state.phase = phase;
        self.changed.notify_all();
        !state.stopping
    }

    /// Sleeps. False when it is to stop.
    fn sleep(&self, time: Duration) -> bool {
        if !self.enter(Phase::Waiting) {
            return false;
        }
        let slept = self.changed.wait_timeout_while(self.state(), time, |state| !state.stopping);
        let (state, _) = slept.unwrap_or_else(PoisonError::into_inner);
        !state.stopping
    }
}

impl Watch {
    /// Watches the mailbox, keeps what comes in this store, and calls `wake` after each commit. Trouble with the server
    /// is logged, and tried again.
    ///
    /// # Errors
    /// There is no thread for it.
    pub fn start(
        config: Imap,
        mut store: Box<dyn Store>,
        world: World,
        wake: Box<dyn Fn() + Send>,
    ) -> std::io::Result<Watch> {
        let shared = Arc::new(Shared::default());
        let thread = {
            let shared = Arc::clone(&shared);
            thread::Builder::new()
                .name("imap".to_owned())
                .spawn(move || watch(&config, &mut *store, world, &*wake, &shared))?
        };
        Ok(Watch { shared, thread })
    }

    /// Ends the connection, after what is being kept has been put away, unless the server is slow about it.
    pub fn stop(self) {
        let mut state = self.shared.state();
        state.stopping = true;
        self.shared.changed.notify_all();
        let busy = self.shared.changed.wait_timeout_while(state, GRACE, |state| state.phase == Phase::Busy);
        let (state, _) = busy.unwrap_or_else(PoisonError::into_inner);
        if let Some(socket) = &state.socket {
            let _ = socket.shutdown(Shutdown::Both);
        }
        let connecting = state.phase == Phase::Connecting;
        drop(state);
        // A thread that asks for an address or waits for a connection is left alone; it has no mail.
        if !connecting {
            let _ = self.thread.join();
        }
    }
}

fn watch(config: &Imap, store: &mut dyn Store, world: World, wake: &dyn Fn(), shared: &Shared) {
    let (host, mailbox) = (&config.host, &config.mailbox);
    let mut known = Known::default();
    let mut failures = 0;
    let mut told = None;
    loop {
        let began = (world.now)();
        // What a server may bring about in the libraries must not end the watch.
        let ended = catch_unwind(AssertUnwindSafe(|| converse(config, store, world, wake, shared, &mut known)));
        let trouble = match ended {
            Ok(Ok(())) => Trouble::temporary("the session was ended"),
            Ok(Err(trouble)) => trouble,
            Err(_) => Trouble::temporary("what the server said led to a panic"),
        };
        shared.state().socket = None;
        if (world.now)() - began >= GOOD {
            (failures, told) = (0, None);
        }
        let wait = wait(&trouble, failures) * world.jitter() / 100;
        failures += 1;
        if !shared.enter(Phase::Waiting) {
            return;
        }
        // Once, and not at each attempt.
        if told.as_ref() != Some(&trouble) {
            let again_in_seconds = wait.as_secs();
            match &trouble {
                Trouble::Permanent(error) => {
                    tracing::error!(host, mailbox, error, again_in_seconds, "no mail is taken by IMAP");
                }
                Trouble::Temporary(error) => {
                    tracing::warn!(host, mailbox, error, again_in_seconds, "IMAP is interrupted");
                }
            }
            told = Some(trouble);
        }
        if !shared.sleep(wait) {
            return;
        }
    }
}

/// One connection, from its beginning to its end.
fn converse(
    config: &Imap,
    store: &mut dyn Store,
    world: World,
    wake: &dyn Fn(),
    shared: &Shared,
    known: &mut Known,
) -> Result<(), Trouble> {
    if !shared.enter(Phase::Connecting) {
        return Ok(());
    }
    let wire = Wire::connect(&config.host, config.port())?;
    {
        let mut state = shared.state();
        state.socket = Some(wire.handle()?);
        state.phase = Phase::Waiting;
        if state.stopping {
            return Ok(());
        }
    }
    let mut mailbox = Mailbox::open(config, wire, world)?;
    tracing::info!(host = config.host, mailbox = config.mailbox, idle = mailbox.can.idle, "connected by IMAP");
    let mut told = false;
    loop {
        if !shared.enter(Phase::Busy) {
            return Ok(());
        }
        let kept = known.look(&mut mailbox, store, world, wake)?;
        // Told of mail that is not there, again and again, we would spin as fast as a server can talk.
        if told && kept == 0 && !shared.sleep(PAUSE) {
            return Ok(());
        }
        if !shared.enter(Phase::Waiting) {
            return Ok(());
        }
        if mailbox.can.idle && !mailbox.session.news && !mailbox.session.idle()? {
            tracing::warn!(host = config.host, "the server offers IDLE and refuses it; it is asked each minute");
            mailbox.can.idle = false;
        }
        if !mailbox.can.idle && !mailbox.session.news && !shared.sleep(POLL) {
            return Ok(());
        }
        told = mailbox.session.news;
    }
}

/// How long to wait after this many failures before it.
fn wait(trouble: &Trouble, failures: u32) -> Duration {
    match trouble {
        Trouble::Permanent(_) => SLOWLY,
        Trouble::Temporary(_) => AGAIN.0.saturating_mul(1 << failures.min(16)).min(AGAIN.1),
    }
}
