//! Calls the service in a transaction of the store.

use crate::command::Command;
use crate::service::account::passwords::Passwords;
use crate::service::context::Service;
use crate::service::error::{ServiceError, ServiceResult};
use crate::service::rejection::Rejection;
use crate::service::request::Request;
use crate::service::response::Response;
use crate::store::{self, Store, StoreError, Transaction, write_alone, write_beside};

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

/// Runs a write command: concurrently with other writers, if it is about one board and the store supports it. The
/// effects of `ask` are undone before it is called again.
///
/// # Errors
/// If the store fails, or a password is stale. Nothing was changed.
pub fn write_command<T>(
    store: &mut dyn Store,
    command: &Command,
    ask: impl FnMut(&mut Transaction<'_>) -> ServiceResult<T>,
) -> ServiceResult<T> {
    match command.is_at_board() {
        true => write_beside(store, ask),
        false => write_alone(store, ask),
    }
}

impl Service<'_> {
    /// Answers one request in a separate transaction, after hashing its passwords.
    ///
    /// # Errors
    /// If the store fails.
    pub fn run(&self, store: &mut dyn Store, request: &Request) -> store::Result<Result<Response, Rejection>> {
        let command = &request.line.command;
        with_passwords(
            store,
            |store| match request.gives_password() {
                true => Ok(self.password_checks(&store.read()?, request)?.make(self.world)),
                false => Ok(Passwords::default()),
            },
            |store, passwords| match command.changes() {
                true => write_command(store, command, |tx| self.answer(tx, request, passwords)),
                false => self.answer(&mut store.read()?, request, passwords),
            },
        )
    }
}
