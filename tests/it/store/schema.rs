//! The schemas of SQLite and PostgreSQL are the same: tables, columns, indexes, constraints and views.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::Connection;
use turnpost::store::create;
use turnpost::world::World;

use crate::common::postgres::Database;

/// The columns that exist only in PostgreSQL.
const ONLY_POSTGRES: [&str; 3] =
    ["last_numbers.last integer", "last_numbers.name text", "migrations.usable_from integer"];

/// Returns the columns of all tables, with their types, and the columns of all views.
fn sqlite_columns(db: &Connection) -> BTreeSet<String> {
    let sql = "SELECT s.name, s.type, c.name, lower(c.type) FROM sqlite_schema s JOIN pragma_table_xinfo(s.name) c \
         WHERE s.type IN ('table', 'view') AND s.name NOT LIKE 'sqlite_%'";
    let mut statement = db.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| {
        let [table, kind, column, type_]: [String; 4] = [row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?];
        Ok(if kind == "view" { format!("{table}.{column}") } else { format!("{table}.{column} {type_}") })
    });
    rows.unwrap().map(|row| row.unwrap()).collect()
}

fn postgres_columns(database: &Database) -> BTreeSet<String> {
    let sql = "SELECT CASE WHEN c.relkind = 'v' THEN c.relname || '.' || a.attname \
             ELSE c.relname || '.' || a.attname || ' ' || CASE format_type(a.atttypid, NULL) \
                 WHEN 'bytea' THEN 'blob' WHEN 'double precision' THEN 'real' WHEN 'text' THEN 'text' ELSE 'integer' END END \
         FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace \
         WHERE n.nspname = 'public' AND c.relkind IN ('r', 'v') AND a.attnum > 0 AND NOT a.attisdropped";
    database.lines(sql).lines().map(str::to_owned).collect()
}

/// Returns the statements of a schema that begin with these words, indexed by the name that follows. Notation that
/// differs between the databases is removed.
fn statements(schema: &str, begins: &[&str]) -> BTreeMap<String, String> {
    let found = schema.lines().filter_map(|line| {
        let rest = begins.iter().find_map(|begin| line.strip_prefix(begin))?;
        let (name, definition) = rest.split_once(' ')?;
        Some((name.to_owned(), definition.replace(" NULLS FIRST", "")))
    });
    found.collect()
}

/// Returns the constraints of a schema's tables, in the notation of SQLite.
fn constraints(schema: &str) -> BTreeSet<String> {
    let mut table = "";
    let mut found = BTreeSet::new();
    for line in schema.lines() {
        if let Some(name) = line.strip_prefix("CREATE TABLE ") {
            table = name.trim_end_matches(" (");
        }
        let Some(line) = line.strip_prefix("    ").filter(|_| !table.is_empty()) else {
            table = if line.starts_with(')') { "" } else { table };
            continue;
        };
        let line = line.split(" -- ").next().unwrap().trim_end_matches(',');
        let column = line.split(' ').next().unwrap();
        for word in ["NOT NULL", "PRIMARY KEY", "UNIQUE", "REFERENCES", "CHECK"] {
            for (at, _) in line.match_indices(word) {
                let rest = match word {
                    "CHECK" | "REFERENCES" => &line[at..],
                    _ => word,
                };
                found.insert(format!("{table}.{column}: {rest}"));
            }
        }
    }
    // Only SQLite stores booleans as numbers and checks JSON.
    found.retain(|constraint| !constraint.contains("IN (0, 1)") && !constraint.contains("json_valid"));
    found
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn both_databases_have_the_same_schema() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("turnpost.db");
    create(&file, World::REAL).unwrap();
    let sqlite = sqlite_columns(&Connection::open(&file).unwrap());
    let database = Database::set_up();
    let postgres = postgres_columns(&database);
    assert_eq!(sqlite.difference(&postgres).collect::<Vec<_>>(), Vec::<&String>::new());
    assert_eq!(postgres.difference(&sqlite).collect::<Vec<_>>(), ONLY_POSTGRES.iter().collect::<Vec<_>>());
    let comments = "SELECT obj_description('waiting'::regclass), obj_description('muted_boards'::regclass), \
         col_description('players'::regclass, attnum) FROM pg_attribute \
         WHERE attrelid = 'players'::regclass AND attname = 'back_in_reach_at'";
    assert_eq!(
        database.lines(comments).trim(),
        "The boards that await a move, and for how long|Boards about which a player wants no letters\
             |When letters became deliverable again; a forfeit needs a later reminder"
    );
}

#[test]
fn both_schemas_have_the_same_indexes_and_constraints() {
    let sqlite = include_str!("../../../migrations/sqlite/0001_schema.sql");
    let postgres = include_str!("../../../migrations/postgres/0001_schema.sql");
    let indexes = |schema| statements(schema, &["CREATE INDEX ", "CREATE UNIQUE INDEX "]);
    assert_eq!(indexes(sqlite), indexes(postgres));
    let (sqlite, mut postgres) = (constraints(sqlite), constraints(postgres));
    let only_there = |constraint: &String| {
        ["last_numbers.", "migrations.usable_from"].iter().any(|place| constraint.starts_with(place))
    };
    postgres.retain(|constraint| !only_there(constraint));
    assert!(sqlite.len() > 200, "{}", sqlite.len());
    assert_eq!(sqlite.difference(&postgres).collect::<Vec<_>>(), Vec::<&String>::new());
    assert_eq!(postgres.difference(&sqlite).collect::<Vec<_>>(), Vec::<&String>::new());
}

/// Counts the places in the sources where SQLite and PostgreSQL need different statements.
#[test]
fn few_statements_differ_between_databases() {
    let store = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/store");
    let mut places = 0;
    for folder in [store.clone(), store.join("sql")] {
        for file in std::fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            if path.is_file() {
                let text = std::fs::read_to_string(path).unwrap();
                places += text.matches(".by_dialect(").count() + text.matches("Db::Sqlite(_) =>").count();
            }
        }
    }
    assert!((5..=20).contains(&places), "{places}");
}
