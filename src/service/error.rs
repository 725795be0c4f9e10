//! Why the service gave no answer, neither a response nor a rejection.

use crate::service::account::known_hashes::MissingHash;
use crate::store::{Failure, StoreError};

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

impl Failure for ServiceError {
    fn of_store(&self) -> Option<&StoreError> {
        match self {
            ServiceError::Store(error) => Some(error),
            ServiceError::MissingHash(_) => None,
        }
    }
}

impl From<MissingHash> for ServiceError {
    fn from(missing: MissingHash) -> ServiceError {
        ServiceError::MissingHash(missing)
    }
}
