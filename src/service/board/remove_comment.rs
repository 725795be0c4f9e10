//! Erases a comment by the administrator's decision. A note remains in its place.

use serde_json::{Value, json};

use crate::message;
use crate::numbers::BoardNumber;
use crate::service::administration::{Report, ReportPage, ReportRow};
use crate::store::{self, Comment, InboxId, MailWords, NoticeFacts, Transaction};
use crate::text::Message;

/// The name of comment events in a story.
const EVENT: &str = "comment";

/// Returns the note in the place of a removed comment.
pub fn removed_comment() -> Message {
    message!("service.comment-removed")
}

/// Returns the story of a board, whose comments have numbers.
///
/// # Errors
/// If the store fails.
pub fn story(tx: &Transaction<'_>, board: BoardNumber) -> store::Result<Vec<ReportRow>> {
    // More events than any game has.
    let all = ReportPage { skip: 0, most: 1_000_000 };
    let mut rows = tx.report(&Report::Story(board), all)?;
    let mut comments = 0;
    for ReportRow(columns) in &mut rows {
        let Some(event) = columns.iter().position(|(name, _)| name == "event") else { continue };
        let is_comment = columns[event].1 == EVENT;
        comments += usize::from(is_comment);
        columns.insert(event + 1, (EVENT.to_owned(), if is_comment { json!(comments) } else { Value::Null }));
    }
    Ok(rows)
}

/// Replaces the text of a comment, by its number in the story of its board, with `words`: on the board, in letters,
/// and in the command of its message. Returns the comment; `None` if this number does not exist.
///
/// # Errors
/// If the store fails.
pub fn remove_comment(
    tx: &mut Transaction<'_>,
    board: BoardNumber,
    number: usize,
    words: &str,
) -> store::Result<Option<Comment>> {
    let Some(row) = story(tx, board)?.into_iter().find(|row| cell(row, EVENT) == Some(&json!(number))) else {
        return Ok(None);
    };
    let mut comments = tx.comments(board)?;
    // In the order of the story.
    comments.sort_by_key(|comment| (comment.said_at, comment.entry));
    let Some(comment) = number.checked_sub(1).and_then(|index| comments.into_iter().nth(index)) else {
        return Ok(None);
    };
    tx.replace_comment(&comment, words)?;
    let writer = tx.player_by_id(comment.player)?.map(|player| player.userid).unwrap_or_default();
    let in_json = json!(comment.text).to_string();
    for NoticeFacts { notice, board: about, facts } in tx.facts_with(in_json.trim_matches('"'))? {
        let Ok(mut facts) = serde_json::from_str::<Value>(&facts) else { continue };
        replace(&mut facts, about == Some(board), &Removed { board, writer: &writer, text: &comment.text, words });
        tx.set_facts(notice, &facts.to_string())?;
    }
    if let Some(mail) = cell(&row, "mail").and_then(Value::as_i64) {
        for (id, MailWords { commands, reason }) in tx.mails_with(&comment.text)? {
            if id == InboxId(mail) {
                tx.set_mail_words(id, &MailWords { commands: commands.replace(&comment.text, words), reason })?;
            }
        }
    }
    Ok(Some(comment))
}

fn cell<'a>(row: &'a ReportRow, column: &str) -> Option<&'a Value> {
    row.0.iter().find(|(name, _)| name == column).map(|(_, value)| value)
}

/// A comment to remove from the facts of notices.
struct Removed<'a> {
    board: BoardNumber,
    writer: &'a str,
    text: &'a str,
    words: &'a str,
}

/// Replaces a comment in facts. The facts or the notice contain the number of its board.
fn replace(facts: &mut Value, about_board: bool, removed: &Removed<'_>) {
    match facts {
        Value::Array(values) => values.iter_mut().for_each(|value| replace(value, about_board, removed)),
        Value::Object(fields) => {
            let number = fields.get("number").filter(|_| fields.contains_key("comments"));
            let about_board = number.map_or(about_board, |number| *number == json!(removed.board));
            let is_it = about_board
                && fields.get("text").is_some_and(|text| text == removed.text)
                && fields.get("userid").is_some_and(|userid| userid == removed.writer);
            if is_it {
                fields.insert("text".to_owned(), json!(removed.words));
            }
            fields.values_mut().for_each(|value| replace(value, about_board, removed));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
