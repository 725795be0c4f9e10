//! The mail server that takes the letters, and what it does to them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::faults::Faults;
use crate::random::Random;
use turnpost::mail::outbound::{LocalServer, SendError};

/// How the mail server is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weather {
    /// It takes everything.
    Good,
    /// It does something wrong now and then.
    Mixed,
    /// It takes nothing for the moment.
    Away,
}

/// What became of one attempt at sending a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It was taken.
    Taken,
    /// It was taken, and comes back: the mailbox is gone, or else full.
    ComesBack {
        /// Whether the mailbox is gone.
        gone: bool,
    },
    /// It was taken, and the server hung up before it said so.
    HungUp,
    /// It was taken, and the process died before it could note that.
    Died,
    /// It was not taken.
    Refused,
}

impl Fate {
    /// Whether the letter is on its way.
    pub(crate) fn is_taken(self) -> bool {
        self != Fate::Refused
    }
}

/// One attempt at sending a letter.
pub(crate) struct Attempt {
    pub(crate) mail: Vec<u8>,
    /// The sender of its envelope.
    pub(crate) sender: String,
    pub(crate) address: String,
    pub(crate) fate: Fate,
}

/// The mail server.
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

    /// The attempts since the last call, in order.
    pub(crate) fn take_attempts(&self) -> Vec<Attempt> {
        std::mem::take(&mut self.state().attempts)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the mail server does, and what it says.
fn decide(random: &mut Random, weather: Weather) -> (Fate, Result<(), SendError>) {
    let refused = |error: SendError| (Fate::Refused, Err(error));
    match (weather, random.below(1_000)) {
        (Weather::Good, _) => (Fate::Taken, Ok(())),
        (Weather::Away, 0..200) => refused(SendError::Hung("no answer in time".to_owned())),
        (Weather::Away, _) => refused(SendError::Temporary("451 4.3.0 come again".to_owned())),
        (Weather::Mixed, 0..20) => refused(SendError::Temporary("451 4.7.1 greylisted".to_owned())),
        (Weather::Mixed, 20..40) => (Fate::HungUp, Err(SendError::Temporary("connection lost".to_owned()))),
        (Weather::Mixed, 40..44) => refused(SendError::Permanent("550 5.1.1 no such user".to_owned())),
        (Weather::Mixed, 44..48) => refused(SendError::Policy("554 5.7.1 blocked".to_owned())),
        (Weather::Mixed, 48..50) => refused(SendError::Relay("535 5.7.8 bad credentials".to_owned())),
        (Weather::Mixed, 50..60) => (Fate::ComesBack { gone: random.chance(300) }, Ok(())),
        (Weather::Mixed, 60..75) => (Fate::Died, Ok(())),
        (Weather::Mixed, _) => (Fate::Taken, Ok(())),
    }
}

impl LocalServer for Postbox {
    fn take(&self, mail: &[u8], sender: &str, address: &str) -> Result<(), SendError> {
        let mut state = self.state();
        let weather = state.weather;
        let (fate, said) = decide(&mut state.random, weather);
        let (sender, address) = (sender.to_owned(), address.to_owned());
        state.attempts.push(Attempt { mail: mail.to_vec(), sender, address, fate });
        if fate == Fate::Died {
            self.faults.die();
        }
        said
    }
}
