//! The service, the contexts of its request handlers, and functions that run a request in a transaction.

use chrono::{DateTime, TimeDelta, Utc};

use super::policy::Policy;
use super::rejection::{Rejection, RequestResult, ServiceError, ServiceResult};
use super::request::Request;
use super::response::Response;
use crate::clock::Span;
use crate::service::account::passwords::Passwords;
use crate::store::{self, Act, ActKind, Channel, PlayerId, Store, StoreError, Transaction, write_with_retries};
use crate::text::Message;
use crate::world::World;

/// The service: checks requests and carries them out.
#[derive(Clone, Copy)]
pub struct Service<'a> {
    /// The source of randomness for salts and codes. Its clock is not used, because requests contain the time.
    pub world: World,
    /// The domain of the server's address, which Message-IDs use.
    pub domain: &'a str,
    /// The administrator's limits and default settings.
    pub policy: &'a Policy,
    /// The mail server whose `Authentication-Results` are trusted; `None` if none is trusted.
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

    pub(crate) fn reading(&self) -> ReadContext<'_> {
        ReadContext { tx: &*self.tx, request: self.request }
    }

    pub(crate) fn now(&self) -> DateTime<Utc> {
        self.request.now
    }

    /// Returns the channel through which the request arrived.
    pub(crate) fn via(&self) -> Channel {
        self.request.from.via()
    }

    /// Adds an act to the log of acts: a player changed their account.
    pub(crate) fn log_change(&mut self, player: PlayerId, kind: ActKind, detail: &str) -> store::Result<()> {
        self.tx.add_act(&Act::of_player(player, kind, detail.to_owned(), self.request.now))
    }

    /// Creates a rejection of the request that points at `word` in its line.
    pub(crate) fn rejection(&self, word: &str, message: Message) -> Rejection {
        self.request.rejection(word, message)
    }

    /// Refuses the request, with a rejection that points at `word` in its line.
    pub(crate) fn refuse<T>(&self, word: &str, message: Message) -> RequestResult<T> {
        Err(self.rejection(word, message).into())
    }
}

/// The maximum number of times that [`with_passwords`] prepares a request whose password keeps changing.
const PREPARED: usize = 3;

/// Prepares a request by hashing its passwords, and then calls `ask`. Repeats both if a password changed meanwhile.
///
/// # Errors
/// Errors of `prepare` and `ask`; or [`StoreError::Busy`] if the passwords keep changing.
pub fn with_passwords<S: ?Sized, T, E: From<StoreError>>(
    store: &mut S,
    mut prepare: impl FnMut(&mut S) -> Result<Passwords, E>,
    mut ask: impl FnMut(&mut S, &Passwords) -> ServiceResult<T>,
) -> Result<T, E> {
    for _ in 0..PREPARED {
        let passwords = prepare(store)?;
        match ask(store, &passwords) {
            Ok(answer) => return Ok(answer),
            Err(ServiceError::Store(error)) => return Err(error.into()),
            Err(ServiceError::Stale) => {}
        }
    }
    Err(StoreError::Busy.into())
}

impl Service<'_> {
    /// Returns whether the sender of a message is evidence of its author. If the receiving mail server verifies
    /// senders, an unverified sender is not evidence.
    pub(crate) fn trusts_sender(&self, dmarc_passed: bool) -> bool {
        dmarc_passed || self.authserv_id.is_none()
    }

    /// Answers one request in a separate transaction, after hashing its passwords.
    ///
    /// # Errors
    /// If the store fails.
    pub fn run(&self, store: &mut dyn Store, request: &Request) -> store::Result<Result<Response, Rejection>> {
        with_passwords(
            store,
            |store| match request.gives_password() {
                true => Ok(self.password_checks(&store.read()?, request)?.make(self.world)),
                false => Ok(Passwords::default()),
            },
            |store, passwords| match request.line.command.changes() {
                true => write_with_retries(store, |tx| self.answer(tx, request, passwords)),
                false => self.answer(&mut store.read()?, request, passwords),
            },
        )
    }
}

/// The maximum number of messages, and of letters, erased in one transaction.
const AT_A_TIME: u32 = 200;

impl Service<'_> {
    /// Erases a few expired messages and letters. Returns their number.
    ///
    /// # Errors
    /// If the store fails.
    pub fn forget_old(&self, tx: &mut Transaction<'_>, now: DateTime<Utc>) -> store::Result<u32> {
        let kept = |days: u32| (days > 0).then(|| Span::last(TimeDelta::days(days.into()), now));
        let mails = kept(self.policy.keep_messages).map_or(Ok(0), |kept| tx.forget_mails(&kept, AT_A_TIME))?;
        let letters = kept(self.policy.keep_letters).map_or(Ok(0), |kept| tx.forget_letters(&kept, AT_A_TIME))?;
        Ok(mails + letters)
    }
}
