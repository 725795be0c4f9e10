//! The parts of the schema that both databases share: the views, and the comments of the SQLite schema.

use std::iter;

use include_dir::{Dir, File};

/// The views. A line for only one database ends with the name of that database.
const VIEWS: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/migrations/views.sql"));
const SQLITE: &str = " -- SQLite";
const POSTGRES: &str = " -- PostgreSQL";

/// Returns the texts of migrations, in the order of their numbers. The first one includes the `views`.
pub(crate) fn texts(migrations: &Dir<'_>, views: String) -> Vec<String> {
    let mut files: Vec<_> = migrations.files().collect();
    files.sort_by_key(|file| file.path());
    let texts = files.into_iter().filter_map(File::contents_utf8);
    texts
        .zip([views].into_iter().chain(iter::repeat(String::new())))
        .map(|(text, views)| text.to_owned() + &views)
        .collect()
}

/// Returns the views for SQLite.
pub(crate) fn sqlite_views() -> String {
    views(SQLITE, POSTGRES)
}

/// Returns the views for PostgreSQL.
pub(crate) fn postgres_views() -> String {
    views(POSTGRES, SQLITE)
}

fn views(own: &str, other: &str) -> String {
    let lines = VIEWS.lines().filter(|line| !line.ends_with(other));
    lines.map(|line| line.strip_suffix(own).unwrap_or(line).to_owned() + "\n").collect()
}

/// Builds the `COMMENT ON` statements for PostgreSQL from the comments in a schema for SQLite.
pub(crate) fn comments(schema: &str) -> String {
    let (mut statements, mut table, mut before) = (String::new(), "", Vec::new());
    for line in schema.lines() {
        if let Some(text) = line.trim_start().strip_prefix("-- ") {
            before.push(text);
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().take(3).collect();
        let (what, text) = match words[..] {
            ["CREATE", kind @ ("TABLE" | "VIEW"), name] => {
                table = if kind == "TABLE" { name } else { "" };
                (format!("{kind} {name}"), before.join(" "))
            }
            [column, ..] if !table.is_empty() && line.starts_with("    ") => {
                let after = line.split_once(" -- ").map(|(_, text)| text.to_owned());
                (format!("COLUMN {table}.{column}"), after.unwrap_or_else(|| before.join(" ")))
            }
            _ => {
                table = "";
                (String::new(), String::new())
            }
        };
        if !text.is_empty() {
            let text = text.trim_end_matches('.').replace('\'', "''");
            statements.push_str(&format!("COMMENT ON {what} IS '{text}';\n"));
        }
        before.clear();
    }
    statements
}
