//! SQLite's own integrity checks.

use rusqlite::{Connection, Row};

use super::query::failed;
use crate::store::{FileCheck, Result, StoreError};

/// Returns the faults of the file; empty if it is sound.
pub(crate) fn faults(db: &Connection, check: FileCheck) -> Result<Vec<String>> {
    let structure = |row: &Row<'_>| row.get::<_, String>(0);
    match check {
        FileCheck::Quick => found(db, "PRAGMA quick_check", structure),
        FileCheck::Full => {
            let mut faults = found(db, "PRAGMA integrity_check", structure)?;
            faults.extend(found(db, "PRAGMA foreign_key_check", |row| {
                let (table, parent) = (row.get::<_, String>(0)?, row.get::<_, String>(2)?);
                let row = row.get::<_, Option<i64>>(1)?.map_or_else(|| "a row".to_owned(), |id| format!("row {id}"));
                Ok(format!("{table}: {row} refers to a row of {parent} that is not there"))
            })?);
            Ok(faults)
        }
    }
}

/// Returns the rows of a check. An error because of the damage counts as a fault, too.
fn found(db: &Connection, sql: &str, read: impl FnMut(&Row<'_>) -> rusqlite::Result<String>) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    let ended = (|| {
        for row in db.prepare(sql)?.query_map([], read)? {
            faults.push(row?);
        }
        Ok(())
    })();
    match ended.map_err(failed) {
        Err(StoreError::Damaged(fault)) => faults.push(fault),
        other => other?,
    }
    faults.retain(|fault| fault != "ok");
    Ok(faults)
}
