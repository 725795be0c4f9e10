//! Faults in a line of an import.

use std::io;

use super::TransferError;
use crate::store::StoreError;
use crate::text::Message;

/// A fault in a line, or a failure to read it or to store it.
pub(crate) enum Fault {
    What(Message),
    Store(StoreError),
    Io(io::Error),
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Fault {
        Fault::Store(error)
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Fault {
        Fault::Io(error)
    }
}

impl Fault {
    pub(crate) fn in_line(self, line: usize) -> TransferError {
        match self {
            Fault::What(what) => TransferError::Line { line, what },
            Fault::Store(StoreError::Failed(what)) => TransferError::Line { line, what: Message::verbatim(what) },
            Fault::Store(error) => TransferError::Store(error),
            Fault::Io(error) => TransferError::Io(error),
        }
    }
}

pub(crate) type Read<T> = std::result::Result<T, Fault>;

pub(crate) fn fault<T>(what: Message) -> Read<T> {
    Err(Fault::What(what))
}
