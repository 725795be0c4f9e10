//! Faults in a line of an import.

use crate::store::StoreError;
use crate::text::Message;

/// A fault in a line.
pub(super) enum Fault {
    What(Message),
    Store(StoreError),
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Fault {
        Fault::Store(error)
    }
}

pub(super) type Read<T> = std::result::Result<T, Fault>;

pub(super) fn fault<T>(what: Message) -> Read<T> {
    Err(Fault::What(what))
}
