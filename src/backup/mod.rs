//! Backups: one file with the database and the configuration, created while the server runs.
//!
//! A backup is valid only once it is proved: its file is read again, the database is restored in a temporary
//! directory and checked by the database itself, and every board is replayed.
//!
//! - `make`, `restore`: the two directions. Both prove the backup.
//! - `board`: one board of a backup.
//! - `archive`: the file format, a compressed tar with a manifest.
//! - `sources`: the files in addition to the database.
//! - `last`: the stored state of the last proved backup.
//! - `schedule`: the backups that `serve` creates and deletes.

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
