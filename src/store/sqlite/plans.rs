//! What is looked up often is found by an index: SQLite's own plan is asked.

use std::path::Path;

use super::*;

#[test]
fn lookups_use_an_index() {
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&dir.path().join("t.db")).unwrap();
    let statements: Vec<String> = [
        players::BY_USERID,
        players::BY_ADDRESS,
        players::ADDRESSES,
        players::WRONG_PASSWORDS,
        players::OLD_WRONG_PASSWORDS,
        boards::MOVES,
        boards::COMMENTS,
        inbox::WAITING,
        inbox::SEEN,
        outbox::NEXT_DUE,
    ]
    .map(str::to_owned)
    .into_iter()
    .chain([boards::by_number_sql(), outbox::due_sql(), outbox::newest_sql(true)])
    .chain([boards::list_sql(true, false, false), boards::list_sql(false, true, false)])
    .chain([boards::list_sql(false, true, true), boards::list_sql(false, false, true)])
    .collect();
    for sql in statements {
        let mut statement = store.db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        for n in 1..=statement.parameter_count() {
            statement.raw_bind_parameter(n, 1).unwrap();
        }
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next().unwrap() {
            let step: String = row.get(3).unwrap();
            // The server's one row, and an index read in its order, are scans by name only. Sorting the few rows that
            // an index has found is fine.
            let scan = step.starts_with("SCAN") && !step.contains("USING") && step != "SCAN server";
            assert!(!scan, "{step}\n{sql}");
        }
    }
}

#[test]
fn every_migration_leaves_its_line() {
    let db = Connection::open_in_memory().unwrap();
    for (version, text) in (1..).zip(migration_texts()) {
        db.execute_batch(text).unwrap();
        let last: i64 = db.query_row("SELECT max(version) FROM migrations", [], |row| row.get(0)).unwrap();
        assert_eq!(last, version);
    }
    assert!(SqliteStore::open(Path::new("/nowhere/at/all.db")).is_err());
}
