//! Texts that must not be shown.

use std::fmt;

use serde::Deserialize;

/// A token, a code or a client secret; `Debug` hides it.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    pub(crate) fn new(text: impl Into<String>) -> Secret {
        Secret(text.into())
    }

    /// Returns the text, to be sent to the provider or a mail server.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}
