//! A mail server that accepts, refuses or bounces the letters of the simulated server.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::faults::Faults;
use crate::world::Random;
use turnpost::mail::outbound::{LocalServer, SendError};

/// The current behaviour of the mail server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weather {
    /// The mail server accepts everything.
    Good,
    /// The mail server fails sometimes.
    Mixed,
    /// The mail server is temporarily unavailable.
    Away,
}

/// The result of one attempt to send a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SendOutcome {
    /// The letter was accepted.
    Taken,
    /// The letter was accepted, but bounces because the mailbox is full or no longer exists.
    ComesBack {
        /// Whether the mailbox no longer exists.
        gone: bool,
    },
    /// The letter was accepted, but the mail server disconnected before its reply.
    HungUp,
    /// The letter was accepted, but the process died before recording that.
    Died,
    /// The letter was not accepted.
    Refused,
}

impl SendOutcome {
    /// Returns whether the letter was accepted.
    pub(crate) fn is_taken(self) -> bool {
        self != SendOutcome::Refused
    }
}

/// One attempt to send a letter.
pub(crate) struct Attempt {
    pub(crate) mail: Vec<u8>,
    /// The envelope sender.
    pub(crate) sender: String,
    pub(crate) address: String,
    pub(crate) outcome: SendOutcome,
}

pub(crate) struct Postbox {
    state: Mutex<State>,
    faults: Arc<Faults>,
}

struct State {
    random: Random,
    weather: Weather,
    attempts: Vec<Attempt>,
}

impl Postbox {
    pub(crate) fn new(seed: u64, faults: Arc<Faults>) -> Postbox {
        let state = State { random: Random::new(seed, 2), weather: Weather::Good, attempts: Vec::new() };
        Postbox { state: Mutex::new(state), faults }
    }

    pub(crate) fn set_weather(&self, weather: Weather) {
        self.state().weather = weather;
    }

    /// Returns the attempts since the last call, in order.
    pub(crate) fn take_attempts(&self) -> Vec<Attempt> {
        std::mem::take(&mut self.state().attempts)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Decides whether the mail server accepts a letter, and what the server's transport returns.
fn decide(random: &mut Random, weather: Weather) -> (SendOutcome, Result<(), SendError>) {
    let refused = |error: SendError| (SendOutcome::Refused, Err(error));
    match (weather, random.below(1_000)) {
        (Weather::Good, _) => (SendOutcome::Taken, Ok(())),
        (Weather::Away, 0..200) => refused(SendError::Hung("no answer in time".to_owned())),
        (Weather::Away, _) => refused(SendError::Temporary("451 4.3.0 come again".to_owned())),
        (Weather::Mixed, 0..20) => refused(SendError::Temporary("451 4.7.1 greylisted".to_owned())),
        (Weather::Mixed, 20..40) => (SendOutcome::HungUp, Err(SendError::Temporary("connection lost".to_owned()))),
        (Weather::Mixed, 40..44) => refused(SendError::Permanent("550 5.1.1 no such user".to_owned())),
        (Weather::Mixed, 44..48) => refused(SendError::Policy("554 5.7.1 blocked".to_owned())),
        (Weather::Mixed, 48..50) => refused(SendError::Relay("535 5.7.8 bad credentials".to_owned())),
        (Weather::Mixed, 50..60) => (SendOutcome::ComesBack { gone: random.chance(300) }, Ok(())),
        (Weather::Mixed, 60..75) => (SendOutcome::Died, Ok(())),
        (Weather::Mixed, _) => (SendOutcome::Taken, Ok(())),
    }
}

impl LocalServer for Postbox {
    fn take(&self, mail: &[u8], sender: &str, address: &str) -> Result<(), SendError> {
        let mut state = self.state();
        let weather = state.weather;
        let (outcome, said) = decide(&mut state.random, weather);
        let (sender, address) = (sender.to_owned(), address.to_owned());
        state.attempts.push(Attempt { mail: mail.to_vec(), sender, address, outcome });
        if outcome == SendOutcome::Died {
            self.faults.die();
        }
        said
    }
}
