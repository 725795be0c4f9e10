//! The threads that send letters, one letter at a time. A Maildir needs no threads: its letters are written together.
//!
//! Each letter has a time limit. A thread that exceeds it, for example because the system resolves a name for minutes,
//! is abandoned: it ends later, or with the process. So it delays neither other letters nor the end of the program.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::prepared_letter::{PreparedLetter, SentLetter};
use super::send_error::SendError;
use super::transport::Transport;
use crate::store::PlayerId;
use crate::world::Deadline;

/// The time limit for a letter at all its addresses.
const TIME: Duration = Duration::from_secs(30);
/// How much longer the thread may take to report.
const GRACE: Duration = Duration::from_secs(1);
/// How often to check for new letters and the stop while every sender waits for a server.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);

/// A letter that is being sent.
struct Sending {
    letter: Arc<PreparedLetter>,
    until: Deadline,
}

/// The threads that send, and the letters in flight.
pub(crate) struct Senders {
    transport: Transport,
    sending: Vec<Sending>,
    queue: Sender<Arc<PreparedLetter>>,
    letters: Arc<Mutex<Receiver<Arc<PreparedLetter>>>>,
    report: Sender<SentLetter>,
    reports: Receiver<SentLetter>,
    /// The number of threads that were not abandoned.
    threads: usize,
}

impl Senders {
    /// Creates an empty pool; dropping it ends its threads.
    pub(crate) fn new(transport: &Transport) -> Senders {
        let (queue, letters) = mpsc::channel();
        let (report, reports) = mpsc::channel();
        let (transport, letters) = (transport.clone(), Arc::new(Mutex::new(letters)));
        Senders { transport, sending: Vec::new(), queue, letters, report, reports, threads: 0 }
    }

    /// Returns the number of letters in flight.
    pub(crate) fn count(&self) -> usize {
        self.sending.len()
    }

    /// Returns the letters in flight.
    pub(crate) fn letters(&self) -> impl Iterator<Item = &PreparedLetter> {
        self.sending.iter().map(|sending| &*sending.letter)
    }

    /// Returns whether a letter to this reader is in flight.
    pub(crate) fn is_sending_to(&self, reader: Option<PlayerId>) -> bool {
        reader.is_some() && self.letters().any(|letter| letter.reader() == reader)
    }

    /// Hands a letter to a thread.
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

    /// Waits a moment for letters to finish, and returns them.
    pub(crate) fn wait(&mut self) -> Vec<SentLetter> {
        if self.transport.is_local_disk() {
            let letters: Vec<_> = self.sending.drain(..).map(|sending| sending.letter).collect();
            return self.transport.send(&letters, Deadline::after(TIME));
        }
        let mut done: Vec<SentLetter> = match self.reports.recv_timeout(CHECK_INTERVAL) {
            // Letters that finished in the meantime share a commit.
            Ok(first) => std::iter::once(first).chain(self.reports.try_iter()).collect(),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Vec::new(),
        };
        // Abandoned letters have already been recorded.
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
