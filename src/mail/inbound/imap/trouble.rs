//! What went wrong with a server, for the log and for how long to wait.

/// Why a connection came to nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Trouble {
    /// Somebody must do something first. Trying often might lock the user out.
    #[error("{0}")]
    Permanent(String),
    /// It may be better soon.
    #[error("{0}")]
    Temporary(String),
}

impl Trouble {
    pub(super) fn permanent(text: impl Into<String>) -> Trouble {
        Trouble::Permanent(text.into())
    }

    pub(super) fn temporary(text: impl Into<String>) -> Trouble {
        Trouble::Temporary(text.into())
    }
}

impl From<std::io::Error> for Trouble {
    fn from(error: std::io::Error) -> Trouble {
        Trouble::Temporary(format!("the connection broke off: {error}"))
    }
}
