//! Why the service gave no answer, neither a response nor a rejection.

use crate::store::{self, Store, StoreError, Transaction};

use crate::service::account::known_hashes::MissingHash;

/// Why a request was not answered. Its transaction must be dropped.
#[derive(Debug)]
pub enum ServiceError {
    /// The store failed.
    Store(StoreError),
    /// A password must be hashed first: call [`MissingHash::make`] outside any transaction, and ask again.
    MissingHash(MissingHash),
}

/// What the service gives where hashes may be missing.
pub type ServiceResult<T> = Result<T, ServiceError>;

impl From<StoreError> for ServiceError {
    fn from(error: StoreError) -> ServiceError {
        ServiceError::Store(error)
    }
}

impl From<MissingHash> for ServiceError {
    fn from(missing: MissingHash) -> ServiceError {
        ServiceError::MissingHash(missing)
    }
}

/// Asks the service in a write transaction and commits it. As long as a hash is missing, it is made and the service asked
/// again, in a new transaction.
///
/// # Errors
/// The store's.
pub fn write<T>(
    store: &mut dyn Store,
    mut ask: impl FnMut(&mut dyn Transaction) -> ServiceResult<T>,
) -> store::Result<T> {
    with_hashes(|| {
        let mut tx = store.write()?;
        let answer = ask(&mut *tx)?;
        tx.commit()?;
        Ok(answer)
    })
}

/// The same in a transaction that changes nothing.
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
