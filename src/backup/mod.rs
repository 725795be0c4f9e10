//! Backups: one file with the database and the configuration, made while the server runs.
//!
//! A backup counts when it was proved: its file was read again, the database restored beside it, checked by SQLite, and
//! every board replayed.
//!
//! - `make`, `restore`: the two directions; both prove.
//! - `board`: one board of a backup.
//! - `archive`: the form of the file, a compressed tar with a manifest.
//! - `sources`: what is in it besides the database.
//! - `last`: what is remembered of the last proved backup.
//! - `schedule`: backups that `serve` makes, and which of them are kept.

mod archive;
mod board;
mod error;
mod last;
mod make;
mod prove;
mod restore;
mod schedule;
mod scratch;
mod sources;

pub use archive::{Manifest, ManifestFile};
pub use board::board_record;
pub use error::BackupError;
pub use last::LastBackup;
pub use make::{Backup, Proved};
pub use prove::Contents;
pub use restore::restore;
pub use schedule::{Looked, Schedule};
