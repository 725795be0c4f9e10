//! The ways to send a letter, and the threads that send letters.
//!
//! A Maildir needs no threads: its letters are written together. Other letters have a time limit, and a thread sends
//! one letter at a time. A thread that exceeds the limit, for example because the system resolves a name for minutes,
//! is abandoned: it ends later, or with the process. It therefore delays neither other letters nor the program's end.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::Context;
use chrono::{DateTime, Utc};
use lettre::transport::smtp::authentication::Credentials;

use super::letter::{PreparedLetter, Recipient, SendError, SentLetter};
use super::local::{LocalServer, call_sendmail, write_to_maildir};
use super::relay::Relay;
use super::smtp::{Login, Smtp};
use crate::config::{self, Config, ConfigError};
use crate::mail::oauth::AccessTokens;
use crate::store::PlayerId;
use crate::world::Deadline;

/// The maximum number of letters in flight: a mail server or disk can store them durably in one flush.
const LETTERS: usize = 16;
/// The time limit for sending a letter to all its addresses.
const TIME: Duration = Duration::from_secs(30);
/// How long after [`TIME`] the thread may still report its result.
const GRACE: Duration = Duration::from_secs(1);
/// How often to check for new letters and for a stop request while every sender waits for a server.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);

/// A way to send a letter.
#[derive(Clone)]
pub enum Transport {
    /// Files in a Maildir, for tests or for another program to send.
    Maildir(PathBuf),
    /// A sendmail program, called with `-f` and the envelope sender.
    Sendmail(PathBuf),
    /// An SMTP server with persistent connections, and its state.
    Smtp(Arc<Smtp>, Arc<Relay>),
    /// The simulation's mail server in this process, and its state.
    Local(Arc<dyn LocalServer>, Arc<Relay>),
}

impl Transport {
    /// Creates the transport of the configuration; a Maildir is `outgoing/` in the data directory.
    ///
    /// # Errors
    /// The password file cannot be read, a user has neither a password file nor `[oauth]`, or TLS cannot be set up.
    pub fn new(config: &Config, data: &Path) -> anyhow::Result<Transport> {
        Ok(match &config.transport {
            config::Transport::Maildir => Transport::Maildir(data.join("outgoing")),
            config::Transport::Sendmail { command } => Transport::Sendmail(command.clone()),
            config::Transport::Smtp { host, port, tls, user, password_file } => {
                let login = user.as_ref().map(|user| login(user, password_file.as_deref(), config)).transpose()?;
                Transport::Smtp(Arc::new(Smtp::new(host, *port, *tls, login)?), Arc::new(Relay::of(data)))
            }
        })
    }

    /// Creates the transport to a mail server in this process, whose state is stored in this data directory.
    pub fn local(server: Arc<dyn LocalServer>, data: &Path) -> Transport {
        Transport::Local(server, Arc::new(Relay::of(data)))
    }

    /// Returns whether letters are written to a local disk.
    fn is_local_disk(&self) -> bool {
        matches!(self, Transport::Maildir(_))
    }

    /// Returns how many letters may be in flight.
    pub fn concurrency(&self) -> usize {
        match self {
            Transport::Sendmail(_) | Transport::Local(..) => 1,
            Transport::Smtp(_, relay) if relay.is_suspected() => 1,
            Transport::Smtp(..) | Transport::Maildir(_) => LETTERS,
        }
    }

    /// Returns the state of the mail server; `None` for transports that do not report its replies.
    pub(crate) fn relay(&self) -> Option<&Relay> {
        match self {
            Transport::Smtp(_, relay) | Transport::Local(_, relay) => Some(relay),
            Transport::Maildir(_) | Transport::Sendmail(_) => None,
        }
    }

    /// Records that the server does not answer, so that processes that cannot wait do not contact it.
    pub fn hangs(&self, now: DateTime<Utc>) {
        self.relay().into_iter().for_each(|relay| relay.hangs(now));
    }

    /// Closes connections that have been idle for too long.
    pub fn close_idle(&self) {
        if let Transport::Smtp(smtp, _) = self {
            smtp.close_idle();
        }
    }

    /// Checks whether the mail server can be reached, without logging in.
    ///
    /// # Errors
    /// The server cannot be reached, or refuses us.
    pub fn greet(&self, deadline: Deadline) -> Result<(), SendError> {
        match self {
            Transport::Maildir(_) | Transport::Sendmail(_) | Transport::Local(..) => Ok(()),
            Transport::Smtp(smtp, _) => smtp.greet(deadline),
        }
    }

    /// Sends letters, and returns the result for each recipient.
    pub(crate) fn send(&self, letters: &[Arc<PreparedLetter>], deadline: Deadline) -> Vec<SentLetter> {
        match self {
            Transport::Maildir(dir) => write_to_maildir(dir, letters),
            Transport::Sendmail(command) => each(letters, |mail, to| {
                to.envelope()?;
                call_sendmail(command, mail, &to.envelope_sender, &to.address, deadline)
            }),
            Transport::Smtp(smtp, _) => each(letters, |mail, to| smtp.send(&to.envelope()?, mail, deadline)),
            Transport::Local(server, _) => {
                each(letters, |mail, to| server.take(mail, &to.envelope_sender, &to.address))
            }
        }
    }
}

