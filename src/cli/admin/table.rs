//! Rows as columns for a terminal.

use serde_json::Value;

use crate::text;

/// Lays out rows of the same keys as columns.
pub(super) fn table(rows: &[Value]) -> String {
    let Some(first) = rows.first().and_then(Value::as_object) else { return "Nothing.\n".to_owned() };
    let keys: Vec<&String> = first.keys().collect();
    let cell = |value: &Value| match value {
        Value::Null => "-".to_owned(),
        Value::String(words) if words.is_empty() => "-".to_owned(),
        // What came by mail must not drive the terminal.
        Value::String(words) => text::marked(words),
        other => other.to_string(),
    };
    let mut lines = vec![keys.iter().map(|key| (*key).clone()).collect::<Vec<_>>()];
    lines.extend(rows.iter().map(|row| keys.iter().map(|key| cell(&row[key.as_str()])).collect()));
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..keys.len()).map(width).collect();
    let mut text = String::new();
    for line in lines {
        let cells = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        text += cells.collect::<Vec<_>>().join("  ").trim_end();
        text.push('\n');
    }
    text
}
