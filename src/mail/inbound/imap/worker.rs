//! The thread that connects, polls, waits for new mail, and reconnects when the connection is lost.

use std::fs;
use std::net::{Shutdown, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use chrono::TimeDelta;
use imap_next::imap_types::auth::AuthMechanism;
use imap_next::imap_types::command::CommandBody;

use super::connection::{Connection, ImapError};
use super::mailbox::{PollState, SelectedMailbox};
use super::session::{Capabilities, Session};
use crate::config::{Imap, Tls};
use crate::mail::inbound::receive::Intake;
use crate::mail::oauth::{AccessTokens, Sasl, Secret};
use crate::store::{Lease, NodeName, Store, StoreError, Work};
use crate::world::World;

/// The time between two polls of a server without IDLE.
const POLL_INTERVAL: Duration = Duration::from_secs(60);
/// The pause after a poll that found no messages, although the server had announced new mail.
const PAUSE: Duration = Duration::from_secs(1);
/// The wait after the first temporary error; it doubles with each further error.
const FIRST_RETRY: Duration = Duration::from_secs(2);
/// The longest wait after a temporary error.
const LAST_RETRY: Duration = Duration::from_secs(300);
/// The wait after a permanent error.
const PERMANENT_RETRY: Duration = Duration::from_secs(900);
/// After a connection that lasted this long, an error is treated as the first one.
const GOOD: TimeDelta = TimeDelta::minutes(1);
/// The time between two checks whether another node still fetches the mailbox.
const ANOTHERS: Duration = Duration::from_secs(5);
/// How long [`Worker::stop`] waits for the current batch to be stored and removed.
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

/// The activity of the thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// The thread is not connected yet. It has no messages to lose, and cannot be woken.
    #[default]
    Connecting,
    /// The thread waits for the server or the next poll.
    Waiting,
    /// The thread is transferring mail.
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

    /// Sleeps for this time. Returns false if the thread must stop.
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

    /// Stops the worker. Waits until the batch in progress has been stored and removed, unless the server is too slow.
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
        // Do not wait for a thread before it has connected: it holds no messages.
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

/// Connects, and reconnects after each error, until the worker is stopped.
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

/// Waits for the lease of the mailbox, opens a connection, and fetches new mail. Ends when the connection or the lease
/// is lost, or the thread must stop.
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

/// Returns whether this node holds the lease of the mailbox; takes the lease if no other node has it.
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

/// Converts an error of the store into an error after which the worker retries.
fn failed(error: StoreError) -> ImapError {
    ImapError::temporary(error.to_string())
}

/// Returns how long to wait after an error; `failures` is the number of errors in a row before it.
fn wait(error: &ImapError, failures: u32) -> Duration {
    match error {
        ImapError::Permanent(_) | ImapError::LoginRefused(_) => PERMANENT_RETRY,
        ImapError::Unauthorized(_) => FIRST_RETRY,
        ImapError::Temporary(_) => FIRST_RETRY.saturating_mul(1 << failures.min(16)).min(LAST_RETRY),
    }
}

/// The credentials with which to log in to the mailbox.
pub(crate) enum Credentials {
    /// A password, sent with LOGIN.
    Password(String),
    /// An access token, sent with AUTHENTICATE.
    Token(Secret),
}

impl Credentials {
    /// Reads the password from its file, or requests an access token.
    pub(crate) fn read(config: &Imap, tokens: Option<&AccessTokens>) -> Result<Credentials, ImapError> {
        let Some(file) = &config.password_file else {
            let tokens = tokens.ok_or_else(|| ImapError::permanent("[imap] requires a password_file or [oauth]"))?;
            return Ok(Credentials::Token(tokens.get()?));
        };
        let text = fs::read_to_string(file).map_err(|error| {
            ImapError::permanent(format!("cannot read the password_file {}: {error}", file.display()))
        })?;
        Ok(Credentials::Password(text.lines().next().unwrap_or_default().to_owned()))
    }
}

/// Begins a session, with TLS as configured, and logs in. Returns the session, and the capabilities that the server
/// offers after the login.
pub(crate) fn log_in(
    config: &Imap,
    credentials: &Credentials,
    connection: Connection,
    world: World,
) -> Result<(Session, Capabilities), ImapError> {
    let mut session = begin(config, connection, world)?;
    match credentials {
        Credentials::Password(password) => login(&mut session, config, password)?,
        Credentials::Token(token) => authenticate(&mut session, config, token)?,
    }
    // The server may offer more capabilities after the login.
    let capabilities = session.capabilities()?;
    Ok((session, capabilities))
}

/// Checks whether the server can be reached, without logging in.
///
/// # Errors
/// The server cannot be reached, or refuses us.
pub fn greet(config: &Imap, world: World) -> Result<(), ImapError> {
    let connection = Connection::connect(&config.host, config.port())?;
    begin(config, connection, world).map(drop)
}

/// Begins a session, with TLS as configured.
fn begin(config: &Imap, connection: Connection, world: World) -> Result<Session, ImapError> {
    let encrypted = |connection: Connection| connection.encrypted(&config.host, config.ca_file.as_deref());
    match config.tls {
        Tls::None => Session::begin(connection, world),
        Tls::Wrapped => Session::begin(encrypted(connection)?, world),
        Tls::Starttls => {
            let mut plain = Session::begin(connection, world)?;
            let response = plain.run(CommandBody::StartTLS)?;
            if !response.is_ok() {
                return Err(ImapError::permanent(format!(
                    "the server refuses STARTTLS: {}. Does it require tls = \"wrapped\"?",
                    response.text
                )));
            }
            Ok(Session::resume(encrypted(plain.into_connection())?, world))
        }
    }
}

fn login(session: &mut Session, config: &Imap, password: &str) -> Result<(), ImapError> {
    if session.capabilities()?.login_disabled {
        return Err(ImapError::permanent(format!(
            "the server does not accept passwords{}",
            if config.tls == Tls::None { " without TLS" } else { "" }
        )));
    }
    session.hide(vec![password.to_owned()]);
    let login = CommandBody::login(config.user.clone(), password.to_owned())
        .map_err(|_| ImapError::permanent("user or password contains an octet that IMAP does not allow"))?;
    let response = session.run(login)?;
    if !response.is_ok() {
        let text = format!(
            "the server refuses the login of {:?}: {}. Are user and password_file right? Many providers want an app \
             password, and IMAP switched on",
            config.user, response.text
        );
        return Err(response.login_refusal(text));
    }
    Ok(())
}

fn authenticate(session: &mut Session, config: &Imap, token: &Secret) -> Result<(), ImapError> {
    let capabilities = session.capabilities()?;
    let (mechanism, sasl) = match capabilities {
        Capabilities { xoauth2: true, .. } => (AuthMechanism::XOAuth2, Sasl::XOAuth2),
        Capabilities { oauthbearer: true, .. } => (AuthMechanism::OAuthBearer, Sasl::OAuthBearer),
        _ => {
            return Err(ImapError::permanent(
                "the server does not accept access tokens: it offers neither XOAUTH2 nor OAUTHBEARER",
            ));
        }
    };
    session.hide(sasl.secrets(&config.user, token));
    let first = sasl.response(&config.user, token);
    let response = session.authenticate(mechanism, &first, sasl.after_error(), capabilities.initial_response)?;
    if !response.is_ok() {
        let text = format!(
            "the server refuses the access token for {:?}: {}. Is it the mailbox that was authorized, with IMAP switched \
             on?",
            config.user, response.text
        );
        return Err(response.login_refusal(text));
    }
    Ok(())
}
