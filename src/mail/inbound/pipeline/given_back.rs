//! Texts of refused messages that are returned to their writers.

use crate::command;
use crate::store::{self, Transaction};
use crate::text;
use crate::token;

/// Replaces a line that may contain a password.
const MASK: &str = "***";
/// A line of at least this many words is a sentence, and not a mistyped command.
const SENTENCE: usize = 7;

/// Returns a text for its writer: without tokens, and without lines that may contain a password by mistake. Those are
/// lines of one word, and lines that begin like a command.
pub(crate) fn given_back(tx: &Transaction<'_>, text: &str) -> store::Result<String> {
    let masked = |line: &str| match may_be_password(line) || command::begins_command(line) {
        true => MASK.to_owned(),
        false => line.trim_end().to_owned(),
    };
    let text: Vec<String> = text::lines(text).lines().map(masked).collect();
    let text = text.join("\n").trim().to_owned();
    if text.is_empty() {
        return Ok(text);
    }
    Ok(token::redacted(&text, &tx.reply_key()?).unwrap_or(text))
}

/// Returns the text of a reply without a command for its writer. A short first line may have been meant as a command,
/// with a password at any position.
pub(crate) fn given_back_without_command(tx: &Transaction<'_>, text: &str) -> store::Result<String> {
    let (first, below) = text.split_once('\n').unwrap_or((text, ""));
    let is_short = first.split_whitespace().count() < SENTENCE;
    given_back(tx, if is_short { below } else { text })
}

fn may_be_password(line: &str) -> bool {
    let word = line.trim();
    word.chars().count() > 3 && !word.contains(char::is_whitespace)
}

/// Returns the word below a move that may be a password. The old form of the command ends in the password, so players
/// may put it on the next line out of habit.
pub(crate) fn word_below(comment: &str) -> Option<&str> {
    let first = comment.lines().map(str::trim).find(|line| !line.is_empty())?;
    may_be_password(first).then_some(first)
}
