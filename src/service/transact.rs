//! Calls the service in a transaction of the store.

use crate::service::account::passwords::Passwords;
use crate::service::context::Service;
use crate::service::error::{ServiceError, ServiceResult};
use crate::service::rejection::Rejection;
use crate::service::request::Request;
use crate::service::response::Response;
use crate::store::{self, Store, StoreError, write_alone};

/// The number of times that a request is prepared if its password keeps changing.
const PREPARED: usize = 3;

/// Prepares a request by hashing its passwords, and then calls `ask`. Repeats both if a password changed meanwhile.
///
/// # Errors
/// Those of `prepare` and `ask`; or [`StoreError::Busy`] if the passwords keep changing.
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
                true => write_alone(store, |tx| self.answer(tx, request, passwords)),
                false => self.answer(&mut store.read()?, request, passwords),
            },
        )
    }
}
