//! Errors of the configuration.

use std::io;
use std::path::PathBuf;

/// An error that makes the configuration unusable.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        #[source]
        /// The cause.
        error: io::Error,
    },
    /// The file, or something that it names, contains a fault.
    #[error("{0}")]
    Wrong(String),
}
