//! Rows as columns for a terminal.

use serde_json::Value;

use crate::store::ReportRow;
use crate::text;

/// A row of these columns.
pub(super) fn row<const N: usize>(columns: [(&str, Value); N]) -> ReportRow {
    ReportRow(columns.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// Lays out rows of the same columns, under their names.
pub(super) fn table(rows: &[ReportRow]) -> String {
    let Some(first) = rows.first() else { return "Nothing.\n".to_owned() };
    let mut lines: Vec<Vec<String>> = vec![first.0.iter().map(|(name, _)| name.replace('_', " ")).collect()];
    lines.extend(rows.iter().map(|row| row.0.iter().map(|(_, value)| cell(value)).collect()));
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..first.0.len()).map(width).collect();
    let mut text = String::new();
    for line in &lines {
        let cells = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        text += cells.collect::<Vec<_>>().join("  ").trim_end();
        text.push('\n');
    }
    text
}

/// Lays out one row, a column a line.
pub(super) fn card(row: &ReportRow) -> String {
    let width = row.0.iter().map(|(name, _)| name.len()).max().unwrap_or(0) + 1;
    let line = |(name, value): &(String, Value)| {
        let name = name.replace('_', " ") + ":";
        format!("{name:<width$} {}\n", cell(value))
    };
    row.0.iter().map(line).collect()
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(words) if words.is_empty() => "-".to_owned(),
        // What came by mail must not drive the terminal.
        Value::String(words) => text::marked(words),
        other => other.to_string(),
    }
}
