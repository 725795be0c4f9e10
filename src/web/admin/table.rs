//! Report tables for templates.

use chrono::DateTime;
use minijinja::{Value, context};
use serde_json::Value as Json;

use crate::service::administration::ReportRow;
use crate::text;

/// Lays out rows that share their columns.
pub(crate) fn table(rows: &[ReportRow]) -> Value {
    let columns: Vec<String> =
        rows.first().map(|row| row.0.iter().map(|(name, _)| heading(name)).collect()).unwrap_or_default();
    let rows =
        rows.iter().map(|row| Value::from(row.0.iter().map(|(name, value)| cell(name, value)).collect::<Vec<_>>()));
    context! { columns, rows => rows.collect::<Vec<_>>() }
}

/// Lays out one row with a line for each column.
pub(crate) fn card(row: &ReportRow) -> Vec<Value> {
    row.0.iter().map(|(name, value)| context! { name => heading(name), cell => cell(name, value) }).collect()
}

fn heading(column: &str) -> String {
    column.replace('_', " ")
}

fn cell(column: &str, value: &Json) -> Value {
    let text = match value {
        Json::Null => String::new(),
        // Text from a message must not hide its origin.
        Json::String(words) => text::marked(words),
        // The database returns rounded numbers with a decimal point.
        Json::Number(number) => {
            number.as_f64().filter(|n| n.fract() == 0.0).map_or(number.to_string(), |n| n.to_string())
        }
        other => other.to_string(),
    };
    let is_time = text.len() == "2026-11-21T14:20:33Z".len() && DateTime::parse_from_rfc3339(&text).is_ok();
    let is_number = value.is_number();
    context! { link => link(column, &text), text, is_time, is_number }
}

/// Returns the page with details about a column's value.
fn link(column: &str, text: &str) -> Option<String> {
    let is_player = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte));
    match column {
        _ if text.is_empty() => None,
        "mail" => Some(format!("/admin/messages/{text}")),
        "letter" => Some(format!("/admin/letters/{text}")),
        "board" => Some(format!("/admin/boards/{text}")),
        // Open challenges have "anyone" as a player.
        "player" | "first" | "second" | "to" | "opponent" if is_player && text != "anyone" => {
            Some(format!("/admin/players/{text}"))
        }
        _ => None,
    }
}
