//! The threads that send letters, one letter each at a time. Letters for a Maildir need no thread, and are written together.
//!
//! A letter has a time in which it must be done. A thread that takes longer, because the system resolves a name for
//! minutes, is given up: it ends by itself at some time, or with the process. So it holds up neither another letter nor the
//! end of the program.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::prepared_letter::{PreparedLetter, SentLetter};
use super::send_error::SendError;
use super::transport::Transport;
use crate::store::PlayerId;
use crate::world::Deadline;

/// How long a letter may take, at all its addresses together.
const TIME: Duration = Duration::from_secs(30);
/// How much longer the thread has to say so.
const GRACE: Duration = Duration::from_secs(1);
/// While every sender waits for a server: how often new letters and the stop are checked for.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);

/// A letter that is being sent.
struct Sending {
    letter: Arc<PreparedLetter>,
    until: Deadline,
}

/// The threads that send, and the letters that they are sending.
pub(super) struct Senders {
    transport: Transport,
    sending: Vec<Sending>,
    queue: Sender<Arc<PreparedLetter>>,
    letters: Arc<Mutex<Receiver<Arc<PreparedLetter>>>>,
    report: Sender<SentLetter>,
    reports: Receiver<SentLetter>,
    /// How many threads there are that were not given up.
    threads: usize,
}

impl Senders {
    /// No threads yet; they end when this is dropped.
    pub(super) fn new(transport: &Transport) -> Senders {
        let (queue, letters) = mpsc::channel();
        let (report, reports) = mpsc::channel();
        let (transport, letters) = (transport.clone(), Arc::new(Mutex::new(letters)));
        Senders { transport, sending: Vec::new(), queue, letters, report, reports, threads: 0 }
    }

    /// How many letters are being sent.
    pub(super) fn count(&self) -> usize {
        self.sending.len()
    }

    /// The letters that are being sent.
    pub(super) fn letters(&self) -> impl Iterator<Item = &PreparedLetter> {
        self.sending.iter().map(|sending| &*sending.letter)
    }

    /// Whether this reader is being sent a letter.
    pub(super) fn is_sending_to(&self, reader: Option<PlayerId>) -> bool {
        reader.is_some() && self.letters().any(|letter| letter.reader() == reader)
    }

    /// Sends a letter.
    pub(super) fn send(&mut self, letter: PreparedLetter) -> anyhow::Result<()> {
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

    /// Waits a moment for letters to be done, and gives those that are.
    pub(super) fn wait(&mut self) -> Vec<SentLetter> {
        if self.transport.is_local_disk() {
            let letters: Vec<_> = self.sending.drain(..).map(|sending| sending.letter).collect();
            return self.transport.send(&letters, Deadline::after(TIME));
        }
        let mut done: Vec<SentLetter> = match self.reports.recv_timeout(CHECK_INTERVAL) {
            // Those that were sent meanwhile share a commit.
            Ok(first) => std::iter::once(first).chain(self.reports.try_iter()).collect(),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Vec::new(),
        };
        // One that was given up before has been recorded.
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
