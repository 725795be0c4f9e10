//! Texts of refused mail that are returned to their writers.

use crate::command;
use crate::store::{self, Transaction};
use crate::text;
use crate::token;

/// What is shown instead of a line that may hold a password.
const MASK: &str = "***";
/// The fewest words of a line that is a sentence for certain, and not a mistyped command.
const SENTENCE: usize = 7;

/// A text as its writer gets it back: without tokens, and without lines that may hold a password by mistake. Those are lines
/// of one word, and lines that begin as a command.
pub(super) fn given_back(tx: &Transaction<'_>, text: &str) -> store::Result<String> {
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

/// The text of a reply without a command as its writer gets it back. A short first line may have been meant as a command, with
/// a password at any place.
pub(super) fn given_back_without_command(tx: &Transaction<'_>, text: &str) -> store::Result<String> {
    let (first, below) = text.split_once('\n').unwrap_or((text, ""));
    let is_short = first.split_whitespace().count() < SENTENCE;
    given_back(tx, if is_short { below } else { text })
}

fn may_be_password(line: &str) -> bool {
    let word = line.trim();
    word.chars().count() > 3 && !word.contains(char::is_whitespace)
}

/// The word below a move that may be a password. The old form of the command ends in the password, so habit may put it alone
/// on the next line.
pub(super) fn word_below(comment: &str) -> Option<&str> {
    let first = comment.lines().map(str::trim).find(|line| !line.is_empty())?;
    may_be_password(first).then_some(first)
}
