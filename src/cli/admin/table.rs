//! Functions that the administrator's tasks share: they format tables for a terminal, create entries for the log of
//! acts, and send letters.

use std::env;

use chrono::{DateTime, Utc};
use clap::Args;
use rustix::termios::tcgetwinsize;
use serde_json::Value;

use crate::cli::exit::Exit;
use crate::serve::Instance;
use crate::store::{Act, ActKind, Actor, ReportPage, ReportRow};
use crate::text;

/// The maximum width of a cell if the line width is unlimited.
const MAX_CELL: usize = 100;
/// The minimum width of a shortened cell.
const MIN_CELL: usize = 10;
const GAP: &str = "  ";

/// Formats rows with the same columns as a table, below a line with the names of the columns. Lines fit the width of
/// the terminal.
pub(crate) fn table(rows: &[ReportRow]) -> String {
    table_within(rows, terminal_width())
}

/// Returns the width of the terminal if standard output is a terminal. The environment variable `COLUMNS` overrides it.
fn terminal_width() -> Option<usize> {
    let named = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    named.or_else(|| Some(tcgetwinsize(std::io::stdout()).ok()?.ws_col.into())).filter(|columns| *columns > 0)
}

/// Formats rows in lines of at most this width. The widest cells are shortened first. If they would become narrower
/// than [`MIN_CELL`], each row becomes a block of lines.
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

/// Returns the maximum cell width at which a line of these columns fits.
fn widest_cell(widths: &[usize], most: usize) -> usize {
    let room = most.saturating_sub(GAP.len() * widths.len().saturating_sub(1));
    let fits = |widest: usize| widths.iter().map(|width| *width.min(&widest)).sum::<usize>() <= room;
    (1..=most).rev().find(|widest| fits(*widest)).unwrap_or(0)
}

fn width(cell: &str) -> usize {
    cell.chars().count()
}

/// Shortens a text to this width.
fn cut(text: &str, most: usize) -> String {
    if width(text) <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// Formats one row, with one line for each column.
pub(crate) fn card(row: &ReportRow) -> String {
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
        // Text from mail must not control the terminal.
        Value::String(words) => text::marked(words),
        other => other.to_string(),
    }
}

/// Writes a number with its noun: `2 boards`.
pub(crate) fn counted(count: usize, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

/// Formats the numbers of boards and entries.
pub(crate) fn counted_parts(boards: u32, entries: u32) -> String {
    counted(boards as usize, "board", "boards") + ", " + &counted(entries as usize, "entry", "entries")
}

/// Sends the letters about a stored change.
pub(crate) fn send_letters(instance: &mut Instance) -> Exit {
    if let Err(error) = instance.process_or_wake() {
        // The change is already stored. Only its letters are delayed.
        tracing::warn!("letters are delayed until the next run of turnpost: {error:#}");
    }
    Exit::Done
}

/// Creates an entry for the log of acts in the name of the person at the shell. It names no board and no player.
pub(crate) fn act(kind: ActKind, done_at: DateTime<Utc>) -> Act {
    let (detail, reason) = (String::new(), String::new());
    Act { done_at, by: Actor::Shell(account()), kind, board: None, player: None, detail, reason }
}

/// Returns the account name of the person at the shell, from the environment.
fn account() -> String {
    let mut named = ["SUDO_USER", "USER", "LOGNAME"].into_iter().filter_map(|name| env::var(name).ok());
    named.find(|name| !name.is_empty()).unwrap_or_else(|| format!("uid {}", rustix::process::getuid().as_raw()))
}

/// The requested page of a list.
#[derive(Args)]
pub(crate) struct Page {
    /// The page of the list, from 1
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    page: u32,
    /// Rows on each page
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    rows: u32,
}

impl Page {
    /// Returns the range of rows to read: one more than the page shows, to detect whether there is a next page.
    pub(crate) fn to_read(&self) -> ReportPage {
        ReportPage { skip: (self.page - 1).saturating_mul(self.rows), most: self.rows + 1 }
    }

    /// Selects the rows of the page, and one more, from the complete list.
    pub(crate) fn of<T>(&self, rows: Vec<T>) -> Vec<T> {
        let ReportPage { skip, most } = self.to_read();
        rows.into_iter().skip(skip as usize).take(most as usize).collect()
    }

    /// Drops the rows after the page. Returns a note about the following rows, if any.
    pub(crate) fn cut<T>(&self, rows: &mut Vec<T>) -> Option<String> {
        let most = self.rows as usize;
        let more = rows.len() > most;
        rows.truncate(most);
        more.then(|| format!("There is more: --page {}\n", self.page + 1))
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
