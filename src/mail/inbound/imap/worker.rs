//! The thread that connects, polls, waits for new mail, and reconnects when the connection is lost.

use std::net::{Shutdown, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use chrono::TimeDelta;

use super::connection::Connection;
use super::error::ImapError;
use super::login::{Credentials, log_in};
use super::mailbox::SelectedMailbox;
use super::poll::PollState;
use super::session::{Capabilities, Session};
use crate::config::Imap;
use crate::mail::inbound::receive::Intake;
use crate::mail::oauth::AccessTokens;
use crate::store::{Lease, NodeName, Store, StoreError, Work};
use crate::world::World;

/// The time between two polls of a server without IDLE.
const POLL_INTERVAL: Duration = Duration::from_secs(60);
/// The pause after a poll without messages, although the server had announced new mail.
const PAUSE: Duration = Duration::from_secs(1);
/// The wait after the first temporary error; it doubles with each further error.
const FIRST_RETRY: Duration = Duration::from_secs(2);
/// The longest wait after a temporary error.
const LAST_RETRY: Duration = Duration::from_secs(300);
/// The wait after a permanent error.
const PERMANENT_RETRY: Duration = Duration::from_secs(900);
/// After a connection of this duration, an error is treated as the first.
const GOOD: TimeDelta = TimeDelta::minutes(1);
/// How long to wait while another node fetches the mailbox.
const ANOTHERS: Duration = Duration::from_secs(5);
/// How long stopping waits for a batch that is being stored and removed.
const GRACE: Duration = Duration::from_secs(5);

/// The worker that fetches the messages of a mailbox.
pub struct Worker {
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
    /// A second handle of the socket, used to wake the thread.
    socket: Option<TcpStream>,
}

/// What the thread is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// It is not connected yet, so no message can be lost; the thread cannot be woken.
    #[default]
    Connecting,
    /// It waits for the server or the next poll.
    Waiting,
    /// It is transferring mail.
    Busy,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the thread's next phase. Returns false if the thread must stop.
    fn enter(&self, phase: Phase) -> bool {
        let mut state = self.state();
        state.phase = phase;
        self.changed.notify_all();
        !state.stopping
    }

    /// Sleeps. Returns false if the thread must stop.
    fn sleep(&self, time: Duration) -> bool {
        if !self.enter(Phase::Waiting) {
            return false;
        }
        let slept = self.changed.wait_timeout_while(self.state(), time, |state| !state.stopping);
        let (state, _) = slept.unwrap_or_else(PoisonError::into_inner);
        !state.stopping
    }
}

impl Worker {
    /// Starts the worker. It writes messages to this store, and calls `wake` after each commit. Server errors are
    /// logged, and the worker retries.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn start(
        config: Imap,
        tokens: Option<AccessTokens>,
        mut store: Box<dyn Store>,
        node: NodeName,
        world: World,
        wake: Box<dyn Fn() + Send>,
    ) -> std::io::Result<Worker> {
        let shared = Arc::new(Shared::default());
        let thread = {
            let shared = Arc::clone(&shared);
            thread::Builder::new().name("imap".to_owned()).spawn(move || {
                let intake = Intake { store: &mut *store, world, wake: &*wake };
                run(&Account { config, tokens, node }, intake, &shared);
            })?
        };
        Ok(Worker { shared, thread })
    }

    /// Stops the worker, after the batch in progress has been removed, unless the server is too slow.
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
        // Do not wait for a thread that is resolving or connecting: it holds no messages.
        if !connecting {
            let _ = self.thread.join();
        }
    }
}

/// The mailbox, its access tokens, and the node that fetches its messages.
struct Account {
    config: Imap,
    tokens: Option<AccessTokens>,
    node: NodeName,
}

/// Connects repeatedly until it is stopped.
fn run(account: &Account, mut intake: Intake<'_>, shared: &Shared) {
    let (host, mailbox) = (&account.config.host, &account.config.mailbox);
    let world = intake.world;
    let mut state = PollState::default();
    let mut failures = 0;
    let mut logged = None;
    loop {
        let began = (world.now)();
        // A server that causes a panic in the libraries must not end the worker.
        let ended = catch_unwind(AssertUnwindSafe(|| connect(account, &mut intake, shared, &mut state)));
        let error = match ended {
            Ok(Ok(())) => ImapError::temporary("the session was ended"),
            Ok(Err(error)) => error,
            Err(_) => ImapError::temporary("a response of the server caused a panic"),
        };
        shared.state().socket = None;
        if (world.now)() - began >= GOOD {
            (failures, logged) = (0, None);
        }
        let wait = wait(&error, failures) * world.jitter() / 100;
        failures += 1;
        if !shared.enter(Phase::Waiting) {
            return;
        }
        // Each error is logged once, and not at each attempt.
        if logged.as_ref() != Some(&error) {
            let again_in_seconds = wait.as_secs();
            match &error {
                ImapError::Permanent(error) | ImapError::LoginRefused(error) | ImapError::Unauthorized(error) => {
                    tracing::error!(host, mailbox, error, again_in_seconds, "cannot fetch mail over IMAP");
                }
                ImapError::Temporary(error) => {
                    tracing::warn!(host, mailbox, error, again_in_seconds, "IMAP is interrupted");
                }
            }
            logged = Some(error);
        }
        if !shared.sleep(wait) {
            return;
        }
    }
}