/// Sends each letter to its recipients, one after the other. A panic is reported as a temporary error.
fn each(letters: &[Arc<PreparedLetter>], send: impl Fn(&[u8], &Recipient) -> Result<(), SendError>) -> Vec<SentLetter> {
    let send = |mail: &[u8], to: &Recipient| {
        catch_unwind(AssertUnwindSafe(|| send(mail, to)))
            .unwrap_or_else(|_| Err(SendError::Temporary("sending it panicked".to_owned())))
    };
    let sent = |letter: &Arc<PreparedLetter>| letter.recipients.iter().map(|to| send(&letter.mail, to)).collect();
    letters.iter().map(|letter| (Arc::clone(letter), sent(letter))).collect()
}

fn login(user: &str, password_file: Option<&Path>, config: &Config) -> anyhow::Result<Login> {
    let Some(file) = password_file else {
        let tokens = AccessTokens::of(config);
        let needs = "turnpost.toml: [transport] has a user, so it needs a password_file or [oauth]";
        let tokens = tokens.ok_or_else(|| ConfigError::Wrong(needs.to_owned()))?;
        return Ok(Login::Tokens(user.to_owned(), tokens));
    };
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let password = text.lines().next().unwrap_or_default().to_owned();
    Ok(Login::Password(Credentials::new(user.to_owned(), password)))
}

/// A letter in flight.
struct Sending {
    letter: Arc<PreparedLetter>,
    until: Deadline,
}

/// The threads that send letters, and the letters in flight.
pub(crate) struct Senders {
    transport: Transport,
    sending: Vec<Sending>,
    queue: Sender<Arc<PreparedLetter>>,
    letters: Arc<Mutex<Receiver<Arc<PreparedLetter>>>>,
    report: Sender<SentLetter>,
    reports: Receiver<SentLetter>,
    /// The number of threads that have not been abandoned.
    threads: usize,
}

impl Senders {
    /// Creates a pool without threads. Dropping the pool ends the threads that it has started.
    pub(crate) fn new(transport: &Transport) -> Senders {
        let (queue, letters) = mpsc::channel();
        let (report, reports) = mpsc::channel();
        let (transport, letters) = (transport.clone(), Arc::new(Mutex::new(letters)));
        Senders { transport, sending: Vec::new(), queue, letters, report, reports, threads: 0 }
    }

    pub(crate) fn count(&self) -> usize {
        self.sending.len()
    }

    pub(crate) fn letters(&self) -> impl Iterator<Item = &PreparedLetter> {
        self.sending.iter().map(|sending| &*sending.letter)
    }

    /// Returns whether a letter to this reader is in flight.
    pub(crate) fn is_sending_to(&self, reader: Option<PlayerId>) -> bool {
        reader.is_some() && self.letters().any(|letter| letter.reader() == reader)
    }

    /// Hands a letter to a thread. For a Maildir, [`Senders::wait`] writes the letter.
    pub(crate) fn send(&mut self, letter: PreparedLetter) -> anyhow::Result<()> {
        let letter = Arc::new(letter);
        self.sending.push(Sending { letter: Arc::clone(&letter), until: Deadline::after(TIME + GRACE) });
        if self.transport.is_local_disk() {
            return Ok(());
        }
        if self.threads < self.sending.len() {
            let (transport, letters, report) = (self.transport.clone(), Arc::clone(&self.letters), self.report.clone());
            thread::Builder::new()
                .name("sender".to_owned())
                .spawn(move || send_letters(&transport, &letters, &report))?;
            self.threads += 1;
        }
        self.queue.send(letter)?;
        Ok(())
    }

    /// Waits briefly, and returns the letters that have been sent or have failed.
    pub(crate) fn wait(&mut self) -> Vec<SentLetter> {
        if self.transport.is_local_disk() {
            let letters: Vec<_> = self.sending.drain(..).map(|sending| sending.letter).collect();
            return self.transport.send(&letters, Deadline::after(TIME));
        }
        let mut done: Vec<SentLetter> = match self.reports.recv_timeout(CHECK_INTERVAL) {
            // Also return the letters that finished in the meantime, so that one transaction records all of them.
            Ok(first) => std::iter::once(first).chain(self.reports.try_iter()).collect(),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Vec::new(),
        };
        // Ignore late results of abandoned letters, whose failures have already been recorded.
        done.retain(|(letter, _)| self.letters().any(|sending| sending.id() == letter.id()));
        self.sending.retain(|sending| done.iter().all(|(letter, _)| letter.id() != sending.letter.id()));
        for late in self.sending.extract_if(.., |sending| sending.until.left().is_none()) {
            let hung = || Err(SendError::Hung("it took too long".to_owned()));
            let results = late.letter.recipients.iter().map(|_| hung()).collect();
            self.threads -= 1;
            done.push((late.letter, results));
        }
        done
    }
}

/// Sends letters until the queue is dropped.
fn send_letters(transport: &Transport, letters: &Mutex<Receiver<Arc<PreparedLetter>>>, report: &Sender<SentLetter>) {
    loop {
        let letter = letters.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(letter) = letter else { break };
        let sent = transport.send(&[letter], Deadline::after(TIME));
        if sent.into_iter().any(|sent| report.send(sent).is_err()) {
            break;
        }
    }
}
