//! The store on SQLite.

/// The store on SQLite: one file, WAL, synchronous=FULL.
pub struct SqliteStore {}