/// Opens a session; `None` if the thread must stop. A refused access token may have expired early: it is renewed once.
fn open(account: &Account, world: World, shared: &Shared) -> Result<Option<(Session, Capabilities)>, ImapError> {
    if !shared.enter(Phase::Connecting) {
        return Ok(None);
    }
    let credentials = Credentials::read(&account.config, account.tokens.as_ref())?;
    match (open_with(&account.config, &credentials, world, shared), &credentials, &account.tokens) {
        (Err(ImapError::LoginRefused(_)), Credentials::Token(refused), Some(tokens)) => {
            if !shared.enter(Phase::Connecting) {
                return Ok(None);
            }
            let credentials = Credentials::Token(tokens.renew(refused)?);
            open_with(&account.config, &credentials, world, shared)
        }
        (opened, ..) => opened,
    }
}

fn open_with(
    config: &Imap,
    credentials: &Credentials,
    world: World,
    shared: &Shared,
) -> Result<Option<(Session, Capabilities)>, ImapError> {
    let connection = Connection::connect(&config.host, config.port())?;
    {
        let mut state = shared.state();
        state.socket = Some(connection.handle()?);
        state.phase = Phase::Waiting;
        if state.stopping {
            return Ok(None);
        }
    }
    log_in(config, credentials, connection, world).map(Some)
}

/// Runs one connection until it ends.
fn connect(
    account: &Account,
    intake: &mut Intake<'_>,
    shared: &Shared,
    state: &mut PollState,
) -> Result<(), ImapError> {
    let Account { config, node, .. } = account;
    while !is_ours(intake, node)? {
        if !shared.sleep(ANOTHERS) {
            return Ok(());
        }
    }
    let Some((session, capabilities)) = open(account, intake.world, shared)? else { return Ok(()) };
    let mut mailbox = SelectedMailbox::open(config, session, capabilities)?;
    tracing::info!(host = config.host, mailbox = config.mailbox, idle = mailbox.capabilities.idle, "connected by IMAP");
    let mut announced = false;
    loop {
        if !shared.enter(Phase::Busy) {
            return Ok(());
        }
        if !is_ours(intake, node)? {
            return Ok(());
        }
        let stored = state.poll(&mut mailbox, intake)?;
        // A server that announces messages but does not return them must not cause a busy loop.
        if announced && stored == 0 && !shared.sleep(PAUSE) {
            return Ok(());
        }
        if !shared.enter(Phase::Waiting) {
            return Ok(());
        }
        if mailbox.capabilities.idle && !mailbox.session.new_mail && !mailbox.session.idle()? {
            tracing::warn!(host = config.host, "the server offers IDLE but refuses it; polling every minute");
            mailbox.capabilities.idle = false;
        }
        if !mailbox.capabilities.idle && !mailbox.session.new_mail && !shared.sleep(POLL_INTERVAL) {
            return Ok(());
        }
        announced = mailbox.session.new_mail;
    }
}

/// Returns whether this node fetches the mailbox; while it does, no other node fetches it.
fn is_ours(intake: &mut Intake<'_>, node: &NodeName) -> Result<bool, ImapError> {
    let now = (intake.world.now)();
    let ours = intake.store.read().and_then(|tx| tx.has_lease(&Work::Mailbox, node)).map_err(failed)?;
    if ours {
        return Ok(true);
    }
    let mut tx = intake.store.write().map_err(failed)?;
    let taken = tx.take_lease(&Work::Mailbox, &Lease::of(node, now), now).map_err(failed)?;
    tx.commit().map_err(failed)?;
    Ok(taken)
}

/// Converts an error of the store.
fn failed(error: StoreError) -> ImapError {
    ImapError::temporary(error.to_string())
}

/// Returns the wait after an error that follows this many others.
fn wait(error: &ImapError, failures: u32) -> Duration {
    match error {
        ImapError::Permanent(_) | ImapError::LoginRefused(_) => PERMANENT_RETRY,
        ImapError::Unauthorized(_) => FIRST_RETRY,
        ImapError::Temporary(_) => FIRST_RETRY.saturating_mul(1 << failures.min(16)).min(LAST_RETRY),
    }
}
