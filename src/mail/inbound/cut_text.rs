//! Commands below the beginning of a quoted mail. They are not run, because they may be the quoted mail's; their writer is
//! told so.

use super::commands::{FoundLine, command_in};
use super::new_text::new_text;
use super::reply_line::{ReplyLine, reply_line};
use crate::command::ParsedLine;

/// The first line in the text that was cut which is a whole command.
pub(super) fn command_in_cut_text(text: &str) -> Option<ParsedLine> {
    new_text(text).cut.into_iter().find_map(|line| match command_in(line.trim()) {
        Some(FoundLine::Command(line)) => Some(line),
        _ => None,
    })
}

/// The first line of the text that was cut, if it reads as an answer to a letter. Further down, a quoted letter of ours
/// has lines of moves.
pub(super) fn reply_line_in_cut_text(text: &str) -> Option<ReplyLine> {
    new_text(text).cut.into_iter().find(|line| !line.trim().is_empty()).and_then(|line| reply_line(line.trim()))
}
