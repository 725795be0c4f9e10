//! Rows as columns for a terminal.

use rustix::termios::tcgetwinsize;
use serde_json::Value;

use crate::store::ReportRow;
use crate::text;

/// The widest cell where the width of the lines is not limited.
const MAX_CELL: usize = 100;
/// The least width to which cells are cut.
const MIN_CELL: usize = 10;
const GAP: &str = "  ";

/// Lays out rows of the same columns, under their names. No line is longer than the terminal is wide.
pub(super) fn table(rows: &[ReportRow]) -> String {
    table_within(rows, terminal_width())
}

/// The columns of the terminal, if standard output is one: those of the environment variable that overrides it, or its own.
fn terminal_width() -> Option<usize> {
    let named = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    named.or_else(|| Some(tcgetwinsize(std::io::stdout()).ok()?.ws_col.into())).filter(|columns| *columns > 0)
}

/// Lays out rows in lines of at most this many columns. The widest cells are cut first. Where all columns would be cut, each
/// row is a block of lines.
fn table_within(rows: &[ReportRow], most: Option<usize>) -> String {
    let Some(first) = rows.first() else { return "Nothing.\n".to_owned() };
    let mut lines: Vec<Vec<String>> = vec![first.0.iter().map(|(name, _)| name.replace('_', " ")).collect()];
    lines.extend(rows.iter().map(|row| row.0.iter().map(|(_, value)| cell(value)).collect()));
    let natural = |column: usize| lines.iter().map(|line| width(&line[column])).max().unwrap_or(0);
    let mut widths: Vec<usize> = (0..first.0.len()).map(natural).collect();
    let widest = most.map_or(MAX_CELL, |most| widest_cell(&widths, most));
    if widest < MIN_CELL {
        let blocks: Vec<String> = rows.iter().map(|row| card_within(row, most)).collect();
        return blocks.join("\n");
    }
    for width in &mut widths {
        *width = (*width).min(widest);
    }
    let mut text = String::new();
    for line in &lines {
        let cells = line.iter().zip(&widths).map(|(cell, width)| format!("{:<width$}", cut(cell, *width)));
        text += cells.collect::<Vec<_>>().join(GAP).trim_end();
        text.push('\n');
    }
    text
}

/// The width of the widest cell with which lines of these columns fit.
fn widest_cell(widths: &[usize], most: usize) -> usize {
    let room = most.saturating_sub(GAP.len() * widths.len().saturating_sub(1));
    let fits = |widest: usize| widths.iter().map(|width| *width.min(&widest)).sum::<usize>() <= room;
    (1..=most).rev().find(|widest| fits(*widest)).unwrap_or(0)
}

fn width(cell: &str) -> usize {
    cell.chars().count()
}

/// A text of at most this width.
fn cut(text: &str, most: usize) -> String {
    if width(text) <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// Lays out one row, a column a line.
pub(super) fn card(row: &ReportRow) -> String {
    card_within(row, None)
}

fn card_within(row: &ReportRow, most: Option<usize>) -> String {
    let width = row.0.iter().map(|(name, _)| name.len()).max().unwrap_or(0) + 1;
    let line = |(name, value): &(String, Value)| {
        let name = name.replace('_', " ") + ":";
        let line = format!("{name:<width$} {}", cell(value));
        most.map_or_else(|| line.clone(), |most| cut(&line, most)) + "\n"
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rows() -> Vec<ReportRow> {
        let long = "word ".repeat(400);
        let texts = ["short", long.as_str()];
        texts.map(|text| ReportRow::of([("mail", json!(7)), ("sent_by", json!("alice")), ("text", json!(text))])).into()
    }

    fn longest(text: &str) -> usize {
        text.lines().map(width).max().unwrap_or(0)
    }

    #[test]
    fn the_widest_cells_are_cut_first() {
        let shown = table_within(&rows(), Some(40));
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[0], "mail  sent by  text");
        assert_eq!(lines[1], "7     alice    short");
        assert!(lines[2].starts_with("7     alice    word word") && lines[2].ends_with('…'), "{shown}");
        assert_eq!(longest(&shown), 40);
        assert_eq!(longest(&table_within(&rows(), None)), 15 + MAX_CELL);
    }

    #[test]
    fn a_narrow_terminal_shows_a_block_for_each_row() {
        let shown = table_within(&rows(), Some(24));
        assert_eq!(shown.lines().take(4).collect::<Vec<_>>(), ["mail:    7", "sent by: alice", "text:    short", ""]);
        assert_eq!(longest(&shown), 24);
    }
}
