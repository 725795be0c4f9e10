//! The service, and the contexts of its handlers.

use chrono::{DateTime, Utc};

use crate::store::{self, Act, ActKind, PlayerId, Transaction, Via};
use crate::text::Message;
use crate::world::World;

use crate::service::account::passwords::Passwords;
use crate::service::policy::Policy;
use crate::service::rejection::{Rejection, RequestResult};
use crate::service::request::Request;

/// The service.
#[derive(Clone, Copy)]
pub struct Service<'a> {
    /// Randomness (salts, codes). Its clock is not used, because requests contain the time.
    pub world: World,
    /// The domain of the server's address, which Message-IDs use.
    pub domain: &'a str,
    /// The administrator's limits and default settings.
    pub policy: &'a Policy,
    /// The mail server whose `Authentication-Results` are trusted; `None` for no server.
    pub authserv_id: Option<&'a str>,
}

/// The context of a request that may change data: the service, the caller's transaction, the request, and its hashed
/// passwords.
pub(crate) struct Context<'a, 't> {
    pub(crate) service: Service<'a>,
    pub(crate) tx: &'a mut Transaction<'t>,
    pub(crate) request: &'a Request,
    pub(crate) passwords: &'a Passwords,
    /// The authenticated player; `None` until authentication succeeds.
    pub(crate) proved: Option<PlayerId>,
}

/// The read-only context of a request.
#[derive(Clone, Copy)]
pub(crate) struct ReadContext<'a> {
    pub(crate) tx: &'a Transaction<'a>,
    pub(crate) request: &'a Request,
}

impl<'a, 't> Context<'a, 't> {
    pub(crate) fn new(
        service: Service<'a>,
        tx: &'a mut Transaction<'t>,
        request: &'a Request,
        passwords: &'a Passwords,
    ) -> Context<'a, 't> {
        Context { service, tx, request, passwords, proved: None }
    }

    /// Returns the request's read-only context.
    pub(crate) fn reading(&self) -> ReadContext<'_> {
        ReadContext { tx: &*self.tx, request: self.request }
    }

    /// Returns the time of the request.
    pub(crate) fn now(&self) -> DateTime<Utc> {
        self.request.now
    }

    /// Returns the channel of the request, for the record.
    pub(crate) fn via(&self) -> Via {
        self.request.from.via()
    }

    /// Adds a player's change of their account to the log of acts.
    pub(crate) fn log_change(&mut self, player: PlayerId, kind: ActKind, detail: &str) -> store::Result<()> {
        self.tx.add_act(&Act::of_player(player, kind, detail.to_owned(), self.request.now))
    }

    /// Returns the rejection of the request for a word of its line.
    pub(crate) fn rejection(&self, word: &str, message: Message) -> Rejection {
        self.request.rejection(word, message)
    }

    /// Refuses the request for a word of its line.
    pub(crate) fn refuse<T>(&self, word: &str, message: Message) -> RequestResult<T> {
        Err(self.rejection(word, message).into())
    }
}
