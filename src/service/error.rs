//! Errors of the service, other than rejections.

use crate::service::account::passwords::Stale;
use crate::store::{Failure, StoreError};

/// An error that prevented an answer. The transaction must be dropped.
#[derive(Debug)]
pub enum ServiceError {
    /// The store failed.
    Store(StoreError),
    /// A password was not hashed before the transaction, or has changed since. Prepare the request again.
    Stale,
}

/// The result of service functions that may meet a stale password.
pub type ServiceResult<T> = Result<T, ServiceError>;

impl ServiceError {
    /// Converts the error of a request without a password.
    pub fn without_password(self) -> StoreError {
        match self {
            ServiceError::Store(error) => error,
            ServiceError::Stale => StoreError::Failed("a request without a password needed one".to_owned()),
        }
    }
}

impl From<StoreError> for ServiceError {
    fn from(error: StoreError) -> ServiceError {
        ServiceError::Store(error)
    }
}

impl Failure for ServiceError {
    fn of_store(&self) -> Option<&StoreError> {
        match self {
            ServiceError::Store(error) => Some(error),
            ServiceError::Stale => None,
        }
    }
}

impl From<Stale> for ServiceError {
    fn from(_: Stale) -> ServiceError {
        ServiceError::Stale
    }
}
