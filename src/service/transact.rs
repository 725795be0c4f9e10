//! Asking the service in a transaction of the store.

use crate::command::Command;
use crate::service::error::{ServiceError, ServiceResult};
use crate::store::{self, Store, Transaction, write_alone, write_beside};

/// Asks the service in a write transaction and commits it. As long as a hash is missing, it is made and the service asked
/// again, in a new transaction.
///
/// # Errors
/// The store's.
pub fn write<T>(
    store: &mut dyn Store,
    mut ask: impl FnMut(&mut dyn Transaction) -> ServiceResult<T>,
) -> store::Result<T> {
    with_hashes(|| write_alone(store, &mut ask))
}

/// As [`write()`], for what a command asks: beside other writers, where it is about one board and the store lets it. What
/// `ask` did is undone before it is called again.
///
/// # Errors
/// The store's.
pub fn write_command<T>(
    store: &mut dyn Store,
    command: &Command,
    mut ask: impl FnMut(&mut dyn Transaction) -> ServiceResult<T>,
) -> store::Result<T> {
    with_hashes(|| try_command(store, command, &mut ask))
}

/// As [`write_command`], but the hash that is missing is left to the caller.
///
/// # Errors
/// The store's, or a missing hash: nothing was done.
pub fn try_command<T>(
    store: &mut dyn Store,
    command: &Command,
    ask: impl FnMut(&mut dyn Transaction) -> ServiceResult<T>,
) -> ServiceResult<T> {
    match command.is_at_board() {
        true => write_beside(store, ask),
        false => write_alone(store, ask),
    }
}

/// As [`write()`], in a transaction that changes nothing.
///
/// # Errors
/// The store's.
pub fn read<T>(
    store: &mut dyn Store,
    mut ask: impl FnMut(&mut dyn Transaction) -> ServiceResult<T>,
) -> store::Result<T> {
    with_hashes(|| ask(&mut *store.read()?))
}

fn with_hashes<T>(mut ask: impl FnMut() -> ServiceResult<T>) -> store::Result<T> {
    loop {
        match ask() {
            Ok(answer) => return Ok(answer),
            Err(ServiceError::Store(error)) => return Err(error),
            Err(ServiceError::MissingHash(missing)) => missing.make(),
        }
    }
}
