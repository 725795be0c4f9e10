//! Commands in or below the first lines of a quote. They are not executed, because they may belong to the quoted
//! message. The answer reports them to the writer.

use super::commands::{FoundLine, command_in};
use super::new_text::new_text;
use super::reply_line::{ReplyLine, reply_line};
use crate::command::ParsedLine;

/// A line that would be executed in new text.
pub(crate) enum QuotedLine {
    /// A whole command.
    Whole(Box<ParsedLine>),
    /// An answer to a letter.
    Reply(ReplyLine),
}

/// Returns the first whole command in the cut text. Without one, returns the first line if it reads as an answer to a
/// letter. Later lines are not considered, because our own letters contain lines of moves.
pub(crate) fn line_in_cut_text(text: &str) -> Option<QuotedLine> {
    let cut = new_text(text).cut;
    let first = || cut.iter().find(|line| !line.trim().is_empty());
    cut.iter().find_map(|line| whole(line)).or_else(|| first().and_then(|line| reply(line)))
}

/// Returns the first line with a quote mark, if it would be executed without the mark.
pub(crate) fn marked_line(text: &str) -> Option<QuotedLine> {
    let line = text.lines().find_map(|line| line.trim().strip_prefix('>'))?;
    whole(line).or_else(|| reply(line))
}

fn whole(line: &str) -> Option<QuotedLine> {
    match command_in(line.trim()) {
        Some(FoundLine::Command(line)) => Some(QuotedLine::Whole(Box::new(line))),
        _ => None,
    }
}

fn reply(line: &str) -> Option<QuotedLine> {
    reply_line(line.trim()).map(QuotedLine::Reply)
}
